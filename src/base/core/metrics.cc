#include "kinformer/base/metrics.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "kinformer/internal/histogram_buckets.h"

#include "base/core/mutex.h"

namespace kinformer {
namespace {

using internal::base::Mutex;
using internal::base::MutexLock;

class NullInstrument final : public Counter, public Gauge, public Histogram {
 public:
  void Add(double) override {}
  void Set(double) override {}
  void Observe(double) override {}
};

class NullMetrics final : public MetricsSink {
 public:
  [[nodiscard]] bool enabled() const override { return false; }
  std::shared_ptr<Counter> NewCounter(std::string_view, std::string_view, MetricLabels) override {
    return nothing_;
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view, std::string_view, MetricLabels) override {
    return nothing_;
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view, std::string_view,
                                          MetricLabels) override {
    return nothing_;
  }

 private:
  std::shared_ptr<NullInstrument> nothing_ = std::make_shared<NullInstrument>();
};

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return error == std::errc() ? std::string(buffer, end) : "NaN";
}

class TextCounter final : public Counter {
 public:
  void Add(double amount) override { value_.fetch_add(amount, std::memory_order_relaxed); }
  [[nodiscard]] double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

class TextGauge final : public Gauge {
 public:
  void Set(double value) override { value_.store(value, std::memory_order_relaxed); }
  void Add(double amount) override { value_.fetch_add(amount, std::memory_order_relaxed); }
  [[nodiscard]] double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

class TextHistogram final : public Histogram {
 public:
  explicit TextHistogram(std::vector<double> bounds)
      : bounds_(std::move(bounds)), buckets_(bounds_.size() + 1) {}

  void Observe(double value) override {
    const auto bucket = static_cast<std::size_t>(
        std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin());
    buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }

  // `labels` without braces.
  void Write(const std::string& name, const std::string& labels, std::string& out) const {
    const std::string comma = labels.empty() ? "" : ",";
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      total += buckets_[i].load(std::memory_order_relaxed);
      const std::string bound = i < bounds_.size() ? NumberText(bounds_[i]) : "+Inf";
      out.append(name + "_bucket{" + labels + comma + "le=\"" + bound + "\"} ");
      out.append(std::to_string(total)).push_back('\n');
    }
    const std::string braces = labels.empty() ? "" : "{" + labels + "}";
    out.append(name + "_sum" + braces + " ");
    out.append(NumberText(sum_.load(std::memory_order_relaxed))).push_back('\n');
    out.append(name + "_count" + braces + " " + std::to_string(total)).push_back('\n');
  }

 private:
  const std::vector<double> bounds_;
  std::vector<std::atomic<std::uint64_t>> buckets_;
  std::atomic<double> sum_{0};
};

void AppendLabelValue(std::string_view value, std::string& out) {
  for (const char c : value) {
    if (c == '\n') {
      out.append("\\n");
      continue;
    }
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
}

std::string LabelText(MetricLabels labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    if (!text.empty()) text.push_back(',');
    text.append(name).append("=\"");
    AppendLabelValue(value, text);
    text.push_back('"');
  }
  return text;
}

class TextMetricsImpl final : public TextMetrics {
 public:
  std::shared_ptr<Counter> NewCounter(std::string_view name, std::string_view help,
                                      MetricLabels labels) override {
    MutexLock lock(mutex_);
    return Get(FamilyFor(name, help).counters, labels, [] { return TextCounter(); });
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view name, std::string_view help,
                                  MetricLabels labels) override {
    MutexLock lock(mutex_);
    return Get(FamilyFor(name, help).gauges, labels, [] { return TextGauge(); });
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view name, std::string_view help,
                                          MetricLabels labels) override {
    MutexLock lock(mutex_);
    return Get(FamilyFor(name, help).histograms, labels,
               [name] { return TextHistogram(internal::BucketsOf(name)); });
  }

  [[nodiscard]] std::string Text() const override {
    MutexLock lock(mutex_);
    std::string out;
    for (const auto& [name, family] : families_) {
      const std::string_view type = !family.counters.empty() ? "counter"
                                    : !family.gauges.empty() ? "gauge"
                                                             : "histogram";
      out.append("# HELP ").append(name).append(" ").append(family.help).append("\n# TYPE ");
      out.append(name).append(" ").append(type).append("\n");
      for (const auto& [labels, counter] : family.counters) {
        AppendSample(name, labels, counter->value(), out);
      }
      for (const auto& [labels, gauge] : family.gauges) {
        AppendSample(name, labels, gauge->value(), out);
      }
      for (const auto& [labels, histogram] : family.histograms) {
        histogram->Write(name, labels, out);
      }
    }
    return out;
  }

 private:
  template <class T>
  using ByLabels = std::map<std::string, std::shared_ptr<T>>;
  struct Family {
    std::string help{};
    ByLabels<TextCounter> counters{};
    ByLabels<TextGauge> gauges{};
    ByLabels<TextHistogram> histograms{};
  };

  Family& FamilyFor(std::string_view name, std::string_view help) KINFORMER_REQUIRES(mutex_) {
    const auto [it, made] = families_.try_emplace(std::string(name));
    if (made) it->second.help = help;
    return it->second;
  }

  template <class T, class Make>
  static std::shared_ptr<T> Get(ByLabels<T>& instruments, MetricLabels labels, Make make) {
    std::shared_ptr<T>& slot = instruments[LabelText(labels)];
    if (slot == nullptr) slot = std::shared_ptr<T>(new T(make()));
    return slot;
  }

  static void AppendSample(const std::string& name, const std::string& labels, double value,
                           std::string& out) {
    out.append(name);
    if (!labels.empty()) out.append("{").append(labels).append("}");
    out.append(" ").append(NumberText(value)).push_back('\n');
  }

  mutable Mutex mutex_;
  std::map<std::string, Family> families_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<MetricsSink> NewNullMetrics() { return std::make_unique<NullMetrics>(); }
std::unique_ptr<TextMetrics> NewTextMetrics() { return std::make_unique<TextMetricsImpl>(); }

}  // namespace kinformer
