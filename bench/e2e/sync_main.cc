// bench_sync: one pod informer with a running API server; prints the cost of the initial sync and
// of events.
//
//   bench_sync --kubeconfig FILE [--json] [--list] [--relist] [--events [--hold]]
//
// With --events it waits, after the sync, for the last of bench_serve's updates, whose message
// begins with "update 1 ". The handler gets all of them, unless the server had to be listed again
// (410) in between; the output has their number. With --hold it lists, but opens the watch only
// after it has read a line from standard input: if the server has made its updates by then, they
// arrive as fast as the client reads them, so that the result does not depend on how often a client
// sleeps that is faster than the server. With --relist it lists once more after the sync, and also
// prints the peak memory of that list. Output: one line of JSON.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/base/stop.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"

#include "e2e/process_figures.h"

namespace corev1 = kinformer::corev1;
namespace bench = kinformer::bench;

namespace {

// Opens no watch before Release. Used on the loop.
class HeldListWatch final : public kinformer::ListerWatcher {
 public:
  explicit HeldListWatch(std::unique_ptr<kinformer::ListerWatcher> inner)
      : inner_(std::move(inner)) {}
  std::unique_ptr<kinformer::ListWatchCall> List(const kinformer::ListOptions& options,
                                                 kinformer::ListReceiver& receiver) override {
    return inner_->List(options, receiver);
  }
  std::unique_ptr<kinformer::ListWatchCall> Watch(const kinformer::ListOptions& options,
                                                  kinformer::WatchReceiver& receiver) override {
    if (released_) return inner_->Watch(options, receiver);
    auto call = std::make_unique<HeldCall>();
    start_ = [this, call = call.get(), options, &receiver] {
      call->inner = inner_->Watch(options, receiver);
    };
    return call;
  }
  std::unique_ptr<kinformer::ListWatchCall> CurrentVersion(
      const std::function<void(kinformer::Result<std::string>)>& answer) override {
    return inner_->CurrentVersion(answer);
  }
  bool SetEntryOptions(const kinformer::EntryOptions& options) override {
    return inner_->SetEntryOptions(options);
  }
  bool IsWatchListSemanticsUnSupported() const override { return true; }
  std::string Describe() const override { return inner_->Describe(); }

  void Release() {
    released_ = true;
    if (start_) start_();
  }

 private:
  struct HeldCall final : kinformer::ListWatchCall {
    std::unique_ptr<kinformer::ListWatchCall> inner;
  };
  const std::unique_ptr<kinformer::ListerWatcher> inner_;
  std::function<void()> start_;
  bool released_ = false;
};

struct Options {
  std::string kubeconfig;
  bool json = false;
  bool list = false;
  bool relist = false;
  bool events = false;
  bool hold = false;
};

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--kubeconfig" && i + 1 < argc) options.kubeconfig = argv[++i];
    if (argument == "--json") options.json = true;
    if (argument == "--list") options.list = true;
    if (argument == "--relist") options.relist = true;
    if (argument == "--events") options.events = true;
    if (argument == "--hold") options.hold = true;
  }
  return options;
}

void PrintRelist(const kinformer::SharedInformer<corev1::Pod>& pods) {
  bench::ForgetPeakRss();
  const double rest = bench::RssBytes();
  const double cpu = bench::CpuSeconds();
  while (pods.Stats().AllLists() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::printf(",\"relist_cpu_s\":%.3f,\"relist_peak_over_rest\":%.3f,\"rest_mb\":%.1f",
              bench::CpuSeconds() - cpu, bench::PeakRssBytes() / rest, rest / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  kinformer::StopSource stop = kinformer::StopOnSignals();
  const auto config = kinformer::Config::FromKubeconfigFile(options.kubeconfig).OrExit();
  auto client = kinformer::Client::NewForConfig(config, {.prefer_json = options.json}).OrExit();

  const double empty_rss = bench::RssBytes();
  const double cpu_start = bench::CpuSeconds();
  std::atomic<std::uint64_t> updates{0};
  std::atomic<double> cpu_done{0};
  std::unique_ptr<kinformer::ListerWatcher> source =
      kinformer::NewFilteredListWatch<corev1::Pod>(client);
  HeldListWatch* held = nullptr;
  if (options.hold) {
    auto wrapped = std::make_unique<HeldListWatch>(std::move(source));
    held = wrapped.get();
    source = std::move(wrapped);
  }
  kinformer::SharedInformer<corev1::Pod> pods(
      client.env(), std::move(source),
      {.initial_list =
           options.list ? kinformer::InitialList::kList : kinformer::InitialList::kWatchList,
       .relist_period = std::chrono::seconds(options.relist ? 5 : 0)});
  if (options.events) {
    pods.AddEventHandler({.on_update =
                              [&](const kinformer::Updated<corev1::Pod>& e) {
                                updates.fetch_add(1, std::memory_order_relaxed);
                                if (e.new_object.status().message().starts_with("update 1 ")) {
                                  cpu_done.store(bench::CpuSeconds());
                                  stop.RequestStop();
                                }
                              }},
                         {.overflow = kinformer::OverflowPolicy::kBlock})
        .OrExit();
  }
  pods.Start();
  pods.WaitForCacheSync(stop.token()).OrExit();
  const double sync_cpu = bench::CpuSeconds() - cpu_start;
  const double peak = bench::PeakRssBytes();
  const double settled = bench::RssBytes();
  const kinformer::InformerStats stats = pods.Stats();
  const double objects = static_cast<double>(stats.objects);

  std::printf(
      "{\"encoding\":\"%s\",\"mode\":\"%s\",\"objects\":%zu,\"sync_cpu_s\":%.3f,\"us_per_object\":%"
      ".2f,"
      "\"rss_mb\":%.1f,\"empty_rss_mb\":%.1f,\"peak_over_settled\":%.2f,\"rss_bytes_per_object\":%."
      "0f,"
      "\"block_bytes_per_object\":%.0f",
      options.json ? "json" : "protobuf", options.list ? "list" : "watchlist", stats.objects,
      sync_cpu, sync_cpu * 1e6 / objects, settled / 1e6, empty_rss / 1e6, peak / settled,
      (settled - empty_rss) / objects, static_cast<double>(stats.object_bytes) / objects);
  std::fflush(stdout);
  if (options.relist) PrintRelist(pods);
  if (options.events) {
    std::fprintf(stderr, "synced\n");
    if (held != nullptr) {
      std::string line;
      std::getline(std::cin, line);
      client.env().loop().Post([held] { held->Release(); });
    }
    const double events_start = bench::CpuSeconds();
    stop.Wait();
    const double spent = cpu_done.load() - events_start;
    const double delivered = static_cast<double>(updates.load());
    const kinformer::InformerStats after = pods.Stats();
    std::printf(
        ",\"events\":%.0f,\"coalesced\":%llu,\"event_cpu_s\":%.3f,\"events_per_cpu_s\":%.0f",
        delivered, static_cast<unsigned long long>(after.coalesced), spent, delivered / spent);
  }
  std::printf("}\n");
  pods.Stop();
}
