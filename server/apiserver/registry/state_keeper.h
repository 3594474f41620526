// apiserver/registry/state_keeper.h
//
// StateKeeper: tells a Storage what a server stores.

#ifndef KINFORMER_APISERVER_REGISTRY_STATE_KEEPER_H_
#define KINFORMER_APISERVER_REGISTRY_STATE_KEEPER_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/served_resource.h"
#include "apiserver/store/storage.h"

namespace kinformer::apiserver {

// Gives each resource a number, and describes it before its first object. Loop-confined.
class StateKeeper {
 public:
  explicit StateKeeper(std::shared_ptr<Storage> storage) : storage_(std::move(storage)) {}

  [[nodiscard]] Storage& storage() { return *storage_; }

  // Keeps a new version of an object, or its tombstone; `previous`: the object it replaces, or
  // null. `resource` is the one in whose store it is.
  void Put(const ServedResource& resource, const StoredObjectPtr& stored,
           const StoredObject* previous) {
    const std::int64_t before = previous == nullptr ? 0 : previous->resource_version();
    storage_->Put(NumberOf(resource), stored, before);
  }
  // The objects have changed without a new version.
  void Reshaped(const ServedResource& resource);
  // The resource is no longer served.
  void Drop(const ServedResource& resource);
  // Keeps all objects, and nothing else: the state was replaced. History begins at `floor`.
  void KeepAll(const ResourceTable& resources, std::int64_t floor);

  // Takes up a resource that the storage has.
  void Adopt(const ServedResource& resource, const KeptResource& kept);
  // The numbers up to this one are taken.
  void Reserve(std::uint32_t number) { last_ = std::max(last_, number); }

 private:
  struct Known {
    std::uint32_t number = 0;
    std::shared_ptr<const std::vector<std::string>> forms{};
    bool reshaped = false;
  };
  // Returns the number of the resource, which is described if that is new.
  std::uint32_t NumberOf(const ServedResource& resource);
  void Describe(const ServedResource& resource, const Known& known);

  const std::shared_ptr<Storage> storage_;
  std::unordered_map<const ServedResource*, Known> known_{};
  std::uint32_t last_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_STATE_KEEPER_H_
