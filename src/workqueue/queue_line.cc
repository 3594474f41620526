#include "kinformer/internal/queue_line.h"

#include <algorithm>

namespace kinformer::internal {
namespace {

// 146 years: added to a point of time or subtracted from one, it does not overflow.
constexpr std::int64_t kMostHeadStart = std::int64_t{1} << 62;

}  // namespace

QueueLine::QueueLine(Duration ageing)
    : ageing_(ageing > Duration::zero() && ageing.count() < kMostHeadStart ? ageing
                                                                           : Duration::zero()) {}

std::int64_t QueueLine::Rank(int priority, SteadyTime since) const {
  if (!ages()) return 0;
  // Head start of the level: limited, so that neither product nor difference overflows.
  const std::int64_t most = kMostHeadStart / ageing_.count();
  const std::int64_t head_start = ageing_.count() * std::clamp<std::int64_t>(priority, -most, most);
  return since.time_since_epoch().count() - head_start;
}

void QueueLine::CountIn(const QueueNode& node) {
  ++size_;
  if (!node.processing) ++available_;
}

void QueueLine::CountOut() {
  --size_;
  --available_;
}

}  // namespace kinformer::internal
