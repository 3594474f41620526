// apiserver/registry/stored_values.h
//
// Values of objects in a shared storage. They are written as JSON, as kube-apiserver writes custom
// resources, and read in that form and in kube-apiserver's form of built-in kinds: protobuf.

#ifndef KINFORMER_APISERVER_REGISTRY_STORED_VALUES_H_
#define KINFORMER_APISERVER_REGISTRY_STORED_VALUES_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// Returns the value of an object of the resource in whose store it is.
std::string ValueOf(const ServedResource& resource, const StoredObject& stored);

// An object that was read: without kind and apiVersion, in the stored form of a built-in resource.
struct ReadObject {
  std::string version{};  // "v1"
  json::Value object{};
};
// `resource`: null for a resource that is not served. Errors are kDecode.
Result<ReadObject> ReadValue(const ResourceTable& resources, const ServedResource* resource,
                             std::string_view value);

// Returns names of what only one Service may have, sorted: its addresses and node ports. Nothing
// for other kinds.
std::vector<std::string> ClaimsOf(const ServedResource& resource, const StoredObject* stored);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_STORED_VALUES_H_
