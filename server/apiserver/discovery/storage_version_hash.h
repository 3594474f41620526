// apiserver/discovery/storage_version_hash.h
//
// Hash by which clients detect a change of a resource's storage version.

#ifndef KINFORMER_APISERVER_DISCOVERY_STORAGE_VERSION_HASH_H_
#define KINFORMER_APISERVER_DISCOVERY_STORAGE_VERSION_HASH_H_

#include <string>

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Returns an empty string for resources that are not stored.
[[nodiscard]] std::string StorageVersionHash(const ServedResource& resource);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_STORAGE_VERSION_HASH_H_
