// churn_bench: memory of a cache after its first list, at the peak of a relist, after many events
// and after a mass deletion. Runs one measurement per process, since it measures its own RSS. It
// uses an informer with a handler, fed in this process (e2e/pod_source.h).
//
//   churn_bench [--compress] [--pods N] [--updates N] [--left N]
//
// Defaults: 150,000 pods, ten million updates, and one pod in a hundred left. With 0 updates: only
// the list and the deletion. Output: one line of JSON per step: its name, the objects, their bytes,
// the RSS at its end and its peak RSS, both without the RSS of the process before and also relative
// to the RSS after the first list; CPU time per object or event.
//
// Exit status 1 if a step exceeded a limit.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <string>
#include <string_view>
#include <thread>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer.h"

#include "e2e/pod_source.h"
#include "e2e/process_figures.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;

struct Options {
  bool compress = false;
  std::size_t pods = 150'000;
  std::size_t updates = 10'000'000;
  std::size_t left = 0;
};

// Limits of a step, relative to the RSS after the first list.
struct Bounds {
  double end = 0;
  double peak = 0;
};

class Churn {
 public:
  explicit Churn(const Options& options)
      : options_(options),
        source_(runtime_.env(), options.pods),
        informer_(runtime_.env(), source_.NewListWatch(),
                  {.initial_list = InitialList::kList,
                   .compression = options.compress ? Compression::kZstd : Compression::kNone}) {
    malloc_trim(0);
    empty_ = bench::RssBytes();
    informer_
        .AddEventHandler({.on_add = [this](const auto&) { ++events_; },
                          .on_update = [this](const auto&) { ++events_; },
                          .on_delete = [this](const auto&) { ++events_; }})
        .OrExit();
  }
  ~Churn() { informer_.Stop(); }
  Churn(const Churn&) = delete;
  Churn& operator=(const Churn&) = delete;

  // Returns false if a limit was exceeded.
  bool Run() {
    const std::size_t pods = options_.pods;
    Step("first list", pods, {.end = 1, .peak = 1.05}, [this] {
      informer_.Start();
      informer_.WaitForCacheSync().OrExit();
    });
    if (options_.updates > 0) {
      Step("relist, nothing has changed", pods, {.end = 1.1, .peak = 1.1},
           [this] { WaitFor(source_.Expire(/*change=*/false)); });
      Step("relist, everything has changed", pods, {.end = 1.1, .peak = 2.2},
           [this] { WaitFor(source_.Expire(/*change=*/true)); });
      Step("updates", options_.updates, {.end = 1.2, .peak = 1.2},
           [this] { WaitFor(source_.Update(options_.updates)); });
    }
    const std::size_t left = options_.left > 0 ? options_.left : pods / 100;
    Step("deletion", pods - left, {.end = 0.25, .peak = 1.2},
         [this, left] { WaitFor(source_.DeleteAllBut(left)); });
    return within_bounds_;
  }

 private:
  template <class F>
  void Step(const char* name, std::size_t count, Bounds bounds, F work) {
    bench::ForgetPeakRss();
    const double cpu = bench::CpuSeconds();
    work();
    informer_.WaitForHandlersSync().OrExit();
    const double spent = bench::CpuSeconds() - cpu;
    // Replaced objects are freed gradually.
    std::this_thread::sleep_for(milliseconds(5000));
    const double end = bench::RssBytes() - empty_;
    const double peak = bench::PeakRssBytes() - empty_;
    if (filled_ == 0) filled_ = end;
    const InformerStats stats = informer_.Stats();
    std::printf(
        "{\"step\":\"%s\",\"compressed\":%s,\"objects\":%zu,\"object_mb\":%.1f,\"rss_mb\":%.1f,"
        "\"peak_mb\":%.1f,\"rss_ratio\":%.3f,\"peak_ratio\":%.3f,\"rss_bytes_per_object\":%.0f,"
        "\"cpu_us_each\":%.2f,\"handled\":%llu}\n",
        name, options_.compress ? "true" : "false", stats.objects,
        static_cast<double>(stats.object_bytes) / 1e6, end / 1e6, peak / 1e6, end / filled_,
        peak / filled_, end / static_cast<double>(stats.objects),
        spent * 1e6 / static_cast<double>(count), static_cast<unsigned long long>(events_));
    std::fflush(stdout);
    if (end > bounds.end * filled_ || peak > bounds.peak * filled_) {
      std::printf(
          "FAIL: more than %.2f times the first list's RSS at the end, or %.2f at the peak\n",
          bounds.end, bounds.peak);
      within_bounds_ = false;
    }
  }
  void WaitFor(const std::string& version) { informer_.WaitForResourceVersion(version).OrExit(); }

  const Options options_;
  Runtime runtime_;
  bench::PodSource source_;
  double empty_ = 0;
  double filled_ = 0;
  std::atomic<std::uint64_t> events_ = 0;
  bool within_bounds_ = true;
  SharedInformer<corev1::Pod> informer_;
};

}  // namespace
}  // namespace kinformer

int main(int argc, char** argv) {
  kinformer::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool more = i + 1 < argc;
    if (argument == "--compress") options.compress = true;
    if (argument == "--pods" && more) options.pods = std::strtoul(argv[++i], nullptr, 10);
    if (argument == "--updates" && more) options.updates = std::strtoul(argv[++i], nullptr, 10);
    if (argument == "--left" && more) options.left = std::strtoul(argv[++i], nullptr, 10);
  }
  return kinformer::Churn(options).Run() ? 0 : 1;
}
