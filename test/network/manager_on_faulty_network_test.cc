// A manager with leader election and a controller over libcurl, HTTP/2 and TLS, in simulated time,
// by seeds, on a network whose connections freeze silently: it keeps leading and reconciles all
// missed changes; or, if it cannot renew, ends before another one may lead.
//
// The seeds are those of simulation/seeds.h.

#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/client/client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/manager.h"

#include "network/socket_scene.h"
#include "simulation/dice.h"
#include "simulation/seeds.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using ::testing::HasSubstr;

constexpr std::uint64_t kSeeds = 10;
const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

// A manager whose controller notes the newest version of each ConfigMap that it has reconciled. Its
// Leases have their own connections, like those of a manager created from a Config.
class ManagedWorld {
 public:
  explicit ManagedWorld(std::uint64_t seed) : scene(seed), dice(seed), server_(scene.env()) {
    scene.Serve(server_);
    manager_ = Manager::New(NewClient(), {.leader_election = true,
                                          .leader_election_id = "op",
                                          .leader_election_namespace = "default",
                                          .leader_election_identity = "me",
                                          .leader_election_client = NewClient(),
                                          .metrics_bind_address = "0",
                                          .serve_webhooks = false})
                   .OrExit();
    ControllerBuilder(*manager_)
        .For<ConfigMap>()
        .Complete([this](const ReconcileContext&, const Request& request) {
          const auto map = manager_->GetCache().InformerFor<ConfigMap>().lister().Get(
              request.namespace_, request.name);
          if (map.ok())
            reconciled[request.name] = std::string((*map)->metadata().resourceVersion());
          ++reconciles;
          return Result<ReconcileResult>(ReconcileResult{});
        })
        .OrExit();
    thread_ = scene.env().NewThread("manager", [this] {
      const Result<void> result = manager_->Start(stop_.get_token());
      end = result.ok() ? "" : result.error().message();
      ended_at = scene.env().Now();
    });
  }
  ~ManagedWorld() {
    stop_.request_stop();
    thread_->Join();
    EXPECT_TRUE(scene.sim().RunBlocking([this] { manager_.reset(); }, 5min));
    scene.sim().RunFor(1ms);
    scene.StopServing();
  }
  ManagedWorld(const ManagedWorld&) = delete;
  ManagedWorld& operator=(const ManagedWorld&) = delete;

  // Writes directly to the server, without the network.
  void Write(const std::string& name) {
    json::Value object;
    object.SetPointer("/metadata/namespace", "default").OrExit();
    object.SetPointer("/metadata/name", name).OrExit();
    object.SetPointer("/data/value", std::to_string(++writes_)).OrExit();
    if (server_.Get(kConfigMaps, {"default", name}).ok()) {
      server_.Update(kConfigMaps, std::move(object)).OrExit();
    } else {
      server_.Create(kConfigMaps, std::move(object)).OrExit();
    }
  }
  // Whether the controller has reconciled the newest version of all objects.
  [[nodiscard]] bool HasReconciledAll() const {
    for (const auto& [key, version] : server_.DumpState(kConfigMaps)) {
      const auto it = reconciled.find(key.substr(key.find('/') + 1));
      if (it == reconciled.end() || it->second != version) return false;
    }
    return true;
  }
  [[nodiscard]] bool ReconcilesAllWithin(Duration limit) {
    return scene.sim().RunUntil([&] { return HasReconciledAll(); }, limit);
  }

  SocketScene scene;
  Dice dice;
  std::map<std::string, std::string> reconciled;  // resourceVersions by name
  int reconciles = 0;
  std::optional<std::string> end;  // what Start has returned; empty text: OK
  SteadyTime ended_at{};

 private:
  Client NewClient() {
    return Client::ForTransport(scene.env(), std::shared_ptr<Transport>(scene.NewTransport({})),
                                {.qps = -1});
  }

  apiserver::ApiServer server_;
  std::unique_ptr<Manager> manager_;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
  int writes_ = 0;
};

// All connections fall silent repeatedly, but new connections can be opened.
TEST(ManagerOnAFaultyNetwork, AfterSilentFreezes_ItStillLeadsAndReconcilesWithin50Seconds) {
  ForSeeds(kSeeds, [&](std::uint64_t seed) {
    ManagedWorld world(seed);
    for (int i = 0; i < 5; ++i) world.Write("map-" + std::to_string(i));
    ASSERT_TRUE(world.ReconcilesAllWithin(10s));
    for (int i = 0; i < 4; ++i) {
      world.scene.sim().RunFor(world.dice.Milliseconds(40'000));
      world.scene.network().FreezeAll();
      world.Write("map-" + std::to_string(world.dice.Below(5)));
      world.Write("new-" + std::to_string(i));
      EXPECT_TRUE(world.ReconcilesAllWithin(50s)) << "freeze " << i;
      EXPECT_FALSE(world.end) << *world.end;
    }
    world.scene.sim().RunFor(30s);
    EXPECT_FALSE(world.end) << *world.end;
  });
}

// No new connections can be opened either. Others may lead 15 s after the last renewal, which was
// up to 2 s before the freeze.
TEST(ManagerOnAFaultyNetwork, ASilentFreezeWithoutOtherConnections_EndsItBeforeAnotherMayLead) {
  ForSeeds(kSeeds, [&](std::uint64_t seed) {
    ManagedWorld world(seed);
    world.Write("map");
    ASSERT_TRUE(world.ReconcilesAllWithin(10s));
    world.scene.sim().RunFor(world.dice.Milliseconds(40'000));
    world.scene.network().SetOpening(SimulatedNetwork::Opening::kHanging);
    world.scene.network().FreezeAll();
    const SteadyTime frozen = world.scene.env().Now();
    ASSERT_TRUE(world.scene.sim().RunUntil([&] { return world.end.has_value(); }, 1min));
    EXPECT_LE(world.ended_at - frozen, 13s);
    EXPECT_GE(world.ended_at - frozen, 5s) << "one renewal that fails is not the end";
    EXPECT_THAT(*world.end, HasSubstr("leader election lost"));
    const int reconciles = world.reconciles;
    world.scene.network().SetOpening(SimulatedNetwork::Opening::kServed);
    world.Write("map");
    world.scene.sim().RunFor(1min);
    EXPECT_EQ(world.reconciles, reconciles) << "who has ended reconciles nothing";
  });
}

}  // namespace
}  // namespace kinformer::testing
