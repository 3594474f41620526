// CurlLane over HTTP/2: the first exchange goes alone, the others follow on its connection; what
// becomes of them when it fails or is lost.

#include <chrono>
#include <curl/curl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
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
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CurlLaneScout : public ::testing::Test {
 protected:
  [[nodiscard]] SimulatedNetwork& network() { return scene_.network(); }
  std::vector<const void*> Queued() {
    std::vector<const void*> all;
    for (const auto& transfer : lane_.Queued()) all.push_back(transfer.get());
    return all;
  }
  // A turn of libcurl without new data.
  void Turn() {
    scene_.OnLoop([&] { lane_.OnSocket(-1, CURL_CSELECT_OUT); });
  }

  LaneScene scene_;
  CurlLane& lane_ = scene_.NewLane();
};

TEST_F(CurlLaneScout, FirstExchange_ConnectsAloneAndTheNextTakesItsPlace) {
  network().SetOpening(Opening::kHanging);
  const SteadyTime first = scene_.Now();
  LaneCall& one = scene_.Add(lane_, "/x");
  LaneCall& two = scene_.Add(lane_, "/x");
  LaneCall& three = scene_.Add(lane_, "/x");
  scene_.RunFor(1s);
  Turn();
  EXPECT_THAT(Queued(), ElementsAre(two.transfer.get(), three.transfer.get()));
  EXPECT_EQ(lane_.size(), 3U);
  EXPECT_EQ(lane_.ScoutSince(), first);
  EXPECT_EQ(one.transfer->admitted, first);
  EXPECT_EQ(one.transfer->connecting_since, first);
  EXPECT_EQ(one.transfer->handshake_since, first);
  EXPECT_GE(one.transfer->socket, 0);
  EXPECT_FALSE(one.transfer->started);
  EXPECT_TRUE(one.transfer->MayBeMoved());
  EXPECT_FALSE(lane_.connected());
  EXPECT_FALSE(lane_.http1());
  EXPECT_EQ(lane_.sockets(), 1U);
  EXPECT_TRUE(lane_.has_one_connection());
  EXPECT_EQ(lane_.started(), 0U);
  std::vector<const void*> all;
  for (const auto& transfer : lane_.Transfers()) all.push_back(transfer.get());
  EXPECT_THAT(all, ElementsAre(one.transfer.get(), two.transfer.get(), three.transfer.get()));

  scene_.Remove(lane_, two);
  EXPECT_EQ(two.transfer->lane, nullptr);
  EXPECT_THAT(Queued(), ElementsAre(three.transfer.get()));
  EXPECT_EQ(lane_.last_use(), scene_.Now());
  EXPECT_FALSE(three.transfer->in_multi);
  scene_.Remove(lane_, one);
  EXPECT_TRUE(three.transfer->in_multi);
  EXPECT_THAT(Queued(), IsEmpty());
  EXPECT_EQ(lane_.ScoutSince(), scene_.Now());
  EXPECT_EQ(lane_.size(), 1U);
  scene_.RunSoon();
  EXPECT_EQ(network().opened(), 2U);
  EXPECT_EQ(lane_.sockets(), 1U);
}

TEST_F(CurlLaneScout, ExchangesBehindTheFirst_GoOnItsAnswerOrAfterAQuarterOfASecond) {
  struct Row {
    const char* target;
    Duration waited;
  };
  for (const Row& row :
       std::vector<Row>{{"/x", 0ms}, {"/watch", 0ms}, {"/slow/4", 250ms}, {"/slow/0", 0ms}}) {
    SCOPED_TRACE(row.target);
    CurlLane& lane = scene_.NewLane();
    const SteadyTime begun = scene_.Now();
    scene_.Add(lane, row.target);
    LaneCall& next = scene_.Add(lane, "/watch");
    scene_.RunFor(249ms);
    EXPECT_EQ(lane.connected(), row.waited == 0ms);
    scene_.RunFor(1ms);
    EXPECT_TRUE(lane.connected());
    scene_.RunSoon();
    EXPECT_EQ(next.transfer->admitted, begun + row.waited);
    EXPECT_EQ(next.bytes(), 5U);
    EXPECT_EQ(lane.ScoutSince(), std::nullopt);
    EXPECT_EQ(lane.sockets(), 1U);
  }
}

