// apiserver/discovery/storage_version_hash.h
//
// By which clients tell that a resource is stored in another version than before.

#ifndef KINFORMER_APISERVER_DISCOVERY_STORAGE_VERSION_HASH_H_
#define KINFORMER_APISERVER_DISCOVERY_STORAGE_VERSION_HASH_H_

#include <string>

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Empty for what is not stored.
[[nodiscard]] std::string StorageVersionHash(const ServedResource& resource);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_STORAGE_VERSION_HASH_H_
