// cache/watch/watch_retry.h
//
// Limits how often a reflector resumes a watch that ends too early: ShortWatches, InternalErrors.

#ifndef KINFORMER_CACHE_WATCH_WATCH_RETRY_H_
#define KINFORMER_CACHE_WATCH_WATCH_RETRY_H_

#include <cstddef>
#include <optional>
#include <string>

#include "kinformer/base/env.h"

namespace kinformer::internal::cache {

// Counts watches that end within a second. Confined to the loop.
class ShortWatches {
 public:
  static constexpr Duration kVeryShort = std::chrono::seconds(1);

  // A watch has ended without an error and had events. Returns true if so many ended at once in a
  // row that the next one should wait.
  [[nodiscard]] bool TooManyInARow(Duration lasted);
  // A watch has ended at once without events. Logs it once a minute, since such a server does so
  // until it is repaired.
  void LogEmpty(Env& env, const std::string& informer);

 private:
  int in_a_row_ = 0;
  std::size_t since_log_ = 0;
  std::optional<SteadyTime> logged_;
};

// Limits resumes after errors of kind InternalError: client-go's MaxInternalErrorRetryDuration.
// Confined to the loop.
class InternalErrors {
 public:
  explicit InternalErrors(Duration max_retry) : max_retry_(max_retry) {}

  // Records an error. Returns true to resume; false to list, as errors lasted too long.
  [[nodiscard]] bool MayResume(SteadyTime now);

 private:
  const Duration max_retry_;  // 0: never
  std::optional<SteadyTime> first_;
  std::optional<SteadyTime> last_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_WATCH_RETRY_H_
