// cache/store/store_core.h
//
// StoreCore: the untyped store under every Store, Indexer, Lister and Snapshot. One writer, any
// number of readers that never block it and are never blocked.
//
// Structure: every key has an entry, a number in a dense array whose word points at the newest
// block; the versions of a key are chained through the blocks; a snapshot is a version number. A
// flat hash table finds the entry of a key. Indexes hold, for each value, a superset of the
// entries, and are checked again at the reader's version, so that one number covers the store and
// all its indexes. versions.h tells how versions end.

#ifndef KINFORMER_CACHE_STORE_STORE_CORE_H_
#define KINFORMER_CACHE_STORE_STORE_CORE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/net_changes.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/object_name.h"
#include "kinformer/result.h"

#include "cache/store/coverage.h"

namespace kinformer::internal::cache {

struct StoreState;
struct StoreWriter;

struct StoreCoreOptions {
  std::string name{};  // for logs and metrics
  // Includes the index "namespace" unless false.
  bool namespace_index = true;
  // Blocks are packed on their way in, once a dictionary has been trained on the first of them.
  bool compress = false;
  // Who holds a snapshot for longer, once its version is old, is told of in the log.
  Duration snapshot_age_limit = std::chrono::minutes(10);
  // Of the store while it is new. Null: it holds all there is.
  std::shared_ptr<const Coverage> coverage{};
};

struct StoreStats {
  std::size_t objects = 0;
  std::size_t unreadable = 0;    // objects that exist, but whose bytes are malformed
  std::size_t left_out = 0;      // objects that exist, but find no room
  std::size_t object_bytes = 0;  // blocks of the current version
  std::size_t pinned_bytes = 0;  // blocks kept only for snapshots, or about to be freed
  std::size_t table_bytes = 0;   // table and indexes
  std::size_t snapshots = 0;
  // For how long the oldest version that has a snapshot has not been the current one, as of the
  // last writes. Zero where there is no snapshot of an old version.
  Duration oldest_snapshot{};
};

// What a write changed. `old_object` is null for an insert, `object` for a delete.
struct StoreChange {
  ObjectRef old_object;
  ObjectRef object;
};

// What the writer sees of a key: the object as of the writes so far.
struct StoreEntry {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  // Dense: an index for tables of the caller's. kNone where the store does not know the key.
  std::uint32_t number = kNone;
  // Null: none, or deleted.
  const Block* object = nullptr;
  // The current version has the object: it was not written since.
  bool committed = false;
};

// What a version has under a name, or what it covers: so that nobody asks two versions.
struct StoreAnswer {
  // Null for unreadable objects, too.
  ObjectRef object{};
  // Only where there is no object; null: the store holds all there is.
  std::shared_ptr<const Coverage> coverage{};
};

// How far a version has got in the server's history, and in which one.
struct StorePosition {
  std::uint64_t epoch = 0;
  std::string resource_version{};
};

// Writers: one at a time (the loop thread, or guarded by the caller). Readers: any thread, any
// time.
class StoreCore {
 public:
  StoreCore(Env& env, StoreCoreOptions options);
  ~StoreCore();  // Snapshots may outlive it
  StoreCore(const StoreCore&) = delete;
  StoreCore& operator=(const StoreCore&) = delete;

