// Requests of every kind behind a network that cuts, stalls and slows down connections: blocking,
// awaited on the loop and in the pool, and with a function; reads, lists in pages, writes, watches,
// bodies in pieces. After each round the network is good, all requests have to end, and descriptors
// and memory are measured.
//
//   mixed_requests [--seconds N] [--seed N] [--http 1|2]      default 120, 1 and 2
//
// Exit status 1: a request did not end; it failed with an error that such a network does not cause;
// a request failed on the good network; descriptors or memory grew.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/log.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/task.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/body_stream.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/rest_request.h"
#include "kinformer/json/json.h"
#include "kinformer/object/resource.h"
#include "kinformer/testing/api_server.h"

#include "soak/chaos_proxy.h"
#include "soak/process_growth.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
constexpr int kObjects = 60;
constexpr int kThreads = 3;
constexpr int kOnLoop = 24;
constexpr int kInPool = 8;
constexpr int kWithFunction = 12;
constexpr seconds kTimeout{4};
// All requests have their timeout; the rest is for a busy machine.
constexpr seconds kEndWithin{60};
// Idle connections and their buffers differ from round to round.
constexpr GrowthLimits kLimits{.descriptors = 12, .allocated = 600e3, .resident = 8e6};
#if defined(KINFORMER_TEST_SANITIZED)
constexpr bool kMeasureGrowth = false;  // the sanitizer's allocator keeps freed memory
#else
constexpr bool kMeasureGrowth = true;
#endif

// Reasons that a bad network, a timeout and other writers give.
constexpr std::array kExpected = {
    Reason::kTransport, Reason::kUnexpectedEof, Reason::kDeadlineExceeded, Reason::kConflict,
    Reason::kNotFound,  Reason::kAlreadyExists, Reason::kConnectionRefused};

struct Options {
  int seconds = 120;
  int seed = 1;
  int http = 2;
};

std::string NameOf(std::uint32_t i) { return "map-" + std::to_string(i % kObjects); }

// A request of a random kind, as a coroutine. It is the same for all who run it.
class Requests {
 public:
  explicit Requests(const Client& client)
      : maps_(client.For<corev1::ConfigMap>("default")), core_(client, {.version = "v1"}) {}

  [[nodiscard]] Task<Result<void>> One(std::uint32_t dice) const {
    const std::string name = NameOf(dice >> 8);
    switch (dice % 8) {
      case 0:
        return Only(maps_.Get(name));
      case 1:
        return List();
      case 2:
        return Create(name, dice);
      case 3:
        return Update(name, dice);
      case 4:
        return Patched(name, dice);
      case 5:
        return Only(maps_.Delete(name));
      case 6:
        return Watch();
      default:
        return InPieces(name, dice);
    }
  }
  [[nodiscard]] const AsyncResourceClient<corev1::ConfigMap>& maps() const { return maps_; }

 private:
  template <class T>
  static Task<Result<void>> Only(AsyncCall<T> call) {
    const Result<T> answer = co_await std::move(call).WithTimeout(kTimeout);
    if (!answer) co_return answer.error();
    co_return Result<void>();
  }
  [[nodiscard]] Task<Result<void>> List() const {
    const ListOptions options{.limit = 20};
    return Only(maps_.List(options));
  }
  static corev1::ConfigMap::Mutable New(const std::string& name, std::uint32_t dice) {
    corev1::ConfigMap::Mutable map;
    map.metadata.name = name;
    map.data["value"] = std::string(dice % 4000, 'x');
    return map;
  }
  [[nodiscard]] Task<Result<void>> Create(const std::string& name, std::uint32_t dice) const {
    const corev1::ConfigMap::Mutable map = New(name, dice);
    return Only(maps_.Create(map));
  }
  static Task<Result<void>> Change(AsyncResourceClient<corev1::ConfigMap> maps, std::string name,
                                   std::uint32_t dice) {
    const Result<Ref<corev1::ConfigMap>> there = co_await maps.Get(name).WithTimeout(kTimeout);
    if (!there) co_return there.error();
    corev1::ConfigMap::Mutable map = there->DeepCopy();
    map.data["value"] = std::to_string(dice);
    const Result<Ref<corev1::ConfigMap>> written = co_await maps.Update(map).WithTimeout(kTimeout);
    if (!written) co_return written.error();
    co_return Result<void>();
  }
  [[nodiscard]] Task<Result<void>> Update(std::string name, std::uint32_t dice) const {
    return Change(maps_, std::move(name), dice);
  }
  [[nodiscard]] Task<Result<void>> Patched(const std::string& name, std::uint32_t dice) const {
    const Patch patch{.body = R"({"data":{"patched":")" + std::to_string(dice) + "\"}}"};
    return Only(maps_.Patch(name, patch));
  }
  // Ends at the third event, or with its timeout, which is no failure here.
  static Task<Result<void>> WatchThree(AsyncResourceClient<corev1::ConfigMap> maps) {
    const ListOptions options{.timeoutSeconds = 3};
    int left = 3;
    const auto on_event = [&left](const ResourceWatchEvent<corev1::ConfigMap>&) {
      return --left > 0;
    };
    co_return co_await maps.Watch(options, on_event).WithTimeout(kTimeout);
  }
  [[nodiscard]] Task<Result<void>> Watch() const { return WatchThree(maps_); }
  [[nodiscard]] Task<Result<void>> InPieces(const std::string& name, std::uint32_t dice) const {
    BodyStream body;
    body.open = [name, size = dice % 30000]() -> Result<BodyStream::Read> {
      auto pieces = std::make_shared<std::vector<std::string>>();
      pieces->push_back("\"}}");
      for (std::uint32_t sent = 0; sent < size; sent += 1000) pieces->emplace_back(1000, 'y');
      pieces->push_back(R"({"metadata":{"name":")" + name + R"("},"data":{"value":")");
      return BodyStream::Read([pieces]() -> Result<std::string> {
        if (pieces->empty()) return std::string();
        std::string next = std::move(pieces->back());
        pieces->pop_back();
        return next;
      });
    };
    return Only(core_.Put()
                    .Namespace("default")
                    .Resource("configmaps")
                    .Name(name)
                    .SetHeader("Content-Type", "application/json")
                    .Body(body)
                    .AsyncDo());
  }

  const AsyncResourceClient<corev1::ConfigMap> maps_;
  const RestClient core_;
};

