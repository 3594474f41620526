// The writing side of a store: entries, old versions and index lists, for the one thread that
// writes.
//
// StoreCore is its public face. Nothing here is thread-safe except the parts of `state` that
// readers share.

#ifndef KINFORMER_CACHE_STORE_STORE_WRITER_H_
#define KINFORMER_CACHE_STORE_STORE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/store/lazy_deque.h"
#include "cache/store/segmented_array.h"
#include "cache/store/store_core.h"
#include "cache/store/store_index.h"
#include "cache/store/store_state.h"
#include "cache/store/value_collector.h"
#include "object/block/packing.h"

namespace kinformer::internal::cache {

// Indexes that are being added. The writer keeps the values of the entries below `end` as for any
// other index, but no version has these indexes yet.
struct IndexFill {
  IndexList indexes{};
  std::uint32_t end = 0;
};

struct StoreWriter {
  StoreWriter(Env& e, StoreCoreOptions o)
      : env(e),
        options(std::move(o)),
        state(std::make_shared<StoreState>(e, options.name, options.compress)) {
    next.coverage = options.coverage;
    state->snapshot_age_limit.store(options.snapshot_age_limit, std::memory_order_relaxed);
    if (options.compress) trainer = std::make_unique<DictionaryTrainer>();
  }

  // ---- versions
  // Returns the version that uncommitted writes will have.
  [[nodiscard]] std::uint64_t NextVersion() const { return state->versions.Current().version + 1; }
  // Called before the first change of a version.
  void WillWrite() {
    if (change_log == nullptr && !dirty) [[unlikely]] {
      if (state->keeps_changes.load(std::memory_order_acquire)) StartChangeLog();
    }
  }
  void StartChangeLog();
  void LogChange(EventType type, const Block& object) {
    if (change_log != nullptr) change_log->Add(type, ObjectRef::Share(&object));
  }
  void Wrote() {
    dirty = true;
    if (!open) CommitNow();
  }
  void CommitNow();

  // ---- entries
  [[nodiscard]] std::uint32_t HashOf(std::string_view namespace_, std::string_view name) const {
    return HashKey(state->hash_seed, namespace_, name);
  }
  // Returns the slot of a key, or kNoSlot. Keys stay in the table until swept, even if deleted.
  [[nodiscard]] std::size_t FindSlot(std::string_view namespace_, std::string_view name) const {
    return FindSlot(HashOf(namespace_, name), namespace_, name);
  }
  [[nodiscard]] std::size_t FindSlot(std::uint32_t hash, std::string_view namespace_,
                                     std::string_view name) const;
  [[nodiscard]] KeyTable& table() const { return *state->table.load(std::memory_order_relaxed); }
  std::uint32_t NewEntry(std::uint32_t hash);
  // Sets the first version of a key, which enters the table.
  void AddHead(std::uint32_t entry, Link link) {
    StoreHead(entry, link);
    table().Insert(hashes[entry], entry, link);
    ++keys;
  }
  // Sets the newest version of the key in that slot.
  void SetHead(std::size_t slot, Link link) {
    StoreHead(table().EntryAt(slot), link);
    table().SetLinkAt(slot, link);
  }
  void StoreHead(std::uint32_t entry, Link link) {
    state->newest[entry / StoreState::kGroup].store(NextVersion(), std::memory_order_relaxed);
    state->heads[entry].store(link, std::memory_order_release);
  }
  void GrowTable(std::size_t buckets);
  // Removes a key that has no object at any version, at most deletions.
  void Sweep(std::uint32_t entry, std::string_view namespace_);

  // ---- old versions
  void RetireBlock(const Block* block);
  void RetireTombstone(Tombstone* tombstone) { state->retired.RetireDelete(tombstone); }
  // Unlinks the version that became current at `from` from the entry's chain, unless a snapshot
  // sees it.
  void Forget(const Replaced& old);
  void ForgetObject(const Replaced& old);
  bool Collect(std::size_t budget);
  // Updates the age of the oldest snapshot; logs a warning once it exceeds the limit.
  void LookAtPinned();

  // ---- indexes
  const SortedValues& ValuesOf(const StoreIndex& index, const Block& block);
  // Calls `visit` for each index that keeps values of the entry.
  template <class Visit>
  void ForEachIndexOf(std::uint32_t entry, const Visit& visit) {
    for (const auto& index : *next.indexes) visit(*index);
    if (filling == nullptr || entry >= filling->end) return;
    for (const auto& index : filling->indexes) visit(*index);
  }
  // Adds the values of the next entry to the indexes that are being added.
  void FillNextEntry();
  // Returns whether some index function reads objects, so that blocks must be unpacked first.
  [[nodiscard]] bool HasIndexFunctions() const;
  void Train();
  void IndexFirst(std::uint32_t entry, const Block& block);
  void IndexNext(std::uint32_t entry, const Block& block);

  Env& env;
  const StoreCoreOptions options;
  const std::shared_ptr<StoreState> state;

  std::shared_ptr<ChangeLog> change_log{};  // null while changes are not kept
  bool open = false;                        // between Begin and Commit
  bool dirty = false;                       // there are changes for the next commit
  // Content of the next version.
  VersionContent next{.indexes = std::make_shared<const IndexList>()};
  // Null while no index is being added.
  std::unique_ptr<IndexFill> filling;
  bool told_of_old_snapshot = false;
  std::size_t keys = 0;  // entries in the table: objects and deleted keys not yet swept
  // Hash of the key of each entry. Zero if the entry is free.
  SegmentedArray<std::uint32_t, 16> hashes;
  std::vector<std::uint32_t> free_entries;
  LazyDeque<Replaced> replaced;  // by `until`
  std::size_t replaced_since_commit = 0;
  std::size_t commits_since_scan = 0;
  ValueCollector values;
  // Null where blocks are not packed.
  std::unique_ptr<DictionaryTrainer> trainer;  // until there is a dictionary
  DictionaryRef dictionary;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_STORE_WRITER_H_
