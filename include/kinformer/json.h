// kinformer/json.h
//
// All public headers of the group json.

#ifndef KINFORMER_JSON_H_
#define KINFORMER_JSON_H_

#include "kinformer/json/json.h"
#include "kinformer/json/json_diff.h"
#include "kinformer/json/json_view.h"
#include "kinformer/json/jsonpath.h"
#include "kinformer/json/yaml.h"

#endif  // KINFORMER_JSON_H_
