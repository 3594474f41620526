// cache/store/store_state.h
//
// StoreState: the state that a StoreCore shares with its snapshots: the reading side of the store.
// The writing side is in store_writer.h.

#ifndef KINFORMER_CACHE_STORE_STORE_STATE_H_
#define KINFORMER_CACHE_STORE_STORE_STATE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/internal/snapshot_core.h"

#include "base/core/mutex.h"
#include "cache/store/change_log.h"
#include "cache/store/key_table.h"
#include "cache/store/missing_indexes.h"
#include "cache/store/retire_list.h"
#include "cache/store/segmented_array.h"
#include "cache/store/store_index.h"
#include "cache/store/version_chain.h"
#include "cache/store/versions.h"

namespace kinformer::internal::cache {

// Looks up objects under the caller's guard. Lives as long as the store and its snapshots.
struct StoreState {
  static constexpr std::uint32_t kGroup = 8;  // entries that share a `newest` word

  // `store_name`: name of the store in messages.
  StoreState(Env& env, std::string store_name, bool packs_blocks);
  ~StoreState();
  StoreState(const StoreState&) = delete;
  StoreState& operator=(const StoreState&) = delete;

  [[nodiscard]] const Block* Get(std::string_view namespace_, std::string_view name,
                                 std::uint64_t version) const {
    const Block* found = nullptr;
    static_cast<void>(table.load(std::memory_order_acquire)
                          ->Find(HashKey(hash_seed, namespace_, name), [&](Link head) {
                            PrefetchKey(head);
                            const Block* block = VisibleAt(head, version);
                            if (block == nullptr || !IsKeyOf(*block, namespace_, name)) {
                              return false;
                            }
                            found = block;
                            return true;
                          }));
    return found;
  }

  // Needs no guard: `node` is pinned.
  std::size_t Walk(const VersionNode& node, std::size_t& position,
                   std::span<const Block*> out) const;

  // Calls `visit(block)` for each object with the value, until it returns false.
  template <class Visit>
  void ForEachWith(const StoreIndex& index, const Posting& posting, std::uint64_t version,
                   const Visit& visit) const {
    const EntryList* list = posting.entries.load(std::memory_order_acquire);
    if (list == nullptr) return;
    const std::uint32_t size = list->size.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t entry = list->at[i].load(std::memory_order_relaxed);
      if (!index.by_namespace() && !index.Has(entry, &posting, version)) continue;
      const Block* block = VisibleAt(heads[entry].load(std::memory_order_acquire), version);
      if (block == nullptr) continue;
      if (index.by_namespace() && block->namespace_() != posting.value) continue;
      if (!visit(block)) return;
    }
  }

  static const StoreIndex* FindIndex(const VersionNode& node, std::string_view name);

  // Fields that every reader reads and few writes change. They share no cache line with fields that
  // every write changes.
  const std::uint64_t hash_seed;
  const bool packs;  // some blocks may be packed
  std::atomic<KeyTable*> table;
  SegmentedArray<std::atomic<Link>, 16> heads{};
  // Per group of entries: no entry has a version above this one.
  SegmentedArray<std::atomic<std::uint64_t>, 16 / kGroup> newest{};

  // Fields of the writer. Entries below entries_end exist.
  alignas(64) std::uint32_t entries_end = 0;
  std::atomic<std::size_t> object_bytes{0};
  std::atomic<std::size_t> old_bytes{0};
  std::atomic<std::size_t> table_bytes{0};
  std::atomic<std::size_t> index_bytes{0};
  // Time when the oldest pinned version was found to be old; max: there is none.
  std::atomic<SteadyTime> pinned_since{SteadyTime::max()};
  std::atomic<Duration> snapshot_age_limit{};
  // Declared after the counters its items decrement, and before the members that retire into it.
  RetireList retired{};

  // Changed by every thread that takes or drops a snapshot.
  alignas(64) std::atomic<std::size_t> snapshots{0};

  Versions versions{};

  MissingIndexes missing_indexes;

  // Recent changes; null unless KeepChanges was called. The writer checks the flag only.
  std::atomic<bool> keeps_changes{false};
  base::Mutex change_log_mutex{};
  std::shared_ptr<ChangeLog> change_log KINFORMER_GUARDED_BY(change_log_mutex){};
};

// A pinned version.
class PinnedSnapshot final : public SnapshotCore {
 public:
  // Takes over one pin of `node`.
  PinnedSnapshot(std::shared_ptr<StoreState> state, VersionNode* node)
      : SnapshotCore(state->packs), state_(std::move(state)), node_(node) {
    state_->snapshots.fetch_add(1, std::memory_order_relaxed);
  }
  ~PinnedSnapshot() override {
    state_->snapshots.fetch_sub(1, std::memory_order_relaxed);
    state_->versions.Unpin(node_);
  }

  [[nodiscard]] const Block* Get(std::string_view namespace_, std::string_view name) const override;
  [[nodiscard]] std::size_t size() const override { return node_->content.size; }
  [[nodiscard]] std::string_view ResourceVersion() const override {
    return node_->content.resource_version;
  }
  [[nodiscard]] std::uint64_t version() const override { return node_->version; }
  [[nodiscard]] std::uint64_t epoch() const override { return node_->content.epoch; }
  [[nodiscard]] const Coverage* coverage() const override { return node_->content.coverage.get(); }
  const Block* Next(Cursor& cursor) const override;
  std::size_t NextBatch(Cursor& cursor, std::span<const Block*> out) const override;
  Result<std::vector<const Block*>> ByIndex(std::string_view index,
                                            std::string_view value) const override;
  Result<std::vector<std::string>> IndexValues(std::string_view index) const override;
  Result<std::vector<const Block*>> ByIndexRange(std::string_view index,
                                                 const IndexBounds& bounds) const override;

 private:
  Result<const StoreIndex*> IndexNamed(std::string_view name) const;

  [[nodiscard]] const Block* Unpack(const Block& packed) const override;

  const std::shared_ptr<StoreState> state_;
  VersionNode* const node_;
  mutable base::Mutex mutex_{};
  mutable std::unordered_map<const Block*, ObjectRef> unpacked_ KINFORMER_GUARDED_BY(mutex_){};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_STORE_STATE_H_
