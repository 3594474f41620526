// client/token_bucket.h
//
// TokenBucket: the client-side rate limiter: `burst` requests at once, then `qps` per second. Counterpart:
// flowcontrol.NewTokenBucketRateLimiter.

#ifndef KINFORMER_CLIENT_TOKEN_BUCKET_H_
#define KINFORMER_CLIENT_TOKEN_BUCKET_H_

#include <algorithm>

#include "kinformer/env.h"

namespace kinformer::internal {

// Loop-confined. Time comes from the caller.
class TokenBucket {
 public:
  // qps <= 0: no limit.
  TokenBucket(double qps, int burst) : qps_(qps), burst_(std::max(burst, 1)), tokens_(burst_) {}

  // Takes a token, which may not be there yet: says how long to wait until it is. First come, first served.
  Duration Reserve(SteadyTime now) {
    if (qps_ <= 0) return Duration{0};
    if (now > last_) {
      if (started_) {
        const double seconds = std::chrono::duration<double>(now - last_).count();
        tokens_ = std::min<double>(burst_, tokens_ + seconds * qps_);
      }
      last_ = now;
      started_ = true;
    }
    tokens_ -= 1;
    if (tokens_ >= 0) return Duration{0};
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(-tokens_ / qps_));
  }

  // Gives back a token of a request that was abandoned while it waited.
  void Return() {
    if (qps_ > 0) tokens_ = std::min<double>(burst_, tokens_ + 1);
  }

 private:
  double qps_;
  int burst_;
  double tokens_;
  bool started_ = false;
  SteadyTime last_{};
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CLIENT_TOKEN_BUCKET_H_
