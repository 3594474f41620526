// CurlLane: how many connections it opens, and which of them count as connected.

#include <chrono>
#include <curl/curl.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "network/lane_scene.h"
#include "network/raw_peer.h"
#include "network/simulated_network.h"
#include "transport/curl_lane.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using internal::transport::CurlLane;
using Opening = SimulatedNetwork::Opening;

constexpr ConnectionPool kWatches = ConnectionPool::kWatch;

// ---- Limits

// A lane gets one exchange after which its connection takes one stream, and then three more.
TEST(CurlLaneLimits, StreamsBeyondTheServersLimit_GetConnectionsUpToThatOfTheLane) {
  enum class When { kNever, kBefore, kAfter, kInCallback };
  struct Row {
    ConnectionPool pool;
    std::size_t max_connections;
    When when;
    std::size_t allowed;
    bool probe;
    std::size_t opened;
  };
  constexpr ConnectionPool kShorts = ConnectionPool::kShort;
  for (const Row& row : std::vector<Row>{{kShorts, 1, When::kNever, 0, false, 1},
                                         {kShorts, 2, When::kNever, 0, false, 2},
                                         {kShorts, 3, When::kBefore, 1, false, 1},
                                         {kShorts, 3, When::kAfter, 1, false, 1},
                                         {kShorts, 3, When::kInCallback, 1, false, 1},
                                         {kShorts, 3, When::kBefore, 2, false, 2},
                                         {kShorts, 1, When::kAfter, 2, false, 2},
                                         {kShorts, 1, When::kAfter, 0, false, 1},
                                         {kShorts, 1, When::kBefore, 0, false, 1},
                                         {kShorts, 1, When::kNever, 0, true, 2},
                                         {kShorts, 2, When::kNever, 0, true, 2},
                                         {kShorts, 3, When::kAfter, 1, true, 2},
                                         {kWatches, 3, When::kNever, 0, false, 1},
                                         {kWatches, 3, When::kAfter, 2, true, 1}}) {
    SCOPED_TRACE(std::to_string(row.max_connections) + " " +
                 std::to_string(static_cast<int>(row.when)) + " " + std::to_string(row.allowed) +
                 (row.probe ? " probe" : "") + (row.pool == kWatches ? " watches" : ""));
    LaneScene scene({.options = {.max_connections = row.max_connections}});
    CurlLane& lane = scene.NewLane(row.pool);
    if (row.when == When::kBefore) scene.OnLoop([&] { lane.Allow(row.allowed); });
    LaneCall& first = scene.Make("/streams/1", "GET", row.pool);
    if (row.when == When::kInCallback) first.on_data = [&] { lane.Allow(row.allowed); };
    scene.Add(lane, first);
    scene.RunSoon();
    ASSERT_TRUE(first.ok());
    if (row.when == When::kAfter) scene.OnLoop([&] { lane.Allow(row.allowed); });
    if (row.probe) {
      lane.probe = scene.Make("/livez").transfer;
      scene.OnLoop([&] { lane.LimitConnections(); });
    }
    for (int i = 0; i < 3; ++i) {
      scene.Add(lane, "/slow/1");
      scene.RunSoon();
    }
    EXPECT_EQ(scene.network().opened(), row.opened);
    EXPECT_EQ(lane.sockets(), row.opened);
    EXPECT_EQ(lane.has_one_connection(), row.opened == 1);
    EXPECT_EQ(lane.started(), row.opened == 1 ? 1U : 3U);
    EXPECT_EQ(lane.peak(), row.opened == 1 ? 1U : 3U);
    EXPECT_EQ(lane.size(), 3U);
  }
}

