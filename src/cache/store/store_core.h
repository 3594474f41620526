// cache/store/store_core.h
//
// StoreCore: the untyped store under every Store, Indexer, Lister and Snapshot. One writer, any
// number of readers that never block it and are never blocked.
//
// Structure: every key has an entry, a number in a dense array whose word points to the newest
// block. The versions of a key are chained through the blocks; a snapshot is a version number. A
// flat hash table finds the entry of a key. Indexes hold, for each value, a superset of the
// entries; these are checked again at the reader's version, so that one number covers the store and
// all its indexes. The end of versions is described in versions.h.

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

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/net_changes.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/object/object_name.h"

#include "cache/store/coverage.h"

namespace kinformer::internal::cache {

struct StoreState;
struct StoreWriter;

struct StoreCoreOptions {
  std::string name{};  // for logs and metrics
  // Adds the index "namespace".
  bool namespace_index = true;
  // Packs blocks as they are stored, once a dictionary is trained on the first of them.
  bool compress = false;
  // Snapshots of old versions held longer than this are logged.
  Duration snapshot_age_limit = std::chrono::minutes(10);
  // Coverage of the first version. Null: the store holds every object that exists.
  std::shared_ptr<const Coverage> coverage{};
};

struct StoreStats {
  std::size_t objects = 0;
  std::size_t unreadable = 0;    // objects that exist, but whose bytes are malformed
  std::size_t left_out = 0;      // objects that exist, but were left out because the store is full
  std::size_t object_bytes = 0;  // blocks of the current version
  std::size_t pinned_bytes = 0;  // blocks kept only for snapshots, or about to be freed
  std::size_t table_bytes = 0;   // table and indexes
  std::size_t snapshots = 0;
  // Time since the oldest version with a snapshot was found to be outdated; updated by writes. Zero
  // if no old version has a snapshot.
  Duration oldest_snapshot{};
};

// Where the store has a key, or would have it: saves the second of two look-ups. Valid until the
// store is written to.
struct StoreSpot {
  std::uint32_t hash = 0;
  std::size_t slot = 0;
  // Null if the key has no object or it was deleted.
  const Block* object = nullptr;
};

// One change by a write. `old_object` is null for an insert, `object` for a delete.
struct StoreChange {
  ObjectRef old_object;
  ObjectRef object;
};

// State of a key as the writer sees it: includes writes that are not committed yet.
struct StoreEntry {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  // Dense index of the key, usable for tables of the caller. kNone: the store lacks the key.
  std::uint32_t number = kNone;
  // Null if the key has no object or it was deleted.
  const Block* object = nullptr;
  // True if the object is also the one of the current version.
  bool committed = false;
};

// Result of Ask: object and coverage of the same version.
struct StoreAnswer {
  // Null if there is no object or it is unreadable.
  ObjectRef object{};
  // Set only if there is no object. Null: the store holds every object that exists.
  std::shared_ptr<const Coverage> coverage{};
};

// Position of a version in the server's history: the epoch and the resourceVersion in it.
struct StorePosition {
  std::uint64_t epoch = 0;
  std::string resource_version{};
};

// Writers: one at a time (the loop thread, or guarded by the caller). Readers: any thread, at any
// time.
class StoreCore {
 public:
  StoreCore(Env& env, StoreCoreOptions options);
  ~StoreCore();  // Snapshots may outlive it
  StoreCore(const StoreCore&) = delete;
  StoreCore& operator=(const StoreCore&) = delete;

