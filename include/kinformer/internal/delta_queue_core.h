// kinformer/internal/delta_queue_core.h
//
// DeltaQueueCore: what DeltaFIFO<T> and RealFIFO<T> are without the objects' type, compiled once.

#ifndef KINFORMER_INTERNAL_DELTA_QUEUE_CORE_H_
#define KINFORMER_INTERNAL_DELTA_QUEUE_CORE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/delta.h"
#include "kinformer/env.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/object_name.h"
#include "kinformer/result.h"

namespace kinformer::internal {

namespace cache {

// What the kinds that are not about one readable object carry.
struct DeltaExtra {
  // kReplacedAll, kBookmark.
  std::string resourceVersion{};
  // kReplacedAll.
  std::vector<ObjectRef> objects{};
  // kReplacedAll, kUnreadable.
  std::vector<ObjectName> unreadable{};
};

struct Delta {
  DeltaType type{};
  // kDeleted: a tombstone. `object` is then the last known state rather than the state at deletion.
  bool final_state_unknown = false;
  ObjectRef object{};
  std::unique_ptr<DeltaExtra> extra{};
};

// What the consumer of a queue knows besides what is queued.
class KnownObjects {
 public:
  virtual ~KnownObjects() = default;
  [[nodiscard]] virtual ObjectRef Get(std::string_view namespace_, std::string_view name) const = 0;
  virtual void ForEach(const std::function<void(ObjectRef)>& visit) const = 0;
};

}  // namespace cache

// Takes changes from any thread, and gives them out, one entry or batch at a time, on the thread
// that asks. Producers only append: what a change means for what is queued and known is worked out
// by the consumer, so that neither a long list nor a slow consumer holds up the loop, and
// `known_objects` is asked on the consumer's thread only.
//
// Thread-safe. Pop blocks, nothing else does. Destruction closes the queue and waits until no call
// of Pop is inside.
class DeltaQueueCore {
 public:
  using Process = std::function<Result<void>(std::vector<cache::Delta>& deltas, bool initial)>;
  // The most that go together.
  static constexpr std::size_t kBatch = 1000;

  // `known_objects` may be null.
  DeltaQueueCore(Env& env, QueueKind kind,
                 std::unique_ptr<const cache::KnownObjects> known_objects);
  ~DeltaQueueCore();
  DeltaQueueCore(const DeltaQueueCore&) = delete;
  DeltaQueueCore& operator=(const DeltaQueueCore&) = delete;

  // kAdded, kUpdated, kDeleted. kInvalidArgument: a null object, or one without a name.
  Result<void> Push(DeltaType type, ObjectRef object, bool final_state_unknown);
  // kReplacedAll, kSyncAll, kBookmark, kUnreadable.
  Result<void> PushExtra(DeltaType type, cache::DeltaExtra extra, bool final_state_unknown = false);

  // Waits for an entry and has `process` handle it; with `max` > 1, as many as go together. What
  // `process` returns; kStopped once the queue is closed and empty; kWouldDeadlock on the loop, and
  // inside `process`.
  Result<void> Pop(std::size_t max, const Process& process);
  [[nodiscard]] bool HasSynced() const;
  void Close();
  [[nodiscard]] bool IsClosed() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_DELTA_QUEUE_CORE_H_
