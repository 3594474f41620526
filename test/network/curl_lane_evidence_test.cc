// CurlLane: how long answers were awaited in vain, and the options of its sockets.

#include <arpa/inet.h>
#include <chrono>
#include <curl/curl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "network/lane_scene.h"
#include "transport/curl_lane.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using internal::transport::CurlLane;

// ---- AwaitedInVain

class CurlLaneEvidence : public ::testing::Test {
 protected:
  CurlLaneEvidence() {
    scene_.Add(lane_, "/watch");
    scene_.RunFor(1s);
    scene_.OnLoop([&] { scene_.network().Freeze(0); });
  }
  LaneCall& Ask() { return scene_.Add(lane_, "/slow/0"); }
  Duration GiveUp(LaneCall& call) {
    Duration awaited{0};
    scene_.OnLoop([&] {
      awaited = lane_.AwaitedInVain(*call.transfer);
      lane_.Remove(call.transfer);
    });
    return awaited;
  }
  // Data for an older exchange.
  void Hear() {
    scene_.OnLoop([&] { lane_.OnSocket(-1, CURL_CSELECT_IN); });
  }

  LaneScene scene_;
  CurlLane& lane_ = scene_.NewLane();
};

TEST_F(CurlLaneEvidence, WaitsInVain_AddUpAndOverlapsCountOnce) {
  LaneCall& one = Ask();
  LaneCall& two = Ask();
  scene_.RunFor(2s);
  EXPECT_EQ(GiveUp(one), 2s);
  scene_.RunFor(1s);
  LaneCall& three = Ask();
  EXPECT_EQ(GiveUp(two), 3s);
  scene_.RunFor(4s);
  EXPECT_EQ(GiveUp(three), 7s);
  scene_.RunFor(60s);
  LaneCall& four = Ask();
  scene_.RunFor(500ms);
  EXPECT_EQ(GiveUp(four), 7500ms) << "nobody waited in between";
}

TEST_F(CurlLaneEvidence, DataOnTheConnection_BeginsTheWaitAnew) {
  LaneCall& one = Ask();
  scene_.RunFor(2s);
  Hear();
  scene_.RunFor(1s);
  EXPECT_EQ(GiveUp(one), 1s) << "since the data";
  LaneCall& two = Ask();
  scene_.RunFor(5s);
  LaneCall& three = Ask();
  EXPECT_EQ(GiveUp(two), 6s);
  scene_.RunFor(1s);
  Hear();
  EXPECT_EQ(GiveUp(three), 0s);
  LaneCall& four = Ask();
  scene_.RunFor(3s);
  EXPECT_EQ(GiveUp(four), 3s);
}

TEST_F(CurlLaneEvidence, DataAtTheMomentOfGivingUp_CountsForTheNext) {
  LaneCall& one = Ask();
  scene_.RunFor(5s);
  EXPECT_EQ(GiveUp(one), 5s);
  Hear();
  LaneCall& two = Ask();
  scene_.RunFor(1s);
  EXPECT_EQ(GiveUp(two), 1s);
}

// With several connections, only what the exchange itself has got counts for it.
TEST_F(CurlLaneEvidence, OverHttp1_AWaitBeginsWithTheExchangesOwnProgress) {
  LaneScene scene({.options = {.disable_http2 = true}});
  CurlLane& lane = scene.NewLane();
  LaneCall& heard = scene.Add(lane, "/lines/0/2");
  LaneCall& silent = scene.Add(lane, "/slow/60");
  scene.Add(lane, "/ticks");
  scene.RunFor(5500ms);
  ASSERT_EQ(heard.bytes(), 10U);
  const auto awaited = [&](const LaneCall& call) {
    Duration result{0};
    scene.OnLoop([&] { result = lane.AwaitedInVain(*call.transfer); });
    return result;
  };
  EXPECT_EQ(awaited(heard), 3500ms);
  scene.RunFor(300ms);
  EXPECT_EQ(awaited(silent), 3800ms) << "the time before counts once";
}

// ---- Sockets of the system

TEST(CurlLaneAddresses, ConnectionsOfBothFamilies_EndAfter30SecondsWithoutAcknowledgement) {
  for (const int family : {AF_INET, AF_INET6}) {
    SCOPED_TRACE(family);
    const int listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_addr = in6addr_loopback;
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool bound =
        family == AF_INET
            ? bind(listener, reinterpret_cast<const sockaddr*>(&four), sizeof four) == 0
            : bind(listener, reinterpret_cast<const sockaddr*>(&six), sizeof six) == 0;
    if (bound) {  // a machine may lack IPv6
      EXPECT_EQ(listen(listener, 4), 0);
      sockaddr_in6 own{};  // the port is at the same place in both
      socklen_t size = sizeof own;
      EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&own), &size), 0);
      LaneScene scene({.tls = false,
                       .host = family == AF_INET ? "127.0.0.1" : "::1",
                       .port = std::to_string(ntohs(own.sin6_port)),
                       .real_sockets = true});
      CurlLane& lane = scene.NewLane();
      LaneCall& call = scene.Add(lane, "/x");
      for (int i = 0; i < 10'000 && lane.sockets() == 0; ++i) scene.RunFor(1ms);
      EXPECT_EQ(lane.sockets(), 1U);
      unsigned timeout_ms = 0;
      socklen_t length = sizeof timeout_ms;
      EXPECT_EQ(
          getsockopt(call.transfer->socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, &length),
          0);
      EXPECT_EQ(timeout_ms, 30000U);
    } else {
      EXPECT_EQ(family, AF_INET6);
    }
    close(listener);
  }
}

}  // namespace
}  // namespace kinformer::testing
