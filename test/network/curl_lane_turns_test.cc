// CurlLane over HTTP/2: when it asks libcurl again without being told of new data, since libcurl
// may keep data back.

#include <array>
#include <chrono>
#include <cstddef>
#include <curl/curl.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>

#include "network/lane_scene.h"
#include "transport/curl_lane.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using internal::transport::CurlLane;

class CurlLaneAsks : public ::testing::Test {
 protected:
  CurlLaneAsks() {
    call_ = &scene_.Add(lane_, "/watch");
    scene_.RunFor(1s);
    EXPECT_EQ(call_->bytes(), 5U);
    EXPECT_FALSE(lane_.http1());
  }
  // Returns how often the lane posts itself, without new readiness of a socket.
  int Posts(const std::function<void()>& work) {
    const int before = scene_.posted();
    scene_.OnLoop(work);
    for (int i = 0; i < 10 && scene_.sim().Step(); ++i) {
    }
    return scene_.posted() - before;
  }
  void FullBuffer() {
    lane_.OnFullBuffer();
    lane_.OnSocket(-1, CURL_CSELECT_OUT);
  }

  LaneScene scene_;
  CurlLane& lane_ = scene_.NewLane();
  LaneCall* call_ = nullptr;
};

TEST_F(CurlLaneAsks, FullBuffer_IsAskedUntilTwoQuietRounds) {
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(Posts([&] { FullBuffer(); }), 2);
    EXPECT_EQ(Posts([&] { lane_.OnSocket(-1, CURL_CSELECT_OUT); }), 0);
  }
  EXPECT_EQ(Posts([&] {
              FullBuffer();
              FullBuffer();
            }),
            2)
      << "one question at a time";
}

TEST_F(CurlLaneAsks, LaneWithoutExchanges_IsAskedOnce) {
  scene_.Remove(lane_, *call_);
  EXPECT_EQ(Posts([&] { FullBuffer(); }), 1);
  EXPECT_EQ(Posts([&] { FullBuffer(); }), 1);
}

TEST_F(CurlLaneAsks, DataInARound_IsReadAndBeginsTheCountAnew) {
  scene_.Remove(lane_, *call_);
  LaneCall& ticks = scene_.Add(lane_, "/ticks");
  scene_.RunFor(100ms);
  ASSERT_EQ(ticks.bytes(), 5U);
  const std::size_t read = ticks.bytes();
  const int socket = ticks.transfer->socket;
  EXPECT_EQ(socket, -1) << "it uses the connection of the one before";
  // The server's next line is on its way when the lane asks.
  scene_.loop().Forget(lane_);
  scene_.RunFor(1s);
  ASSERT_EQ(ticks.bytes(), read) << "nobody told the lane";
  EXPECT_EQ(Posts([&] { FullBuffer(); }), 3);
  EXPECT_EQ(ticks.bytes(), read + 5);
}

TEST_F(CurlLaneAsks, Http1_IsNotAsked) {
  LaneScene scene({.options = {.disable_http2 = true}});
  CurlLane& lane = scene.NewLane();
  scene.Add(lane, "/watch");
  scene.RunFor(1s);
  const int before = scene.posted();
  scene.OnLoop([&] {
    lane.OnFullBuffer();
    lane.OnSocket(-1, CURL_CSELECT_OUT);
  });
  scene.RunFor(1s);
  EXPECT_EQ(scene.posted(), before);
}

// The question that is already posted finds the lane gone.
TEST_F(CurlLaneAsks, LaneThatIsGone_IsNotAsked) {
  alignas(CurlLane) std::array<std::byte, sizeof(CurlLane)> room{};
  CurlLane* const lane = std::construct_at(reinterpret_cast<CurlLane*>(room.data()),
                                           scene_.shared(), scene_.loop(), ConnectionPool::kShort);
  LaneCall& call = scene_.Add(*lane, "/watch");
  scene_.RunFor(1s);
  ASSERT_EQ(call.bytes(), 5U);
  const int posted = scene_.posted();
  scene_.OnLoop([&] {
    lane->OnFullBuffer();
    lane->OnSocket(-1, CURL_CSELECT_OUT);
    std::destroy_at(lane);
    room.fill(std::byte{0});
  });
  EXPECT_EQ(scene_.posted(), posted + 1);
  scene_.RunFor(1h);
  EXPECT_EQ(scene_.posted(), posted + 1);
  EXPECT_FALSE(call.done());
}

}  // namespace
}  // namespace kinformer::testing
