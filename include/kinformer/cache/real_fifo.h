// kinformer/cache/real_fifo.h
//
// RealFIFO<T>: a queue that returns every change in the order in which it happened.
//
//   auto queue = std::make_shared<RealFIFO<corev1::Pod>>(client.env());
//   Reflector<corev1::Pod> pods(client.env(), NewListWatch<corev1::Pod>(client), queue);
//   // On one thread pods.Run(stop), on another:
//   while (queue->Pop([](const Deltas<corev1::Pod>& deltas, bool is_in_initial_list) {
//     for (const Delta<corev1::Pod>& delta : deltas) ...
//     return Result<void>();
//   })) {
//   }
//
// CacheController (controller.h) runs both halves.

#ifndef KINFORMER_CACHE_REAL_FIFO_H_
#define KINFORMER_CACHE_REAL_FIFO_H_

#include <memory>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/key_lister_getter.h"
#include "kinformer/cache/queue.h"
#include "kinformer/internal/delta_queue_core.h"
#include "kinformer/internal/typed_delta_queue.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Counterpart: cache.RealFIFOOptions.
template <ObjectView T>
struct RealFIFOOptions {
  // Objects known to the consumer: then a list becomes single changes, a tombstone for each known
  // or queued object that it lacks, then kReplaced for each of its objects; a resync becomes kSync
  // for each known object that is not queued; bookmarks are dropped. Empty: a list is one
  // kReplacedAll, a resync one kSyncAll, so that the consumer can apply a list in one step.
  std::shared_ptr<const KeyListerGetter<T>> known_objects{};
};

// Queue in order of arrival: see Queue. Pop returns one change. Counterpart:
// cache.RealFIFO.
template <ObjectView T>
class RealFIFO final : public internal::TypedDeltaQueue<T> {
 public:
  explicit RealFIFO(Env& env, RealFIFOOptions<T> options = {})
      : internal::TypedDeltaQueue<T>(env, internal::DeltaQueueCore::Order::kOfArrival,
                                     std::move(options.known_objects)) {}

  // Processes a batch, which has no object twice, and never both the first list and later changes.
  Result<void> PopBatch(const ProcessFunc<T>& process_batch,
                        const ProcessFunc<T>& process_single) override {
    return this->core()->Pop(internal::DeltaQueueCore::kBatch,
                             [&](std::vector<internal::cache::Delta>& deltas, bool initial) {
                               const ProcessFunc<T>& process =
                                   deltas.size() == 1 ? process_single : process_batch;
                               return process(internal::TypedDeltas<T>(std::move(deltas)), initial);
                             });
  }
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_REAL_FIFO_H_
