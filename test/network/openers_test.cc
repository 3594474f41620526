// The transport over libcurl in simulated time: connections that are not established in time.

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "network/client_calls.h"
#include "network/served_network.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Opening = SimulatedNetwork::Opening;

class OpenersTest : public ServedNetwork {};

TEST_F(OpenersTest, HangingHandshake_IsTriedBesideAfterTwoSecondsAndThenEachThree) {
  ClientCalls calls(scene_);
  network().SetOpening(Opening::kHanging);
  ClientCall& alone = calls.Start("/x");
  Mark();
  struct Row {
    Duration at;
    std::size_t before, after;
    std::vector<std::size_t> open;
  };
  for (const Row& row :
       std::vector<Row>{{2s, 1, 2, {0, 1}}, {5s, 2, 3, {0, 2}}, {8s, 3, 4, {0, 3}}}) {
    SCOPED_TRACE(Ms(row.at));
    RunTo(row.at - kNow);
    EXPECT_EQ(network().opened(), row.before);
    RunTo(row.at + kNow);
    EXPECT_EQ(network().opened(), row.after);
    EXPECT_EQ(network().Open(), row.open);
  }
  RunTo(20s);
  EXPECT_EQ(alone.took(), 10s);
  EXPECT_EQ(alone.error(),
            std::string(kServer) +
                ": no TLS handshake within 10 s of connecting. Is it the server that accepts "
                "there, does it speak TLS, and is it well?");
  EXPECT_THAT(network().Open(), IsEmpty());
}

TEST_F(OpenersTest, LimitsOfConnecting_HoldForAllThatWait) {
  const std::string shake =
      ": no TLS handshake within 5 s of connecting. Is it the server that "
      "accepts there, does it speak TLS, and is it well?";
  const std::string connect = ": no connection in time. Check address, firewall and proxy";
  struct Row {
    Duration connect, handshake, ends;
    std::string error;
  };
  for (const Row& row :
       std::vector<Row>{{30s, 5s, 5s, shake}, {6s, 0s, 6s, connect}, {6s, 5s, 5s, shake}}) {
    SCOPED_TRACE(Ms(row.connect) + " " + Ms(row.handshake));
    ClientCalls calls(scene_,
                      {.connect_timeout = row.connect, .tls_handshake_timeout = row.handshake});
    network().SetOpening(Opening::kHanging);
    ClientCall& first = calls.Start("/x");
    RunFor(row.ends - kNow);
    EXPECT_FALSE(first.done());
    RunFor(2 * kNow);
    EXPECT_EQ(first.error(), kServer + row.error);
  }
}

TEST_F(OpenersTest, WaitingRequest_UsesAConnectionOfItsOwnAfterTwoSeconds) {
  ClientCalls calls(scene_);
  network().SetOpening(Opening::kHanging);
  ClientCall& first = calls.Start("/x");
  RunFor(1s);
  network().SetOpening(Opening::kServed);
  ClientCall& second = calls.Start("/x");
  RunFor(1s - kNow);
  EXPECT_FALSE(second.done());
  EXPECT_EQ(network().opened(), 1U);
  RunFor(2 * kNow);
  EXPECT_TRUE(second.ok());
  EXPECT_FALSE(first.done());
  RunFor(200ms - 2 * kNow);
  EXPECT_FALSE(first.done());
  RunFor(2 * kNow);
  EXPECT_TRUE(first.ok());
  EXPECT_EQ(network().opened(), 2U);
  EXPECT_THAT(network().Open(), ElementsAre(1U));
}

// The first request of a connection shows nothing about the server's stream limit until it is
// answered; the others wait for that only briefly.
TEST_F(OpenersTest, RequestsBehindTheFirst_WaitAQuarterOfASecondForTheServersLimits) {
  ClientCalls calls(scene_);
  ClientCall& first = calls.Start("/slow/4");
  ClientCall& second = calls.Start("/x");
  RunFor(250ms - kNow);
  EXPECT_FALSE(second.done());
  RunFor(2 * kNow);
  EXPECT_TRUE(second.ok());
  RunFor(4s);
  EXPECT_TRUE(first.ok());
  EXPECT_EQ(network().opened(), 1U);
}

