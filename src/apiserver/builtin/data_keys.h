// apiserver/builtin/data_keys.h
//
// What ConfigMaps and Secrets may hold: the form of keys, and how much in all.

#ifndef KINFORMER_APISERVER_BUILTIN_DATA_KEYS_H_
#define KINFORMER_APISERVER_BUILTIN_DATA_KEYS_H_

#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Appends what is wrong with the data of the object, if it is one of the two. On any thread.
void ValidateData(const ServedResource& resource, const json::Value& object,
                  std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DATA_KEYS_H_
