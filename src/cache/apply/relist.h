// cache/apply/relist.h
//
// Relist: writes a whole list to the store as one version, which stays open over several turns of
// the loop.

#ifndef KINFORMER_CACHE_APPLY_RELIST_H_
#define KINFORMER_CACHE_APPLY_RELIST_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/cache/event_type.h"
#include "kinformer/internal/snapshot_core.h"

#include "cache/deltas/delta.h"
#include "cache/figures/pipeline_counters.h"
#include "cache/store/store_core.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

// Confined to the loop. Nothing else may write to the store between the constructor and the
// caller's Commit.
class Relist {
 public:
  // Called for each object that the list adds or changes, and for each one that is deleted because
  // the list lacks it. May be empty.
  using Observer = std::function<void(EventType type, const Block& object)>;

  // Opens a version. The list replaces what that part of the store holds.
  Relist(Env& env, StoreCore& store, PipelineCounters& counters, const StorePart& part,
         std::unique_ptr<DeltaExtra> list, Observer observer);

  // Works until `until`, but makes some progress in any case. Returns true when all is written
  // except the list's resourceVersion.
  bool Continue(SteadyTime until);

  [[nodiscard]] const DeltaExtra& list() const { return *list_; }
  // Returns the store's state before the list.
  [[nodiscard]] const std::shared_ptr<const SnapshotCore>& before() const { return before_; }

 private:
  // Marks the entries of the store that the list has, too.
  class Marks {
   public:
    explicit Marks(std::uint32_t entries) : marked_(entries) {}
    // Returns true on the first call for an entry.
    bool Mark(std::uint32_t entry) {
      const bool first = !marked_[entry];
      marked_[entry] = true;
      return first;
    }
    [[nodiscard]] bool Has(std::uint32_t entry) const { return marked_[entry]; }

   private:
    std::vector<bool> marked_;
  };

  // Each call does a part of the work. Returns true once all of it is done.
  bool PutObjects(SteadyTime until);
  bool EraseTheRest(SteadyTime until);
  // Erases the object unless the list has it.
  void Erase(const StoreEntry& entry);
  void PutNext();
  // Marks an object of the old state that the list has, too.
  void Keep(const StoreEntry& entry);
  // Counts a step, and checks the clock now and then.
  [[nodiscard]] bool TimeIsUp(SteadyTime until);

  Env& env_;
  StoreCore& store_;
  PipelineCounters& counters_;
  const std::unique_ptr<DeltaExtra> list_;
  const Observer observer_;
  const std::shared_ptr<const SnapshotCore> before_;

  // Number of entries before the list; later ones are new.
  const std::uint32_t entries_;
  // For a part of the store: its objects before the list, the only ones that may be erased.
  const bool scoped_;
  const std::vector<const Block*> scope_;
  Marks kept_;
  std::size_t kept_count_ = 0;
  // Next positions in the list and in the store.
  std::size_t next_object_ = 0;
  std::uint32_t next_entry_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_RELIST_H_
