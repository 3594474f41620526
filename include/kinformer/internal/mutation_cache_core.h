// kinformer/internal/mutation_cache_core.h
//
// MutationCacheCore: the untyped half of MutationCache.

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

// How long a MutationCache keeps what, and what it shows of it. Counterpart:
// cache.MutationCacheOptions.
struct MutationCacheOptions {
  Duration ttl{std::chrono::minutes(5)};  // an entry goes that long after it was made
  // Also show objects that the cache below does not have. It may not have heard of them yet, or may
  // have heard that they are gone: only for who can do with an object that has been deleted, for up
  // to `ttl`.
  bool include_adds{false};
  std::size_t max_cache_size{100};  // entries; past it the one goes that was used longest ago
};

namespace internal {

// Thread-safe.
class MutationCacheCore {
 public:
  MutationCacheCore(Env& env, std::shared_ptr<IndexerCore> backing, MutationCacheOptions options);

  // Null where there is none.
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

  // The entry, now the one used last; null where there is none, or one that has expired.
  Entry* FindLocked(const ObjectName& name);
  void RemoveLocked(const ObjectName& name);
  void PutLocked(Entry entry);
  // The entry's object where it is newer than what the cache below has, else null: then the entry
  // is of no use any more.
  ObjectRef NewerLocked(const ObjectName& name, const Block& backing);

  Env& env_;
  const std::shared_ptr<IndexerCore> backing_;
  const MutationCacheOptions options_;
  std::mutex mu_;
  // Under mu_. The one used last stands first.
  Entries entries_;
  std::map<ObjectName, Entries::iterator> by_name_;
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_MUTATION_CACHE_CORE_H_
