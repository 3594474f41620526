// kinformer/internal/assume_cache_core.h
//
// AssumeCacheCore: untyped half of AssumeCache.

#ifndef KINFORMER_INTERNAL_ASSUME_CACHE_CORE_H_
#define KINFORMER_INTERNAL_ASSUME_CACHE_CORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/internal/raw_event.h"
#include "kinformer/internal/snapshot_core.h"

namespace kinformer::internal {

namespace cache {
class Listener;
}  // namespace cache

// Thread-safe. Destruction waits for a running callback, except inside it.
class AssumeCacheCore {
 public:
  // Creates an empty cache. `resource` names the objects in messages: "pods".
  AssumeCacheCore(Env& env, std::string resource, NamedIndexFunctions indexes);
  ~AssumeCacheCore();
  AssumeCacheCore(const AssumeCacheCore&) = delete;
  AssumeCacheCore& operator=(const AssumeCacheCore&) = delete;

  // Apply an event of the informer, which belongs to this epoch of the server.
  void OnAddOrUpdate(ObjectRef object, std::uint64_t epoch);
  void OnDelete(const Block& object, bool final_state_unknown);

  Result<void> Assume(ObjectRef object);
  void Restore(std::string_view key);
  [[nodiscard]] Result<ObjectRef> Get(std::string_view key) const;
  [[nodiscard]] Result<ObjectRef> GetAPIObj(std::string_view key) const;
  // Returns the index of the latest objects.
  [[nodiscard]] const std::shared_ptr<IndexerCore>& latest() const;

  std::shared_ptr<cache::Listener> AddHandler(std::shared_ptr<RawHandler> handler,
                                              HandlerOptions options);
  Result<void> RemoveHandler(const std::shared_ptr<cache::Listener>& listener);

 private:
  struct Impl;
  Pimpl<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_ASSUME_CACHE_CORE_H_
