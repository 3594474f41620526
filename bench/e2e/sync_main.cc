// bench_sync: one pod informer against a running API server; prints what the initial sync cost, and
// what events cost.
//
//   bench_sync --kubeconfig FILE [--json] [--list] [--events [--hold]]
//
// With --events it waits, after the sync, for the last of bench_serve's updates: its message begins
// with "update 1 ". All reach the handler unless the server had to be listed anew (410) in between;
// the output says how many did. With --hold it lists, but opens the watch only when a line comes on
// standard input: if the server has made its updates by then, they come as fast as they are taken,
// and what is measured is not how often a client sleeps that is faster than the server. Output: one
// line of JSON.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/client.h"
#include "kinformer/config.h"
#include "kinformer/shared_informer.h"
#include "kinformer/stop.h"

#include "e2e/process_figures.h"

namespace corev1 = kinformer::corev1;
namespace bench = kinformer::bench;

namespace {

// Opens no watch until Release. On the loop.
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

}  // namespace

int main(int argc, char** argv) {
  std::string kubeconfig;
  bool json = false;
  bool list = false;
  bool events = false;
  bool hold = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--kubeconfig" && i + 1 < argc) kubeconfig = argv[++i];
    if (argument == "--json") json = true;
    if (argument == "--list") list = true;
    if (argument == "--events") events = true;
    if (argument == "--hold") hold = true;
  }
  kinformer::StopSource stop = kinformer::StopOnSignals();
  const auto config = kinformer::Config::FromKubeconfigFile(kubeconfig).OrExit();
  auto client = kinformer::Client::NewForConfig(config, {.prefer_json = json}).OrExit();

  const double empty_rss = bench::RssBytes();
  const double cpu_start = bench::CpuSeconds();
  std::atomic<std::uint64_t> updates{0};
  std::atomic<double> cpu_done{0};
  std::unique_ptr<kinformer::ListerWatcher> source =
      kinformer::NewFilteredListWatch<corev1::Pod>(client);
  HeldListWatch* held = nullptr;
  if (hold) {
    auto wrapped = std::make_unique<HeldListWatch>(std::move(source));
    held = wrapped.get();
    source = std::move(wrapped);
  }
  kinformer::SharedInformer<corev1::Pod> pods(
      client.env(), std::move(source),
      {.initial_list = list ? kinformer::InitialList::kList : kinformer::InitialList::kWatchList});
  if (events) {
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
      json ? "json" : "protobuf", list ? "list" : "watchlist", stats.objects, sync_cpu,
      sync_cpu * 1e6 / objects, settled / 1e6, empty_rss / 1e6, peak / settled,
      (settled - empty_rss) / objects, static_cast<double>(stats.object_bytes) / objects);
  std::fflush(stdout);
  if (events) {
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
