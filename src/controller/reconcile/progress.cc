#include "controller/reconcile/progress.h"

namespace kinformer::internal::reconcile {

using base::MutexLock;

Progress::Run::Run(Progress& progress, const std::string& key, SteadyTime begun)
    : progress_(progress), key_(key), begun_(begun) {
  const MutexLock lock(progress_.mutex_);
  progress_.running_.push_back(this);
}

Progress::Run::~Run() {
  const MutexLock lock(progress_.mutex_);
  std::erase(progress_.running_, this);
}

void Progress::Ended(End end) {
  const MutexLock lock(mutex_);
  ++reconciles_;
  if (end == End::kError) ++errors_;
  if (end == End::kParked) ++parked_;
}

void Progress::Report(ControllerFigures& figures, SteadyTime now) const {
  const MutexLock lock(mutex_);
  figures.reconciles = reconciles_;
  figures.errors = errors_;
  figures.parked = parked_;
  for (const Run* const run : running_) figures.running.push_back({run->key_, now - run->begun_});
}

}  // namespace kinformer::internal::reconcile
