#include "kinformer/internal/request_paces.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/core/user_call.h"

namespace kinformer::internal {
namespace {

// The longest time that is added to a point of time.
constexpr Duration kMost = std::chrono::hours(24 * 365);

Duration Within(const std::optional<TimeSpan>& own, const std::optional<TimeSpan>& usual,
                Duration otherwise) {
  const Duration given = own ? Duration(*own) : usual ? Duration(*usual) : otherwise;
  return std::clamp(given, Duration(0), kMost);
}

}  // namespace

PaceRules::PaceRules(Env& env, const ControllerOptions& options)
    : env_(env),
      usual_{options.min_interval, options.settle_time, options.settle_limit},
      usual_limits_(LimitsOf({})),
      pace_of_(options.pace_of),
      any_(pace_of_ || usual_.min_interval || usual_.settle_time) {}

PaceRules::Limits PaceRules::Of(const ObjectName& request) const {
  Pace own;
  (void)base::CallUser(
      env_, "ControllerOptions::pace_of", [&] { own = pace_of_(request); },
      [&] { return request.ToString(); });
  return LimitsOf(own);
}

PaceRules::Limits PaceRules::LimitsOf(const Pace& own) const {
  constexpr int kUsualLimit = 10;  // times the settle time
  Limits limits;
  limits.interval = Within(own.min_interval, usual_.min_interval, Duration(0));
  limits.settle = Within(own.settle_time, usual_.settle_time, Duration(0));
  const Duration limit = Within(own.settle_limit, usual_.settle_limit, kUsualLimit * limits.settle);
  limits.settle_limit = std::max(limit, limits.settle);
  return limits;
}

}  // namespace kinformer::internal
