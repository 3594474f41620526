// The transport over libcurl in simulated time: the exact moments at which attempts to connect end,
// and which requests end with them.

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "network/client_calls.h"
#include "network/served_network.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using Opening = SimulatedNetwork::Opening;

std::string NoHandshake(int seconds) {
  return "https://127.0.0.1:6443: no TLS handshake within " + std::to_string(seconds) +
         " s of connecting. Is it the server that accepts there, does it speak TLS, and is it "
         "well?";
}
std::string NoConnection() {
  return "https://127.0.0.1:6443: no connection in time. Check address, firewall and proxy";
}

class ConnectingLimits : public ServedNetwork {};

// Over HTTP/1.1 no other connection is tried beside it, so nothing else looks at these moments.
TEST_F(ConnectingLimits, HangingAttempt_EndsAtTheEarlierLimit) {
  struct Row {
    Duration connect, handshake, idle, ends;
    std::string error;
  };
  for (const Row& row : std::vector<Row>{
           {7s, 0s, 30s, 7s, NoConnection()},
           {0s, 7s, 30s, 7s, NoHandshake(7)},
           {30s, 8s, 30s, 8s, NoHandshake(8)},
           {8s, 30s, 30s, 8s, NoConnection()},
           {7s, 7s, 30s, 7s, NoHandshake(7)},
           {7s, 0s, 0s, 7s, NoConnection()},
           {0s, 7s, 0s, 7s, NoHandshake(7)},
           {8s, 7s, 0s, 7s, NoHandshake(7)},
       }) {
    SCOPED_TRACE(std::to_string(row.connect / 1s) + " " + std::to_string(row.handshake / 1s) + " " +
                 std::to_string(row.idle / 1s));
    ClientCalls calls(scene_, {.disable_http2 = true,
                               .connect_timeout = row.connect,
                               .tls_handshake_timeout = row.handshake,
                               .read_idle_timeout = row.idle});
    network().SetOpening(Opening::kServed);
    ClientCall& served = calls.Start("/slow/60");
    RunFor(kNow);
    network().SetOpening(Opening::kHanging);
    ClientCall& hanging = calls.Start("/x");
    RunFor(row.ends - kNow);
    EXPECT_FALSE(hanging.done());
    RunFor(2 * kNow);
    EXPECT_EQ(hanging.error(), row.error);
    EXPECT_FALSE(served.done()) << "its connection is well";
  }
}

TEST_F(ConnectingLimits, WithoutLimits_AnAttemptMayHangForever) {
  for (const Duration idle : {0s, 30s}) {
    ClientCalls calls(scene_, {.disable_http2 = true,
                               .connect_timeout = Duration::zero(),
                               .tls_handshake_timeout = Duration::zero(),
                               .read_idle_timeout = idle});
    network().SetOpening(Opening::kHanging);
    ClientCall& hanging = calls.Start("/x");
    RunFor(200s);
    EXPECT_FALSE(hanging.done());
    network().SetOpening(Opening::kServed);
  }
}

// Requests that wait for the first connection of a pool end with it, whenever they began.
TEST_F(ConnectingLimits, WaitingRequests_EndWithTheFirst) {
  for (const ConnectionPool pool : {ConnectionPool::kShort, ConnectionPool::kWatch}) {
    ClientCalls calls(scene_, {.tls_handshake_timeout = 1s});
    network().SetOpening(Opening::kHanging);
    ClientCall& first = calls.Start("/x", pool);
    ClientCall& second = calls.Start("/x", pool);
    RunFor(500ms);
    ClientCall& third = calls.Start("/x", pool);
    RunFor(1500ms + kNow);
    for (const ClientCall* const call : {&first, &second, &third}) {
      EXPECT_EQ(call->error(), NoHandshake(1));
    }
    network().SetOpening(Opening::kServed);
    EXPECT_TRUE(calls.Try("/x", pool).ok());
  }
}

// It was never sent, so it shows nothing about the connections beside it.
TEST_F(ConnectingLimits, GivingUpWhileConnecting_DoubtsNoOtherConnection) {
  ClientCalls calls(scene_);
  ASSERT_TRUE(calls.Try("/x", ConnectionPool::kList).ok());
  RunFor(10s);
  network().SetOpening(Opening::kHanging);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(calls.Try("/x").done());
  const std::size_t opened = network().opened();
  EXPECT_TRUE(calls.Try("/x", ConnectionPool::kList).ok());
  EXPECT_EQ(network().opened(), opened);
  EXPECT_EQ(handler_.probes(), 0);
}

}  // namespace
}  // namespace kinformer::testing
