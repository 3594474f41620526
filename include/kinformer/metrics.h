// kinformer/metrics.h
//
// MetricsSink: where the library's counters, gauges and histograms go. Instruments are made once,
// kept, and updated without a look-up. Names and labels are those of client-go and
// controller-runtime where they have the metric.

#ifndef KINFORMER_METRICS_H_
#define KINFORMER_METRICS_H_

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kinformer {

// A sum that only grows. Thread-safe, as the other instruments; cheap: one atomic operation.
class Counter {
 public:
  virtual ~Counter() = default;
  virtual void Add(double amount = 1) = 0;
};

// A value that goes up and down.
class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void Set(double value) = 0;
  virtual void Add(double amount) = 0;
};

// Observed values, counted by size.
class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void Observe(double value) = 0;
};

// Names and values: {{"name", "pods"}}.
using MetricLabels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Thread-safe. Instruments live as long as the sink or longer; asking again with the same name and
// labels gives the same one. What it or an instrument throws is logged, the first time.
class MetricsSink {
 public:
  virtual ~MetricsSink() = default;
  // False: whatever is observed is thrown away, so there is no need to observe it. Never changes.
  [[nodiscard]] virtual bool enabled() const { return true; }
  virtual std::shared_ptr<Counter> NewCounter(std::string_view name, std::string_view help,
                                              MetricLabels labels) = 0;
  virtual std::shared_ptr<Gauge> NewGauge(std::string_view name, std::string_view help,
                                          MetricLabels labels) = 0;
  virtual std::shared_ptr<Histogram> NewHistogram(std::string_view name, std::string_view help,
                                                  MetricLabels labels) = 0;
};

// Instruments that do nothing. The default.
std::unique_ptr<MetricsSink> NewNullMetrics();

// Keeps the values and writes them in Prometheus' text format.
class TextMetrics : public MetricsSink {
 public:
  [[nodiscard]] virtual std::string Text() const = 0;
};

// Makes one.
std::unique_ptr<TextMetrics> NewTextMetrics();

}  // namespace kinformer

#endif  // KINFORMER_METRICS_H_
