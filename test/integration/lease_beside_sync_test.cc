// A leader keeps its Lease while the program's event loop decodes a large collection, and while an
// index function sleeps on that loop. In real time, over sockets.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "integration/embedded_server.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Times at which the server got renewals.
class Renewals {
 public:
  explicit Renewals(EmbeddedServer& server) {
    server.AnswerWith([this](const HttpRequest& request) -> std::optional<ScriptedResponse> {
      if (request.method == "PUT" && request.target.find("/leases/") != std::string::npos) {
        const std::lock_guard lock(mutex_);
        seen_.push_back(std::chrono::steady_clock::now());
      }
      return std::nullopt;  // the API server answers
    });
  }
  // Longest time between two renewals, or between the last one and now.
  [[nodiscard]] Duration LongestGap() {
    const std::lock_guard lock(mutex_);
    Duration longest{0};
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const auto next = i + 1 < seen_.size() ? seen_[i + 1] : std::chrono::steady_clock::now();
      longest = std::max<Duration>(longest, next - seen_[i]);
    }
    return longest;
  }
  [[nodiscard]] std::size_t count() {
    const std::lock_guard lock(mutex_);
    return seen_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::chrono::steady_clock::time_point> seen_;
};

void Fill(EmbeddedServer& server, int objects) {
  server.With([&](apiserver::ApiServer& api) {
    for (int i = 0; i < objects; ++i) {
      const auto object = json::Value::MakeObject(
          {{"metadata", json::Value::MakeObject(
                            {{"namespace", "default"}, {"name", "map-" + std::to_string(i)}})},
           {"data", json::Value::MakeObject({{"value", std::to_string(i)}})}});
      if (!api.Create(kConfigMaps, object)) std::abort();
    }
  });
}

struct Load {
  int objects;
  Duration sleep;
  Duration longest_gap;
};

// `times` must have no callbacks.
void SyncAsLeader(const Load& load, LeaderElectionConfig times) {
  EmbeddedServer server;
  Fill(server, load.objects);
  Renewals renewals(server);
  Runtime runtime;
  Env& env = runtime.env();
  std::atomic<bool> lost{false};
  times.callbacks = {.on_started_leading = [](const std::stop_token&) {},
                     .on_stopped_leading = [&] { lost = true; }};
  const auto elector =
      LeaderElector::NewForLease(env, server.ClientConfig(),
                                 {.namespace_ = "default", .name = "printer", .identity = "a"},
                                 std::move(times))
          .OrExit();
  std::stop_source stop;
  const auto candidate = env.NewThread("candidate", [&] { elector->Run(stop.get_token()); });
  EXPECT_TRUE(Eventually([&] { return elector->IsLeader(); }));

  std::atomic<int> sleeps{0};
  SharedInformerFactory factory(
      Client::NewForConfig(env, server.ClientConfig(), {.prefer_json = true}).OrExit());
  const auto maps = factory.InformerFor<ConfigMap>(
      {.indexers = {{"value", [&](ConfigMap map, IndexValues& values) {
                       if (map.metadata().name() == "map-7") {
                         ++sleeps;
                         std::this_thread::sleep_for(load.sleep);
                       }
                       values.Add(map.data()["value"]);
                     }}}});
  factory.Start();
  EXPECT_TRUE(factory.WaitForCacheSync({}, {.timeout = minutes(10)}));
  EXPECT_EQ(maps.Stats().objects, static_cast<std::size_t>(load.objects));
  EXPECT_GE(sleeps, 1);
  EXPECT_LT(renewals.LongestGap(), load.longest_gap);
  EXPECT_GT(renewals.count(), static_cast<std::size_t>(load.sleep / load.longest_gap));
  EXPECT_TRUE(elector->IsLeader());
  EXPECT_FALSE(lost);
  factory.Shutdown();
  stop.request_stop();
  candidate->Join();
}

TEST(LeaseBesideSync, NothingThatTheLoopDoesDelaysARenewal) {
  SyncAsLeader({.objects = 20'000, .sleep = seconds(5), .longest_gap = milliseconds(2500)},
               {.lease_duration = seconds(4),
                .renew_deadline = seconds(3),
                .retry_period = milliseconds(250)});
}

// For the nightly run: it takes minutes and gigabytes.
TEST(LeaseBesideSync, DISABLED_AMillionObjectsAndASleepOfHalfAMinute) {
  SyncAsLeader({.objects = 1'000'000, .sleep = seconds(30), .longest_gap = seconds(5)}, {});
}

}  // namespace
}  // namespace kinformer::testing