// Each exchange needs a connection for itself.
TEST(CurlLaneLimits, Http1_OpensAConnectionPerExchangeUpToItsLimit) {
  struct Row {
    ConnectionPool pool;
    std::size_t max_connections;
    std::size_t allowed;
    bool probe;
    std::size_t opened;
  };
  constexpr ConnectionPool kLists = ConnectionPool::kList;
  for (const Row& row : std::vector<Row>{{kLists, 1, 0, false, 1},
                                         {kLists, 2, 0, false, 2},
                                         {kLists, 2, 1, false, 2},
                                         {kLists, 2, 0, true, 3},
                                         {kLists, 8, 0, false, 5},
                                         {kWatches, 2, 0, false, 5},
                                         {kWatches, 2, 1, true, 5}}) {
    for (const bool negotiated : {false, true}) {
      SCOPED_TRACE(std::to_string(row.max_connections) + " " + std::to_string(row.allowed) +
                   (row.probe ? " probe" : "") + (row.pool == kWatches ? " watches" : "") +
                   (negotiated ? " negotiated" : ""));
      LaneScene scene(
          {.server_http2 = false,
           .options = {.disable_http2 = !negotiated, .max_connections = row.max_connections}});
      CurlLane& lane = scene.NewLane(row.pool);
      if (row.allowed > 0) scene.OnLoop([&] { lane.Allow(row.allowed); });
      if (row.probe) {
        lane.probe = scene.Make("/livez").transfer;
        scene.OnLoop([&] { lane.LimitConnections(); });
      }
      EXPECT_EQ(lane.http1(), !negotiated);
      for (int i = 0; i < 5; ++i) scene.Add(lane, "/slow/1");
      EXPECT_EQ(lane.Queued().size(), negotiated ? 4U : 0U);
      scene.RunFor(100ms);
      EXPECT_TRUE(lane.http1());
      EXPECT_TRUE(lane.connected());
      EXPECT_FALSE(lane.has_one_connection());
      EXPECT_EQ(lane.sockets(), row.opened);
      EXPECT_EQ(lane.started(), row.opened);
      EXPECT_EQ(lane.peak(), row.opened);
      EXPECT_EQ(scene.stats().connections_open, row.opened);
      scene.RunFor(10s);
      EXPECT_EQ(lane.size(), 0U);
      EXPECT_TRUE(lane.connected());
    }
  }
}

// ---- Two connections over HTTP/2: the first takes one stream only

class CurlLaneTwo : public ::testing::Test {
 protected:
  CurlLaneTwo() {
    scene_.Add(lane_, "/streams/1");
    scene_.RunSoon();
    one_ = &scene_.Add(lane_, "/watch");
    scene_.RunSoon();
    EXPECT_EQ(one_->bytes(), 5U);
  }
  void Cut(std::size_t number) {
    scene_.OnLoop([&] { network().Cut(number); });
    scene_.RunSoon();
  }
  [[nodiscard]] SimulatedNetwork& network() { return scene_.network(); }

  LaneScene scene_;
  CurlLane& lane_ = scene_.NewLane();
  LaneCall* one_ = nullptr;
};

TEST_F(CurlLaneTwo, LossOfOneConnection_LeavesTheLaneConnectedByTheOther) {
  LaneCall& two = scene_.Add(lane_, "/watch");
  scene_.RunSoon();
  ASSERT_EQ(two.bytes(), 5U);
  EXPECT_EQ(lane_.sockets(), 2U);
  EXPECT_FALSE(lane_.has_one_connection());
  Cut(0);
  EXPECT_TRUE(one_->failed());
  // libcurl drops a lost connection when it looks for one.
  LaneCall& three = scene_.Add(lane_, "/watch");
  scene_.RunSoon();
  EXPECT_EQ(three.bytes(), 5U);
  EXPECT_TRUE(lane_.connected());
  EXPECT_EQ(lane_.sockets(), 1U);
  EXPECT_TRUE(lane_.has_one_connection());
  EXPECT_EQ(lane_.started(), 2U);
  EXPECT_FALSE(two.done());
  Cut(1);
  EXPECT_TRUE(two.failed());
  EXPECT_TRUE(three.failed());
  scene_.OnLoop([&] { network().SetOpening(Opening::kHanging); });
  LaneCall& four = scene_.Add(lane_, "/watch");
  LaneCall& five = scene_.Add(lane_, "/watch");
  const SteadyTime lost = scene_.Now();
  scene_.RunFor(1s);
  EXPECT_FALSE(lane_.connected());
  EXPECT_EQ(lane_.sockets(), 1U);
  EXPECT_EQ(lane_.peak(), 2U);
  EXPECT_EQ(lane_.ScoutSince(), lost);
  EXPECT_FALSE(four.transfer->started);
  EXPECT_FALSE(five.transfer->started);
  EXPECT_EQ(scene_.stats().connections_open, 1U);
}

