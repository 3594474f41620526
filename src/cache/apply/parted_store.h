// cache/apply/parted_store.h
//
// PartedStore: what the parts of one store share while they write to it. A store has one part or
// several.

#ifndef KINFORMER_CACHE_APPLY_PARTED_STORE_H_
#define KINFORMER_CACHE_APPLY_PARTED_STORE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/env.h"

#include "cache/apply/coverage_writer.h"
#include "cache/apply/part_positions.h"
#include "cache/apply/store_limit.h"
#include "cache/apply/store_turn.h"
#include "cache/figures/pipeline_counters.h"
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

// One per life of an informer. Confined to the loop. The constructor's reference arguments must
// outlive it, and it must outlive the writers of all parts.
struct PartedStore {
  // `name`: the informer's name in messages. `turn_given_back`: see StoreTurn.
  PartedStore(Env& env, StoreCore& store_core, PipelineCounters& pipeline,
              PartPositions& part_positions, const std::string& name, StoreLimitOptions limits,
              std::function<void()> turn_given_back)
      : store(store_core),
        counters(pipeline),
        positions(part_positions),
        coverage(store_core),
        turn(std::move(turn_given_back)) {
    if (limits.max_objects == 0 && limits.max_bytes == 0) return;
    limit = std::make_unique<StoreLimit>(env, name, store, limits);
  }

  StoreCore& store;
  PipelineCounters& counters;
  PartPositions& positions;
  CoverageWriter coverage;
  StoreTurn turn;
  std::unique_ptr<StoreLimit> limit{};  // null: the store is not limited
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_PARTED_STORE_H_
