// cache/figures/informer_metrics.h
//
// InformerMetrics: what an informer reports to the Env's metrics sink. informer_options.h lists the
// metrics. Counterparts: cache.MetricsProvider (the reflector's), cache.InformerMetricsProvider.
//
// The label is the informer's name. Informers may share a name: counters then count them together
// and gauges add them up. So the number of series is the number of names, not of all informers that
// ever existed.

#ifndef KINFORMER_CACHE_FIGURES_INFORMER_METRICS_H_
#define KINFORMER_CACHE_FIGURES_INFORMER_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"

namespace kinformer::internal::cache {

// The part of a gauge that one owner contributes. The destructor removes it.
class GaugeShare {
 public:
  explicit GaugeShare(std::shared_ptr<Gauge> gauge) : gauge_(std::move(gauge)) {}
  ~GaugeShare() { Set(0); }
  GaugeShare(const GaugeShare&) = delete;
  GaugeShare& operator=(const GaugeShare&) = delete;
  void Set(std::size_t value) {
    if (value == value_) return;
    gauge_->Add(static_cast<double>(value) - static_cast<double>(value_));
    value_ = value;
  }

 private:
  const std::shared_ptr<Gauge> gauge_;
  std::size_t value_ = 0;
};

// Adds the growth of a total that is kept elsewhere to a counter.
class CounterShare {
 public:
  explicit CounterShare(std::shared_ptr<Counter> counter) : counter_(std::move(counter)) {}
  void Follow(std::uint64_t total) {
    if (total == total_) return;
    counter_->Add(static_cast<double>(total - total_));
    total_ = total;
  }

 private:
  const std::shared_ptr<Counter> counter_;
  std::uint64_t total_ = 0;
};

// Metrics of the reflector, the queue and the store. Confined to the loop.
class InformerMetrics {
 public:
  // Returns null if the Env has no metrics sink.
  static std::unique_ptr<InformerMetrics> For(Env& env, std::string_view name);

  // Returns the progress gauge of one namespace; null without a metrics sink.
  static std::shared_ptr<Gauge> NamespaceProgress(Env& env, std::string_view name,
                                                  std::string_view namespace_);
  // Sets the gauge to the wall clock time of `when`.
  static void SetTime(Gauge& gauge, Env& env, SteadyTime when);
  // Sets the gauge to a version; versions that are not numbers are ignored.
  static void SetVersion(Gauge& gauge, std::string_view resource_version);

  const std::shared_ptr<Counter> lists;
  const std::shared_ptr<Counter> watch_lists;
  const std::shared_ptr<Histogram> list_duration;
  const std::shared_ptr<Histogram> items_per_list;
  const std::shared_ptr<Counter> watches;
  const std::shared_ptr<Counter> short_watches;
  const std::shared_ptr<Histogram> watch_duration;
  const std::shared_ptr<Histogram> items_per_watch;
  const std::shared_ptr<Gauge> last_resource_version;

  GaugeShare queued_items;
  GaugeShare queued_bytes;
  const std::shared_ptr<Histogram> processing_latency;

  GaugeShare store_objects;
  GaugeShare store_bytes;
  GaugeShare left_out;
  GaugeShare snapshots;
  GaugeShare snapshot_bytes;
  const std::shared_ptr<Gauge> oldest_snapshot;
  const std::shared_ptr<Gauge> store_resource_version;

  const std::shared_ptr<Gauge> last_progress;

  const std::shared_ptr<Counter> errors;
  const std::shared_ptr<Counter> refusals;
  const std::shared_ptr<Counter> epochs;
  const std::shared_ptr<Counter> gaps;
  const std::shared_ptr<Counter> consistency_checks;
  const std::shared_ptr<Counter> inconsistencies;

 private:
  InformerMetrics(MetricsSink& sink, std::string_view name);
};

// Metrics of a handler. Guarded by its listener's lock.
class ListenerMetrics {
 public:
  // Returns null without a metrics sink. `handler` is the user's name for it, or empty: generated
  // names would make a series for each handler that ever existed.
  static std::unique_ptr<ListenerMetrics> For(Env& env, std::string_view name,
                                              std::string_view handler);

  GaugeShare waiting;
  GaugeShare waiting_bytes;
  CounterShare delivered;
  CounterShare coalesced;
  CounterShare dropped;

 private:
  ListenerMetrics(MetricsSink& sink, MetricLabels labels);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_FIGURES_INFORMER_METRICS_H_
