// cache/figures/work_timer.h
//
// WorkTimer: measures a piece of work that is done in several turns of the loop.

#ifndef KINFORMER_CACHE_FIGURES_WORK_TIMER_H_
#define KINFORMER_CACHE_FIGURES_WORK_TIMER_H_

#include <chrono>
#include <utility>

#include "kinformer/base/env.h"

#include "cache/figures/informer_metrics.h"

namespace kinformer::internal::cache {

// Confined to the loop. Reads no clock without metrics.
class WorkTimer {
 public:
  // `metrics`: null for none.
  WorkTimer(const Env& env, InformerMetrics* metrics) : env_(env), metrics_(metrics) {}

  void Begin() {
    if (metrics_ != nullptr) begun_ = env_.Now();
  }
  void Pause() {
    if (metrics_ != nullptr) worked_ += env_.Now() - begun_;
  }
  void End() {
    if (metrics_ == nullptr) return;
    Pause();
    const Duration took = std::exchange(worked_, Duration(0));
    metrics_->processing_latency->Observe(std::chrono::duration<double>(took).count());
  }

 private:
  const Env& env_;
  InformerMetrics* const metrics_;
  SteadyTime begun_{};
  Duration worked_{0};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_FIGURES_WORK_TIMER_H_
