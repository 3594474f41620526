// kinformer/flowcontrol.h
//
// flowcontrol::Backoff: when to try again, for many things that fail independently of each other:
// images to pull, volumes to mount, hosts to reach.
//
//   flowcontrol::Backoff backoff(env, {.initial = 1s, .max = 5min});
//   if (!backoff.IsInBackOffSinceUpdate(image, env.Now())) {
//     if (Pull(image)) backoff.Reset(image);
//     else backoff.Next(image, env.Now());
//   }
//
// A work queue has rate limiters of its own (rate_limiter.h). Counterpart: the package flowcontrol.

#ifndef KINFORMER_FLOWCONTROL_H_
#define KINFORMER_FLOWCONTROL_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/env.h"
#include "kinformer/internal/time_span.h"

namespace kinformer::flowcontrol {

// How a Backoff grows, and when it forgets.
struct BackoffOptions {
  internal::TimeSpan initial{std::chrono::seconds(1)};
  internal::TimeSpan max{std::chrono::minutes(5)};
  // Each delay gets up to so much of the one before on top: 0.1 is a tenth. None but the first is
  // longer than max even so.
  double jitter{0};
  // Whether a failure at `event` begins anew, after the last one at `last`. Empty: where twice
  // `max` has passed. Must be quick, and may be called from several threads.
  std::function<bool(SteadyTime event, SteadyTime last, Duration max)> has_expired{};
};

// A delay for each id: none at first, then the initial one, then each time twice as long. An id is
// any text. Ids that nobody asks about any more stay until GC. Thread-safe; nothing blocks.
// Counterpart: flowcontrol.Backoff, made by NewBackOff or NewBackOffWithJitter.
class Backoff {
 public:
  explicit Backoff(Env& env, BackoffOptions options = {});
  ~Backoff();
  Backoff(const Backoff&) = delete;
  Backoff& operator=(const Backoff&) = delete;

  // The present delay; 0: there is none.
  [[nodiscard]] Duration Get(std::string_view id) const;
  // It has failed, at that time: the delay grows, or begins anew.
  void Next(std::string_view id, SteadyTime event);
  // It has succeeded.
  void Reset(std::string_view id);
  // It is to wait still, by the time that has passed since `event`.
  [[nodiscard]] bool IsInBackOffSince(std::string_view id, SteadyTime event) const;
  // At the time `event` it was to wait, by the time that had passed since its last Next.
  [[nodiscard]] bool IsInBackOffSinceUpdate(std::string_view id, SteadyTime event) const;
  // Forgets those whose delay has expired.
  void GC();
  // Forgets it. Counterpart: DeleteEntry.
  void DeleteEntry(std::string_view id) { Reset(id); }
  // How many ids it knows.
  [[nodiscard]] std::size_t size() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::flowcontrol

#endif  // KINFORMER_FLOWCONTROL_H_
