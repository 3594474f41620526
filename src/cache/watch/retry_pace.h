// cache/watch/retry_pace.h
//
// RetryPace: how long a reflector waits before it asks the server again.

#ifndef KINFORMER_CACHE_WATCH_RETRY_PACE_H_
#define KINFORMER_CACHE_WATCH_RETRY_PACE_H_

#include <cstddef>
#include <optional>
#include <string>

#include "kinformer/env.h"
#include "kinformer/error.h"

#include "base/core/backoff.h"
#include "cache/watch/failure_kind.h"

namespace kinformer::internal::cache {

// Each reason to wait has a back-off of its own: what a server that was down has made long says
// nothing of a version that is too old. All have jitter, so that those who were refused together do
// not return together. They begin anew once a watch has lasted; that one was admitted is not
// enough, since a server may end each at once. client-go's begin anew after two minutes without a
// failure. Confined to the loop.
class RetryPace {
 public:
  // `failures`: of what is neither a relist nor a wish of the server's, nor about rights; where the
  // server cannot be reached it ends at a few seconds. `name`: whose, in the log.
  RetryPace(Env& env, base::BackoffOptions failures, std::string name = {});

  // A request goes out.
  void Asks() { unanswered_since_ = env_.Now(); }
  // Something of its answer has come.
  void Answered() { unanswered_since_.reset(); }
  // After an error: never less than its Retry-After, or two minutes where that is longer, unless
  // what is due is a list of another version. Where no answer came, the time for which it was
  // awaited is a part of the pause, up to three quarters.
  [[nodiscard]] Duration After(const Error& error);
  // After a watch that brought neither an error nor anything else.
  [[nodiscard]] Duration AfterNothing() { return failures_.Next(); }
  // Before a list that is due because of what the server has said: the first at most a second.
  [[nodiscard]] Duration BeforeRelist() { return relists_.Next(); }
  // What comes on top of that before a list after an outage, when all who lost their connection
  // list at once. The more objects the collection has, the longer it leaves the server to the
  // others: between half a second and a second for 10,000 objects, between five and ten seconds
  // from 100,000 on, nothing under 100.
  [[nodiscard]] Duration BySize(std::size_t objects);
  // The server has let us list: it is not busy any more.
  void Listed() { refusals_.Reset(); }
  // A watch of a collection of so many objects is over. If it has lasted for a few seconds, longer
  // where listing is dear, whatever goes wrong next is the first of its kind.
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
