// kinformer/cache/delta_fifo.h
//
// DeltaFIFO<T>: a queue of changes that collects those of each object. A consumer that is slower
// than the changes gets an object once, with all its changes since it was last returned.
//
//   auto queue = std::make_shared<DeltaFIFO<corev1::Pod>>(client.env());
//   Reflector<corev1::Pod> pods(client.env(), NewListWatch<corev1::Pod>(client), queue);
//   // On one thread pods.Run(stop), on another:
//   while (queue->Pop([](const Deltas<corev1::Pod>& deltas, bool is_in_initial_list) {
//     std::cout << Queue<corev1::Pod>::KeyOf(deltas) << ": " << deltas.size() << " changes\n";
//     return Result<void>();
//   })) {
//   }
//
// CacheController (controller.h) runs both halves.

#ifndef KINFORMER_CACHE_DELTA_FIFO_H_
#define KINFORMER_CACHE_DELTA_FIFO_H_

#include <memory>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/cache/key_lister_getter.h"
#include "kinformer/cache/queue.h"
#include "kinformer/internal/delta_queue_core.h"
#include "kinformer/internal/typed_delta_queue.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Counterpart: cache.DeltaFIFOOptions.
template <ObjectView T>
struct DeltaFIFOOptions {
  // Objects known to the consumer: then lists delete known objects that they lack, resyncs repeat
  // known objects, and deletions of known objects are kept. Empty: only queued objects are known.
  std::shared_ptr<const KeyListerGetter<T>> known_objects{};
};

// Queue by object: see Queue. Pop returns the changes of the object that has waited longest;
// it keeps its place when further changes arrive. Consecutive deletions are merged into one,
// with the final state if that is known. Deletions of objects that are neither known nor
// queued are dropped, and so are bookmarks. Counterpart: cache.DeltaFIFO, with
// EmitDeltaTypeReplaced.
template <ObjectView T>
class DeltaFIFO final : public internal::TypedDeltaQueue<T> {
 public:
  explicit DeltaFIFO(Env& env, DeltaFIFOOptions<T> options = {})
      : internal::TypedDeltaQueue<T>(env, internal::DeltaQueueCore::Order::kOfKeys,
                                     std::move(options.known_objects)) {}
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_DELTA_FIFO_H_
