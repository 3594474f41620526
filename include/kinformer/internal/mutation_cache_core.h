// kinformer/internal/mutation_cache_core.h
//
// MutationCacheCore: untyped half of MutationCache.

#ifndef KINFORMER_INTERNAL_MUTATION_CACHE_CORE_H_
#define KINFORMER_INTERNAL_MUTATION_CACHE_CORE_H_

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/object_name.h"
#include "kinformer/result.h"

namespace kinformer {

// Limits of a MutationCache, and the objects that it returns. Counterpart:
// cache.MutationCacheOptions.
struct MutationCacheOptions {
  Duration ttl{std::chrono::minutes(5)};  // lifetime of an entry
  // Also returns objects that the cache below lacks, either because they are new, or
  // because they were deleted. Only for programs that can handle deleted objects, for up to
  // `ttl`.
  bool include_adds{false};
  std::size_t max_cache_size{100};  // entries; beyond it the least recently used one is removed
};

namespace internal {

// Thread-safe.
class MutationCacheCore {
 public:
  MutationCacheCore(Env& env, std::shared_ptr<IndexerCore> backing, MutationCacheOptions options);

  // Returns null if there is none.
  [[nodiscard]] ObjectRef GetByKey(std::string_view key);
  [[nodiscard]] Result<std::vector<ObjectRef>> ByIndex(std::string_view index,
                                                       std::string_view value);
  Result<void> Mutation(const ObjectRef& object);
  void OnAddOrUpdate(const Block& object);
  void OnDelete(const Block& object);

 private:
  struct Entry {
    ObjectName name;
    ObjectRef object;  // null: a tombstone
    std::string uid;
    std::string resourceVersion;
    SteadyTime expires;
  };
  using Entries = std::list<Entry>;

  // Returns the entry, and marks it as used last; null if there is none, or it has expired.
  Entry* FindLocked(const ObjectName& name);
  void RemoveLocked(const ObjectName& name);
  void PutLocked(Entry entry);
  // Returns the entry's object if it is newer than that of the cache below, else null: the entry is
  // then useless.
  ObjectRef NewerLocked(const ObjectName& name, const Block& backing);

  Env& env_;
  const std::shared_ptr<IndexerCore> backing_;
  const MutationCacheOptions options_;
  std::mutex mu_;
  // Guarded by mu_. Most recently used first.
  Entries entries_;
  std::map<ObjectName, Entries::iterator> by_name_;
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_MUTATION_CACHE_CORE_H_
