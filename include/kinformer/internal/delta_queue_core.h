// kinformer/internal/delta_queue_core.h
//
// DeltaQueueCore: untyped half of DeltaFIFO<T> and RealFIFO<T>, compiled once.

#ifndef KINFORMER_INTERNAL_DELTA_QUEUE_CORE_H_
#define KINFORMER_INTERNAL_DELTA_QUEUE_CORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/delta.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/internal/raw_delta.h"

namespace kinformer::internal {

// Takes changes from any thread, and returns them, one entry or batch at a time, on the thread that
// pops. Producers only append: the consumer works out the meaning of a change for the queued and
// known objects, so that neither a long list nor a slow consumer delays the loop, and
// `known_objects` is called on the consumer's thread only.
//
// Thread-safe. Only Pop blocks. Destruction closes the queue and waits until no call of Pop is
// running.
class DeltaQueueCore {
 public:
  using Process = std::function<Result<void>(std::vector<cache::Delta>& deltas, bool initial)>;
  // Order in which changes are returned: that of a RealFIFO, or that of a DeltaFIFO.
  enum class Order : std::uint8_t { kOfArrival, kOfKeys };
  // Maximal size of a batch.
  static constexpr std::size_t kBatch = 1000;

  // Creates a queue. `known_objects` may be null.
  DeltaQueueCore(Env& env, Order order, std::unique_ptr<const cache::KnownObjects> known_objects);
  ~DeltaQueueCore();
  DeltaQueueCore(const DeltaQueueCore&) = delete;
  DeltaQueueCore& operator=(const DeltaQueueCore&) = delete;

  // Adds kAdded, kUpdated or kDeleted. kInvalidArgument: the object is null or has no name.
  Result<void> Push(DeltaType type, ObjectRef object, bool final_state_unknown);
  // Adds kReplacedAll, kSyncAll, kBookmark or kUnreadable.
  Result<void> PushExtra(DeltaType type, cache::DeltaExtra extra, bool final_state_unknown = false);

  // Waits for an entry and calls `process` with it; with `max` > 1, with as many as can be
  // combined. Returns the result of `process`; kStopped once the queue is closed and empty;
  // kWouldDeadlock on the loop, and inside `process`.
  Result<void> Pop(std::size_t max, const Process& process);
  [[nodiscard]] bool HasSynced() const;
  void Close();
  [[nodiscard]] bool IsClosed() const;

 private:
  struct Impl;
  Pimpl<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_DELTA_QUEUE_CORE_H_
