// client/tools/watch_events.h
//
// WatchEvents: queue of the events of a watch that its reader has not taken yet.

#ifndef KINFORMER_CLIENT_TOOLS_WATCH_EVENTS_H_
#define KINFORMER_CLIENT_TOOLS_WATCH_EVENTS_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/resource_core.h"

namespace kinformer::internal::client {

// Unbounded. Thread-safe.
class WatchEvents {
 public:
  explicit WatchEvents(Env& env) : env_(env), monitor_(env.NewMonitor()) {}

  // Returns the number of waiting events, this one included.
  std::size_t Push(OwnedWatchEvent event);
  // Ends the queue. Waiting events can still be taken; after them Next returns `error` once.
  void Close(std::optional<Error> error = {});
  // Ends the queue and drops the waiting events.
  void Stop();

  // Waits for an event. Returns empty at the end of the queue; kCanceled or kDeadlineExceeded if no
  // event came in time; kWouldDeadlock on a loop's thread instead of waiting.
  Result<std::optional<OwnedWatchEvent>> Next(const CallOptions& call);
  [[nodiscard]] std::size_t size() const;

 private:
  Env& env_;
  const std::unique_ptr<Monitor> monitor_;
  // Under the monitor's lock.
  std::deque<OwnedWatchEvent> events_;
  std::optional<Error> error_;
  bool closed_ = false;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TOOLS_WATCH_EVENTS_H_
