// cache/apply/relist.h
//
// Relist: a whole list on its way into the store, in one version that stays open over several turns
// of the loop.

#ifndef KINFORMER_CACHE_APPLY_RELIST_H_
#define KINFORMER_CACHE_APPLY_RELIST_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/snapshot_core.h"

#include "cache/deltas/delta.h"
#include "cache/figures/pipeline_counters.h"
#include "cache/store/store_core.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

// Confined to the loop. Nobody else writes the store between the first Continue and the caller's
// Commit.
class Relist {
 public:
  // Called for each object that the list adds, changes ("ADDED", "MODIFIED") or, as one that it
  // lacks, deletes ("DELETED"). Empty: nobody wants to know.
  using Observer = std::function<void(std::string_view type, const Block& object)>;

  // Begins a version. The list is of that part of the store, and replaces what is in it.
  Relist(Env& env, StoreCore& store, PipelineCounters& counters, const StorePart& part,
         std::unique_ptr<DeltaExtra> list, Observer observer);

  // Works until `until`, and does something in any case. True: all is written, except the list's
  // resourceVersion.
  bool Continue(SteadyTime until);

  [[nodiscard]] const DeltaExtra& list() const { return *list_; }
  // The store as it was.
  [[nodiscard]] const std::shared_ptr<const SnapshotCore>& before() const { return before_; }

 private:
  // Entries of the store that the list has, too.
  class Marks {
   public:
    explicit Marks(std::uint32_t entries) : marked_(entries) {}
    // True the first time.
    bool Mark(std::uint32_t entry) {
      const bool first = !marked_[entry];
      marked_[entry] = true;
      return first;
    }
    [[nodiscard]] bool Has(std::uint32_t entry) const { return marked_[entry]; }

   private:
    std::vector<bool> marked_;
  };

  // Each does a part, and is true once it has done all.
  bool PutObjects(SteadyTime until);
  bool EraseTheRest(SteadyTime until);
  // Unless the list has it, too.
  void Erase(const StoreEntry& entry);
  void PutNext();
  // The list has the object that the store had before.
  void Keep(const StoreEntry& entry);
  // Counts a step; now and then looks at the clock.
  [[nodiscard]] bool TimeIsUp(SteadyTime until);

  Env& env_;
  StoreCore& store_;
  PipelineCounters& counters_;
  const std::unique_ptr<DeltaExtra> list_;
  const Observer observer_;
  const std::shared_ptr<const SnapshotCore> before_;

  // Entries below this number were there before.
  const std::uint32_t entries_;
  // Of a part: what was in it before, which is all there is to erase.
  const bool scoped_;
  const std::vector<const Block*> scope_;
  Marks kept_;
  std::size_t kept_count_ = 0;
  // Positions in the list, and in the store.
  std::size_t next_object_ = 0;
  std::uint32_t next_entry_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_RELIST_H_
