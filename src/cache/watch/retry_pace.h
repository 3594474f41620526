// cache/watch/retry_pace.h
//
// RetryPace: computes how long a reflector waits before its next request.

#ifndef KINFORMER_CACHE_WATCH_RETRY_PACE_H_
#define KINFORMER_CACHE_WATCH_RETRY_PACE_H_

#include <cstddef>
#include <optional>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"

#include "base/core/backoff.h"
#include "cache/watch/failure_kind.h"

namespace kinformer::internal::cache {

// Each reason to wait has its own back-off: a long one for a server that was down says nothing
// about a version that is too old. All have jitter, so that clients that failed together do not
// return together. They start over after a watch that has lasted, not after one that was merely
// accepted, as a server may end each at once. client-go's start over after two minutes without a
// failure. Confined to the loop.
class RetryPace {
 public:
  // `failures`: for all errors except relists, requests of the server to wait, and denials; capped
  // at a few seconds if the server is unreachable. `name`: the reflector's name in the log.
  RetryPace(Env& env, base::BackoffOptions failures, std::string name = {});

  // A request is sent.
  void Asks() { unanswered_since_ = env_.Now(); }
  // A part of its answer has arrived.
  void Answered() { unanswered_since_.reset(); }
  // Returns the pause after an error: at least its Retry-After (two minutes at most), unless a list
  // at another version is due. If no answer came, the time spent waiting for it counts for up to
  // three quarters of the pause.
  [[nodiscard]] Duration After(const Error& error);
  // Returns the pause after a watch that brought neither an error nor an event. `broken`: its
  // connection was lost, which is an outage and no answer of the server.
  [[nodiscard]] Duration AfterNothing(bool broken) {
    return broken ? outages_.Next() : failures_.Next();
  }
  // Returns the pause before a list that the server's answer made necessary: at first up to 1 s.
  [[nodiscard]] Duration BeforeRelist() { return relists_.Next(); }
  // Returns an additional pause before a list after an outage, when all clients that lost their
  // connection list at once. It grows with the collection to leave the server to others: 0.5 to 1 s
  // for 10,000 objects, 5 to 10 s from 100,000 objects on, and none for fewer than 100 objects. It
  // is random within these limits.
  [[nodiscard]] Duration BySize(std::size_t objects);
  // A list succeeded, so the server is not busy any more.
  void Listed() { refusals_.Reset(); }
  // A watch of a collection of `objects` has ended. If it lasted for a few seconds, longer for a
  // large collection, all back-offs start over.
  void WatchLasted(Duration time, std::size_t objects);

 private:
  Duration Own(FailureKind kind, const Error& error);
  Duration AfterOutage();

  Env& env_;
  const std::string name_;
  base::BackoffManager failures_;
  base::BackoffManager outages_;  // no answer came
  base::BackoffManager relists_;
  base::BackoffManager refusals_;
  base::BackoffManager denials_;  // 401, 403, 404
  std::optional<SteadyTime> unanswered_since_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_RETRY_PACE_H_