  // ---- writer
  // Begin … Commit makes one version: readers see all of its writes or none. A write outside of
  // them makes a version of its own.
  void Begin();
  void Commit();
  // Inserts or replaces under the object's namespace and name. Returns the object before it. A
  // block claimed by another store, or still kept for this store's readers, is cloned. Putting the
  // block that is stored already changes nothing. With `same`: keeps a stored object that is equal,
  // sets *same to true and returns null.
  ObjectRef Put(ObjectRef object, bool* same = nullptr);
  // The same for an object whose key Find has found.
  ObjectRef Put(ObjectRef object, const StoreSpot& spot, bool* same = nullptr);
  [[nodiscard]] StoreSpot Find(std::string_view namespace_, std::string_view name) const;
  // Prefetches memory for the next calls of Put, so that their cache misses overlap. At most
  // kMostExpected objects.
  void Expect(std::span<const Block* const> objects) const;
  static constexpr std::size_t kMostExpected = 16;
  // Makes room for this total number of objects.
  void Reserve(std::size_t objects);
  // Returns the object as Put would store it, for callers that collect many objects first. Trains
  // the dictionary once there are enough samples.
  [[nodiscard]] ObjectRef Pack(ObjectRef object);
  // Returns the object as Put would store it now. Never trains the dictionary.
  [[nodiscard]] ObjectRef Packed(ObjectRef object) const;
  // Removes the object. Returns it; null if there was none.
  ObjectRef Erase(std::string_view namespace_, std::string_view name);
  // Sets the resourceVersion of the collection; it becomes part of the next commit.
  void SetResourceVersion(std::string_view resource_version);
  // Does the same unless the store has a newer one. For the resourceVersion of an object, which may
  // be older than that of the store.
  void AdvanceResourceVersion(std::string_view resource_version);
  // Sets the epoch of the next version: see VersionContent.
  void SetEpoch(std::uint64_t epoch);
  // Sets the coverage of the next version.
  void SetCoverage(std::shared_ptr<const Coverage> coverage);
  [[nodiscard]] const Coverage* coverage() const;
  // Frees up to `max_blocks` blocks that no reader can access. Commit frees some, too; call this
  // when idle. Returns true if more can be freed.
  bool CollectSome(std::size_t max_blocks);
  // Returns the state of a key including uncommitted writes.
  [[nodiscard]] StoreEntry Peek(std::string_view namespace_, std::string_view name) const;
  // REQUIRES: the entry's number is below entries_end.
  [[nodiscard]] StoreEntry PeekAt(std::uint32_t entry) const;
  [[nodiscard]] std::uint32_t entries_end() const;
  // Number and bytes of objects including uncommitted writes.
  [[nodiscard]] std::size_t written_objects() const;
  [[nodiscard]] std::size_t object_bytes() const;
  // Bytes of replaced or deleted objects not yet freed.
  [[nodiscard]] std::size_t old_bytes() const;
  // True between Begin and Commit.
  [[nodiscard]] bool is_open() const;

  // DropExisting removes from `indexes` those that the store has; kAlreadyExists if a name belongs
  // to another function, or to an index without the wanted order. Thread-safe. BeginIndexes
  // registers new indexes, all or none: kAlreadyExists if a name is taken. REQUIRES: none are being
  // filled. FillIndexes then fills them until the given time; writes may happen between its calls.
  // Once it returns true the current version has all of them; snapshots of earlier versions never
  // have them.
  Result<void> DropExisting(NamedIndexFunctions& indexes) const;
  Result<void> BeginIndexes(NamedIndexFunctions indexes);
  bool FillIndexes(SteadyTime until);
  // Removes all of these indexes, or none with kNotFound if a name is unknown. CollectSome and
  // later writes free their memory once no readable version has them.
  Result<void> RemoveIndexes(const std::vector<std::string>& names);

  // ---- readers
  // Returns the stored object, even if its latest state is unreadable. Null: none.
  [[nodiscard]] ObjectRef Get(std::string_view namespace_, std::string_view name) const;
  // Returns the current object, or none and the coverage that explains why.
  [[nodiscard]] StoreAnswer Ask(std::string_view namespace_, std::string_view name) const;
  [[nodiscard]] std::shared_ptr<const SnapshotCore> Snapshot() const;
  // Returns one snapshot per store, all current at the same instant. Never waits for writers, but
  // holds them up after `passes` failed attempts, so that it ends.
  [[nodiscard]] static std::vector<std::shared_ptr<const SnapshotCore>> JointSnapshots(
      std::span<const StoreCore* const> stores);
  [[nodiscard]] static std::vector<std::shared_ptr<const SnapshotCore>> JointSnapshots(
      std::span<const StoreCore* const> stores, int passes);
  // Sets StoreCoreOptions::snapshot_age_limit; zero: never logs. Thread-safe.
  void SetSnapshotAgeLimit(Duration limit) const;
  // Records changes from the next version on, as far as they fit into the largest window that was
  // asked for. Thread-safe.
  void KeepChanges(std::size_t events, std::size_t bytes) const;
  // Returns the net changes since a version of that epoch, and the snapshot they lead to. kExpired
  // if the window or the epoch does not reach back that far; kInvalidArgument if the store has not
  // reached that version.
  [[nodiscard]] Result<NetChanges> ChangesSince(std::uint64_t version, std::uint64_t epoch) const;
  [[nodiscard]] std::string ResourceVersion() const;
  [[nodiscard]] StorePosition Position() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] StoreStats Stats() const;
  [[nodiscard]] bool HasIndex(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> IndexNames() const;
  // Returns the values of an object in the index, sorted and distinct; it need not be stored. Calls
  // the index function on this thread; an exception becomes kInternalError.
  [[nodiscard]] Result<std::vector<std::string>> ValuesOf(std::string_view index,
                                                          const Block& object) const;

 private:
  const std::unique_ptr<StoreWriter> writer_;
  // Read path: separate from the writer, whose memory changes with every write.
  const std::shared_ptr<StoreState> state_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_STORE_CORE_H_
