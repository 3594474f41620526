// CurlLane: what a lane says of itself and of its exchanges after each step, over HTTP/1.1 with a
// peer whose bytes the test decides.

#include "transport/curl_lane.h"

#include <chrono>
#include <curl/curl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "network/lane_scene.h"
#include "network/raw_peer.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using internal::transport::CurlLane;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kAnswer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class CurlLaneTest : public ::testing::Test {
 protected:
  static LaneSetup Plain(RawPeer& peer, HttpTransportOptions options = {}) {
    LaneSetup setup{.tls = false, .options = std::move(options)};
    setup.sockets = &peer;
    return setup;
  }
  void Use(HttpTransportOptions options) {
    scene_.emplace(Plain(peer_, std::move(options)));
    lane_ = &scene_->NewLane();
  }
  [[nodiscard]] CurlLane& lane() { return *lane_; }
  static std::vector<const void*> Of(const CurlLane::List& list) {
    std::vector<const void*> all;
    for (const auto& transfer : list) all.push_back(transfer.get());
    return all;
  }

  RawPeer peer_;
  std::optional<LaneScene> scene_{Plain(peer_)};
  CurlLane* lane_ = &scene_->NewLane();
};

TEST_F(CurlLaneTest, NewLane_KnowsItsProtocolWhereNoneIsNegotiated) {
  struct Row {
    bool tls, disable_http2, http1;
  };
  for (const Row& row : std::vector<Row>{
           {false, false, true}, {false, true, true}, {true, true, true}, {true, false, false}}) {
    SCOPED_TRACE(std::to_string(row.tls) + std::to_string(row.disable_http2));
    LaneScene scene({.tls = row.tls, .options = {.disable_http2 = row.disable_http2}});
    CurlLane& lane = scene.NewLane(ConnectionPool::kList);
    EXPECT_EQ(lane.http1(), row.http1);
    EXPECT_EQ(lane.connected(), row.http1);
    EXPECT_EQ(lane.pool(), ConnectionPool::kList);
    EXPECT_EQ(lane.last_activity(), scene.Now());
    EXPECT_EQ(lane.last_use(), scene.Now());
    EXPECT_EQ(lane.size(), 0U);
    EXPECT_EQ(lane.sockets(), 0U);
    EXPECT_EQ(lane.started(), 0U);
    EXPECT_EQ(lane.peak(), 0U);
    EXPECT_FALSE(lane.has_one_connection());
    EXPECT_FALSE(lane.retired);
    EXPECT_FALSE(lane.suspected);
    EXPECT_EQ(lane.ScoutSince(), std::nullopt);
    EXPECT_TRUE(lane.Transfers().empty());
  }
}

TEST_F(CurlLaneTest, Exchange_IsTheLanesUntilItsEnd) {
  LaneCall& call = scene_->Make("/x");
  EXPECT_EQ(call.transfer->lane, nullptr);
  scene_->RunFor(1s);
  const SteadyTime added = scene_->Now();
  scene_->Add(lane(), call);
  EXPECT_EQ(call.transfer->lane, &lane());
  EXPECT_TRUE(call.transfer->in_multi);
  EXPECT_EQ(call.transfer->added, added);
  EXPECT_EQ(call.transfer->admitted, added);
  EXPECT_EQ(lane().last_use(), added);
  scene_->RunFor(1s);
  EXPECT_THAT(peer_.Read(0), HasSubstr("GET /x HTTP/1.1\r\n"));
  EXPECT_EQ(call.transfer->connecting_since, added);
  EXPECT_EQ(call.transfer->handshake_since, std::nullopt) << "no TLS";
  EXPECT_GE(call.transfer->socket, 0);
  EXPECT_EQ(call.transfer->started_at, added);
  EXPECT_EQ(lane().peak(), 1U);
  EXPECT_EQ(lane().size(), 1U);
  EXPECT_EQ(lane().sockets(), 1U);
  EXPECT_FALSE(lane().has_one_connection()) << "over HTTP/1.1 there may be more at any time";
  EXPECT_LT(lane().last_activity(), added);
  peer_.Write(0, kAnswer);
  const SteadyTime answered = scene_->Now();
  scene_->RunFor(1s);
  EXPECT_TRUE(call.ok());
  EXPECT_EQ(lane().last_activity(), answered);
  EXPECT_EQ(lane().last_use(), answered);
  EXPECT_EQ(call.transfer->lane, nullptr);
  EXPECT_FALSE(call.transfer->in_multi);
  EXPECT_EQ(lane().size(), 0U);
  EXPECT_EQ(lane().started(), 0U);
  EXPECT_EQ(lane().peak(), 1U) << "the most so far";
  EXPECT_EQ(lane().sockets(), 1U) << "for the next";
  EXPECT_EQ(scene_->stats().connections_open, 1U);
  EXPECT_EQ(scene_->stats().connections_opened, 1U);
  const SteadyTime now = scene_->Now();
  EXPECT_FALSE(scene_->sim().RunUntil([] { return false; }, 1h));
  EXPECT_EQ(scene_->Now(), now) << "a timer was left";
}

