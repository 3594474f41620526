#include "base/core/named_env.h"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "kinformer/base/metrics.h"
#include "kinformer/base/tracing.h"

#include "base/core/env_view.h"
#include "base/core/named_envs.h"

namespace kinformer::internal::base {
namespace {

constexpr std::string_view kCluster = "cluster";
// Enough for every log line and instrument. Items beyond this number would be dropped.
constexpr std::size_t kMostItems = 15;

template <class Item>
using Use = std::function<void(std::initializer_list<Item>)>;

// A function of its own, as the lists below have more than a hundred items, and a copy in place
// takes ten times as many bytes as a call.
template <class Item>
[[gnu::noinline]] Item CopyOf(const Item& item) {
  return item;
}

template <class Item, std::size_t... I>
void UseWith([[maybe_unused]] const Item* items, const Item& last, const Use<Item>& use,
             std::index_sequence<I...>) {
  use({CopyOf(items[I])..., CopyOf(last)});
}

// Calls `use` with the list plus one more item at its end.
template <class Item, std::size_t kSize = 0>
void WithOneMore(std::initializer_list<Item> list, const Item& last, const Use<Item>& use) {
  if constexpr (kSize < kMostItems) {
    if (list.size() > kSize) return WithOneMore<Item, kSize + 1>(list, last, use);
  }
  UseWith(list.begin(), last, use, std::make_index_sequence<kSize>());
}

class NamedLog final : public LogSink {
 public:
  NamedLog(Env& env, const std::string& cluster) : env_(env), cluster_(cluster) {}
  [[nodiscard]] LogLevel level() const override { return env_.log().level(); }
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override {
    if (level < env_.log().level()) return;
    const auto use = [&](std::initializer_list<LogField> all) {
      env_.log().Log(level, message, all);
    };
    WithOneMore<LogField>(fields, {kCluster, cluster_}, std::ref(use));
  }

 private:
  Env& env_;
  const std::string& cluster_;
};

class NamedMetrics final : public MetricsSink {
  using Label = MetricLabels::value_type;

  template <class Make>
  auto With(MetricLabels labels, const Make& make) {
    decltype(make(labels)) made;
    const auto use = [&](MetricLabels all) { made = make(all); };
    WithOneMore<Label>(labels, {kCluster, cluster_}, std::ref(use));
    return made;
  }

 public:
  NamedMetrics(Env& env, const std::string& cluster) : env_(env), cluster_(cluster) {}
  [[nodiscard]] bool enabled() const override { return env_.metrics().enabled(); }
  std::shared_ptr<Counter> NewCounter(std::string_view name, std::string_view help,
                                      MetricLabels labels) override {
    return With(labels,
                [&](MetricLabels all) { return env_.metrics().NewCounter(name, help, all); });
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view name, std::string_view help,
                                  MetricLabels labels) override {
    return With(labels, [&](MetricLabels all) { return env_.metrics().NewGauge(name, help, all); });
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view name, std::string_view help,
                                          MetricLabels labels) override {
    return With(labels,
                [&](MetricLabels all) { return env_.metrics().NewHistogram(name, help, all); });
  }

 private:
  Env& env_;
  const std::string& cluster_;
};

class NamedTracer final : public Tracer {
 public:
  NamedTracer(Env& env, const std::string& cluster) : env_(env), cluster_(cluster) {}
  std::unique_ptr<SpanRecorder> StartSpan(const SpanStart& start) override {
    std::unique_ptr<SpanRecorder> span = env_.tracer()->StartSpan(start);
    if (span != nullptr && span->recording()) span->SetAttribute({"k8s.cluster.name", cluster_});
    return span;
  }

 private:
  Env& env_;
  const std::string& cluster_;
};

// A loop whose Env has the name too.
class NamedLoop final : public Loop {
 public:
  NamedLoop(std::unique_ptr<Loop> loop, const std::string& cluster)
      : env_(NamedEnv(loop->env(), cluster)), loop_(std::move(loop)) {}
  [[nodiscard]] Env& env() override { return *env_; }

 private:
  const std::shared_ptr<Env> env_;  // tasks that run at the end of the loop may use it
  const std::unique_ptr<Loop> loop_;
};

class NamedView final : public EnvView {
 public:
  NamedView(Env& env, std::string cluster)
      : EnvView(env, env.loop()),
        unnamed_(env),
        cluster_(std::move(cluster)),
        log_(env, cluster_),
        metrics_(env, cluster_),
        tracer_(env, cluster_) {}
  [[nodiscard]] Env& unnamed() const { return unnamed_; }
  [[nodiscard]] std::unique_ptr<Loop> NewLoop(std::string name) override {
    return std::make_unique<NamedLoop>(EnvView::NewLoop(std::move(name)), cluster_);
  }
  [[nodiscard]] LogSink& log() override { return log_; }
  [[nodiscard]] MetricsSink& metrics() override { return metrics_; }
  [[nodiscard]] Tracer* tracer() override {
    return EnvView::tracer() == nullptr ? nullptr : &tracer_;
  }

 private:
  Env& unnamed_;
  const std::string cluster_;
  NamedLog log_;
  NamedMetrics metrics_;
  NamedTracer tracer_;
};

}  // namespace

std::shared_ptr<Env> NamedEnv(Env& env, const std::string& cluster) {
  const auto not_owned = [](Env& of) { return std::shared_ptr<Env>(std::shared_ptr<void>(), &of); };
  if (const auto* const other = dynamic_cast<NamedView*>(&env)) {
    return NamedEnv(other->unnamed(), cluster);
  }
  if (cluster.empty()) return not_owned(env);
  if (auto* const keeps = dynamic_cast<KeepsNamedEnvs*>(&env)) {
    return not_owned(keeps->named_envs().Get(
        cluster, [&] { return std::make_unique<NamedView>(env, cluster); }));
  }
  return std::make_shared<NamedView>(env, cluster);
}

}  // namespace kinformer::internal::base