TEST_F(OpenersTest, ManyHangingConnections_AreFourAtATime) {
  ClientCalls calls(scene_, {.connect_timeout = 100s, .tls_handshake_timeout = 100s});
  network().SetOpening(Opening::kHanging);
  std::vector<ClientCall*> started;
  std::size_t most = 0;
  for (int i = 0; i < 30; ++i) {
    started.push_back(&calls.Start("/x"));
    RunFor(1s);
    most = std::max<std::size_t>(most, calls.Stats().connections_open);
  }
  EXPECT_EQ(most, 4U);
  network().SetOpening(Opening::kServed);
  RunFor(3500ms);
  for (const ClientCall* const call : started) EXPECT_TRUE(call->ok());
  RunFor(10s);
  EXPECT_EQ(calls.Stats().connections_open, 1U);
}

// The second attempt at a connection of the same lane is watched like the first.
TEST_F(OpenersTest, ConnectionThatEndsAndHangsAgain_IsTriedBesideAfterTwoSeconds) {
  ClientCalls calls(scene_);
  network().SetOpening(Opening::kHanging);
  ClientCall& first = calls.Start("/x");
  RunFor(1s);
  network().SetOpening(Opening::kServed);
  RunFor(2s);
  ASSERT_TRUE(first.ok());
  ASSERT_THAT(network().Open(), ElementsAre(1U)) << "the opener's";
  RunFor(2500ms);
  network().Cut(1);
  network().SetOpening(Opening::kHanging);
  ClientCall& second = calls.Start("/x");
  Mark();
  RunTo(2s - kNow);
  EXPECT_EQ(network().opened(), 3U);
  RunTo(2s + kNow);
  EXPECT_EQ(network().opened(), 4U);
  RunTo(4s);
  EXPECT_THAT(network().Open(), ElementsAre(2U, 3U));
  EXPECT_FALSE(second.done());
}

TEST_F(OpenersTest, FirstConnectionSucceedsLate_EndsTheAttemptBeside) {
  ClientCalls calls(scene_);
  network().SetOpening(Opening::kHanging);
  ClientCall& call = calls.Start("/x");
  Mark();
  RunTo(4100ms);
  EXPECT_THAT(network().Open(), ElementsAre(0U, 1U));
  network().Thaw(0);
  RunTo(4500ms);
  EXPECT_TRUE(call.ok());
  EXPECT_THAT(network().Open(), ElementsAre(0U));
  RunTo(60s);
  EXPECT_EQ(network().opened(), 2U);
}

// A connection that gets no new requests is no reason to stop trying.
TEST_F(OpenersTest, RetiredAndSuspectedConnections_DoNotCount) {
  for (const Duration idle : {0s, 30s}) {
    SCOPED_TRACE(Ms(idle));
    ClientCalls calls(scene_, {.read_idle_timeout = idle});
    network().SetOpening(Opening::kServed);
    ClientCall& kept = calls.Start("/slow/60");
    RunFor(1s);
    const std::size_t first = network().opened() - 1;
    network().Freeze(first);
    EXPECT_FALSE(calls.Try("/x").done());
    network().SetOpening(Opening::kHanging);
    ClientCall& next = calls.Start("/x");
    RunFor(2s + kNow);
    EXPECT_THAT(network().Open(), ElementsAre(first, first + 1, first + 2));
    RunFor(1s);
    EXPECT_THAT(network().Open(), ElementsAre(first, first + 1, first + 2));
    EXPECT_FALSE(next.done());
    EXPECT_FALSE(kept.done());
  }
}

}  // namespace
}  // namespace kinformer::testing
