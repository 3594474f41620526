// apiserver/registry/stored_keys.h
//
// StoredKeys: names of objects in a shared storage: the layout of kube-apiserver's keys in etcd,
// without the prefix.

#ifndef KINFORMER_APISERVER_REGISTRY_STORED_KEYS_H_
#define KINFORMER_APISERVER_REGISTRY_STORED_KEYS_H_

#include <memory>
#include <string>
#include <string_view>

#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// A resource, and the key of one of its objects in its store; no resource: something else is kept
// under that key.
struct StoredPlace {
  std::string group{};
  std::string plural{};
  std::string key{};
  [[nodiscard]] bool known() const { return !plural.empty(); }
};

// Returns "services/specs/default/web"; `key`: that of the object in the resource's store.
std::string StoredKeyOf(const ServedResource& resource, std::string_view key);

// Finds what is kept under such a key. A name with a dot in the first place is the group of a
// resource, which may not be served yet; others are built-in resources.
StoredPlace PlaceOfStored(const ResourceTable& resources, std::string_view stored_key);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_STORED_KEYS_H_
