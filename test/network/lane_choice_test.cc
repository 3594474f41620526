// The transport over libcurl in simulated time: which connection a request uses, and how
// long connections are kept.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "network/client_calls.h"
#include "network/served_network.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class LaneChoice : public ServedNetwork {};

// Checks are five seconds apart, the first after two.
TEST_F(LaneChoice, UnusedConnection_IsClosedAfter90Seconds) {
  struct Row {
    Duration last_use;
    Duration closed;
  };
  for (const Row& row : std::vector<Row>{
           {0ms, 92s}, {1900ms, 92s}, {2000ms, 97s}, {3s, 97s}, {6990ms, 97s}, {7010ms, 102s}}) {
    SCOPED_TRACE(row.last_use / 1ms);
    ClientCalls calls(scene_);
    ASSERT_TRUE(calls.Try("/x").ok());
    RunFor(row.last_use);
    ASSERT_TRUE(calls.Try("/x").ok());
    RunFor(row.closed - row.last_use - 10ms);
    EXPECT_EQ(calls.Stats().connections_open, 1U);
    RunFor(20ms);
    EXPECT_EQ(calls.Stats().connections_open, 0U);
    EXPECT_EQ(calls.Stats().connections_opened, 1U);
    EXPECT_EQ(calls.Stats().requests, 2U);
  }
}

TEST_F(LaneChoice, WatchesOfAFullConnection_OpenAnother) {
  struct Row {
    std::size_t limit;
    int watches;
    std::size_t opened;
  };
  for (const Row& row : std::vector<Row>{{0, 3, 3},
                                         {1, 3, 3},
                                         {2, 2, 1},
                                         {2, 3, 2},
                                         {2, 4, 2},
                                         {2, 5, 3},
                                         {3, 4, 2},
                                         {99, 9, 1}}) {
    for (const bool at_once : {true, false}) {
      SCOPED_TRACE(std::to_string(row.limit) + " " + std::to_string(row.watches));
      ClientCalls calls(scene_, {.watches_per_connection = row.limit});
      std::vector<ClientCall*> watches;
      for (int i = 0; i < row.watches; ++i) {
        watches.push_back(&calls.Start("/watch", kWatches));
        if (!at_once) RunFor(10ms);
      }
      RunFor(1s);
      for (const ClientCall* const watch : watches) EXPECT_EQ(watch->bytes(), 5U);
      EXPECT_EQ(calls.Stats().connections_opened, row.opened);
    }
  }
}

// A probe does not count as a watch.
TEST_F(LaneChoice, ProbeOfAFullConnection_TakesNoWatchesPlace) {
  ClientCalls calls(scene_, {.read_idle_timeout = 5s, .watches_per_connection = 2});
  calls.Start("/watch", kWatches);
  RunFor(5010ms);
  ASSERT_EQ(handler_.probes(), 1);
  calls.Start("/watch", kWatches);
  RunFor(10ms);
  EXPECT_EQ(network().opened(), 1U);
  calls.Start("/watch", kWatches);
  RunFor(10ms);
  EXPECT_EQ(network().opened(), 2U);
}

// Requests beyond the limit of connections go to the connection with the fewest.
TEST_F(LaneChoice, RequestsOfFullConnections_ShareTheLeastLoaded) {
  ClientCalls calls(scene_, {.watches_per_connection = 2, .max_connections = 2});
  std::vector<ClientCall*> requests;
  for (int i = 0; i < 6; ++i) {
    requests.push_back(&calls.Start("/slow/5"));
    RunFor(300ms);
  }
  EXPECT_EQ(network().opened(), 2U);
  network().Freeze(0);
  RunFor(6s);
  std::vector<bool> answered;
  for (const ClientCall* const request : requests) answered.push_back(request->ok());
  EXPECT_THAT(answered, ElementsAre(false, false, true, true, false, true));
}

TEST_F(LaneChoice, Http1Requests_ShareTheLimitOfConnections) {
  ClientCalls calls(scene_, {.disable_http2 = true, .max_connections = 2});
  std::vector<ClientCall*> requests;
  for (int i = 0; i < 5; ++i) requests.push_back(&calls.Start("/slow/1"));
  std::vector<std::size_t> answered;
  for (int i = 0; i < 3; ++i) {
    RunFor(1010ms);
    std::size_t count = 0;
    for (const ClientCall* const request : requests) count += request->ok() ? 1 : 0;
    answered.push_back(count);
    EXPECT_LE(calls.Stats().connections_open, 2U);
  }
  EXPECT_THAT(answered, ElementsAre(2U, 4U, 5U));
}