TEST_F(CurlLaneTest, Data_IsALifeSignAndReadinessToWriteIsNone) {
  lane().suspected = true;
  const SteadyTime before = lane().last_activity();
  scene_->RunFor(1s);
  scene_->OnLoop([&] { lane().OnSocket(-1, CURL_CSELECT_OUT); });
  scene_->OnLoop([&] { lane().OnSocket(-1, CURL_CSELECT_ERR); });
  EXPECT_EQ(lane().last_activity(), before);
  EXPECT_TRUE(lane().suspected);
  scene_->OnLoop([&] { lane().OnSocket(-1, CURL_CSELECT_IN | CURL_CSELECT_OUT); });
  EXPECT_EQ(lane().last_activity(), scene_->Now());
  EXPECT_FALSE(lane().suspected);
  EXPECT_EQ(lane().last_use(), before) << "nobody used it";
}

// ---- Removing

TEST_F(CurlLaneTest, RemovedExchange_EndsItsConnectionAndIsNotTold) {
  LaneCall& call = scene_->Add(lane(), "/x");
  scene_->RunSoon();
  peer_.Read(0);
  scene_->Remove(lane(), call);
  EXPECT_EQ(call.transfer->lane, nullptr);
  EXPECT_FALSE(call.transfer->in_multi);
  EXPECT_EQ(lane().last_use(), scene_->Now());
  EXPECT_EQ(lane().size(), 0U);
  EXPECT_EQ(lane().sockets(), 0U);
  scene_->RunSoon();
  EXPECT_EQ(peer_.Read(0), "closed");
  EXPECT_FALSE(call.done());
  EXPECT_EQ(scene_->stats().connections_open, 0U);
  EXPECT_TRUE(lane().connected());
}

TEST_F(CurlLaneTest, ExchangeOfAnotherLane_IsNotRemoved) {
  CurlLane& other = scene_->NewLane();
  LaneCall& call = scene_->Add(lane(), "/x");
  LaneCall& free = scene_->Make("/free");
  scene_->RunSoon();
  const SteadyTime used = other.last_use();
  scene_->Remove(other, call);
  scene_->Remove(other, free);
  EXPECT_EQ(call.transfer->lane, &lane());
  EXPECT_EQ(other.last_use(), used);
  peer_.Write(0, kAnswer);
  scene_->RunSoon();
  EXPECT_TRUE(call.ok());
}

// Receivers may give up any exchange, also the one that they belong to, while libcurl runs.
TEST_F(CurlLaneTest, RemovalInACallback_EndsTheExchangeAfterIt) {
  for (const bool twice : {false, true}) {
    SCOPED_TRACE(twice);
    Use({});
    const std::size_t first = peer_.Accepted();
    LaneCall& own = scene_->Add(lane(), "/own");
    LaneCall& other = scene_->Add(lane(), "/other");
    scene_->RunSoon();
    LaneCall& next = scene_->Make("/next");
    own.on_head = [&] {
      for (int i = 0; i < (twice ? 2 : 1); ++i) {
        lane().Remove(own.transfer);
        lane().Remove(other.transfer);
      }
      EXPECT_TRUE(own.transfer->in_multi) << "libcurl runs";
      lane().Add(next.transfer);
      EXPECT_FALSE(next.transfer->in_multi) << "libcurl runs";
      EXPECT_EQ(lane().size(), 3U);
    };
    peer_.Write(first, kAnswer);
    scene_->RunSoon();
    EXPECT_EQ(own.status(), 200);
    for (const LaneCall* const call : {&own, &other}) {
      EXPECT_FALSE(call->done());
      EXPECT_EQ(call->transfer->lane, nullptr);
      EXPECT_FALSE(call->transfer->in_multi);
    }
    EXPECT_THAT(Of(lane().Transfers()), ElementsAre(next.transfer.get()));
    EXPECT_THAT(peer_.Read(first + 2), HasSubstr("/next"));
    EXPECT_THAT(peer_.Read(first + 1), HasSubstr("/other"));
    EXPECT_EQ(peer_.Read(first + 1), "closed");
  }
}

