#include "cache/watch/reflector_metrics.h"

#include <utility>

#include "cache/figures/informer_metrics.h"

namespace kinformer::internal::cache {
namespace {

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void ReflectorMetrics::ListBegins() {
  if (metrics_ == nullptr) return;
  metrics_->lists->Add();
  begun_ = env_.Now();
}

void ReflectorMetrics::ListEnds(std::string_view resourceVersion, std::size_t items) {
  if (metrics_ == nullptr) return;
  metrics_->list_duration->Observe(Seconds(env_.Now() - begun_));
  metrics_->items_per_list->Observe(static_cast<double>(items));
  Version(resourceVersion);
}

void ReflectorMetrics::WatchBegins() {
  if (metrics_ == nullptr) return;
  metrics_->watches->Add();
  begun_ = env_.Now();
  watch_open_ = true;
}

void ReflectorMetrics::WatchEnds(std::size_t events) {
  if (!std::exchange(watch_open_, false)) return;
  metrics_->watch_duration->Observe(Seconds(env_.Now() - begun_));
  metrics_->items_per_watch->Observe(static_cast<double>(events));
}

void ReflectorMetrics::ShortWatch() {
  if (metrics_ != nullptr) metrics_->short_watches->Add();
}

void ReflectorMetrics::Failed() {
  if (metrics_ != nullptr) metrics_->errors->Add();
}

void ReflectorMetrics::EpochBegins() {
  if (metrics_ != nullptr) metrics_->epochs->Add();
}

void ReflectorMetrics::Version(std::string_view resourceVersion) {
  if (metrics_ == nullptr) return;
  InformerMetrics::SetVersion(*metrics_->last_resource_version, resourceVersion);
}

}  // namespace kinformer::internal::cache
