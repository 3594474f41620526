// kinformer/workqueue/flowcontrol.h
//
// flowcontrol::Backoff: delays of retries for many independent items: images to pull, volumes to
// mount, hosts to reach.
//
//   flowcontrol::Backoff backoff(env, {.initial = 1s, .max = 5min});
//   if (!backoff.IsInBackOffSinceUpdate(image, env.Now())) {
//     if (Pull(image)) backoff.Reset(image);
//     else backoff.Next(image, env.Now());
//   }
//
// The rate limiters of clients are in base/rate_limiter.h, which this includes. A work queue has
// rate limiters of its own (rate_limiter.h). Counterpart: the package flowcontrol.

#ifndef KINFORMER_WORKQUEUE_FLOWCONTROL_H_
#define KINFORMER_WORKQUEUE_FLOWCONTROL_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/rate_limiter.h"
#include "kinformer/base/time_span.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer::flowcontrol {

// Growth and reset of a Backoff's delays.
struct BackoffOptions {
  TimeSpan initial{std::chrono::seconds(1)};
  TimeSpan max{std::chrono::minutes(5)};
  // Largest random part added to a delay, as a fraction of the one before: 0.1 is a tenth. Delays
  // after the first never exceed max even so.
  double jitter{0};
  // Returns true if a failure at `event`, after the last one at `last`, begins with the initial
  // delay again. Empty: after twice `max`. Must be quick, and may be called from several threads.
  std::function<bool(SteadyTime event, SteadyTime last, Duration max)> has_expired{};
};

// Keeps a delay for each id: none at first, then the initial one, then each time twice as long. An
// id is any text. Unused ids stay until GC. Thread-safe; never blocks. Counterpart:
// flowcontrol.Backoff, made by NewBackOff or NewBackOffWithJitter.
class Backoff {
 public:
  explicit Backoff(Env& env, BackoffOptions options = {});
  ~Backoff();
  Backoff(const Backoff&) = delete;
  Backoff& operator=(const Backoff&) = delete;

  // Returns the current delay; 0: none.
  [[nodiscard]] Duration Get(std::string_view id) const;
  // Reports a failure at that time: the delay grows, or begins again.
  void Next(std::string_view id, SteadyTime event);
  // Reports a success: removes the delay.
  void Reset(std::string_view id);
  // Returns true if less than the delay has passed since `event`.
  [[nodiscard]] bool IsInBackOffSince(std::string_view id, SteadyTime event) const;
  // Returns true if at `event` less than the delay had passed since the last Next.
  [[nodiscard]] bool IsInBackOffSinceUpdate(std::string_view id, SteadyTime event) const;
  // Removes ids whose delay has expired.
  void GC();
  // Removes the id. Counterpart: DeleteEntry.
  void DeleteEntry(std::string_view id) { Reset(id); }
  // Returns the number of known ids.
  [[nodiscard]] std::size_t size() const;

 private:
  struct Impl;
  const kinformer::internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer::flowcontrol

#endif  // KINFORMER_WORKQUEUE_FLOWCONTROL_H_
