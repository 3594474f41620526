// cache/tools/watch_events.h
//
// WatchEvents: what a watch has told and nobody has taken yet.

#ifndef KINFORMER_CACHE_TOOLS_WATCH_EVENTS_H_
#define KINFORMER_CACHE_TOOLS_WATCH_EVENTS_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>

#include "kinformer/env.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/request_options.h"
#include "kinformer/result.h"

namespace kinformer::internal::cache {

// Of any length. Thread-safe.
class WatchEvents {
 public:
  explicit WatchEvents(Env& env) : env_(env), monitor_(env.NewMonitor()) {}

  // How many wait then.
  std::size_t Push(OwnedWatchEvent event);
  // Nothing comes any more. What waits can still be taken; then comes `error`, once.
  void Close(std::optional<Error> error = {});
  // Nothing comes any more, and what waits is dropped.
  void Stop();

  // Waits for an event. Empty: there is none any more. kCanceled, kDeadlineExceeded: none came
  // while the caller waited. kWouldDeadlock: there is none at the moment, on a loop's thread.
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

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_TOOLS_WATCH_EVENTS_H_
