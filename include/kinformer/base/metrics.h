// kinformer/base/metrics.h
//
// MetricsSink: receives the library's counters, gauges and histograms. Instruments are created
// once, kept, and updated without a look-up. Names and labels are those of client-go and
// controller-runtime if they have the metric.

#ifndef KINFORMER_BASE_METRICS_H_
#define KINFORMER_BASE_METRICS_H_

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kinformer {

// A sum that only increases. Thread-safe, as all instruments; cheap: one atomic operation.
class Counter {
 public:
  virtual ~Counter() = default;
  virtual void Add(double amount = 1) = 0;
};

// A value that increases and decreases.
class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void Set(double value) = 0;
  virtual void Add(double amount) = 0;
};

// Observed values, counted in ranges of size.
class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void Observe(double value) = 0;
};

// Label names and values: {{"name", "pods"}}.
using MetricLabels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Creates instruments. Thread-safe. Instruments live as long as the sink or longer; equal names and
// labels give the same one. The first exception of a sink or an instrument is logged.
class MetricsSink {
 public:
  virtual ~MetricsSink() = default;
  // Returns false if observations are dropped and need not be made. Never changes.
  [[nodiscard]] virtual bool enabled() const { return true; }
  virtual std::shared_ptr<Counter> NewCounter(std::string_view name, std::string_view help,
                                              MetricLabels labels) = 0;
  virtual std::shared_ptr<Gauge> NewGauge(std::string_view name, std::string_view help,
                                          MetricLabels labels) = 0;
  virtual std::shared_ptr<Histogram> NewHistogram(std::string_view name, std::string_view help,
                                                  MetricLabels labels) = 0;
};

// Returns a sink whose instruments do nothing. The default.
std::unique_ptr<MetricsSink> NewNullMetrics();

// Stores the values and writes them in Prometheus' text format.
class TextMetrics : public MetricsSink {
 public:
  [[nodiscard]] virtual std::string Text() const = 0;
};

// Creates a TextMetrics.
std::unique_ptr<TextMetrics> NewTextMetrics();

}  // namespace kinformer

#endif  // KINFORMER_BASE_METRICS_H_
