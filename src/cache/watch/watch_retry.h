// cache/watch/watch_retry.h
//
// How often a reflector may resume a watch that ends too early: ShortWatches and InternalErrors.

#ifndef KINFORMER_CACHE_WATCH_WATCH_RETRY_H_
#define KINFORMER_CACHE_WATCH_WATCH_RETRY_H_

#include <cstddef>
#include <optional>
#include <string>

#include "kinformer/env.h"

namespace kinformer::internal::cache {

// Watches that end within a second. Confined to the loop.
class ShortWatches {
 public:
  static constexpr Duration kVeryShort = std::chrono::seconds(1);

  // A watch has ended without an error. True: the server has ended so many at once, one after the
  // other, that the next one should wait. Each of them brought something.
  [[nodiscard]] bool TooManyInARow(Duration lasted);
  // A watch has ended at once and brought nothing. Logged once a minute, since a server that does
  // so does it for as long as nobody mends it.
  void LogEmpty(Env& env, const std::string& informer);

 private:
  int in_a_row_ = 0;
  std::size_t since_log_ = 0;
  std::optional<SteadyTime> logged_;
};

// Answers of the kind InternalError in a watch. client-go's MaxInternalErrorRetryDuration.
// Confined to the loop.
class InternalErrors {
 public:
  explicit InternalErrors(Duration max_retry) : max_retry_(max_retry) {}

  // One more, now. True: resume. False: that has gone on for longer than allowed, list again.
  [[nodiscard]] bool MayResume(SteadyTime now);

 private:
  const Duration max_retry_;  // 0: never
  std::optional<SteadyTime> first_;
  std::optional<SteadyTime> last_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_WATCH_RETRY_H_
