// kinformer/internal/indexer_core.h
//
// IndexerCore: the untyped half of Store, Indexer and Lister: a store with a lock for its writers, or the store of an informer,
// which only the informer writes.

#ifndef KINFORMER_INTERNAL_INDEXER_CORE_H_
#define KINFORMER_INTERNAL_INDEXER_CORE_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/result.h"

namespace kinformer::internal {

class StoreCore;
class InformerCore;

// What a store knows of what it does not hold. Informers have one; a store that stands alone holds all there is. Thread-safe.
class ReadScope {
 public:
  virtual ~ReadScope() = default;
  // OK where an object that is in scope and not in the store does not exist; else why that cannot be said: kNotSynced,
  // kOverLimit, kForbidden.
  [[nodiscard]] virtual Result<void> Complete() const = 0;
  // In which namespace it looks; empty: all, or cluster scope.
  [[nodiscard]] virtual std::string_view ScopeNamespace() const = 0;
  // The object exists, but its bytes are malformed.
  [[nodiscard]] virtual bool IsUnreadable(std::string_view namespace_,
                                          std::string_view name) const = 0;
  virtual Result<void> AddIndex(std::string name, IndexFunction function) = 0;
};

using NamedIndexFunctions = std::vector<std::pair<std::string, IndexFunction>>;

enum class WriteKind : std::uint8_t { kAdd, kUpdate, kDelete };
struct Write {
  WriteKind kind{};
  ObjectRef object{};
};
// A write that failed stands in neither; the others were made.
struct WriteOutcome {
  std::vector<std::size_t> successful{};
  std::optional<Error> error{};
};

// Thread-safe. Writes take a lock, reads none.
class IndexerCore {
 public:
  // A store of its own.
  explicit IndexerCore(Env& env);
  // Over the store of something that writes it; writes through this fail.
  IndexerCore(std::shared_ptr<StoreCore> store, std::shared_ptr<ReadScope> scope);
  ~IndexerCore();
  IndexerCore(const IndexerCore&) = delete;
  IndexerCore& operator=(const IndexerCore&) = delete;

  // The store's resourceVersion becomes that of the object written last, where it has one.
  Result<void> Put(ObjectRef object);
  Result<void> Delete(std::string_view namespace_, std::string_view name,
                      std::string_view resource_version);
  Result<void> Replace(const std::vector<ObjectRef>& objects, std::string_view resource_version);
  Result<WriteOutcome> Apply(std::vector<Write> writes);
  Result<void> Bookmark(std::string_view resource_version);
  // None is added where a name is taken (kAlreadyExists), unless `skip_existing`.
  Result<void> AddIndexes(NamedIndexFunctions indexes, bool skip_existing = false);

  [[nodiscard]] ObjectRef Get(std::string_view namespace_, std::string_view name) const;
  // Why Get found nothing. `resource` is what messages call it: "pods".
  [[nodiscard]] Error WhyAbsent(std::string_view resource, std::string_view namespace_,
                                std::string_view name) const;
  [[nodiscard]] Result<void> Complete() const;
  [[nodiscard]] std::string_view ScopeNamespace() const;
  [[nodiscard]] std::shared_ptr<const SnapshotCore> Snapshot() const;
  [[nodiscard]] std::string ResourceVersion() const;
  [[nodiscard]] std::vector<std::string> IndexNames() const;
  // What the function of the index says about any object; runs it on this thread.
  [[nodiscard]] Result<std::vector<std::string>> ValuesOf(std::string_view index,
                                                          const Block& object) const;

 private:
  Result<void> MayWrite() const;

  std::mutex mu_;
  const std::shared_ptr<StoreCore> store_;
  const std::shared_ptr<ReadScope> scope_;  // null for a store of its own
};

// "namespace/name" into its parts as the store keeps them: what stands before the first slash is the namespace.
std::pair<std::string_view, std::string_view> SplitStoreKey(std::string_view key);
std::string KeyOfBlock(const Block& block);
std::vector<std::string> KeysOf(const SnapshotCore& snapshot);
std::vector<std::string> KeysOf(const std::vector<const Block*>& blocks);  // sorted

// The reading side of an informer; counts as a handle on it.
std::shared_ptr<IndexerCore> IndexerOf(const std::shared_ptr<InformerCore>& informer);
Result<void> AddIndexesTo(InformerCore& informer, NamedIndexFunctions indexes, bool skip_existing);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_INDEXER_CORE_H_
