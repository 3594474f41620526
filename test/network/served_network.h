// test/network/served_network.h
//
// ServedNetwork: a server behind simulated sockets, for tests of the transport over libcurl.

#ifndef KINFORMER_TEST_NETWORK_SERVED_NETWORK_H_
#define KINFORMER_TEST_NETWORK_SERVED_NETWORK_H_

#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"

#include "network/paced_handler.h"
#include "network/simulated_network.h"
#include "network/socket_scene.h"

namespace kinformer::testing {

inline constexpr char kServer[] = "https://127.0.0.1:6443";
inline constexpr ConnectionPool kWatches = ConnectionPool::kWatch;
// The slack of a moment: less than any period.
inline constexpr Duration kNow = std::chrono::milliseconds(10);

inline std::string Ms(Duration duration) {
  return std::to_string(duration / std::chrono::milliseconds(1)) + " ms";
}

class ServedNetwork : public ::testing::Test {
 protected:
  // `age`: how long the server has run before the test begins.
  explicit ServedNetwork(Duration age = std::chrono::hours(1)) {
    scene_.Serve(handler_);
    RunFor(age);
  }
  ~ServedNetwork() override { scene_.StopServing(); }
  [[nodiscard]] SimulatedNetwork& network() { return scene_.network(); }
  void RunFor(Duration duration) { scene_.sim().RunFor(duration); }
  // Runs until the given time since the last Mark.
  void RunTo(Duration time) { RunFor(time - (scene_.env().Now() - mark_)); }
  void Mark() { mark_ = scene_.env().Now(); }

  SocketScene scene_{1};
  PacedHandler handler_{scene_.env()};
  SteadyTime mark_{};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_SERVED_NETWORK_H_