// Counts what came of the requests. Thread-safe.
class Tally {
 public:
  void Start() { ++running_; }
  void End(const Result<void>& result) {
    {
      const std::lock_guard lock(mutex_);
      ++counts_[result ? "OK" : std::string(ReasonName(result.error().reason()))];
      const bool expected = result || std::find(kExpected.begin(), kExpected.end(),
                                                result.error().reason()) != kExpected.end();
      if (!expected && unexpected_.size() < 10) {
        unexpected_.push_back(result.error().ToString());
      }
    }
    --running_;
  }
  [[nodiscard]] int running() const { return running_; }
  void Print() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [reason, count] : counts_) {
      std::printf("%10llu x %s\n", static_cast<unsigned long long>(count), reason.c_str());
    }
  }
  // Prints them, and returns their number.
  [[nodiscard]] int Unexpected() const {
    const std::lock_guard lock(mutex_);
    for (const std::string& error : unexpected_) std::printf("FAIL: %s\n", error.c_str());
    return static_cast<int>(unexpected_.size());
  }

 private:
  std::atomic<int> running_{0};
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> counts_;
  std::vector<std::string> unexpected_;
};

class MixedRequests {
 public:
  explicit MixedRequests(const Options& options)
      : options_(options), dice_(static_cast<std::uint32_t>(options.seed)) {
    server_.Listen({.tls = true, .bearer_token = "mixed", .http2 = options.http == 2}).OrExit();
    proxy_ = std::make_unique<ChaosProxy>(
        ChaosProxyOptions{.server_port = server_.http().port(),
                          .seed = static_cast<std::uint64_t>(options.seed),
                          .longest_stall = seconds(3)});
    Config config;
    config.host = "https://127.0.0.1:" + std::to_string(proxy_->port());
    config.tls.ca_data = server_.http().ca_pem();
    config.bearer_token = "mixed";
    client_.emplace(Client::NewForConfig(runtime_.env(), config, {.qps = -1}).OrExit());
  }

  bool Run() {
    const seconds length(std::clamp(options_.seconds / 15, 3, 30));
    const auto end = steady_clock::now() + seconds(options_.seconds);
    int failures = 0;
    for (int round = 1; steady_clock::now() < end && failures == 0; ++round) {
      Round(length);
      if (!AllEnd()) ++failures;
      if (failures == 0 && !GoodNetworkWorks()) ++failures;
      Settle();
      ProcessSample sample = SampleProcess();
      sample.descriptors -= std::min(sample.descriptors, proxy_->descriptors());
      samples_.push_back(sample);
      std::printf("round %d: %zu descriptors, %.1f MB, %.3f MB allocated\n", round,
                  sample.descriptors, sample.resident / 1e6, sample.allocated / 1e6);
      std::fflush(stdout);
    }
    tally_->Print();
    failures += tally_->Unexpected();
    if (kMeasureGrowth && samples_.size() >= kGrowthSamples) {
      failures += CountGrowing(samples_, kLimits);
    }
    return failures == 0;
  }