TEST_F(CurlLaneTwo, AttemptThatIsGivenUp_LeavesTheLaneConnected) {
  scene_.OnLoop([&] { network().SetOpening(Opening::kHanging); });
  LaneCall& two = scene_.Add(lane_, "/watch");
  scene_.RunFor(1s);
  EXPECT_EQ(lane_.sockets(), 2U);
  EXPECT_TRUE(lane_.connected());
  EXPECT_FALSE(two.transfer->started);
  EXPECT_EQ(lane_.ScoutSince(), std::nullopt) << "the lane has a connection";
  scene_.Remove(lane_, two);
  EXPECT_EQ(lane_.sockets(), 1U);
  scene_.OnLoop([&] { lane_.OnSocket(-1, CURL_CSELECT_OUT); });
  EXPECT_TRUE(lane_.connected());
  EXPECT_FALSE(one_->done());
}

// A connection on which nothing was sent yet is none.
TEST_F(CurlLaneTwo, LossBesideAnAttempt_LeavesTheLaneUnconnected) {
  scene_.OnLoop([&] { network().SetOpening(Opening::kHanging); });
  const SteadyTime begun = scene_.Now();
  LaneCall& two = scene_.Add(lane_, "/watch");
  scene_.RunFor(1s);
  scene_.Remove(lane_, *one_);
  scene_.RunSoon();
  LaneCall& three = scene_.Add(lane_, "/watch");
  scene_.RunSoon();
  ASSERT_EQ(three.bytes(), 5U) << "the first connection has room again";
  ASSERT_EQ(lane_.sockets(), 2U);
  Cut(0);
  EXPECT_TRUE(three.failed());
  scene_.Add(lane_, "/watch");  // libcurl drops a lost connection when it looks for one
  scene_.RunSoon();
  EXPECT_FALSE(lane_.connected());
  EXPECT_EQ(lane_.ScoutSince(), begun);
  EXPECT_FALSE(two.transfer->started);
  EXPECT_EQ(two.transfer->connecting_since, begun);
}

// libcurl may have tried another address before: then it is not known which socket was used.
TEST(CurlLaneSockets, OnlySocket_IsTheOneInUse) {
  LaneScene scene;
  CurlLane& lane = scene.NewLane();
  LaneCall& call = scene.Add(lane, "/watch");
  for (int i = 0; i < 10'000 && !call.transfer->started; ++i) {
    call.transfer->socket = -1;
    scene.sim().RunUntil([&] { return call.transfer->socket != -1 || call.transfer->started; }, 1s);
  }
  scene.RunSoon();
  EXPECT_EQ(call.bytes(), 5U);
  EXPECT_TRUE(lane.connected());
}

// ---- Times of connecting

TEST(CurlLaneTimes, Handshake_BeginsWhenTheServerIsReachedWithoutAProxy) {
  struct Row {
    bool tls;
    const char* proxy;
    bool handshake;
  };
  for (const Row& row : std::vector<Row>{
           {true, "", true}, {true, "http://127.0.0.1:1", false}, {false, "", false}}) {
    SCOPED_TRACE(std::to_string(row.tls) + row.proxy);
    LaneScene scene({.tls = row.tls, .proxy = row.proxy});
    scene.network().SetOpening(Opening::kHanging);
    const SteadyTime begun = scene.Now();
    CurlLane& lane = scene.NewLane();
    LaneCall& call = scene.Add(lane, "/x");
    scene.RunSoon();
    EXPECT_EQ(call.transfer->connecting_since, begun);
    EXPECT_EQ(call.transfer->handshake_since, row.handshake ? std::optional(begun) : std::nullopt);
  }
}

// A slow server: libcurl takes up the handshake many times.
TEST(CurlLaneTimes, SlowHandshake_IsTimedFromItsBeginning) {
  LaneScene scene;
  const SteadyTime begun = scene.Now();
  CurlLane& lane = scene.NewLane();
  LaneCall& call = scene.Add(lane, "/x");
  scene.sim().RunUntil([&] { return scene.network().opened() == 1; }, 1s);
  scene.OnLoop([&] { scene.network().Drip(0, 100, 100ms); });
  while (!call.transfer->started && scene.Now() < begun + 1min) {
    EXPECT_EQ(call.transfer->connecting_since, begun);
    EXPECT_EQ(call.transfer->handshake_since, begun);
    EXPECT_EQ(lane.ScoutSince(), begun);
    scene.RunFor(50ms);
  }
  EXPECT_GT(call.transfer->started_at, begun + 500ms);
}

}  // namespace
}  // namespace kinformer::testing
