#include "client/patience.h"

#include <chrono>
#include <gtest/gtest.h>
#include <stop_token>

#include "kinformer/base/simulation.h"

namespace kinformer::internal::client {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(Patience, Timeout_IsSharedByAllRequests) {
  Simulation sim;
  const Patience patience(sim.env(), {.timeout = seconds(10)}, "the list");
  EXPECT_EQ(patience.Left()->timeout, seconds(10));
  sim.RunFor(seconds(4));
  EXPECT_EQ(patience.Left()->timeout, seconds(6));
  sim.RunFor(seconds(6) - Duration(1));
  EXPECT_EQ(patience.Left()->timeout, Duration(1));
  sim.RunFor(Duration(1));
  // A timeout of zero would mean none.
  EXPECT_EQ(patience.Left().error().reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(patience.Left().error().message(), "the list took longer than the caller allows");
}

TEST(Patience, ShortestTimeout_Expires) {
  Simulation sim;
  const Patience patience(sim.env(), {.timeout = Duration(1)}, "the list");
  EXPECT_TRUE(patience.Left().ok());
  sim.RunFor(Duration(1));
  EXPECT_EQ(patience.Left().error().reason(), Reason::kDeadlineExceeded);
}

TEST(Patience, WithoutTimeout_OnlyStopEndsIt) {
  Simulation sim;
  std::stop_source stop;
  const Patience patience(sim.env(), {.stop = stop.get_token()}, "the list");
  sim.RunFor(hours(100));
  ASSERT_TRUE(patience.Left().ok());
  EXPECT_EQ(patience.Left()->timeout, Duration(0));
  stop.request_stop();
  EXPECT_EQ(patience.Left().error().reason(), Reason::kCanceled);
}

}  // namespace
}  // namespace kinformer::internal::client
