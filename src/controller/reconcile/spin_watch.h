// controller/reconcile/spin_watch.h
//
// SpinWatch: detects a request that a controller reconciles again and again without end: its own
// write triggers it, or it asks for an immediate requeue.

#ifndef KINFORMER_CONTROLLER_RECONCILE_SPIN_WATCH_H_
#define KINFORMER_CONTROLLER_RECONCILE_SPIN_WATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "kinformer/base/env.h"

#include "base/core/mutex.h"

namespace kinformer::internal::reconcile {

// Reason why a request is reconciled again.
enum class Again : std::uint8_t {
  kByEvent,         // an event, such as the next change of the object
  kByRequeueAfter,  // the delay that the reconciler asked for
  kByRequeue,       // the rate limiter, as the reconciler asked for
  kByError,         // the rate limiter, after an error
};

// Counts reconciles by key, in intervals of ten seconds. A key spins if it is reconciled a thousand
// times in one interval, or a hundred times in each of six: real events of one object come that
// fast for seconds at most, for example while a large Deployment is rolled out. A spinning key is
// reported once, and every ten minutes while it lasts. Keeps the first kMostKeys keys of an
// interval, so a very busy controller is checked only in part. Thread-safe; costs tens of
// nanoseconds per reconcile.
class SpinWatch {
 public:
  static constexpr std::size_t kMostKeys = 1000;

  struct Found {
    std::size_t reconciles;  // of the key, within `within`
    Duration within;
    Again again;        // the most frequent reason
    Duration shortest;  // for kByRequeueAfter: the shortest delay asked for
  };

  // Counts a reconcile of `key`. Returns a finding if one is due for the log.
  std::optional<Found> Reconciled(const std::string& key, Again again, Duration requeue_after,
                                  SteadyTime now) KINFORMER_EXCLUDES(mutex_);

 private:
  struct Counts {
    std::size_t all = 0;
    std::array<std::size_t, 4> by{};
    Duration shortest = Duration::max();
    int busy_pieces = 0;  // number of busy intervals directly before this one
  };
  void BeginPiece(SteadyTime now) KINFORMER_REQUIRES(mutex_);

  base::Mutex mutex_;
  SteadyTime begun_ KINFORMER_GUARDED_BY(mutex_){};
  std::unordered_map<std::string, Counts> counts_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<SteadyTime> said_ KINFORMER_GUARDED_BY(mutex_);
};

// Text for the log: the cause of the reconciles, and a remedy.
std::string CauseOf(const SpinWatch::Found& found);

}  // namespace kinformer::internal::reconcile

#endif  // KINFORMER_CONTROLLER_RECONCILE_SPIN_WATCH_H_
