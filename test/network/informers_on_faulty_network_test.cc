// Informers and an election over libcurl, HTTP/2 and TLS, in simulated time, by seeds, on a network
// whose connections freeze or fail: when caches are equal afterwards, and which leader there is.
//
// The seeds are those of simulation/seeds.h.

#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/until.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/leaderelection/lease_lock.h"
#include "kinformer/leaderelection/resource_lock.h"

#include "network/network_troubles.h"
#include "network/socket_scene.h"
#include "simulation/dice.h"
#include "simulation/seeds.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using State = std::map<std::string, std::string>;

constexpr std::uint64_t kSeeds = 20;
// Limits of the requests that four informers make after one fault.
constexpr int kRequestsOfACut = 4;
constexpr int kRequestsOfAReset = 12;
constexpr int kRequestsOfAFault = 10;
const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

// Counts the requests that a server gets. Loop-confined.
class CountedHandler final : public Handler {
 public:
  explicit CountedHandler(Handler& server) : server_(server) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    ++requests;
    return server_.Handle(std::move(request));
  }

  int requests = 0;

 private:
  Handler& server_;
};

// A server, a client over libcurl, and writes that bypass the network.
class World {
 public:
  explicit World(std::uint64_t seed) : scene(seed), dice(seed), server(scene.env()) {
    scene.Serve(counted);
    client = std::make_unique<Client>(Client::ForTransport(
        scene.env(), std::shared_ptr<Transport>(scene.NewTransport({.watches_per_connection = 2})),
        {.qps = -1}));
  }
  ~World() {
    client.reset();
    scene.sim().RunFor(1ms);
    scene.StopServing();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void Write() {
    const std::string name = "map-" + std::to_string(dice.Below(12));
    json::Value object;
    object.SetPointer("/metadata/namespace", "default").OrExit();
    object.SetPointer("/metadata/name", name).OrExit();
    object.SetPointer("/data/value", std::to_string(++writes_)).OrExit();
    const bool there = server.Get(kConfigMaps, {"default", name}).ok();
    if (!there) {
      server.Create(kConfigMaps, std::move(object)).OrExit();
    } else if (dice.OneIn(3)) {
      server.Delete(kConfigMaps, {"default", name}).OrExit();
    } else {
      server.Update(kConfigMaps, std::move(object)).OrExit();
    }
  }

  // For a random time of up to 40 s: calls `trouble`, and writes half a second later.
  void WritesUnder(const std::function<void()>& trouble) {
    const SteadyTime begun = scene.env().Now();
    const Duration length = std::chrono::milliseconds(dice.Below(40'000));
    while (scene.env().Now() - begun < length) {
      trouble();
      scene.sim().RunFor(500ms);
      Write();
    }
  }

  SocketScene scene;
  Dice dice;
  apiserver::ApiServer server;
  CountedHandler counted{server};
  std::unique_ptr<Client> client;

 private:
  int writes_ = 0;
};

State StateOf(const SharedInformer<ConfigMap>& informer) {
  State state;
  const auto snapshot = informer.Snapshot();
  for (const ConfigMap object : snapshot) {
    state["default/" + std::string(object.metadata().name())] =
        std::string(object.metadata().resourceVersion());
  }
  return state;
}

// ---- caches

class CachesOnAFaultyNetwork : public ::testing::TestWithParam<InitialList> {};
INSTANTIATE_TEST_SUITE_P(Lists, CachesOnAFaultyNetwork,
                         ::testing::Values(InitialList::kList, InitialList::kWatchList),
                         [](const auto& param) {
                           return param.param == InitialList::kList ? "List" : "WatchList";
                         });

class Caches {
 public:
  Caches(World& world, InitialList initial_list) : world_(world) {
    for (int i = 0; i < 4; ++i) {
      informers_.emplace_back(
          world.scene.env(), NewListWatch<ConfigMap>(*world.client, "default"),
          InformerOptions<ConfigMap>{.initial_list = initial_list, .consistency_check_period = 0s});
      static_cast<void>(informers_.back().SetWatchErrorHandler([](const Error&) {}).ok());
      informers_.back().Start();
    }
  }
  ~Caches() {
    for (auto& informer : informers_) informer.Stop();
    world_.scene.sim().RunReady();
    informers_.clear();
    world_.scene.sim().RunReady();
  }
  Caches(const Caches&) = delete;
  Caches& operator=(const Caches&) = delete;

  [[nodiscard]] bool Equal() const {
    const State wanted = world_.server.DumpState(kConfigMaps);
    for (const auto& informer : informers_) {
      if (StateOf(informer) != wanted) return false;
    }
    return true;
  }
  // Makes some objects first.
  [[nodiscard]] bool EqualAfterWrites() {
    for (int i = 0; i < 10; ++i) world_.Write();
    return EqualWithin(10s);
  }
  [[nodiscard]] bool EqualWithin(Duration limit) {
    return world_.scene.sim().RunUntil([&] { return Equal(); }, limit);
  }

 private:
  World& world_;
  std::vector<SharedInformer<ConfigMap>> informers_;
};

// All connections fall silent at once, and the consistency check is off.
TEST_P(CachesOnAFaultyNetwork, AreEqual50SecondsAfterASilentFreeze) {
  ForSeeds(kSeeds, [&](std::uint64_t seed) {
    World world(seed);
    Caches caches(world, GetParam());
    ASSERT_TRUE(caches.EqualAfterWrites());
    world.scene.sim().RunFor(std::chrono::milliseconds(world.dice.Below(90'000)));
    world.scene.network().FreezeAll();
    const SteadyTime frozen = world.scene.env().Now();
    world.Write();
    EXPECT_TRUE(caches.EqualWithin(50s));
    for (int i = 0; i < 5; ++i) world.Write();
    EXPECT_TRUE(caches.EqualWithin(frozen + 60s - world.scene.env().Now()));
  });
}

// No connection is possible for up to 40 s: they are refused, or hang once established.
TEST_P(CachesOnAFaultyNetwork, AreEqual5SecondsAfterConnectionsCanBeHadAgain) {
  for (const auto opening :
       {SimulatedNetwork::Opening::kRefused, SimulatedNetwork::Opening::kHanging}) {
    SCOPED_TRACE(opening == SimulatedNetwork::Opening::kHanging ? "hanging" : "refused");
    ForSeeds(kSeeds, [&](std::uint64_t seed) {
      World world(seed);
      Caches caches(world, GetParam());
      ASSERT_TRUE(caches.EqualAfterWrites());
      world.scene.network().SetOpening(opening);
      for (const std::size_t number : world.scene.network().Open()) {
        world.scene.network().Cut(number);
      }
      world.WritesUnder([] {});
      world.scene.network().SetOpening(SimulatedNetwork::Opening::kServed);
      EXPECT_TRUE(caches.EqualWithin(5s));
    });
  }
}

// For up to 40 s connections are cut, one at a time or all at once.
TEST_P(CachesOnAFaultyNetwork, AreEqual5SecondsAfterTheLastCut) {
  ForSeeds(kSeeds, [&](std::uint64_t seed) {
    World world(seed);
    Caches caches(world, GetParam());
    ASSERT_TRUE(caches.EqualAfterWrites());
    const int before = world.counted.requests;
    int cuts = 0;
    const auto cut = [&] {
      std::vector<std::size_t> open = world.scene.network().Open();
      if (!open.empty() && !world.dice.OneIn(4)) open.resize(1);
      for (const std::size_t number : open) world.scene.network().Cut(number);
      cuts += static_cast<int>(open.size());
    };
    world.WritesUnder(cut);
    cut();
    EXPECT_TRUE(caches.EqualWithin(5s));
    EXPECT_LE(world.counted.requests - before, kRequestsOfACut * cuts) << cuts << " cuts";
  });
}

// For up to 40 s each connection carries few bytes at a time.
TEST_P(CachesOnAFaultyNetwork, AreEqual5SecondsAfterTheLastDrip) {
  ForSeeds(kSeeds, [&](std::uint64_t seed) {
    World world(seed);
    Caches caches(world, GetParam());
    ASSERT_TRUE(caches.EqualAfterWrites());
    world.WritesUnder([&] {
      for (const std::size_t number : world.scene.network().Open()) {
        world.scene.network().Drip(number, 1 + world.dice.Below(200), world.dice.Milliseconds(500));
      }
    });
    for (const std::size_t number : world.scene.network().Open()) {
      world.scene.network().Drip(number, 0, Duration::zero());
    }
    EXPECT_TRUE(caches.EqualWithin(5s));
  });
}

// The server's end forgets all connections at once: a client that only watches notices it when it
// asks for a sign of life.
TEST_P(CachesOnAFaultyNetwork, AreEqual50SecondsAfterConnectionsAreForgotten) {
  ForSeeds(kSeeds, [&](std::uint64_t seed) {
    World world(seed);
    Caches caches(world, GetParam());
    ASSERT_TRUE(caches.EqualAfterWrites());
    world.scene.sim().RunFor(std::chrono::milliseconds(world.dice.Below(90'000)));
    const int before = world.counted.requests;
    for (const std::size_t number : world.scene.network().Open()) {
      world.scene.network().Reset(number);
    }
    world.Write();
    EXPECT_TRUE(caches.EqualWithin(50s));
    EXPECT_LE(world.counted.requests - before, kRequestsOfAReset);
  });
}

// Connections freeze, slow down, are cut, reset or refused, or hang, one at a time or together.
TEST_P(CachesOnAFaultyNetwork, AreEqual50SecondsAfterTheLastFault) {
  ForSeeds(kSeeds, [&](std::uint64_t seed) {
    World world(seed);
    Caches caches(world, GetParam());
    NetworkTroubles troubles(world.scene.network(), world.dice);
    const SteadyTime begun = world.scene.env().Now();
    int faults = 1;
    while (world.scene.env().Now() - begun < 2min) {
      world.scene.sim().RunFor(500ms);
      if (world.dice.OneIn(2)) world.Write();
      if (!world.dice.OneIn(10)) continue;
      troubles.Next();
      ++faults;
    }
    troubles.End();
    EXPECT_TRUE(caches.EqualWithin(50s));
    world.scene.sim().RunFor(2min);
    EXPECT_LE(world.counted.requests, kRequestsOfAFault * faults) << faults << " faults";
    const std::size_t open = world.scene.network().Open().size();
    EXPECT_LE(open, 6U) << "connections that nobody needs are closed";
  });
}

// ---- elections

// The leader's connection freezes now and then, but new connections can be opened.
TEST(ElectionOnAFaultyNetwork, FrozenConnectionsDoNotCostTheLease) {
  ForSeeds(kSeeds, [&](std::uint64_t seed) {
    World world(seed);
    int started = 0;
    int stopped = 0;
    LeaderElectionConfig config;
    config.callbacks.on_started_leading = [&](const std::stop_token& stop) {
      ++started;
      while (!stop.stop_requested()) SleepUnlessStopped(world.scene.env(), stop, 1h);
    };
    config.callbacks.on_stopped_leading = [&] { ++stopped; };
    std::unique_ptr<ResourceLock> lock =
        NewLeaseLock(*world.client, {.namespace_ = "default", .name = "lease", .identity = "me"})
            .OrExit();
    const std::unique_ptr<LeaderElector> elector =
        LeaderElector::New(world.scene.env(), std::move(lock), std::move(config)).OrExit();
    std::stop_source stop;
    const std::unique_ptr<Thread> thread =
        world.scene.env().NewThread("candidate", [&] { elector->Run(stop.get_token()); });
    EXPECT_TRUE(world.scene.sim().RunUntil([&] { return started == 1; }, 10s));
    for (int i = 0; i < 5; ++i) {
      world.scene.sim().RunFor(20s + world.dice.Milliseconds(5000));
      world.scene.network().FreezeAll();
    }
    world.scene.sim().RunFor(30s);
    EXPECT_EQ(started, 1);
    EXPECT_EQ(stopped, 0);
    stop.request_stop();
    thread->Join();
  });
}

}  // namespace
}  // namespace kinformer::testing
