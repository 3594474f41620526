#include "base/core/log_allowance.h"

#include <chrono>
#include <gtest/gtest.h>

#include "kinformer/base/simulation.h"

namespace kinformer::internal::base {
namespace {

TEST(LogAllowance, TheFirstOfAMinuteAreSaidAndTheOthersCounted) {
  Simulation sim;
  LogAllowance allowance(sim.env());
  const auto take = [&](std::size_t times) {
    std::size_t said = 0;
    for (std::size_t i = 0; i < times; ++i) said += allowance.Take() ? 1 : 0;
    return said;
  };
  EXPECT_EQ(take(10), 10U);
  EXPECT_EQ(allowance.TakeUntold(), 0U);
  EXPECT_EQ(take(5000), LogAllowance::kMost - 10);
  EXPECT_EQ(allowance.TakeUntold(), 5010 - LogAllowance::kMost);
  EXPECT_EQ(take(7), 0U);
  EXPECT_EQ(allowance.TakeUntold(), 0U) << "their number is said once a minute";
  sim.RunFor(LogAllowance::kPeriod);
  EXPECT_EQ(take(100), LogAllowance::kMost);
  EXPECT_EQ(allowance.TakeUntold(), 107 - LogAllowance::kMost);
}

}  // namespace
}  // namespace kinformer::internal::base
