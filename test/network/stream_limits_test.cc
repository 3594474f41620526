// The transport over libcurl in simulated time: servers that limit the streams of a connection, and
// the limit of connections that the lanes of a pool share.

#include <chrono>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "network/client_calls.h"
#include "network/served_network.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using Opening = SimulatedNetwork::Opening;

constexpr ConnectionPool kLists = ConnectionPool::kList;
constexpr ConnectionPool kShorts = ConnectionPool::kShort;

class StreamLimits : public ServedNetwork {
 protected:
  // Starts a request and gives it time to get a stream.
  ClientCall& Begin(ClientCalls& calls, const std::string& target, ConnectionPool pool) {
    ClientCall& call = calls.Start(target, pool);
    RunFor(10ms);
    return call;
  }
};

// ---- Lanes of a pool share its connections

TEST_F(StreamLimits, FullConnections_LeaveTheRestOfTheLimitToTheNext) {
  ClientCalls calls(scene_, {.watches_per_connection = 2, .max_connections = 3});
  ASSERT_TRUE(calls.Try("/streams/1", kLists).ok());
  Begin(calls, "/slow/60", kLists);
  ASSERT_EQ(network().opened(), 1U);
  ASSERT_TRUE(calls.Try("/streams/1", kShorts).ok());
  Begin(calls, "/slow/60", kShorts);
  ASSERT_EQ(network().opened(), 2U);
  Begin(calls, "/slow/60", kShorts);
  ASSERT_EQ(network().opened(), 3U) << "two of the pool, for two requests";
  Begin(calls, "/slow/60", kShorts);
  ASSERT_EQ(network().opened(), 4U) << "the third of the pool";
  ASSERT_TRUE(calls.Try("/streams/1", kShorts).ok());
  ClientCall& waits = Begin(calls, "/x", kShorts);
  RunFor(1s);
  EXPECT_FALSE(waits.done());
  EXPECT_EQ(network().opened(), 4U);
  EXPECT_TRUE(calls.Try("/x", kLists).ok()) << "another pool has its own limit";
  EXPECT_EQ(network().opened(), 5U);
}

TEST_F(StreamLimits, LostConnection_MayBeReplacedByItsLane) {
  ClientCalls calls(scene_, {.watches_per_connection = 2, .max_connections = 3});
  ASSERT_TRUE(calls.Try("/streams/1", kShorts).ok());
  Begin(calls, "/slow/60", kShorts);
  ClientCall& ends = Begin(calls, "/slow/2", kShorts);
  ASSERT_EQ(network().opened(), 2U);
  Begin(calls, "/slow/60", kShorts);
  ASSERT_EQ(network().opened(), 3U);
  RunFor(2s);
  ASSERT_TRUE(ends.ok());
  network().Cut(1);
  RunFor(10ms);
  EXPECT_TRUE(calls.Try("/x", kShorts).ok());
  EXPECT_EQ(network().opened(), 4U);
  EXPECT_EQ(calls.Stats().connections_open, 3U);
}

// Short requests wait for a stream: they end soon.
TEST_F(StreamLimits, RequestWithoutAStream_WaitsForTheOneBefore) {
  ClientCalls calls(scene_, {.max_connections = 1});
  ASSERT_TRUE(calls.Try("/streams/1", kShorts).ok());
  ClientCall& slow = Begin(calls, "/slow/10", kShorts);
  ClientCall& waits = Begin(calls, "/x", kShorts);
  RunFor(9900ms);
  EXPECT_FALSE(waits.done());
  RunFor(200ms);
  EXPECT_TRUE(slow.ok());
  EXPECT_TRUE(waits.ok());
  EXPECT_EQ(network().opened(), 1U);
  Begin(calls, "/watch", kWatches);
  Begin(calls, "/watch", kWatches);
  EXPECT_EQ(network().opened(), 2U) << "nothing was learned for watches";
}

