// table/json_path.h
//
// JSONPath as used in columns of custom resources: ".spec.replicas",
// ".status.conditions[?(@.type=='Ready')].status".

#ifndef KINFORMER_TABLE_JSON_PATH_H_
#define KINFORMER_TABLE_JSON_PATH_H_

#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::internal::table {

// Returns the values at the path in `root`, in document order; empty if nothing matches or the path
// is malformed. Members are .name and ['name'], items [0], [-1] and [*], and filters compare one
// member with a text, number or boolean. The results live as long as `root`.
std::vector<const json::Value*> FindByPath(const json::Value& root, std::string_view path);

}  // namespace kinformer::internal::table

#endif  // KINFORMER_TABLE_JSON_PATH_H_
