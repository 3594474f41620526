// Does anything grow? One API server on a TLS socket in this process, clients that come and go with
// their informers, writers, and faults of every kind, for as long as asked. Every few seconds all
// clients leave; then descriptors and memory are counted.
//
//   soak [MINUTES [SEED]]      default 20 and 1
//
// Exit status 1: a cache did not come to equal the server once the faults were gone, or descriptors
// or memory grew.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <malloc.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/client.h"
#include "kinformer/config.h"
#include "kinformer/log.h"
#include "kinformer/shared_informer.h"
#include "kinformer/testing/api_server.h"

namespace corev1 = kinformer::corev1;
using kinformer::apiserver::FaultAction;
using kinformer::apiserver::FaultRule;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

namespace {

const kinformer::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
constexpr int kClients = 6;
constexpr int kObjects = 300;
constexpr seconds kRound{6};
// What may still come and go: allocator arenas, threads of the pool.
constexpr std::size_t kDescriptorSlack = 4;
constexpr double kMemorySlack = 0.05;
constexpr double kMemoryFloor = 6e6;
// Tables that grow by doubling, the last connections' buffers.
constexpr double kAllocatedSlack = 200e3;

struct Sample {
  std::size_t descriptors = 0;
  double bytes = 0;      // resident
  double allocated = 0;  // by this program from malloc, and not given back
};

// The sum of `type`'s sizes over all arenas, which malloc_info tells after the last of them.
double Total(std::string_view totals, std::string_view type) {
  const std::string key = "type=\"" + std::string(type) + "\"";
  std::size_t at = totals.find(key);
  if (at != std::string_view::npos) at = totals.find("size=\"", at);
  return at == std::string_view::npos ? 0 : std::atof(totals.data() + at + 6);
}

// mallinfo2() knows the first arena only.
double Allocated() {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* const file = open_memstream(&text, &length);
  malloc_info(0, file);
  std::fclose(file);
  const std::string info(text, length);
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): open_memstream's
  const std::string_view totals = std::string_view(info).substr(info.rfind("</heap>"));
  return Total(totals, "current") + Total(totals, "mmap") - Total(totals, "fast") -
         Total(totals, "rest");
}

Sample Measure() {
  malloc_trim(0);
  Sample sample;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++sample.descriptors;
  }
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  statm >> total >> sample.bytes;
  sample.bytes *= static_cast<double>(sysconf(_SC_PAGESIZE));
  sample.allocated = Allocated();
  return sample;
}

class Soak {
 public:
  explicit Soak(unsigned seed)
      : dice_(seed), server_({.history_events = 2000, .history_age = seconds(5)}) {
    server_.Listen({.tls = true, .bearer_token = "soak"}).OrExit();
    config_.host = server_.url();
    config_.tls.ca_data = server_.http().ca_pem();
    config_.bearer_token = "soak";
    config_.qps = -1;
    for (int i = 0; i < kObjects; ++i) Write();
  }

  // One round. False: some cache did not become right.
  bool Round() {
    std::atomic<bool> over = false;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kClients; ++i) {
      threads.emplace_back([this, &over, &wrong, i, dice = std::mt19937(dice_())]() mutable {
        while (!over) ComeAndGo(dice, over);
        if (i < 2 && !Converges(dice)) ++wrong;
      });
    }
    const auto end = steady_clock::now() + kRound;
    for (int step = 0; steady_clock::now() < end; ++step) {
      for (int i = 0; i < 5; ++i) Write();
      if (step % 20 == 0) Fault();
      if (step % 150 == 149) server_.http().CloseConnections();
      if (step % 170 == 169) {
        server_.With([](kinformer::apiserver::ApiServer& api) {
          api.Compact(api.current_resource_version());
          api.CloseWatches();
        });
      }
      std::this_thread::sleep_for(milliseconds(10));
    }
    server_.faults().Clear();
    over = true;
    for (std::thread& thread : threads) thread.join();
    // The server notices that its clients have gone.
    for (int i = 0; i < 500 && server_.http().Stats().connections_open > 0; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    Settle();
    return wrong == 0;
  }

  [[nodiscard]] std::uint64_t connections() { return server_.http().Stats().connections_accepted; }
  [[nodiscard]] std::uint64_t hits() { return server_.faults().hits(); }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t informers() const { return informers_; }