// While the first connection is being made, nobody opens another; only watches count their places.
TEST_F(StreamLimits, RequestsAtOnce_WaitForTheFirstConnection) {
  struct Row {
    ConnectionPool pool;
    std::size_t opened;
  };
  for (const Row& row : std::vector<Row>{{kShorts, 1}, {kLists, 1}, {kWatches, 3}}) {
    SCOPED_TRACE(row.opened);
    ClientCalls calls(scene_, {.watches_per_connection = 2});
    network().SetOpening(Opening::kHanging);
    const std::size_t before = network().opened();
    std::vector<ClientCall*> requests;
    for (int i = 0; i < 6; ++i) requests.push_back(&Begin(calls, "/x", row.pool));
    EXPECT_EQ(network().opened() - before, row.opened);
    network().SetOpening(Opening::kServed);
    for (std::size_t i = before; i < network().opened(); ++i) network().Thaw(i);
    RunFor(1s);
    for (const ClientCall* const request : requests) EXPECT_TRUE(request->ok());
    EXPECT_EQ(calls.Stats().connections_opened, row.opened);
  }
}

// The limits of other pools and of HTTP/1.1 are not those of watches over HTTP/2.
TEST_F(StreamLimits, WatchesOverHttp2_KnowNoLimitOfConnections) {
  ClientCalls calls(scene_,
                    {.watches_per_connection = 1, .max_http1_watches = 2, .max_connections = 2});
  std::vector<ClientCall*> watches;
  for (int i = 0; i < 5; ++i) watches.push_back(&Begin(calls, "/watch", kWatches));
  for (const ClientCall* const watch : watches) {
    EXPECT_EQ(watch->bytes(), 5U);
    EXPECT_FALSE(watch->done());
  }
  EXPECT_EQ(network().opened(), 5U);
}

// ---- Watches and probes without a stream

// The server lowers its limit while watches run. The newest watch moves to a connection of its own,
// although the old one had room for more before.
TEST_F(StreamLimits, LoweredLimit_MovesTheWatchThatWaits) {
  struct Row {
    std::size_t running;
    int limit;
    std::size_t given_up;
  };
  for (const Row& row : std::vector<Row>{{5, 2, 3}, {6, 1, 5}, {4, 3, 1}, {3, 3, 0}}) {
    SCOPED_TRACE(std::to_string(row.running) + " " + std::to_string(row.limit));
    ClientCalls calls(scene_, {.watches_per_connection = 10});
    std::vector<ClientCall*> watches;
    for (std::size_t i = 0; i < row.running; ++i) {
      watches.push_back(&Begin(calls, "/watch", kWatches));
    }
    ASSERT_TRUE(calls.Try("/streams/" + std::to_string(row.limit), kWatches).ok());
    for (std::size_t i = 0; i < row.given_up; ++i) calls.GiveUp(*watches[i]);
    RunFor(1s);
    ClientCall& late = calls.Start("/watch", kWatches);
    RunFor(1990ms);
    EXPECT_EQ(late.bytes(), 0U);
    RunFor(20ms);
    EXPECT_EQ(late.bytes(), 5U);
    EXPECT_EQ(calls.Stats().connections_opened, 2U);
    RunFor(10s);
    for (const ClientCall* const watch : watches) EXPECT_FALSE(watch->done()) << watch->error();
    EXPECT_FALSE(late.done());
  }
}

// All streams are in use, so no probe can be sent; that says nothing about the connection.
TEST_F(StreamLimits, ProbeWithoutAStream_EndsNoWatch) {
  ClientCalls calls(scene_, {.read_idle_timeout = 5s, .watches_per_connection = 10});
  std::vector<ClientCall*> watches;
  for (int i = 0; i < 3; ++i) watches.push_back(&Begin(calls, "/watch", kWatches));
  ASSERT_TRUE(calls.Try("/streams/3", kWatches).ok());
  RunFor(60s);
  for (const ClientCall* const watch : watches) EXPECT_FALSE(watch->done()) << watch->error();
  EXPECT_EQ(handler_.probes(), 0);
  EXPECT_EQ(network().opened(), 1U);
}