TEST_F(LaneChoice, Http1Watches_EndAtTheirLimit) {
  for (const std::size_t most : {0U, 1U, 3U}) {
    SCOPED_TRACE(most);
    ClientCalls calls(scene_, {.disable_http2 = true, .max_http1_watches = most});
    calls.Start("/slow/60");  // no watch
    std::vector<ClientCall*> watches;
    for (int i = 0; i < 5; ++i) watches.push_back(&calls.Start("/watch", kWatches));
    RunFor(1s);
    for (std::size_t i = 0; i < watches.size(); ++i) {
      const bool runs = most == 0 || i < most;
      EXPECT_EQ(watches[i]->bytes(), runs ? 5U : 0U) << i;
      EXPECT_EQ(watches[i]->error(),
                runs ? ""
                     : std::string(kServer) + ": " + std::to_string(most) +
                           " watches run, each on its own HTTP/1.1 connection: that is "
                           "max_http1_watches. Raise it, or reach the server over HTTP/2");
    }
    EXPECT_TRUE(calls.Try("/x").ok());
    calls.GiveUp(*watches[0]);
    EXPECT_FALSE(calls.Try("/watch", kWatches, 100ms).failed()) << "there is room again";
  }
}

// ---- A server that allows fewer streams than assumed

struct Streams {
  int limit;
  std::size_t watches;
  bool first_ends;  // to make room for a probe
  std::size_t connections;
};

TEST_F(LaneChoice, ServerThatTakesFewStreams_GetsFewerWatchesPerConnection) {
  for (const Streams& row : std::vector<Streams>{
           {4, 4, false, 1}, {4, 6, true, 2}, {2, 3, true, 2}, {1, 2, false, 2}, {3, 5, true, 2}}) {
    SCOPED_TRACE(std::to_string(row.limit) + " " + std::to_string(row.watches));
    ClientCalls calls(scene_, {.watches_per_connection = 10});
    ASSERT_TRUE(calls.Try("/streams/" + std::to_string(row.limit), kWatches).ok());
    RunFor(490ms);
    std::vector<ClientCall*> watches;
    for (std::size_t i = 0; i < row.watches; ++i) {
      watches.push_back(&calls.Start("/watch", kWatches));
      RunFor(1ms);
    }
    RunFor(90ms);
    const auto limit = static_cast<std::size_t>(row.limit);
    for (std::size_t i = 0; i < watches.size(); ++i) {
      EXPECT_EQ(watches[i]->bytes() > 0, i < limit) << i;
    }
    RunFor(1800ms);
    EXPECT_EQ(calls.Stats().connections_opened, 1U) << "not before two seconds";
    RunFor(1200ms);
    for (std::size_t i = 0; i < watches.size(); ++i) {
      EXPECT_EQ(watches[i]->bytes(), 5U) << i;
      EXPECT_EQ(watches[i]->error(),
                i == 0 && row.first_ends
                    ? std::string(kServer) + ": closed to keep a stream free on a full connection"
                    : "");
    }
    EXPECT_EQ(calls.Stats().connections_opened, row.connections);
    RunFor(60s);
    for (std::size_t i = 1; i < watches.size(); ++i) EXPECT_FALSE(watches[i]->done()) << i;
  }
}

TEST_F(LaneChoice, WatchWithoutAStream_MovesAfterTwoSeconds) {
  for (const Duration later : {0ms, 1ms, 400ms}) {
    SCOPED_TRACE(later / 1ms);
    ClientCalls calls(scene_);
    ASSERT_TRUE(calls.Try("/streams/1", kWatches).ok());
    RunFor(999ms);
    ClientCall& first = calls.Start("/watch", kWatches);
    RunFor(1ms + later);
    ClientCall& second = calls.Start("/watch", kWatches);
    RunFor(1990ms);
    EXPECT_EQ(second.bytes(), 0U);
    RunFor(20ms);
    EXPECT_EQ(second.bytes(), 5U);
    EXPECT_FALSE(first.done());
    EXPECT_EQ(calls.Stats().connections_opened, 2U);
  }
}

// One stream of each connection stays free for the probe.
TEST_F(LaneChoice, LearnedLimit_HoldsForNewConnections) {
  ClientCalls calls(scene_, {.watches_per_connection = 10});
  ASSERT_TRUE(calls.Try("/streams/3", kWatches).ok());
  for (int i = 0; i < 4; ++i) calls.Start("/watch", kWatches);
  RunFor(5s);
  ASSERT_EQ(network().opened(), 2U) << "the fourth moved";
  calls.Start("/watch", kWatches);
  RunFor(10ms);
  EXPECT_EQ(network().opened(), 2U) << "two per connection";
  calls.Start("/watch", kWatches);
  RunFor(10ms);
  EXPECT_EQ(network().opened(), 3U);
}

}  // namespace
}  // namespace kinformer::testing