 private:
  using Informer = kinformer::SharedInformer<corev1::ConfigMap>;

  void Write() {
    const std::string name = NameOf(static_cast<int>(dice_() % kObjects));
    if (dice_() % 4 == 0 && server_.Delete(kConfigMaps, {"default", name}).ok()) return;
    Put(name, std::string(dice_() % 2000, 'x') + std::to_string(dice_()));
  }

  // Every round ends with the same objects and no history, so that what is allocated then can be
  // compared to the byte.
  void Settle() {
    for (int i = 0; i < kObjects; ++i) Put(NameOf(i), std::string(1000, 'x'));
    server_.With(
        [](kinformer::apiserver::ApiServer& api) { api.Compact(api.current_resource_version()); });
  }

  static std::string NameOf(int i) { return "map-" + std::to_string(i); }

  void Put(const std::string& name, std::string value) {
    kinformer::json::Value object = kinformer::json::Value::MakeObject(
        {{"metadata",
          kinformer::json::Value::MakeObject({{"name", name}, {"namespace", "default"}})},
         {"data", kinformer::json::Value::MakeObject({{"value", std::move(value)}})}});
    if (!server_.Update(kConfigMaps, object).ok()) {
      static_cast<void>(server_.Create(kConfigMaps, std::move(object)).ok());
    }
  }

  void Fault() {
    const std::vector<FaultRule> rules = {
        {.action = FaultAction::kRefuse},
        {.action = FaultAction::kRespond, .status = 503},
        {.action = FaultAction::kRespond, .status = 429, .retry_after = seconds(1)},
        {.verb = "watch", .action = FaultAction::kCutBody, .after_bytes = dice_() % 5000},
        {.verb = "watch", .action = FaultAction::kEndWatch, .after_events = dice_() % 10},
        {.verb = "watch", .action = FaultAction::kWatchError, .status = 410},
        {.verb = "watch",
         .action = FaultAction::kDrip,
         .delay = milliseconds(2),
         .chunk_bytes = 100},
        {.verb = "watch", .action = FaultAction::kStall, .after_bytes = dice_() % 5000},
        {.verb = "watch", .action = FaultAction::kDuplicateEvents},
        {.verb = "watch", .action = FaultAction::kWrongKind},
        {.action = FaultAction::kGarbage, .text = "]}", .after_bytes = dice_() % 3000},
        {.action = FaultAction::kDelay, .delay = milliseconds(300)},
        {.action = FaultAction::kOldResourceVersion},
        {.action = FaultAction::kStaleCache, .versions = 20},
        {.verb = "list", .action = FaultAction::kCutBody, .after_bytes = dice_() % 5000},
    };
    server_.faults().Clear();
    FaultRule rule = rules[dice_() % rules.size()];
    rule.probability = 0.7;
    server_.faults().Add(rule);
  }

  kinformer::Client NewClient(kinformer::Runtime& runtime, std::mt19937& dice) const {
    kinformer::ClientOptions options;
    options.qps = -1;
    options.prefer_json = dice() % 2 == 0;
    return kinformer::Client::NewForConfig(runtime.env(), config_, options).OrExit();
  }

  Informer NewInformer(const kinformer::Client& client, std::mt19937& dice) {
    ++informers_;
    Informer informer(client.env(),
                      kinformer::NewFilteredListWatch<corev1::ConfigMap>(client, "default"),
                      {.initial_list = dice() % 2 == 0 ? kinformer::InitialList::kList
                                                       : kinformer::InitialList::kWatchList});
    informer
        .AddEventHandler({.on_add = [this](const auto&) { ++events_; },
                          .on_update = [this](const auto&) { ++events_; },
                          .on_delete = [this](const auto&) { ++events_; }})
        .OrExit();
    informer.Start();
    return informer;
  }

  // A client with some informers for a while.
  void ComeAndGo(std::mt19937& dice, const std::atomic<bool>& over) {
    kinformer::Runtime runtime({.name = "soak", .log = kinformer::NewNullLog()});
    const kinformer::Client client = NewClient(runtime, dice);
    std::vector<Informer> informers;
    for (std::size_t i = 1 + dice() % 4; i > 0; --i) informers.push_back(NewInformer(client, dice));
    const auto end = steady_clock::now() + milliseconds(dice() % 2000);
    while (!over && steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(5));
    for (Informer& informer : informers) informer.Stop();
  }

