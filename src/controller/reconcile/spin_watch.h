// controller/reconcile/spin_watch.h
//
// SpinWatch: notices a request that a controller reconciles over and over, without end: its own
// write wakes it, or it asks to come again at once.

#ifndef KINFORMER_CONTROLLER_RECONCILE_SPIN_WATCH_H_
#define KINFORMER_CONTROLLER_RECONCILE_SPIN_WATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "kinformer/env.h"

#include "base/core/mutex.h"

namespace kinformer::internal::reconcile {

// What a request waits for after a reconcile.
enum class Again : std::uint8_t {
  kByEvent,         // nothing: an event has brought it, and will again
  kByRequeueAfter,  // the time that the reconciler asked for
  kByRequeue,       // the rate limiter, which the reconciler asked for
  kByError,         // the rate limiter, since it failed
};

// Counts by key, in pieces of ten seconds. A key spins that is reconciled a thousand times in one
// piece, or a hundred times in each of six: so many events come of one object, if at all, for
// seconds only, as when a large Deployment is rolled out. What is found is said once, and again
// while it lasts, ten minutes later. Knows at most kMostKeys keys of a piece, the first ones: a
// controller that is busy with more is looked at when it is calmer. Thread-safe; tens of
// nanoseconds a reconcile.
class SpinWatch {
 public:
  static constexpr std::size_t kMostKeys = 1000;

  struct Found {
    std::size_t reconciles;  // of the key, in `within`
    Duration within;
    Again again;        // how it mostly came again
    Duration shortest;  // of kByRequeueAfter: what was asked for at the least
  };

  // `key` has been reconciled. What is to be said about it now, if anything.
  std::optional<Found> Reconciled(const std::string& key, Again again, Duration requeue_after,
                                  SteadyTime now) KINFORMER_EXCLUDES(mutex_);

 private:
  struct Counts {
    std::size_t all = 0;
    std::array<std::size_t, 4> by{};
    Duration shortest = Duration::max();
    int busy_pieces = 0;  // those before this one in which it was busy, without a gap
  };
  void BeginPiece(SteadyTime now) KINFORMER_REQUIRES(mutex_);

  base::Mutex mutex_;
  SteadyTime begun_ KINFORMER_GUARDED_BY(mutex_){};
  std::unordered_map<std::string, Counts> counts_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<SteadyTime> said_ KINFORMER_GUARDED_BY(mutex_);
};

// For the log: what brings the request back, and what would help.
std::string CauseOf(const SpinWatch::Found& found);

}  // namespace kinformer::internal::reconcile

#endif  // KINFORMER_CONTROLLER_RECONCILE_SPIN_WATCH_H_
