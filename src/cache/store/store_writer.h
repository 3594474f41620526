// The writing side of a store: entries, old versions and index lists, for the one thread that
// writes.
//
// StoreCore is its public face. Nothing here is safe for several threads except what it reaches in
// `state`, which readers share.

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

// Indexes that are being added: the writer keeps the values of the entries below `end` as those of
// any index, and no version has them yet.
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
  // The version that the writes of now will have.
  [[nodiscard]] std::uint64_t NextVersion() const { return state->versions.Current().version + 1; }
  // Before the first change of a version.
  void WillWrite() {
    if (change_log == nullptr && !dirty) [[unlikely]] {
      if (state->keeps_changes.load(std::memory_order_acquire)) StartChangeLog();
    }
  }
  void StartChangeLog();
  void LogChange(NetChangeType type, const Block& object) {
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
  // Where the table has a key; kNoSlot: nowhere. A key is in it until it is swept, deleted or not.
  [[nodiscard]] std::size_t FindSlot(std::string_view namespace_, std::string_view name) const {
    return FindSlot(HashOf(namespace_, name), namespace_, name);
  }
  [[nodiscard]] std::size_t FindSlot(std::uint32_t hash, std::string_view namespace_,
                                     std::string_view name) const;
  [[nodiscard]] KeyTable& table() const { return *state->table.load(std::memory_order_relaxed); }
  std::uint32_t NewEntry(std::uint32_t hash);
  // The first version of a key, which enters the table.
  void AddHead(std::uint32_t entry, Link link) {
    StoreHead(entry, link);
    table().Insert(hashes[entry], entry, link);
    ++keys;
  }
  // The newest version of the key with that slot.
  void SetHead(std::size_t slot, Link link) {
    StoreHead(table().EntryAt(slot), link);
    table().SetLinkAt(slot, link);
  }
  void StoreHead(std::uint32_t entry, Link link) {
    state->newest[entry / StoreState::kGroup].store(NextVersion(), std::memory_order_relaxed);
    state->heads[entry].store(link, std::memory_order_release);
  }
  void GrowTable(std::size_t buckets);
  // The key has no object left at any version, at most deletions.
  void Sweep(std::uint32_t entry, std::string_view namespace_);

  // ---- old versions
  void RetireBlock(const Block* block);
  void RetireTombstone(Tombstone* tombstone) { state->retired.RetireDelete(tombstone); }
  // Removes the version that became current at `from` from the entry's chain, unless a snapshot
  // sees it.
  void Forget(const Replaced& old);
  void ForgetObject(const Replaced& old);
  bool Collect(std::size_t budget);
  // How old the oldest snapshot is; tells the log where that is too much.
  void LookAtPinned();

  // ---- indexes
  const SortedValues& ValuesOf(const StoreIndex& index, const Block& block);
  // Those that have values of the entry.
  template <class Visit>
  void ForEachIndexOf(std::uint32_t entry, const Visit& visit) {
    for (const auto& index : *next.indexes) visit(*index);
    if (filling == nullptr || entry >= filling->end) return;
    for (const auto& index : filling->indexes) visit(*index);
  }
  // Gives the indexes that are being added the values of the next entry.
  void FillNextEntry();
  // Whether a block must be whole for the indexes.
  [[nodiscard]] bool HasIndexFunctions() const;
  void Train();
  void IndexFirst(std::uint32_t entry, const Block& block);
  void IndexNext(std::uint32_t entry, const Block& block);

  Env& env;
  const StoreCoreOptions options;
  const std::shared_ptr<StoreState> state;

  std::shared_ptr<ChangeLog> change_log{};  // null while no changes are kept
  bool open = false;                        // between Begin and Commit
  bool dirty = false;                       // something for the next commit
  // What the next commit will publish.
  VersionContent next{.indexes = std::make_shared<const IndexList>()};
  // Null while no index is being added.
  std::unique_ptr<IndexFill> filling;
  bool told_of_old_snapshot = false;
  std::size_t keys = 0;  // entries in the table: objects and deleted keys not yet swept
  // By entry: the hash of its key. Zero where the entry is free.
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