  // Without faults, cache and server become equal.
  bool Converges(std::mt19937& dice) {
    kinformer::Runtime runtime({.name = "soak", .log = kinformer::NewNullLog()});
    const kinformer::Client client = NewClient(runtime, dice);
    Informer informer = NewInformer(client, dice);
    const auto wanted = server_.With(
        [](kinformer::apiserver::ApiServer& api) { return api.DumpState(kConfigMaps); });
    bool equal = false;
    for (int i = 0; i < 2000 && !equal; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
      std::map<std::string, std::string> cached;
      const auto snapshot = informer.Snapshot();
      for (const corev1::ConfigMap map : snapshot) {
        cached["default/" + std::string(map.metadata().name())] = map.metadata().resourceVersion();
      }
      equal = cached == wanted;
    }
    informer.Stop();
    return equal;
  }

  std::mt19937 dice_;
  kinformer::testing::ApiServer server_;
  kinformer::Config config_;
  std::atomic<std::uint64_t> events_ = 0;
  std::atomic<std::uint64_t> informers_ = 0;
};

// The middle one of a part of the samples.
template <class F>
auto Median(std::vector<Sample> samples, F of) {
  std::sort(samples.begin(), samples.end(),
            [&](const Sample& a, const Sample& b) { return of(a) < of(b); });
  return of(samples[samples.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  const double minutes = argc > 1 ? std::atof(argv[1]) : 20;
  const auto seed = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1);
  if (minutes <= 0) {
    std::cerr << "usage: soak [MINUTES [SEED]]\n";
    return 2;
  }
  Soak soak(seed);
  const auto end = steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(
                                             std::chrono::duration<double>(minutes * 60));
  std::vector<Sample> samples;
  int failures = 0;
  for (int round = 1; round <= 9 || steady_clock::now() < end; ++round) {
    if (!soak.Round()) {
      std::cout << "round " << round << ": a cache did not come to equal the server\n";
      ++failures;
    }
    const Sample sample = Measure();
    std::printf(
        "round %3d: %3zu descriptors, %6.1f MB, %8.3f MB allocated; so far %llu informers, %llu "
        "connections, "
        "%llu events, %llu faults\n",
        round, sample.descriptors, sample.bytes / 1e6, sample.allocated / 1e6,
        static_cast<unsigned long long>(soak.informers()),
        static_cast<unsigned long long>(soak.connections()),
        static_cast<unsigned long long>(soak.events()),
        static_cast<unsigned long long>(soak.hits()));
    std::fflush(stdout);
    samples.push_back(sample);
  }
  // The first third warms up: what follows is compared with the end.
  const std::size_t third = samples.size() / 3;
  const auto begin = samples.begin();
  const auto at = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
  const std::vector<Sample> early(at(third), at(2 * third));
  const std::vector<Sample> late(at(2 * third), samples.end());
  const auto descriptors = [](const Sample& sample) { return sample.descriptors; };
  const auto bytes = [](const Sample& sample) { return sample.bytes; };
  const std::size_t fds_before = Median(early, descriptors);
  const std::size_t fds_after = Median(late, descriptors);
  const double bytes_before = Median(early, bytes);
  const double bytes_after = Median(late, bytes);
  const auto allocated = [](const Sample& sample) { return sample.allocated; };
  const double allocated_before = Median(early, allocated);
  const double allocated_after = Median(late, allocated);
  std::printf(
      "descriptors %zu -> %zu, memory %.1f MB -> %.1f MB, allocated of it %.3f MB -> %.3f MB\n",
      fds_before, fds_after, bytes_before / 1e6, bytes_after / 1e6, allocated_before / 1e6,
      allocated_after / 1e6);
  if (fds_after > fds_before + kDescriptorSlack) {
    std::cout << "FAIL: descriptors grow\n";
    ++failures;
  }
  if (allocated_after > allocated_before + kAllocatedSlack) {
    std::cout << "FAIL: what is allocated grows\n";
    ++failures;
  }
  if (bytes_after > bytes_before + std::max(bytes_before * kMemorySlack, kMemoryFloor)) {
    std::cout << "FAIL: memory grows\n";
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}