// A probe that is not answered yet takes no watch's place.
TEST_F(StreamLimits, ProbeUnderWay_TakesNoWatchesPlace) {
  ClientCalls calls(scene_, {.read_idle_timeout = 5s, .watches_per_connection = 2});
  Mark();
  ClientCall& first = calls.Start("/watch", kWatches);
  RunTo(4900ms);
  ASSERT_EQ(first.bytes(), 5U);
  network().Freeze(0);
  RunTo(5100ms);
  Begin(calls, "/watch", kWatches);
  EXPECT_EQ(network().opened(), 1U);
  ClientCall& third = Begin(calls, "/watch", kWatches);
  EXPECT_EQ(network().opened(), 2U);
  EXPECT_EQ(third.bytes(), 5U);
}

TEST_F(StreamLimits, ProbeOverHttp1_IsNoWatch) {
  ClientCalls calls(scene_,
                    {.disable_http2 = true, .read_idle_timeout = 5s, .max_http1_watches = 2});
  Mark();
  ASSERT_FALSE(calls.Start("/watch", kWatches).done());
  RunTo(4900ms);
  network().SetOpening(Opening::kHanging);
  RunTo(5100ms);
  ASSERT_EQ(network().opened(), 2U) << "the probe's";
  EXPECT_EQ(Begin(calls, "/watch", kWatches).error(), "");
  EXPECT_THAT(Begin(calls, "/watch", kWatches).error(),
              ::testing::HasSubstr(": 2 watches run, each on its own HTTP/1.1 connection"));
}

// The watch that makes room is the oldest that has a stream; the probe goes on.
TEST_F(StreamLimits, FullConnection_EndsItsOldestWatchAndNotTheProbe) {
  ClientCalls calls(scene_, {.read_idle_timeout = 5s, .watches_per_connection = 10});
  ASSERT_TRUE(calls.Try("/streams/3", kWatches).ok());
  Mark();
  ClientCall& first = calls.Start("/watch", kWatches);
  ClientCall& second = calls.Start("/watch", kWatches);
  RunTo(4900ms);
  network().Freeze(0);
  RunTo(5100ms);  // the probe is under way
  calls.GiveUp(first);
  calls.GiveUp(second);
  ClientCall& third = Begin(calls, "/watch", kWatches);
  ClientCall& fourth = Begin(calls, "/watch", kWatches);
  ClientCall& waits = Begin(calls, "/watch", kWatches);
  EXPECT_EQ(network().opened(), 1U);
  RunTo(8100ms);
  EXPECT_EQ(network().opened(), 2U);
  EXPECT_EQ(waits.bytes(), 5U);
  EXPECT_EQ(third.error(),
            std::string(kServer) + ": closed to keep a stream free on a full connection");
  EXPECT_FALSE(fourth.done()) << fourth.error();
}

// ---- Periods

// Very short periods do not keep the loop busy.
TEST_F(StreamLimits, Checks_AreFiveMillisecondsApartAtLeast) {
  ClientCalls calls(scene_, {.read_idle_timeout = 2ms, .ping_timeout = 10s});
  Mark();
  ASSERT_FALSE(calls.Start("/watch", kWatches).done());
  RunTo(4900us);
  EXPECT_EQ(handler_.probes(), 0);
  RunTo(5100us);
  EXPECT_EQ(handler_.probes(), 1);
}

// After the first check, at two seconds, periods follow: five seconds, or half of the shorter limit
// if that is less.
TEST_F(StreamLimits, UnusedConnection_IsClosedByTheFirstCheckAfter90Seconds) {
  struct Row {
    Duration idle, ping, closed;
  };
  for (const Row& row : std::vector<Row>{
           {30s, 15s, 92s}, {0s, 15s, 92s}, {0s, 7s, 92s}, {7s, 15s, 93s}, {30s, 7s, 93s}}) {
    SCOPED_TRACE(std::to_string(row.idle / 1s) + " " + std::to_string(row.ping / 1s));
    ClientCalls calls(scene_, {.read_idle_timeout = row.idle, .ping_timeout = row.ping});
    Mark();
    ASSERT_TRUE(calls.Try("/x").ok());
    RunTo(row.closed - 10ms);
    EXPECT_EQ(calls.Stats().connections_open, 1U);
    RunTo(row.closed + 10ms);
    EXPECT_EQ(calls.Stats().connections_open, 0U);
  }
}

}  // namespace
}  // namespace kinformer::testing
