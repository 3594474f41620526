// apiserver/builtin/data_keys.h
//
// Validation of data in ConfigMaps and Secrets: the form of keys, and the total size.

#ifndef KINFORMER_APISERVER_BUILTIN_DATA_KEYS_H_
#define KINFORMER_APISERVER_BUILTIN_DATA_KEYS_H_

#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Appends the problems of the object's data, if it is one of the two kinds. Thread-safe.
void ValidateData(const ServedResource& resource, const json::Value& object,
                  std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DATA_KEYS_H_
