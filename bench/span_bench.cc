// span_bench: CPU time of the whole process for a span, and for a reconcile that does nothing.
//
//   span_bench [SPANS [URL]]
//
// Each row: what, with which tracer, how often, CPU nanoseconds each. URL: a collector for the rows
// that send, which are left out without one.
//
//   span       with five attributes and a link
//   reconcile  a controller's reconcile that returns at once
//   off        no tracer: one test of a pointer
//   silent     a tracer whose sampler takes no trace
//   recorded   recorded, queued, encoded and sent

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/tracing.h"
#include "kinformer/controller/controller.h"
#include "kinformer/otlp/otlp_tracer.h"

#include "cpu_time.h"

namespace kinformer {
namespace {

void Row(const char* what, const char* tracer, std::size_t count, double cpu) {
  std::printf("%-10s %-9s %9zu %8.1f\n", what, tracer, count, cpu / static_cast<double>(count));
}

std::shared_ptr<OtlpTracer> NewTracer(const std::string& url, const char* sampler) {
  return NewOtlpTracer({.endpoint = url.empty() ? "http://127.0.0.1:1" : url,
                        .service_name = "span_bench",
                        .sampler = sampler,
                        .max_queued_spans = std::size_t{1} << 22,
                        .flush_timeout = std::chrono::minutes(5),
                        .log = NewNullLog()})
      .OrExit();
}

void MeasureSpans(const char* name, std::size_t count, const std::shared_ptr<OtlpTracer>& tracer) {
  Runtime runtime({.tracer = tracer});
  Env& env = runtime.env();
  const Span other(env, "other");
  const double start = CpuNanoseconds();
  for (std::size_t i = 0; i < count; ++i) {
    const Span span(env, "reconcile pods",
                    {.attributes = {{"kinformer.controller", "pods"},
                                    {"kinformer.key", "team-17/application-17-0000000000"},
                                    {"kinformer.attempts", 0}}});
    span.AddLink(other.context());
    span.SetAttribute("kinformer.result", "success");
    span.SetAttribute("kinformer.reconcile_id", "11111111-1111-1111-1111-111111111111");
  }
  if (tracer != nullptr) static_cast<void>(tracer->Flush(std::chrono::minutes(5)));
  Row("span", name, count, CpuNanoseconds() - start);
}

// Adds the requests when asked to.
class GivenSource final : public source::Source {
 public:
  Result<void> Start(const std::stop_token& /*stop*/, const RequestQueue<Request>& queue) override {
    queue_.emplace(queue);
    started_.store(true, std::memory_order_release);
    return {};
  }
  Result<void> WaitForSync(const std::stop_token& /*stop*/, Duration /*timeout*/) override {
    return {};
  }
  void Stop() override {}
  [[nodiscard]] std::string Describe() const override { return "given"; }
  [[nodiscard]] std::optional<Duration> ProgressAge() const override { return std::nullopt; }

  void Add(Request request) { queue_->Add(std::move(request)); }
  [[nodiscard]] bool started() const { return started_.load(std::memory_order_acquire); }

 private:
  std::optional<RequestQueue<Request>> queue_;
  std::atomic<bool> started_{false};
};

void MeasureReconciles(const char* name, std::size_t count,
                       const std::shared_ptr<OtlpTracer>& tracer) {
  Runtime runtime({.tracer = tracer});
  Env& env = runtime.env();
  std::atomic<std::size_t> done{0};
  const auto source = std::make_shared<GivenSource>();
  const std::shared_ptr<Controller> controller =
      Controller::New(env,
                      ReconcilerOf<Request>(
                          [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
                            done.fetch_add(1, std::memory_order_relaxed);
                            return ReconcileResult{};
                          }),
                      {.name = "pods"})
          .OrExit();
  controller->Watch(source).OrExit();
  std::stop_source stop;
  const std::unique_ptr<Thread> thread =
      env.NewThread("controller", [&] { static_cast<void>(controller->Start(stop.get_token())); });
  while (!source->started()) env.SleepFor(std::chrono::milliseconds(1));
  const double start = CpuNanoseconds();
  for (std::size_t i = 0; i < count; ++i) {
    source->Add({"team-" + std::to_string(i % 100), "application-" + std::to_string(i)});
  }
  while (done.load(std::memory_order_relaxed) < count) {
    env.SleepFor(std::chrono::milliseconds(1));
  }
  if (tracer != nullptr) static_cast<void>(tracer->Flush(std::chrono::minutes(5)));
  Row("reconcile", name, count, CpuNanoseconds() - start);
  stop.request_stop();
  thread->Join();
}

void Run(std::size_t count, const std::string& url) {
  MeasureSpans("off", count * 10, nullptr);
  MeasureSpans("silent", count, NewTracer(url, "always_off"));
  MeasureReconciles("off", count, nullptr);
  MeasureReconciles("silent", count, NewTracer(url, "always_off"));
  if (url.empty()) return;
  MeasureSpans("recorded", count, NewTracer(url, "always_on"));
  MeasureReconciles("recorded", count, NewTracer(url, "always_on"));
}

}  // namespace
}  // namespace kinformer

int main(int argc, char** argv) {
  kinformer::Run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200'000, argc > 2 ? argv[2] : "");
}
