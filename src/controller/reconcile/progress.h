// controller/reconcile/progress.h
//
// Progress: the reconciles of a controller that run now, and counts of those that have ended.

#ifndef KINFORMER_CONTROLLER_RECONCILE_PROGRESS_H_
#define KINFORMER_CONTROLLER_RECONCILE_PROGRESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/internal/controller_figures.h"

#include "base/core/mutex.h"

namespace kinformer::internal::reconcile {

// Thread-safe. A reconcile costs two short locks.
class Progress {
 public:
  // A reconcile that runs now, in the scope of this object, which its worker has.
  class Run {
   public:
    // `key` must live as long as this.
    Run(Progress& progress, const std::string& key, SteadyTime begun);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    friend class Progress;
    Progress& progress_;
    const std::string& key_;
    const SteadyTime begun_;
  };

  enum class End : std::uint8_t { kDone, kError, kParked };
  void Ended(End end) KINFORMER_EXCLUDES(mutex_);

  // Sets the members that are known here: reconciles, errors, parked, running.
  void Report(ControllerFigures& figures, SteadyTime now) const KINFORMER_EXCLUDES(mutex_);

 private:
  mutable base::Mutex mutex_;
  std::vector<const Run*> running_ KINFORMER_GUARDED_BY(mutex_);  // the oldest first
  std::uint64_t reconciles_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::uint64_t errors_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::uint64_t parked_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

}  // namespace kinformer::internal::reconcile

#endif  // KINFORMER_CONTROLLER_RECONCILE_PROGRESS_H_
