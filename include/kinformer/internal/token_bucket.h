// kinformer/internal/token_bucket.h
//
// TokenBucket: the arithmetic of a rate limit: `burst` at once, then `qps` per second. Counterpart:
// golang.org/x/time/rate.Limiter.

#ifndef KINFORMER_INTERNAL_TOKEN_BUCKET_H_
#define KINFORMER_INTERNAL_TOKEN_BUCKET_H_

#include "kinformer/base/env.h"

namespace kinformer::internal {

// A token bucket. Starts full, fills continuously. The caller provides the time. Thread-compatible.
class TokenBucket {
 public:
  // Creates a bucket. qps <= 0 or infinite: no limit. burst below 1 counts as 1.
  TokenBucket(double qps, int burst);

  // Takes a token, and returns the time until it is available. Tokens are given in order of the
  // calls.
  [[nodiscard]] Duration Reserve(SteadyTime now);
  // Returns a token that will not be used.
  void Return();

 private:
  [[nodiscard]] bool limited() const;

  double qps_;
  double burst_;
  double tokens_;
  SteadyTime last_{};
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_TOKEN_BUCKET_H_