// Exchanges are added to a connected lane at any time, also in callbacks.
TEST_F(CurlLaneScout, ConnectedLane_TakesExchangesAtOnce) {
  LaneCall& later = scene_.Make("/watch");
  LaneCall& first = scene_.Add(lane_, "/watch");
  first.on_data = [&] {
    lane_.Add(later.transfer);
    EXPECT_FALSE(later.transfer->in_multi);
  };
  scene_.RunSoon();
  EXPECT_EQ(later.bytes(), 5U);
  EXPECT_EQ(lane_.started(), 2U);
  EXPECT_EQ(lane_.peak(), 2U);
  scene_.Remove(lane_, first);
  LaneCall& next = scene_.Add(lane_, "/x");
  EXPECT_TRUE(next.transfer->in_multi);
  scene_.RunSoon();
  EXPECT_TRUE(next.ok());
  EXPECT_EQ(lane_.started(), 1U);
  EXPECT_EQ(lane_.peak(), 2U) << "the most so far";
  EXPECT_EQ(network().opened(), 1U);
}

// ---- Failures

TEST_F(CurlLaneScout, RefusedConnection_IsTheErrorOfAllThatWaitForIt) {
  for (const bool silenced : {false, true}) {
    SCOPED_TRACE(silenced);
    RawPeer peer;
    peer.opens = false;
    LaneSetup setup;
    setup.sockets = &peer;
    LaneScene scene(std::move(setup));
    CurlLane& lane = scene.NewLane();
    LaneCall& one = scene.Make("/1");
    LaneCall& two = scene.Make("/2");
    LaneCall& three = scene.Make("/3");
    scene.OnLoop([&] {
      for (LaneCall* const call : {&one, &two, &three}) lane.Add(call->transfer);
      if (silenced) one.transfer->Silence();
    });
    scene.RunSoon();
    EXPECT_EQ(one.failed(), !silenced);
    EXPECT_TRUE(two.failed());
    EXPECT_TRUE(three.failed());
    EXPECT_EQ(two.error(), three.error());
    EXPECT_EQ(peer.asked, silenced ? 2 : 1) << "nobody wants to know the first result";
    EXPECT_EQ(lane.size(), 0U);
    EXPECT_TRUE(lane.retired);
    EXPECT_FALSE(lane.connected());
    for (const LaneCall* const call : {&one, &two, &three}) {
      EXPECT_EQ(call->transfer->lane, nullptr);
      EXPECT_FALSE(call->transfer->in_multi);
    }
  }
}

// libcurl keeps the connection of a failed stream, although it may be dead.
TEST_F(CurlLaneScout, Failure_RetiresTheLaneIfItsConnectionMayBeDead) {
  enum class Event { kNone, kThrow, kCut };
  struct Row {
    const char* target;
    Event event;
    bool http1, ok, retired;
  };
  for (const Row& row : std::vector<Row>{{"/x", Event::kNone, false, true, false},
                                         {"/broken", Event::kNone, false, false, false},
                                         {"/x", Event::kThrow, false, false, false},
                                         {"/slow/5", Event::kCut, false, false, true},
                                         {"/watch", Event::kCut, false, false, true},
                                         {"/x", Event::kNone, true, true, false},
                                         {"/slow/5", Event::kCut, true, false, false},
                                         {"/watch", Event::kCut, true, false, false}}) {
    SCOPED_TRACE(row.target + std::to_string(static_cast<int>(row.event)) +
                 std::to_string(row.http1));
    LaneScene scene({.options = {.disable_http2 = row.http1}});
    CurlLane& lane = scene.NewLane();
    LaneCall& call = scene.Make(row.target);
    if (row.event == Event::kThrow) call.on_data = [] { throw std::runtime_error("no"); };
    scene.RunFor(1s);
    scene.Add(lane, call);
    scene.RunFor(1s);
    if (row.event == Event::kCut) {
      ASSERT_FALSE(call.done());
      scene.OnLoop([&] { scene.network().Cut(0); });
      const SteadyTime cut = scene.Now();
      scene.RunSoon();
      EXPECT_EQ(lane.last_use(), cut);
      EXPECT_EQ(lane.sockets(), row.http1 ? 0U : 1U) << "libcurl keeps it";
      EXPECT_TRUE(lane.connected());
    }
    EXPECT_EQ(call.ok(), row.ok);
    EXPECT_EQ(call.failed(), !row.ok);
    EXPECT_EQ(lane.retired, row.retired);
    EXPECT_EQ(lane.size(), 0U);
  }
}

