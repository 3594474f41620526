#include "base/core/would_deadlock.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Only an index function gets the error, so the log must contain it.
TEST(WouldDeadlockTest, IsLogged_OnceAMinute) {
  const auto log = std::make_shared<FieldsLog>(LogLevel::kWarning);
  SimulationOptions options;
  options.log = log;
  Simulation sim(options);
  sim.RunFor(minutes(10));  // after log lines of other tests in this process
  for (int i = 0; i < 100; ++i) {
    const Error error = WouldDeadlock(sim.env(), "call " + std::to_string(i));
    EXPECT_EQ(error.reason(), Reason::kWouldDeadlock);
    EXPECT_EQ(error.message(), "call " + std::to_string(i));
  }
  EXPECT_THAT(log->lines, ElementsAre(HasSubstr("call 0")));
  sim.RunFor(minutes(1));
  static_cast<void>(WouldDeadlock(sim.env(), "later"));
  EXPECT_THAT(log->lines, ElementsAre(HasSubstr("call 0"), HasSubstr("later")));
}

}  // namespace
}  // namespace kinformer::internal::base
