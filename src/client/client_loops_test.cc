// A Client on an event loop of its own.

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"

#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using testing::Json;
using testing::ScriptedServer;

TEST(ClientLoopsTest, ACallOnAFurtherLoopDoesNotNeedTheFirst) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Simulation sim({.seed = seed});
    ScriptedServer server;
    server.fallback = [](const HttpRequest& request) { return Json("\"" + request.target + "\""); };
    const std::unique_ptr<Loop> loop = sim.env().NewLoop("leases");
    std::optional<Client> client = Client::ForTransport(
        loop->env(), std::shared_ptr<Transport>(NewInMemoryTransport(loop->env(), server)));
    std::string answer;
    std::optional<Reason> on_first;
    std::optional<Reason> on_second;
    sim.env().loop().Post([&] { on_first = client->GetRaw("/a").error().reason(); });
    loop->env().loop().Post([&] { on_second = client->GetRaw("/a").error().reason(); });
    EXPECT_TRUE(sim.RunBlocking([&] { answer = client->GetRaw("/version").value_or("none"); },
                                seconds(10)));
    sim.RunReady();
    EXPECT_EQ(answer, "\"/version\"");
    // A loop must not wait for another: it could not serve its own tasks meanwhile.
    EXPECT_EQ(on_first, Reason::kWouldDeadlock);
    EXPECT_EQ(on_second, Reason::kWouldDeadlock);
    client.reset();
    sim.RunReady();
  }
}

}  // namespace
}  // namespace kinformer