  // ---- writer
  // Begin … Commit make one version: readers see all of it or nothing. Writes outside a Begin are a
  // version each.
  void Begin();
  void Commit();
  // Inserts or replaces under the object's namespace and name. Returns what was there. A block
  // claimed by another store, or that this store still keeps for its readers, is cloned. Putting
  // the block that is there changes nothing. With `same`: an equal object that is there stays,
  // *same says so, and the result is null.
  ObjectRef Put(ObjectRef object, bool* same = nullptr);
  // Prefetches for the next calls of Put, so that their cache misses overlap. At most kMostExpected
  // objects.
  void Expect(std::span<const Block* const> objects) const;
  static constexpr std::size_t kMostExpected = 16;
  // Makes room for so many objects in all.
  void Reserve(std::size_t objects);
  // The object as Put would keep it: for who collects many before they are put. Trains the
  // dictionary once there are enough.
  [[nodiscard]] ObjectRef Pack(ObjectRef object);
  // As Put would keep it now.
  [[nodiscard]] ObjectRef Packed(ObjectRef object) const;
  // Removes; returns what was there, null if nothing.
  ObjectRef Erase(std::string_view namespace_, std::string_view name);
  // The version of the collection that the store has applied; part of the next commit.
  void SetResourceVersion(std::string_view resource_version);
  // The same, unless the store has a newer one: for the version of an object, which may be older
  // than what the store has.
  void AdvanceResourceVersion(std::string_view resource_version);
  // What the resourceVersions are of: see VersionContent.
  void SetEpoch(std::uint64_t epoch);
  // What the next version covers.
  void SetCoverage(std::shared_ptr<const Coverage> coverage);
  [[nodiscard]] const Coverage* coverage() const;
  // Frees a bounded part of what no reader can see any more. Commit does a little by itself; idle
  // time may call this. True: more.
  bool CollectSome(std::size_t max_blocks);
  // What the next commit will show.
  [[nodiscard]] StoreEntry Peek(std::string_view namespace_, std::string_view name) const;
  // REQUIRES: the entry's number is below entries_end.
  [[nodiscard]] StoreEntry PeekAt(std::uint32_t entry) const;
  [[nodiscard]] std::uint32_t entries_end() const;
  // As of the writes so far.
  [[nodiscard]] std::size_t written_objects() const;
  [[nodiscard]] std::size_t object_bytes() const;
  // Of what nobody sees any more but snapshots, or nobody at all.
  [[nodiscard]] std::size_t old_bytes() const;
  // Between Begin and Commit.
  [[nodiscard]] bool is_open() const;

  // Adds indexes, all or none: kAlreadyExists where a name is taken. FillIndexes then fills them
  // from what is there until a time; once it says true, a version has all of them. There may be
  // writes between its calls. Until then, and in older snapshots, they do not exist.
  // REQUIRES: none are being filled.
  // Thread-safe. Takes those out whose names are there already. kAlreadyExists where one of them is
  // another function than the one that is there.
  Result<void> DropExisting(NamedIndexFunctions& indexes) const;
  Result<void> BeginIndexes(NamedIndexFunctions indexes);
  bool FillIndexes(SteadyTime until);
  // kNotFound where one of the names is no index; none is removed then. Their memory is freed once
  // no version that has them can be read: by CollectSome, or by later writes.
  Result<void> RemoveIndexes(const std::vector<std::string>& names);

  // ---- readers
  // As it was when it last could be read.
  [[nodiscard]] ObjectRef Get(std::string_view namespace_, std::string_view name) const;
  // As it is.
  [[nodiscard]] StoreAnswer Ask(std::string_view namespace_, std::string_view name) const;
  [[nodiscard]] std::shared_ptr<const SnapshotCore> Snapshot() const;
  // One of each, all of which were current at one instant; never waits for writers, but makes them
  // wait after so many passes over the stores, so that it ends.
  [[nodiscard]] static std::vector<std::shared_ptr<const SnapshotCore>> JointSnapshots(
      std::span<const StoreCore* const> stores);
  [[nodiscard]] static std::vector<std::shared_ptr<const SnapshotCore>> JointSnapshots(
      std::span<const StoreCore* const> stores, int passes);
  // Thread-safe. Of StoreCoreOptions; zero: nothing is told.
  void SetSnapshotAgeLimit(Duration limit) const;
  // Thread-safe. What changes from the next version on is kept, as far as the larger of the windows
  // that were asked for goes.
  void KeepChanges(std::size_t events, std::size_t bytes) const;
  // What changed since a version of that epoch, net, and the snapshot that has it. kExpired where
  // the window or the epoch does not reach back so far; kInvalidArgument where there was no such
  // version yet.
  [[nodiscard]] Result<NetChanges> ChangesSince(std::uint64_t version, std::uint64_t epoch) const;
  [[nodiscard]] std::string ResourceVersion() const;
  [[nodiscard]] StorePosition Position() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] StoreStats Stats() const;
  [[nodiscard]] bool HasIndex(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> IndexNames() const;
  // What the function of the index says about an object, which need not be in the store; sorted,
  // distinct. Runs it on this thread; what it throws is kInternalError.
  [[nodiscard]] Result<std::vector<std::string>> ValuesOf(std::string_view index,
                                                          const Block& object) const;

 private:
  const std::unique_ptr<StoreWriter> writer_;
  // Readers go this way: the writer's object changes with every write.
  const std::shared_ptr<StoreState> state_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_STORE_CORE_H_
