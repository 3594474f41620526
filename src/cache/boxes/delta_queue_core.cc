#include "kinformer/internal/delta_queue_core.h"

#include <thread>
#include <utility>

#include "base/core/forked.h"
#include "base/core/would_deadlock.h"
#include "cache/boxes/delta_fifo.h"
#include "cache/deltas/delta_queue.h"
#include "cache/deltas/real_fifo.h"
#include "cache/store/fifo_buffer.h"

namespace kinformer::internal {
namespace {

std::unique_ptr<cache::DeltaQueue> NewQueue(DeltaQueueCore::Order order,
                                            const cache::KnownObjects* known_objects) {
  if (order == DeltaQueueCore::Order::kOfKeys) {
    return std::make_unique<cache::DeltaFIFO>(
        cache::DeltaFIFOOptions{.known_objects = known_objects});
  }
  return std::make_unique<cache::RealFIFO>(cache::RealFIFOOptions{.known_objects = known_objects});
}

Result<void> CheckKey(const ObjectRef& object) {
  if (object && !object->name().empty()) return {};
  return Error(Reason::kInvalidArgument,
               "couldn't create key for object: it is null or has no metadata.name");
}

Error PopWouldDeadlock(Env& env, const char* where) {
  return base::WouldDeadlock(env, std::string("Pop, which may wait, was called ") + where);
}

// Releases a lock for the lifetime of the object.
class Unlocked {
 public:
  explicit Unlocked(Monitor& monitor) : monitor_(monitor) { monitor_.Unlock(); }
  ~Unlocked() { monitor_.Lock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Monitor& monitor_;
};

}  // namespace

struct DeltaQueueCore::Impl {
  Impl(Env& e, Order order, std::unique_ptr<const cache::KnownObjects> known)
      : env(e),
        monitor(e.NewMonitor()),
        known_objects(std::move(known)),
        queue(NewQueue(order, known_objects.get())) {}

  // One call of Pop. Constructed and destroyed with the lock held.
  class Call {
   public:
    explicit Call(Impl& impl) : impl_(impl) { ++impl_.inside; }
    ~Call() {
      if (consuming_) {
        impl_.consuming = false;
        impl_.synced = impl_.synced || impl_.queue->HasSynced();
      }
      --impl_.inside;
      impl_.monitor->NotifyAll();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    // Waits for its turn.
    void Consume() {
      while (impl_.consuming) impl_.monitor->Wait();
      impl_.consuming = consuming_ = true;
      impl_.consumer = std::this_thread::get_id();
    }

   private:
    Impl& impl_;
    bool consuming_ = false;
  };

  void AppendLocked(cache::Delta delta) {
    arrived.push_back(std::move(delta));
    if (inside > 0) monitor->NotifyAll();
  }
  // Moves a delta that has arrived into the queue. Called by the consumer only.
  void Apply(cache::Delta& delta) const;
  bool TakeArrivedAndPop(std::size_t max, cache::DeltaBatch& batch);

  Env& env;
  const std::unique_ptr<Monitor> monitor;
  const std::unique_ptr<const cache::KnownObjects> known_objects;
  // Used by the consumer only: the thread that has set `consuming`.
  const std::unique_ptr<cache::DeltaQueue> queue;

