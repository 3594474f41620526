// kinformer/interop/prometheus.h
//
// PrometheusSink: the library's metrics are among those of a registry of prometheus-cpp.
//
//   auto registry = std::make_shared<prometheus::Registry>();
//   Runtime runtime({.metrics = std::make_shared<interop::PrometheusSink>(registry)});
//
// Only a program that includes this header needs prometheus-cpp (its core).

#ifndef KINFORMER_INTEROP_PROMETHEUS_H_
#define KINFORMER_INTEROP_PROMETHEUS_H_

#include <map>
#include <memory>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/metrics.h"
#include "kinformer/internal/histogram_buckets.h"

namespace kinformer::interop {

// Registers each instrument as soon as the library makes it, under the same name, help, labels and
// buckets as NewTextMetrics. Instruments share the registry, so they may outlive this. Thread-safe.
// If the program has a family of another type with a name of the library's, prometheus-cpp throws:
// that metric is missing then, and the log says so. REQUIRES: the registry merges families, as it
// does by default.
class PrometheusSink final : public MetricsSink {
 public:
  explicit PrometheusSink(std::shared_ptr<prometheus::Registry> registry)
      : registry_(std::move(registry)) {}

  std::shared_ptr<Counter> NewCounter(std::string_view name, std::string_view help,
                                      MetricLabels labels) override {
    auto& family = FamilyOf<prometheus::Counter>(prometheus::BuildCounter(), name, help);
    return std::make_shared<CounterOf>(registry_, family.Add(Copy(labels)));
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view name, std::string_view help,
                                  MetricLabels labels) override {
    auto& family = FamilyOf<prometheus::Gauge>(prometheus::BuildGauge(), name, help);
    return std::make_shared<GaugeOf>(registry_, family.Add(Copy(labels)));
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view name, std::string_view help,
                                          MetricLabels labels) override {
    auto& family = FamilyOf<prometheus::Histogram>(prometheus::BuildHistogram(), name, help);
    return std::make_shared<HistogramOf>(registry_,
                                         family.Add(Copy(labels), internal::BucketsOf(name)));
  }

 private:
  using Registry = std::shared_ptr<prometheus::Registry>;

  class CounterOf final : public Counter {
   public:
    CounterOf(Registry registry, prometheus::Counter& counter)
        : registry_(std::move(registry)), counter_(counter) {}
    void Add(double amount) override { counter_.Increment(amount); }

   private:
    const Registry registry_;
    prometheus::Counter& counter_;
  };
  class GaugeOf final : public Gauge {
   public:
    GaugeOf(Registry registry, prometheus::Gauge& gauge)
        : registry_(std::move(registry)), gauge_(gauge) {}
    void Set(double value) override { gauge_.Set(value); }
    void Add(double amount) override { gauge_.Increment(amount); }

   private:
    const Registry registry_;
    prometheus::Gauge& gauge_;
  };
  class HistogramOf final : public Histogram {
   public:
    HistogramOf(Registry registry, prometheus::Histogram& histogram)
        : registry_(std::move(registry)), histogram_(histogram) {}
    void Observe(double value) override { histogram_.Observe(value); }

   private:
    const Registry registry_;
    prometheus::Histogram& histogram_;
  };

  // Returns the registered family of that name, which is made if there is none.
  template <class Instrument, class Builder>
  prometheus::Family<Instrument>& FamilyOf(Builder builder, std::string_view name,
                                           std::string_view help) {
    return builder.Name(std::string(name)).Help(std::string(help)).Register(*registry_);
  }
  static std::map<std::string, std::string> Copy(MetricLabels labels) {
    std::map<std::string, std::string> copy;
    for (const auto& [name, value] : labels) copy.emplace(name, value);
    return copy;
  }

  const Registry registry_;
};

}  // namespace kinformer::interop

#endif  // KINFORMER_INTEROP_PROMETHEUS_H_
