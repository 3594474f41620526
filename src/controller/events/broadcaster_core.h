// controller/events/broadcaster_core.h
//
// BroadcasterCore: common part of the broadcasters for all API versions of events: passes events
// from recorders to sinks and watchers, each with its own thread, and counts lost events.

#ifndef KINFORMER_CONTROLLER_EVENTS_BROADCASTER_CORE_H_
#define KINFORMER_CONTROLLER_EVENTS_BROADCASTER_CORE_H_

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"
#include "kinformer/events/event_sink.h"

#include "base/core/mutex.h"
#include "controller/events/correlation.h"
#include "controller/events/event_delivery.h"
#include "controller/events/event_watcher.h"

namespace kinformer::internal::events {

// Thread-safe. Recorders share it.
template <class Event>
class BroadcasterCore {
 public:
  struct Options {
    std::size_t max_queued = 0;
    int max_attempts = 0;
    Duration retry_delay{0};
    // Makes what recognizes repetitions for one sink.
    std::function<std::unique_ptr<Correlation<Event>>()> new_correlation{};
  };

  BroadcasterCore(Env& env, Options options);

  [[nodiscard]] Env& env() const { return env_; }
  // Passes the event to all sinks and watchers. Does not block.
  void Publish(const Event& event);
  void StartRecording(std::unique_ptr<BasicEventSink<Event>> sink);
  void StartWatcher(std::function<void(const Event&)> on_event);
  void StartLogging();
  // Called by a sink or a watcher, it waits for the others only: that one ends when its call has
  // returned and its queue is empty, and the next Shutdown waits for it.
  void Shutdown(Duration timeout);

 private:
  void Start(std::unique_ptr<EventTaker<Event>> taker);
  void CountLost(Lost why) { lost_[static_cast<std::size_t>(why)]->Add(); }

  Env& env_;
  const Options options_;
  std::array<std::shared_ptr<Counter>, 4> lost_;  // by Lost
  const std::shared_ptr<Counter> skipped_;
  base::Mutex mutex_;
  std::vector<std::unique_ptr<EventWatcher<Event>>> watchers_ KINFORMER_GUARDED_BY(mutex_);
  // Watchers whose own call is in Shutdown, or was.
  std::vector<std::unique_ptr<EventWatcher<Event>>> leaving_ KINFORMER_GUARDED_BY(mutex_);
  bool full_told_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool started_ KINFORMER_GUARDED_BY(mutex_) = false;  // a sink or watcher has been added
  bool logged_no_sink_ KINFORMER_GUARDED_BY(mutex_) = false;
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_BROADCASTER_CORE_H_
