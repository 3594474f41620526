// cache/delivery/processor.h
//
// Processor: hands what the controller has applied to every listener, and knows which of them are
// due for a resync. Counterpart: sharedProcessor.

#ifndef KINFORMER_CACHE_DELIVERY_PROCESSOR_H_
#define KINFORMER_CACHE_DELIVERY_PROCESSOR_H_

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kinformer/env.h"

#include "cache/delivery/listener.h"

namespace kinformer::internal::cache {

// client-go's rules for resync periods. Before the informer runs, a handler that asks for a shorter
// period than the informer's lowers the informer's. While it runs, the handler's is raised to the
// informer's. Nobody is below one second.
struct ResyncPeriods {
  static constexpr Duration kMinimum = std::chrono::seconds(1);
  // What a handler gets; `check` is the informer's period and may be lowered.
  static Duration ForHandler(Duration wanted, Duration& check, bool running);
};

// Confined to the loop.
class Processor {
 public:
  using Snapshots = std::function<std::shared_ptr<const SnapshotCore>()>;

  explicit Processor(Env& env) : env_(env) {}

  // `current` is the store as the listener shall first see it; null or empty: nothing to see yet.
  // `synced`: that is the whole initial list.
  void Add(std::shared_ptr<Listener> listener, Duration resync_period,
           std::shared_ptr<const SnapshotCore> current, bool synced);
  void Remove(const Listener* listener);
  [[nodiscard]] bool empty() const { return listeners_.empty(); }
  [[nodiscard]] std::size_t size() const { return listeners_.size(); }

  // `snapshot` is called where a listener needs the state after the events.
  void Distribute(std::span<const Notification> events, const Snapshots& snapshot);
  // A relist took the store from `before` to `after` in one step.
  void DistributeReplaced(const std::shared_ptr<const SnapshotCore>& before,
                          const std::shared_ptr<const SnapshotCore>& after, bool initial);
  // Redelivers the store to the given listeners.
  static void Resync(const std::vector<std::weak_ptr<Listener>>& listeners,
                     const std::shared_ptr<const SnapshotCore>& current);
  // The first `resyncs` events, which redeliver an object (a resync through the DeltaFIFO), are for
  // `due` only; the others are for all.
  void DistributeSync(std::span<const Notification> events, std::size_t resyncs,
                      const std::vector<std::weak_ptr<Listener>>& due, const Snapshots& snapshot);
  void Synced();

  // Which listeners are due now; their next time is a period later. Sets what client-go calls the
  // syncing flag.
  std::vector<std::weak_ptr<Listener>> DueForResync();

  // A listener with the policy kBlock is full.
  [[nodiscard]] bool Blocked() const;
  void Suspend();
  void Resume();

 private:
  // Looks now and then whether a listener has fallen behind, as long as one has something to do.
  void Watch();

  struct Entry {
    std::shared_ptr<Listener> listener;
    Duration resync_period{0};
    SteadyTime next_resync{};
    bool syncing = false;
    bool synced = false;  // it has been told, since the informer was last started
  };

  Env& env_;
  std::vector<Entry> listeners_;
  bool suspended_ = false;
  Timer watch_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_PROCESSOR_H_
