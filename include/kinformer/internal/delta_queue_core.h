// kinformer/internal/delta_queue_core.h
//
// DeltaQueueCore: untyped half of DeltaFIFO<T> and RealFIFO<T>, compiled once.

#ifndef KINFORMER_INTERNAL_DELTA_QUEUE_CORE_H_
#define KINFORMER_INTERNAL_DELTA_QUEUE_CORE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/delta.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/object/object_name.h"

namespace kinformer::internal {

namespace cache {

// Content of changes that do not concern one readable object; each member names its types.
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
  // kDeleted: a tombstone. `object` is then the last known state, not the state at deletion.
  bool final_state_unknown = false;
  ObjectRef object{};
  std::unique_ptr<DeltaExtra> extra{};
};

// Objects known to the consumer of a queue, apart from the queued ones.
class KnownObjects {
 public:
  virtual ~KnownObjects() = default;
  [[nodiscard]] virtual ObjectRef Get(std::string_view namespace_, std::string_view name) const = 0;
  virtual void ForEach(const std::function<void(ObjectRef)>& visit) const = 0;
};

}  // namespace cache

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
  // Maximal size of a batch.
  static constexpr std::size_t kBatch = 1000;

  // Creates a queue. `known_objects` may be null.
  DeltaQueueCore(Env& env, QueueKind kind,
                 std::unique_ptr<const cache::KnownObjects> known_objects);
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
