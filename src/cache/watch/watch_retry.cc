#include "cache/watch/watch_retry.h"

#include <utility>

namespace kinformer::internal::cache {
namespace {

constexpr int kMostInARow = 10;
constexpr Duration kLogPeriod = std::chrono::minutes(1);
// After this time without an error, errors count from the beginning.
constexpr Duration kQuiet = std::chrono::minutes(1);

}  // namespace

bool ShortWatches::TooManyInARow(Duration lasted) {
  in_a_row_ = lasted < kVeryShort ? in_a_row_ + 1 : 0;
  return in_a_row_ > kMostInARow;
}

void ShortWatches::LogEmpty(Env& env, const std::string& informer) {
  ++since_log_;
  const SteadyTime now = env.Now();
  if (logged_ && now - *logged_ < kLogPeriod) return;
  env.log().Log(LogLevel::kWarning,
                "very short watch: it ended within a second and without events; will relist",
                {{"informer", informer}, {"times", std::to_string(since_log_)}});
  logged_ = now;
  since_log_ = 0;
}

bool InternalErrors::MayResume(SteadyTime now) {
  if (max_retry_ <= Duration(0)) return false;
  if (last_ && now - *last_ >= kQuiet) first_.reset();
  if (!first_) first_ = now;
  last_ = now;
  if (now - *first_ <= max_retry_) return true;
  first_.reset();
  last_.reset();
  return false;
}

}  // namespace kinformer::internal::cache
