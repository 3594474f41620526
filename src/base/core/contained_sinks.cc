#include "base/core/contained_sinks.h"

#include <atomic>
#include <string>
#include <unistd.h>
#include <utility>

#include "base/core/user_call.h"

namespace kinformer::internal::base {
namespace {

class ContainedLog final : public LogSink {
 public:
  explicit ContainedLog(std::shared_ptr<LogSink> sink) : sink_(std::move(sink)) {}
  // Call before there are other threads.
  void CountIn(const std::shared_ptr<MetricsSink>& metrics) { metrics_ = metrics; }

  [[nodiscard]] LogLevel level() const override {
    try {
      return sink_->level();
    } catch (...) {
      Failed();
      return LogLevel::kWarning;
    }
  }
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override {
    if (level < this->level()) return;
    try {
      sink_->Log(level, message, fields);
    } catch (...) {
      Failed();
    }
  }

 private:
  void Failed() const {
    if (const std::shared_ptr<MetricsSink> metrics = metrics_.lock()) {
      metrics
          ->NewCounter("kinformer_user_exceptions_total",
                       "What functions that the program gave the library have thrown.",
                       {{"function", "the log sink"}})
          ->Add();
    }
    if (told_.exchange(true)) return;
    const std::string line =
        "kinformer: the log sink threw: " + Thrown() + "; lines that it refuses are lost\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  }

  const std::shared_ptr<LogSink> sink_;
  std::weak_ptr<MetricsSink> metrics_;
  mutable std::atomic<bool> told_{false};
};

// Logs once that a metrics sink throws.
class Complaint {
 public:
  explicit Complaint(std::shared_ptr<LogSink> log) : log_(std::move(log)) {}
  void Make() {
    if (told_.exchange(true)) return;
    log_->Log(LogLevel::kError, "a function of the program's threw",
              {{"function", "the metrics sink"}, {"err", Thrown()}});
  }

 private:
  const std::shared_ptr<LogSink> log_;
  std::atomic<bool> told_{false};
};

// One of the three kinds of instruments; null if the sink could not make it.
template <class Kind>
class ContainedInstrument : public Kind {
 public:
  ContainedInstrument(std::shared_ptr<Kind> inner, std::shared_ptr<Complaint> complaint)
      : inner_(std::move(inner)), complaint_(std::move(complaint)) {}

 protected:
  template <class Call>
  void With(Call call) {
    if (inner_ == nullptr) return;
    try {
      call(*inner_);
    } catch (...) {
      complaint_->Make();
    }
  }

 private:
  const std::shared_ptr<Kind> inner_;
  const std::shared_ptr<Complaint> complaint_;
};

class ContainedCounter final : public ContainedInstrument<Counter> {
 public:
  using ContainedInstrument::ContainedInstrument;
  void Add(double amount) override {
    With([&](Counter& inner) { inner.Add(amount); });
  }
};

class ContainedGauge final : public ContainedInstrument<Gauge> {
 public:
  using ContainedInstrument::ContainedInstrument;
  void Set(double value) override {
    With([&](Gauge& inner) { inner.Set(value); });
  }
  void Add(double amount) override {
    With([&](Gauge& inner) { inner.Add(amount); });
  }
};

class ContainedHistogram final : public ContainedInstrument<Histogram> {
 public:
  using ContainedInstrument::ContainedInstrument;
  void Observe(double value) override {
    With([&](Histogram& inner) { inner.Observe(value); });
  }
};

class ContainedMetrics final : public MetricsSink {
 public:
  ContainedMetrics(std::shared_ptr<MetricsSink> sink, std::shared_ptr<LogSink> log)
      : sink_(std::move(sink)), complaint_(std::make_shared<Complaint>(std::move(log))) {}

  std::shared_ptr<Counter> NewCounter(std::string_view name, std::string_view help,
                                      MetricLabels labels) override {
    return Make<Counter, ContainedCounter>([&] { return sink_->NewCounter(name, help, labels); });
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view name, std::string_view help,
                                  MetricLabels labels) override {
    return Make<Gauge, ContainedGauge>([&] { return sink_->NewGauge(name, help, labels); });
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view name, std::string_view help,
                                          MetricLabels labels) override {
    return Make<Histogram, ContainedHistogram>(
        [&] { return sink_->NewHistogram(name, help, labels); });
  }

 private:
  template <class Kind, class Wrapper, class Call>
  std::shared_ptr<Kind> Make(Call call) {
    std::shared_ptr<Kind> inner;
    try {
      inner = call();
    } catch (...) {
      complaint_->Make();
    }
    return std::make_shared<Wrapper>(std::move(inner), complaint_);
  }

  const std::shared_ptr<MetricsSink> sink_;
  const std::shared_ptr<Complaint> complaint_;
};

bool Enabled(const MetricsSink& sink) {
  try {
    return sink.enabled();
  } catch (...) {
    return false;
  }
}

}  // namespace

Sinks ContainedSinks(std::shared_ptr<LogSink> log, std::shared_ptr<MetricsSink> metrics) {
  auto contained = std::make_shared<ContainedLog>(std::move(log));
  Sinks out{contained, std::move(metrics)};
  if (!Enabled(*out.metrics)) {
    out.metrics = NewNullMetrics();
    return out;
  }
  out.metrics = std::make_shared<ContainedMetrics>(std::move(out.metrics), out.log);
  contained->CountIn(out.metrics);
  return out;
}

}  // namespace kinformer::internal::base
