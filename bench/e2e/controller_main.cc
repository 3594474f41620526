// bench_controller: a manager with one controller for pods and a running bench_serve; prints the
// cost of its reconciles, and the delay until a change is reconciled. test/peers/controller.go does
// the same with controller-runtime; bench/controllers runs both.
//
//   bench_controller --kubeconfig FILE [--workers N] [--pods N] [--rounds N] [--changes N]
//                    [--tracing null|URL]
//
// --tracing: each reconcile and request has a span, which goes nowhere or to the collector at the
// URL, the page of the manager is served, and /readyz looks at the age of caches and at the lag of
// own writes. Causes and the histogram of that lag are always on.
//
// 1. Starts and reconciles every pod with a reconciler that does nothing.
// 2. Adds every pod to the queue, --rounds times, waiting for all reconciles after each round.
// 3. The same with a reconciler that reads its pod from the cache.
// 4. Prints `idle`, and waits for --changes changes, which bench_serve is then asked to make.
// 5. Adds every pod with the priority of an initial list, to a reconciler that takes 1 ms; prints
//    `full`, and waits for as many changes again.
// Each figure is a line: name, value.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/stop.h"
#include "kinformer/base/tracing.h"
#include "kinformer/client/config.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/manager.h"
#include "kinformer/controller/source.h"
#include "kinformer/otlp/otlp_tracer.h"

#include "e2e/change_stamp.h"
#include "e2e/null_tracer.h"
#include "e2e/process_figures.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header

