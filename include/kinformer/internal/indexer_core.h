// kinformer/internal/indexer_core.h
//
// IndexerCore: untyped half of Store, Indexer and Lister: either a store with a lock for its
// writers, or the store of an informer, which only the informer writes.

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

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/snapshot_core.h"

namespace kinformer::internal {

namespace cache {
class StoreCore;
struct Coverage;
}  // namespace cache
class InformerCore;
struct NetChanges;  // net_changes.h

// Writer of a store, as its readers see it: an informer. Thread-safe.
class StoreOwner {
 public:
  virtual ~StoreOwner() = default;
  // Returns OK if a version with this coverage has all objects of the namespace (empty: of all that
  // the store covers); else the reason and a remedy: kNotSynced, kStopped.
  [[nodiscard]] virtual Result<void> Complete(const cache::Coverage& coverage,
                                              std::string_view namespace_) const = 0;
  // Called when a version with this coverage is read in a way that cannot return an error. The
  // first time that such a read is too early, it is logged.
  virtual void OnRead(const cache::Coverage* coverage) const = 0;
  // Does as IndexerCore::AddIndexes.
  virtual Result<void> AddIndexes(NamedIndexFunctions indexes, bool skip_existing) = 0;
  virtual Result<void> RemoveIndexes(std::vector<std::string> names) = 0;
  // See SharedInformer.
  [[nodiscard]] virtual Result<void> WaitForResourceVersion(
      std::string_view namespace_, std::string_view resourceVersion, const std::stop_token& stop,
      std::optional<Duration> timeout) const = 0;
};

// Stores the object, or deletes the one of its name.
struct Write {
  ObjectRef object{};
  bool deletes = false;
};
// Result of Apply: the writes that succeeded, by position. One that failed is not among them.
struct WriteOutcome {
  std::vector<std::size_t> successful{};
  std::optional<Error> error{};
};

// Store or view of one. Thread-safe. Writes take a lock, reads do not.
class IndexerCore {
 public:
  // Creates a store of its own.
  explicit IndexerCore(Env& env);
  // Creates a view of an owner's store; `owner` must outlive it. Writes through the view fail.
  IndexerCore(std::shared_ptr<cache::StoreCore> store, StoreOwner& owner);
  ~IndexerCore();
  IndexerCore(const IndexerCore&) = delete;
  IndexerCore& operator=(const IndexerCore&) = delete;

  // Adds or replaces the object. The store's resourceVersion becomes the object's if that is newer.
  Result<void> Put(ObjectRef object);
  Result<void> Delete(std::string_view namespace_, std::string_view name,
                      std::string_view resource_version);
  Result<void> Replace(const std::vector<ObjectRef>& objects, std::string_view resource_version);
  Result<WriteOutcome> Apply(std::vector<Write> writes);
  Result<void> Bookmark(std::string_view resource_version);
  // Adds none of the indexes if a name is taken (kAlreadyExists). With `skip_existing` adds the
  // others, and fails only if another function has the name.
  Result<void> AddIndexes(NamedIndexFunctions indexes, bool skip_existing = false);
  // Removes none of the indexes if one of the names is unknown (kNotFound) or is "namespace"
  // (kInvalidArgument).
  Result<void> RemoveIndexes(std::vector<std::string> names);

  // Returns null if there is no readable object.
  [[nodiscard]] ObjectRef Get(std::string_view namespace_, std::string_view name) const;
  // Returns the object, or why there is none. `resource` names it in messages: "pods".
  [[nodiscard]] Result<ObjectRef> GetOrWhyNot(std::string_view resource,
                                              std::string_view namespace_,
                                              std::string_view name) const;
  // Returns OK if the snapshot has all objects of the namespace (empty: of all that the store
  // covers); else why some may be missing.
  [[nodiscard]] Result<void> Complete(const SnapshotCore& snapshot, std::string_view resource,
                                      std::string_view namespace_) const;
  [[nodiscard]] std::shared_ptr<const SnapshotCore> Snapshot() const;
  // Returns a snapshot for callers that check its coverage: it may be taken before the sync.
  [[nodiscard]] std::shared_ptr<const SnapshotCore> SnapshotAsItIs() const;
  // Returns one snapshot of each store; all of them were current at one instant.
  [[nodiscard]] static std::vector<std::shared_ptr<const SnapshotCore>> JointSnapshots(
      std::span<const IndexerCore* const> stores);
  // Keeps later changes for ChangesSince, within the largest window that was requested so far.
  void KeepChanges(std::size_t events, std::size_t bytes);
  // Returns the changes from that version of this store, in that epoch, to the current one.
  [[nodiscard]] Result<NetChanges> ChangesSince(std::uint64_t version, std::uint64_t epoch) const;
  [[nodiscard]] const cache::StoreCore& store() const { return *store_; }
  [[nodiscard]] std::string ResourceVersion() const;
  // Waits for a version. `namespace_` empty: in all that the store covers.
  Result<void> WaitForResourceVersion(std::string_view namespace_, std::string_view resourceVersion,
                                      const std::stop_token& stop,
                                      std::optional<Duration> timeout) const;
  [[nodiscard]] std::vector<std::string> IndexNames() const;
  // Returns the values of any object in the index; runs the index function on this thread.
  [[nodiscard]] Result<std::vector<std::string>> ValuesOf(std::string_view index,
                                                          const Block& object) const;

 private:
  Result<void> MayWrite() const;
  [[nodiscard]] Error WhyAbsent(const cache::Coverage* coverage, std::string_view resource,
                                std::string_view namespace_, std::string_view name) const;

  const std::shared_ptr<cache::StoreCore> store_;
  StoreOwner* const owner_ = nullptr;  // null for a store of its own
  // Lock for writers of a store of its own. Not in the cache line that readers use.
  alignas(64) std::mutex mu_;
};

// Returns kInvalidArgument if a kind with namespaces is read without one, or the other way round:
// no such object can exist.
Result<void> CheckNamespace(const KindInfo& type, std::string_view namespace_,
                            std::string_view name);

// Splits "namespace/name" as the store does: the namespace is the part before the first
// slash.
std::pair<std::string_view, std::string_view> SplitStoreKey(std::string_view key);
std::string KeyOfBlock(const Block& block);
std::vector<std::string> KeysOf(const SnapshotCore& snapshot);
// Returns the objects that have one of the values, each once.
std::vector<const Block*> ByIndexValues(const SnapshotCore& snapshot, std::string_view index,
                                        const std::vector<std::string>& values);
std::vector<std::string> KeysOf(const std::vector<const Block*>& blocks);  // sorted

// Logs an error that a constructor cannot return.
void LogError(Env& env, const Result<void>& result);

// Returns the reading side of an informer, always the same; it counts as a handle on the informer.
std::shared_ptr<IndexerCore> IndexerOf(const std::shared_ptr<InformerCore>& informer);
Result<void> AddIndexesTo(InformerCore& informer, NamedIndexFunctions indexes, bool skip_existing);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_INDEXER_CORE_H_
