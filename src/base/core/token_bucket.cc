#include "kinformer/internal/token_bucket.h"

#include <algorithm>
#include <chrono>

#include "base/core/backoff.h"

namespace kinformer::internal {

TokenBucket::TokenBucket(double qps, int burst)
    : qps_(qps), burst_(std::max(burst, 1)), tokens_(burst_) {}

bool TokenBucket::limited() const { return qps_ > 0; }

Duration TokenBucket::Reserve(SteadyTime now) {
  if (!limited()) return Duration::zero();
  if (now > last_) {
    const double passed = std::chrono::duration<double>(now - last_).count();
    tokens_ = std::min(burst_, tokens_ + passed * qps_);
    last_ = now;
  }
  tokens_ -= 1;
  return base::Scaled(std::chrono::seconds(1), -tokens_ / qps_);
}

void TokenBucket::Return() {
  if (limited()) tokens_ = std::min(burst_, tokens_ + 1);
}

}  // namespace kinformer::internal