// ---- Order

TEST_F(CurlLaneTest, Transfers_AreListedOldestFirst) {
  Use({.max_connections = 2});
  std::vector<LaneCall*> calls;
  std::vector<const void*> order;
  for (int i = 0; i < 12; ++i) {
    calls.push_back(&scene_->Add(lane(), "/x"));
    order.push_back(calls.back()->transfer.get());
    scene_->RunSoon();
  }
  EXPECT_EQ(Of(lane().Transfers()), order);
  EXPECT_EQ(lane().size(), 12U);
  EXPECT_EQ(lane().sockets(), 2U);
  EXPECT_TRUE(lane().Queued().empty()) << "they wait inside libcurl";
  EXPECT_EQ(lane().ScoutSince(), std::nullopt) << "those that wait for a connection are no scouts";
  std::size_t seen = 0;
  lane().ForEach([&](const auto&) { ++seen; });
  EXPECT_EQ(seen, 12U);
}

// ---- The end of a lane

TEST_F(CurlLaneTest, DestroyedLane_ClosesItsConnectionsAndLeavesItsExchanges) {
  CurlLane& doomed = scene_->NewLane();
  LaneCall& call = scene_->Add(doomed, "/x");
  LaneCall& answered = scene_->Add(doomed, "/y");
  scene_->RunSoon();
  peer_.Write(1, kAnswer);
  scene_->RunSoon();
  ASSERT_TRUE(answered.ok());
  LaneCall& kept = scene_->Add(lane(), "/kept");
  scene_->RunSoon();
  ASSERT_EQ(scene_->stats().connections_open, 3U);
  scene_->Destroy(doomed);
  EXPECT_EQ(call.transfer->lane, nullptr);
  EXPECT_FALSE(call.transfer->in_multi);
  EXPECT_EQ(scene_->stats().connections_open, 1U);
  EXPECT_EQ(scene_->stats().connections_opened, 3U);
  peer_.Read(0);
  EXPECT_EQ(peer_.Read(0), "closed");
  scene_->RunFor(1h);
  EXPECT_FALSE(call.done());
  EXPECT_FALSE(kept.done());
  EXPECT_EQ(kept.transfer->lane, &lane());
}

// ---- Sockets

TEST_F(CurlLaneTest, RefusedSocket_IsAnErrorAndNoConnection) {
  peer_.opens = false;
  LaneCall& call = scene_->Add(lane(), "/x");
  scene_->RunSoon();
  EXPECT_TRUE(call.failed());
  EXPECT_EQ(lane().sockets(), 0U);
  EXPECT_EQ(scene_->stats().connections_opened, 0U);
  EXPECT_FALSE(lane().retired) << "over HTTP/1.1 the next has a connection of its own";
  EXPECT_TRUE(lane().connected());
  peer_.opens = true;
  scene_->Add(lane(), "/x");
  scene_->RunSoon();
  EXPECT_EQ(peer_.Accepted(), 1U);
}

TEST_F(CurlLaneTest, ProcessWithoutFreeDescriptors_GetsAnError) {
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = usual.rlim_max};
  LaneCall& call = scene_->Make("/x");
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  scene_->Add(lane(), call);
  scene_->RunSoon();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_TRUE(call.failed());
  EXPECT_EQ(lane().sockets(), 0U);
  EXPECT_EQ(scene_->stats().connections_opened, 0U);
  EXPECT_EQ(scene_->stats().connections_open, 0U);
}

// A daemon may have closed its standard input.
TEST_F(CurlLaneTest, DescriptorZero_IsAConnectionAsAnyOther) {
  const int kept = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  LaneCall& call = scene_->Add(lane(), "/x");
  scene_->RunSoon();
  EXPECT_EQ(call.transfer->socket, 0);
  peer_.Write(0, kAnswer);
  scene_->RunSoon();
  EXPECT_TRUE(call.ok());
  scene_.reset();
  if (kept >= 0) {
    dup2(kept, STDIN_FILENO);
    close(kept);
  }
}

}  // namespace
}  // namespace kinformer::testing
