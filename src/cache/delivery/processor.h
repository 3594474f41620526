// cache/delivery/processor.h
//
// Processor: passes what the controller has applied to every listener, and knows which of them are
// due for a resync. Counterpart: sharedProcessor.

#ifndef KINFORMER_CACHE_DELIVERY_PROCESSOR_H_
#define KINFORMER_CACHE_DELIVERY_PROCESSOR_H_

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kinformer/base/env.h"

#include "cache/delivery/listener.h"

namespace kinformer::internal::cache {

// client-go's rules for resync periods. Before the informer runs, a handler with a shorter period
// shortens the informer's. While it runs, the handler's period is raised to the informer's. No
// period is below one second.
struct ResyncPeriods {
  static constexpr Duration kMinimum = std::chrono::seconds(1);
  // Returns the period of a handler; `check` is the informer's period, which it may shorten.
  static Duration ForHandler(Duration wanted, Duration& check, bool running);
};

// Confined to the loop.
class Processor {
 public:
  using Snapshots = std::function<std::shared_ptr<const SnapshotCore>()>;

  explicit Processor(Env& env) : env_(env) {}

  // `current`: the store that the listener sees first; null or empty if there is nothing yet.
  // `synced`: it is the whole initial list.
  void Add(std::shared_ptr<Listener> listener, Duration resync_period,
           std::shared_ptr<const SnapshotCore> current, bool synced);
  void Remove(const Listener* listener);
  [[nodiscard]] bool empty() const { return listeners_.empty(); }
  [[nodiscard]] std::size_t size() const { return listeners_.size(); }

  // Calls `snapshot` if a listener needs the state after the events.
  void Distribute(std::span<const Notification> events, const Snapshots& snapshot);
  // Reports a relist that changed the store from `before` to `after` in one step.
  void DistributeReplaced(const std::shared_ptr<const SnapshotCore>& before,
                          const std::shared_ptr<const SnapshotCore>& after, bool initial);
  // Redelivers the store to the given listeners.
  void Resync(const std::vector<std::weak_ptr<Listener>>& listeners,
              const std::shared_ptr<const SnapshotCore>& current);
  void Synced();

  // Returns the listeners that are due now, and makes them due again a period later. Sets what
  // client-go calls the syncing flag.
  std::vector<std::weak_ptr<Listener>> DueForResync();

  // Returns whether a listener with the policy kBlock is full.
  [[nodiscard]] bool Blocked() const;
  void Suspend();
  void Resume();

 private:
  // Checks now and then whether a listener has fallen behind, while one has work to do.
  void Watch();

  struct Entry {
    std::shared_ptr<Listener> listener;
    Duration resync_period{0};
    SteadyTime next_resync{};
    bool syncing = false;
    bool synced = false;  // was told so since the informer was last started
  };

  Env& env_;
  std::vector<Entry> listeners_;
  bool suspended_ = false;
  Timer watch_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_PROCESSOR_H_