 private:
  // One after another until the round is over, on an executor.
  static Task<Result<void>> Repeat(std::shared_ptr<const Requests> requests,
                                   std::shared_ptr<Tally> tally,
                                   std::shared_ptr<const std::atomic<bool>> over,
                                   std::uint32_t seed) {
    std::mt19937 dice(seed);
    while (!*over) {
      tally->Start();
      tally->End(co_await requests->One(static_cast<std::uint32_t>(dice())));
    }
    co_return Result<void>();
  }
  // Starts a read whose answer starts the next one.
  static void Chain(const std::shared_ptr<const Requests>& requests,
                    const std::shared_ptr<Tally>& tally,
                    const std::shared_ptr<const std::atomic<bool>>& over, std::uint32_t dice) {
    tally->Start();
    requests->maps()
        .Get(NameOf(dice))
        .WithTimeout(kTimeout)
        .Start([=](const Result<Ref<corev1::ConfigMap>>& map) {
          tally->End(map ? Result<void>() : Result<void>(map.error()));
          if (!*over) Chain(requests, tally, over, dice * 1664525 + 1013904223);
        });
  }

  void Round(seconds length) {
    const auto over = std::make_shared<std::atomic<bool>>(false);
    const auto requests = std::make_shared<const Requests>(*client_);
    proxy_->SetRough(true);
    std::vector<std::thread> threads;
    const auto seed = [this] { return static_cast<std::uint32_t>(dice_()); };
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([this, requests, over, mine = seed()] {
        BlockOn(runtime_.env(), Repeat(requests, tally_, over, mine)).OrExit();
      });
    }
    for (int i = 0; i < kOnLoop; ++i) {
      Spawn(runtime_.env(), runtime_.env().loop(), Repeat(requests, tally_, over, seed()));
    }
    for (int i = 0; i < kInPool; ++i) Spawn(runtime_.env(), Repeat(requests, tally_, over, seed()));
    for (int i = 0; i < kWithFunction; ++i) Chain(requests, tally_, over, seed());
    std::this_thread::sleep_for(length);
    *over = true;
    proxy_->SetRough(false);
    for (std::thread& thread : threads) thread.join();
  }

  bool AllEnd() const {
    const auto until = steady_clock::now() + kEndWithin;
    while (tally_->running() > 0) {
      if (steady_clock::now() > until) {
        std::printf("FAIL: %d requests have not ended\n", tally_->running());
        return false;
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    return true;
  }

  // Connections that stall since before may still fail; they end with the longest stall.
  bool GoodNetworkWorks() const {
    const auto until = steady_clock::now() + kEndWithin;
    int in_a_row = 0;
    std::string last;
    while (in_a_row < 20) {
      const auto all = client_->For<corev1::ConfigMap>("default").List({}, {.timeout = kTimeout});
      in_a_row = all ? in_a_row + 1 : 0;
      if (!all) last = all.error().ToString();
      if (steady_clock::now() > until) {
        std::printf("FAIL: on the good network: %s\n", last.c_str());
        return false;
      }
    }
    return true;
  }

  // Every round ends with the same objects and no history, so that memory can be compared.
  void Settle() {
    server_.With([](apiserver::ApiServer& api) {
      for (std::uint32_t i = 0; i < kObjects; ++i) {
        json::Value object = json::Value::MakeObject(
            {{"metadata", json::Value::MakeObject({{"name", NameOf(i)}, {"namespace", "default"}})},
             {"data", json::Value::MakeObject({{"value", std::string(1000, 'x')}})}});
        if (!api.Update(kConfigMaps, object).ok()) {
          api.Create(kConfigMaps, std::move(object)).OrExit();
        }
      }
      api.Compact(api.current_resource_version());
    });
  }

  const Options options_;
  std::mt19937 dice_;
  ApiServer server_;
  std::unique_ptr<ChaosProxy> proxy_;
  Runtime runtime_{{.name = "mixed", .log = NewNullLog()}};
  std::optional<Client> client_;
  const std::shared_ptr<Tally> tally_ = std::make_shared<Tally>();
  std::vector<ProcessSample> samples_;
};

int Main(const std::vector<std::string>& arguments) {
  Options options;
  const std::map<std::string, int*> numbers = {
      {"--seconds", &options.seconds}, {"--seed", &options.seed}, {"--http", &options.http}};
  bool good = arguments.size() % 2 == 0;
  for (std::size_t i = 0; good && i < arguments.size(); i += 2) {
    const auto found = numbers.find(arguments[i]);
    good = found != numbers.end() && (*found->second = std::atoi(arguments[i + 1].c_str())) > 0;
  }
  if (!good || options.http > 2) {
    std::cerr << "usage: mixed_requests [--seconds N] [--seed N] [--http 1|2]\n";
    return 2;
  }
  std::printf("mixed_requests: %d s, seed %d, HTTP/%d\n", options.seconds, options.seed,
              options.http);
  const bool passed = MixedRequests(options).Run();
  std::printf("mixed_requests: %s\n", passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}

}  // namespace
}  // namespace kinformer::testing

int main(int argc, char** argv) { return kinformer::testing::Main({argv + 1, argv + argc}); }