// The wait for the settings of a connection ends with it.
TEST_F(CurlLaneScout, ConnectionLostBeforeTheAnswer_LeavesTheNextOneAlone) {
  LaneCall& first = scene_.Add(lane_, "/slow/9");
  LaneCall& second = scene_.Add(lane_, "/x");
  LaneCall& third = scene_.Add(lane_, "/x");
  scene_.RunFor(100ms);
  ASSERT_TRUE(first.transfer->started);
  scene_.OnLoop([&] {
    network().SetOpening(Opening::kHanging);
    network().Cut(0);
  });
  const SteadyTime cut = scene_.Now();
  scene_.RunFor(1s);
  EXPECT_TRUE(first.failed());
  EXPECT_FALSE(lane_.connected());
  EXPECT_TRUE(second.transfer->in_multi);
  EXPECT_THAT(Queued(), ElementsAre(third.transfer.get()));
  EXPECT_EQ(lane_.ScoutSince(), cut);
}

// libcurl sends again by itself what was not answered on a connection that had been used.
TEST_F(CurlLaneScout, RequestsOfALostConnection_WaitForTheNext) {
  CurlLane& lane = scene_.NewLane(ConnectionPool::kWatch);
  LaneCall& watch = scene_.Add(lane, "/watch");
  scene_.RunFor(1s);
  ASSERT_EQ(watch.bytes(), 5U);
  LaneCall& one = scene_.Make("/x", "GET", ConnectionPool::kWatch);
  LaneCall& two = scene_.Make("/x", "GET", ConnectionPool::kWatch);
  scene_.OnLoop([&] {
    lane.Add(one.transfer);
    lane.Add(two.transfer);
    network().SetOpening(Opening::kHanging);
    network().Cut(0);
  });
  const SteadyTime cut = scene_.Now();
  scene_.RunFor(1s);
  EXPECT_TRUE(watch.failed());
  ASSERT_EQ(network().opened(), 2U);
  EXPECT_FALSE(lane.connected());
  EXPECT_EQ(lane.started(), 0U);
  EXPECT_EQ(lane.sockets(), 1U);
  EXPECT_EQ(lane.ScoutSince(), cut);
  for (const LaneCall* const call : {&one, &two}) {
    EXPECT_FALSE(call->done());
    EXPECT_FALSE(call->transfer->started);
    EXPECT_TRUE(call->transfer->MayBeMoved());
  }
  const bool first_opens = one.transfer->connecting_since.has_value();
  const LaneCall& opens = first_opens ? one : two;
  EXPECT_EQ(opens.transfer->connecting_since, cut);
  EXPECT_EQ(opens.transfer->handshake_since, cut);
  LaneCall& three = scene_.Add(lane, "/x");
  EXPECT_FALSE(three.transfer->in_multi) << "it waits, too";
  scene_.OnLoop([&] { network().Thaw(1); });
  scene_.RunSoon();
  EXPECT_TRUE(one.ok() && two.ok() && three.ok());
  EXPECT_TRUE(lane.connected());
  EXPECT_EQ(network().opened(), 2U);
}

}  // namespace
}  // namespace kinformer::testing
