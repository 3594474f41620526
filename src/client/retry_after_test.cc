#include "client/retry_after.h"

#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::internal::client {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

TEST(PauseAfter, IsWhatTheServerAsksForUpToTwoMinutes) {
  const auto log = std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  Simulation sim({.log = log});
  const auto pause = [&](std::int64_t asked) {
    return PauseAfter(sim.env(),
                      Error(Reason::kTooManyRequests, "no").WithRetryAfter(seconds(asked)), "me");
  };
  EXPECT_EQ(PauseAfter(sim.env(), Error(Reason::kTooManyRequests, "no"), "me"), Duration(0));
  EXPECT_EQ(pause(-1), Duration(0));
  EXPECT_EQ(pause(0), Duration(0));
  EXPECT_EQ(pause(1), seconds(1));
  EXPECT_EQ(pause(119), seconds(119));
  EXPECT_EQ(pause(120), seconds(120));
  EXPECT_THAT(log->lines, ElementsAre());
  EXPECT_EQ(pause(121), seconds(120));
  EXPECT_THAT(log->lines,
              ElementsAre("the server asks for a longer pause than anybody should make; it is "
                          "asked again earlier who=me asked_seconds=121 seconds=120"));
}

}  // namespace
}  // namespace kinformer::internal::client
