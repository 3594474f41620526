// cache/figures/informer_metrics.h
//
// What an informer tells the Env's metrics sink. informer_options.h lists the metrics.
// Counterparts: cache.MetricsProvider (the reflector's), cache.InformerMetricsProvider.
//
// The label is the informer's name, and informers may share one: then counters count them together
// and gauges add them up. So the number of series is that of the names, not that of the informers
// that ever were.

#ifndef KINFORMER_CACHE_FIGURES_INFORMER_METRICS_H_
#define KINFORMER_CACHE_FIGURES_INFORMER_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "kinformer/env.h"
#include "kinformer/metrics.h"

namespace kinformer::internal::cache {

// This owner's part of a gauge. Gives it back when it goes.
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

// A counter that follows a total kept elsewhere.
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

// The reflector's, the queue's and the store's. Confined to the loop.
class InformerMetrics {
 public:
  // Null where nobody listens.
  static std::unique_ptr<InformerMetrics> For(Env& env, std::string_view name);

  // Of one namespace; null where nobody listens.
  static std::shared_ptr<Gauge> NamespaceProgress(Env& env, std::string_view name,
                                                  std::string_view namespace_);
  // The wall clock's time of that moment.
  static void SetTime(Gauge& gauge, Env& env, SteadyTime when);
  // A resourceVersion that is no number has no place in a gauge and is left out.
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

// A handler's. Guarded by its listener's lock.
class ListenerMetrics {
 public:
  // Null where nobody listens. `handler` is the name the user gave, or empty: names that are made
  // up would be a series for each handler that ever was.
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