namespace {

enum class Work : std::uint8_t { kNothing, kRead, kChanges };

// The reconciler, and its measurements.
class Worker {
 public:
  // From now on it does `work`, and UntilDone waits for `count` changes, or for `count` reconciles
  // if the work does not watch for changes.
  void Begin(Work work, std::size_t count) {
    done_at_ = 0;
    left_ = count;
    since_ = bench::SystemNanoseconds();
    work_ = work;
  }
  void UntilDone() const {
    while (done_at_ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // CPU time and wall time at the end of the last one.
  [[nodiscard]] double cpu_seconds() const { return cpu_seconds_; }
  [[nodiscard]] std::int64_t done_at() const { return done_at_; }

  Result<ReconcileResult> Reconcile(const DelegatingClient& client, const Request& request) {
    const Work work = work_.load(std::memory_order_relaxed);
    if (work != Work::kNothing) {
      const auto pod = client.Get<corev1::Pod>(request);
      if (!pod) return IgnoreNotFound(pod.error());
      if (work == Work::kChanges) {
        if (!Changed((*pod)->status().message())) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return ReconcileResult{};
      }
    }
    CountOne();
    return ReconcileResult{};
  }

  // Prints the median and the 99th percentile of the delays of changes, in microseconds.
  void PrintLatencies(const char* name) {
    const std::lock_guard lock(mutex_);
    std::ranges::sort(latencies_);
    const auto at = [&](double share) {
      return static_cast<double>(latencies_[static_cast<std::size_t>(
                 share * static_cast<double>(latencies_.size() - 1))]) *
             1e-3;
    };
    std::printf("%s_p50_us %.0f\n%s_p99_us %.0f\n", name, at(0.5), name, at(0.99));
    latencies_.clear();
  }

 private:
  void CountOne() {
    if (left_.fetch_sub(1) != 1) return;
    cpu_seconds_ = bench::CpuSeconds();
    done_at_ = bench::SystemNanoseconds();  // last, because UntilDone waits for it
  }
  // Whether this change is new.
  bool Changed(std::string_view message) {
    const std::optional<std::int64_t> stamp = bench::ReadChangeStamp(message);
    if (!stamp || *stamp < since_) return false;
    const std::int64_t now = bench::SystemNanoseconds();
    {
      const std::lock_guard lock(mutex_);
      if (!seen_.insert(*stamp).second) return false;
      latencies_.push_back(now - *stamp);
    }
    CountOne();
    return true;
  }

  std::atomic<Work> work_{Work::kNothing};
  std::atomic<std::size_t> left_{0};
  std::atomic<std::int64_t> since_{0};
  std::atomic<double> cpu_seconds_{0};
  std::atomic<std::int64_t> done_at_{0};
  std::mutex mutex_;
  std::set<std::int64_t> seen_;
  std::vector<std::int64_t> latencies_;
};

struct Options {
  std::string kubeconfig;
  std::size_t workers = 1;
  std::size_t pods = 100'000;
  std::size_t rounds = 10;
  std::size_t changes = 500;
  std::string tracing;
};

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const auto number = [&] { return std::strtoull(argv[i + 1], nullptr, 10); };
    if (name == "--kubeconfig") options.kubeconfig = argv[i + 1];
    if (name == "--workers") options.workers = number();
    if (name == "--pods") options.pods = number();
    if (name == "--rounds") options.rounds = number();
    if (name == "--changes") options.changes = number();
    if (name == "--tracing") options.tracing = argv[i + 1];
  }
  return options;
}

std::shared_ptr<Tracer> NewTracer(const std::string& where) {
  if (where == "null") return std::make_shared<bench::NullTracer>();
  return NewOtlpTracer({.endpoint = where, .service_name = "bench", .sampler = "always_on"})
      .OrExit();
}

// Returns requests for all pods of the cache.
std::vector<Request> AllPods(const DelegatingClient& client) {
  std::vector<Request> all;
  for (const Ref<corev1::Pod>& pod : client.List<corev1::Pod>().OrExit()) {
    all.emplace_back(std::string(pod->metadata().namespace_()),
                     std::string(pod->metadata().name()));
  }
  return all;
}

void PrintRounds(const char* name, Work work, const Options& options, Worker& worker,
                 const std::function<void()>& add_all) {
  double cpu = 0;
  double wall = 0;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    const double cpu_before = bench::CpuSeconds();
    const std::int64_t before = bench::SystemNanoseconds();
    worker.Begin(work, options.pods);
    add_all();
    worker.UntilDone();
    cpu += worker.cpu_seconds() - cpu_before;
    wall += static_cast<double>(worker.done_at() - before) * 1e-9;
  }
  const auto count = static_cast<double>(options.rounds * options.pods);
  std::printf("%s_per_cpu_s %.0f\n%s_per_s %.0f\n", name, count / cpu, name, count / wall);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  StopSource stop;
  const Config config = Config::FromKubeconfigFile(options.kubeconfig).OrExit();
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Manager> manager;
  if (options.tracing.empty()) {
    manager = Manager::New(config, {.metrics_bind_address = "0"}).OrExit();
  } else {
    const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
    runtime = std::make_unique<Runtime>(
        RuntimeOptions{.metrics = metrics, .tracer = NewTracer(options.tracing)});
    manager = Manager::New(runtime->env(), config,
                           {.metrics_bind_address = "127.0.0.1:0",
                            .metrics = metrics,
                            .health_probe_bind_address = "127.0.0.1:0",
                            .readyz = {.max_cache_age = std::chrono::minutes(2),
                                       .max_write_lag = std::chrono::seconds(10)}})
                  .OrExit();
  }
  const DelegatingClient& client = manager->GetClient();
  Worker worker;
  std::optional<RequestQueue<Request>> queue;
  worker.Begin(Work::kNothing, options.pods);
  const auto controller =
      ControllerBuilder(*manager)
          .For<corev1::Pod>()
          .WatchesRawSource(source::Func<Request>(
              "all again",
              [&](const std::stop_token& /*stop*/, const RequestQueue<Request>& given) {
                queue.emplace(given);
                return Result<void>();
              }))
          .WithOptions({.max_concurrent_reconciles = options.workers})
          .Build([&](const ReconcileContext& /*context*/, const Request& request) {
            return worker.Reconcile(client, request);
          })
          .OrExit();
  std::thread running([&] { manager->Start(stop.token()).OrExit(); });
  worker.UntilDone();
  std::printf("started_at_ns %lld\nstart_cpu_s %.3f\nrss_mb %.1f\n",
              static_cast<long long>(worker.done_at()), worker.cpu_seconds(),
              bench::RssBytes() * 1e-6);

  const std::vector<Request> all = AllPods(client);
  const auto add_all = [&](int priority) {
    for (const Request& request : all) queue->AddWithOpts({.priority = priority}, request);
  };
  PrintRounds("nothing", Work::kNothing, options, worker, [&] { add_all(0); });
  PrintRounds("read", Work::kRead, options, worker, [&] { add_all(0); });

  worker.Begin(Work::kChanges, options.changes);
  std::puts("idle");
  std::fflush(stdout);
  worker.UntilDone();
  worker.PrintLatencies("idle");

  worker.Begin(Work::kChanges, options.changes);
  add_all(kLowPriority);
  std::puts("full");
  std::fflush(stdout);
  worker.UntilDone();
  std::printf("left_in_queue %zu\n", controller->Len());
  worker.PrintLatencies("full");
  std::printf("peak_rss_mb %.1f\n", bench::PeakRssBytes() * 1e-6);
  stop.RequestStop();
  running.join();
}