  // Guarded by the monitor's lock, as are all members below.
  cache::FifoBuffer<cache::Delta> arrived;
  // True once a delta that decides HasSynced has arrived.
  bool populated = false;
  bool synced = false;
  bool closed = false;
  bool consuming = false;
  std::thread::id consumer;
  // Number of threads inside Pop.
  int inside = 0;
};

DeltaQueueCore::DeltaQueueCore(Env& env, Order order,
                               std::unique_ptr<const cache::KnownObjects> known_objects)
    : impl_(std::make_unique<Impl>(env, order, std::move(known_objects))) {}

DeltaQueueCore::~DeltaQueueCore() {
  if (base::LeaveIfForkedOff(impl_->env, impl_)) return;
  const MonitorLock lock(*impl_->monitor);
  impl_->closed = true;
  impl_->monitor->NotifyAll();
  while (impl_->inside > 0) impl_->monitor->Wait();
}

Result<void> DeltaQueueCore::Push(DeltaType type, ObjectRef object, bool final_state_unknown) {
  if (Result<void> key = CheckKey(object); !key) return key;
  const MonitorLock lock(*impl_->monitor);
  if (!std::exchange(impl_->populated, true)) impl_->synced = true;
  impl_->AppendLocked({type, final_state_unknown, std::move(object), nullptr});
  return {};
}

Result<void> DeltaQueueCore::PushExtra(DeltaType type, cache::DeltaExtra extra,
                                       bool final_state_unknown) {
  for (const ObjectRef& object : extra.objects) {
    if (Result<void> key = CheckKey(object); !key) return key;
  }
  auto on_heap = std::make_unique<cache::DeltaExtra>(std::move(extra));
  const MonitorLock lock(*impl_->monitor);
  if (type == DeltaType::kReplacedAll) impl_->populated = true;
  impl_->AppendLocked({type, final_state_unknown, {}, std::move(on_heap)});
  return {};
}

void DeltaQueueCore::Impl::Apply(cache::Delta& delta) const {
  switch (delta.type) {
    case DeltaType::kAdded:
    case DeltaType::kUpdated:
    case DeltaType::kDeleted:
      return queue->Push(delta.type, std::move(delta.object), delta.final_state_unknown);
    case DeltaType::kReplacedAll:
      return queue->Replace(std::move(delta.extra->objects), std::move(delta.extra->unreadable),
                            std::move(delta.extra->resourceVersion));
    case DeltaType::kSyncAll:
      return queue->Resync();
    case DeltaType::kBookmark:
      return queue->Bookmark(delta.extra->resourceVersion);
    case DeltaType::kUnreadable:
      return queue->Unreadable(std::move(delta.extra->unreadable.front()),
                               delta.final_state_unknown);
    case DeltaType::kReplaced:
    case DeltaType::kSync:
      return;
  }
}

bool DeltaQueueCore::Impl::TakeArrivedAndPop(std::size_t max, cache::DeltaBatch& batch) {
  cache::FifoBuffer<cache::Delta> taken = std::exchange(arrived, {});
  const Unlocked unlocked(*monitor);
  for (; !taken.empty(); taken.pop_front()) Apply(taken.front());
  return queue->PopBatch(max, batch);
}

Result<void> DeltaQueueCore::Pop(std::size_t max, const Process& process) {
  Impl& impl = *impl_;
  if (impl.env.loop().InThisExecutor()) return PopWouldDeadlock(impl.env, "on the loop thread");
  cache::DeltaBatch batch;
  const MonitorLock lock(*impl.monitor);
  if (impl.consuming && impl.consumer == std::this_thread::get_id()) {
    const Unlocked unlocked(*impl.monitor);  // the log is the user's
    return PopWouldDeadlock(impl.env, "inside a process function of the same queue");
  }
  Impl::Call call(impl);
  call.Consume();
  while (!impl.TakeArrivedAndPop(max, batch)) {
    // An empty first list needs no pop.
    impl.synced = impl.synced || impl.queue->HasSynced();
    if (!impl.arrived.empty()) continue;
    if (impl.closed) return Error(Reason::kStopped, "the queue is closed");
    impl.monitor->Wait();
  }
  struct Done {
    ~Done() { queue.BatchDone(); }
    cache::DeltaQueue& queue;
  };
  const Unlocked unlocked(*impl.monitor);
  const Done done{*impl.queue};
  return process(batch.deltas, batch.is_in_initial_list);
}

bool DeltaQueueCore::HasSynced() const {
  const MonitorLock lock(*impl_->monitor);
  return impl_->synced;
}

void DeltaQueueCore::Close() {
  const MonitorLock lock(*impl_->monitor);
  impl_->closed = true;
  impl_->monitor->NotifyAll();
}

bool DeltaQueueCore::IsClosed() const {
  const MonitorLock lock(*impl_->monitor);
  return impl_->closed;
}

}  // namespace kinformer::internal
