// kinformer/internal/cache_controller_core.h
//
// Untyped half of CacheController<T> and NewInformer<T>, compiled once.

#ifndef KINFORMER_INTERNAL_CACHE_CONTROLLER_CORE_H_
#define KINFORMER_INTERNAL_CACHE_CONTROLLER_CORE_H_

#include <functional>
#include <memory>
#include <stop_token>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/delta_queue_core.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/raw_event.h"
#include "kinformer/internal/reflector_core.h"

namespace kinformer::internal {

// A controller's queue.
struct PoppedQueue {
  // Pops once and processes.
  std::function<Result<void>()> pop{};
  std::function<void()> close{};
  std::function<bool()> is_closed{};
};

// Implements CacheController::Run.
Result<void> RunController(ReflectorCore& reflector, const PoppedQueue& queue,
                           const std::stop_token& stop);

// Returns a function that applies changes of a RealFIFO without known objects to `store`, and calls
// `handler`. Counterpart: client-go's processDeltas and processDeltasInBatch.
DeltaQueueCore::Process NewDeltaProcessor(Env& env, std::shared_ptr<IndexerCore> store,
                                          std::shared_ptr<RawHandler> handler);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_CACHE_CONTROLLER_CORE_H_
