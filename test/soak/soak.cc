// Checks for growth. One API server on a TLS socket in this process, clients that come and go with
// their informers, writers, and faults of every kind, for a given time. Every few seconds all
// clients leave, and descriptors and memory are measured.
//
//   soak [MINUTES [SEED]]      default 20 and 1
//
// Exit status 1: a cache did not equal the server after the end of the faults, or descriptors or
// memory grew.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/log.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/testing/api_server.h"

#include "soak/process_growth.h"

namespace corev1 = kinformer::corev1;
using kinformer::apiserver::FaultAction;
using kinformer::apiserver::FaultRule;
using kinformer::testing::CountGrowing;
using kinformer::testing::kGrowthSamples;
using kinformer::testing::ProcessSample;
using kinformer::testing::SampleProcess;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

namespace {

const kinformer::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
constexpr int kClients = 6;
constexpr int kObjects = 300;
constexpr seconds kRound{6};

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

  // Runs one round. Returns false if a cache did not become equal to the server.
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
    // Wait until the server has noticed that its clients are gone.
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

  // Every round ends with the same objects and no history, so that allocated memory can be compared
  // to the byte.
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

  // Runs a client with some informers for a while.
  void ComeAndGo(std::mt19937& dice, const std::atomic<bool>& over) {
    kinformer::Runtime runtime({.name = "soak", .log = kinformer::NewNullLog()});
    const kinformer::Client client = NewClient(runtime, dice);
    std::vector<Informer> informers;
    for (std::size_t i = 1 + dice() % 4; i > 0; --i) informers.push_back(NewInformer(client, dice));
    const auto end = steady_clock::now() + milliseconds(dice() % 2000);
    while (!over && steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(5));
    for (Informer& informer : informers) informer.Stop();
  }

  // Whether a cache becomes equal to the server when there are no faults.
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
  std::vector<ProcessSample> samples;
  int failures = 0;
  for (int round = 1; samples.size() < kGrowthSamples || steady_clock::now() < end; ++round) {
    if (!soak.Round()) {
      std::cout << "round " << round << ": a cache did not come to equal the server\n";
      ++failures;
    }
    const ProcessSample sample = SampleProcess();
    std::printf(
        "round %3d: %3zu descriptors, %6.1f MB, %8.3f MB allocated; so far %llu informers, %llu "
        "connections, "
        "%llu events, %llu faults\n",
        round, sample.descriptors, sample.resident / 1e6, sample.allocated / 1e6,
        static_cast<unsigned long long>(soak.informers()),
        static_cast<unsigned long long>(soak.connections()),
        static_cast<unsigned long long>(soak.events()),
        static_cast<unsigned long long>(soak.hits()));
    std::fflush(stdout);
    samples.push_back(sample);
  }
  failures += CountGrowing(samples, {});
  return failures == 0 ? 0 : 1;
}
