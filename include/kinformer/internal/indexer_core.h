// kinformer/internal/indexer_core.h
//
// IndexerCore: the untyped half of Store, Indexer and Lister: a store with a lock for its writers,
// or the store of an informer, which only the informer writes.

#ifndef KINFORMER_INTERNAL_INDEXER_CORE_H_
#define KINFORMER_INTERNAL_INDEXER_CORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/result.h"

namespace kinformer::internal {

namespace cache {
class StoreCore;
struct Coverage;
}  // namespace cache
class InformerCore;
struct NetChanges;  // net_changes.h

// Who writes a store, as its readers see him: an informer. Thread-safe.
class StoreOwner {
 public:
  virtual ~StoreOwner() = default;
  // OK where a version that covers this still says what there is in the namespace (empty: in all
  // that the store looks at); else why not, and what to do: kNotSynced, kStopped.
  [[nodiscard]] virtual Result<void> Complete(const cache::Coverage& coverage,
                                              std::string_view namespace_) const = 0;
  // Somebody reads a version that covers this, in a way that cannot say what it lacks: says so in
  // the log, the first time, where it is too early for such reads.
  virtual void OnRead(const cache::Coverage* coverage) const = 0;
  // As IndexerCore's.
  virtual Result<void> AddIndexes(NamedIndexFunctions indexes, bool skip_existing) = 0;
  virtual Result<void> RemoveIndexes(std::vector<std::string> names) = 0;
  // See SharedInformer.
  [[nodiscard]] virtual Result<void> WaitForResourceVersion(
      std::string_view namespace_, std::string_view resourceVersion, const std::stop_token& stop,
      std::optional<Duration> timeout) const = 0;
};

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
  // Over the store of an owner, which outlives this; writes through this fail.
  IndexerCore(std::shared_ptr<cache::StoreCore> store, StoreOwner& owner);
  ~IndexerCore();
  IndexerCore(const IndexerCore&) = delete;
  IndexerCore& operator=(const IndexerCore&) = delete;

  // The store's resourceVersion becomes the object's, where that is newer.
  Result<void> Put(ObjectRef object);
  Result<void> Delete(std::string_view namespace_, std::string_view name,
                      std::string_view resource_version);
  Result<void> Replace(const std::vector<ObjectRef>& objects, std::string_view resource_version);
  Result<WriteOutcome> Apply(std::vector<Write> writes);
  Result<void> Bookmark(std::string_view resource_version);
  // None is added where a name is taken (kAlreadyExists). With `skip_existing` the others are, and
  // it is an error only where the name is another function's.
  Result<void> AddIndexes(NamedIndexFunctions indexes, bool skip_existing = false);
  // None is removed where one of the names is no index (kNotFound) or is the index "namespace"
  // (kInvalidArgument).
  Result<void> RemoveIndexes(std::vector<std::string> names);

  // Null where there is none that can be read.
  [[nodiscard]] ObjectRef Get(std::string_view namespace_, std::string_view name) const;
  // The object, or why there is none. `resource` is what messages call it: "pods".
  [[nodiscard]] Result<ObjectRef> GetOrWhyNot(std::string_view resource,
                                              std::string_view namespace_,
                                              std::string_view name) const;
  // OK where the snapshot has all objects of the namespace (empty: of those that the store looks
  // at); else why it may lack some.
  [[nodiscard]] Result<void> Complete(const SnapshotCore& snapshot, std::string_view resource,
                                      std::string_view namespace_) const;
  [[nodiscard]] std::shared_ptr<const SnapshotCore> Snapshot() const;
  // The same for who looks at what the version covers: it may be taken before the sync.
  [[nodiscard]] std::shared_ptr<const SnapshotCore> SnapshotAsItIs() const;
  // One of each store, all of which were current at one instant.
  [[nodiscard]] static std::vector<std::shared_ptr<const SnapshotCore>> JointSnapshots(
      std::span<const IndexerCore* const> stores);
  // What changes from now on is kept, within the larger of the windows that were asked for.
  void KeepChanges(std::size_t events, std::size_t bytes);
  // From a version of this store, and of that epoch, to the current one.
  [[nodiscard]] Result<NetChanges> ChangesSince(std::uint64_t version, std::uint64_t epoch) const;
  [[nodiscard]] const cache::StoreCore& store() const { return *store_; }
  [[nodiscard]] std::string ResourceVersion() const;
  // `namespace_` empty: of all that the store looks at.
  Result<void> WaitForResourceVersion(std::string_view namespace_, std::string_view resourceVersion,
                                      const std::stop_token& stop,
                                      std::optional<Duration> timeout) const;
  [[nodiscard]] std::vector<std::string> IndexNames() const;
  // What the function of the index says about any object; runs it on this thread.
  [[nodiscard]] Result<std::vector<std::string>> ValuesOf(std::string_view index,
                                                          const Block& object) const;

 private:
  Result<void> MayWrite() const;
  [[nodiscard]] Error WhyAbsent(const cache::Coverage* coverage, std::string_view resource,
                                std::string_view namespace_, std::string_view name) const;

  const std::shared_ptr<cache::StoreCore> store_;
  StoreOwner* const owner_ = nullptr;  // null for a store of its own
  // Of the writers of a store of its own: not in the cache line that readers look at.
  alignas(64) std::mutex mu_;
};

// kInvalidArgument where a kind with namespaces is asked for an object without one, or the other
// way round: there can be no such object.
Result<void> CheckNamespace(const TypeInfo& type, std::string_view namespace_,
                            std::string_view name);

// "namespace/name" into its parts as the store keeps them: what stands before the first slash is
// the namespace.
std::pair<std::string_view, std::string_view> SplitStoreKey(std::string_view key);
std::string KeyOfBlock(const Block& block);
std::vector<std::string> KeysOf(const SnapshotCore& snapshot);
std::vector<std::string> KeysOf(const std::vector<const Block*>& blocks);  // sorted

// Logs what a constructor cannot return.
void LogError(Env& env, const Result<void>& result);

// The reading side of an informer, the same one each time; counts as a handle on it.
std::shared_ptr<IndexerCore> IndexerOf(const std::shared_ptr<InformerCore>& informer);
Result<void> AddIndexesTo(InformerCore& informer, NamedIndexFunctions indexes, bool skip_existing);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_INDEXER_CORE_H_
