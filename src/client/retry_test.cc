#include "kinformer/client/retry.h"

#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

class RetryTest : public ::testing::Test {
 protected:
  // Runs a blocking body, and records the times of its calls of Ask in `asked`.
  void Run(Closure body) {
    start_ = sim_.env().Now();
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(1)));
  }
  void Ask() {
    asked_.push_back(std::chrono::duration_cast<milliseconds>(sim_.env().Now() - start_).count());
  }
  // Fails with this number of conflicts, then succeeds.
  Result<int> Write(std::size_t conflicts) {
    Ask();
    if (asked_.size() > conflicts) return static_cast<int>(asked_.size());
    return Error(Reason::kConflict, "conflict " + std::to_string(asked_.size()));
  }

  Simulation sim_;
  SteadyTime start_{};
  std::vector<std::int64_t> asked_;
};

TEST_F(RetryTest, TheLastConflictIsReturned_UR01) {
  Run([&] {
    const auto result = retry::RetryOnConflict(sim_.env(), {.duration = seconds(1), .steps = 3},
                                               [&] { return Write(9); });
    EXPECT_EQ(result.error().message(), "conflict 3");
  });
  EXPECT_THAT(asked_, ElementsAre(0, 1000, 2000));
}

// The function may well use an object that it was given, whose version never changes.
TEST(RetryLog, ConflictsEachTimeAreNamed_ASuccessIsNot) {
  const auto log = std::make_shared<internal::base::FieldsLog>();
  Simulation sim({.log = log});
  int calls = 0;
  const auto until = [&](int conflicts) {
    calls = 0;
    return retry::RetryOnConflict(sim.env(), {.duration = seconds(1), .steps = 3},
                                  [&calls, conflicts]() -> Result<void> {
                                    if (++calls > conflicts) return {};
                                    return Error(Reason::kConflict, "modified");
                                  });
  };
  ASSERT_TRUE(sim.RunBlocking([&] { EXPECT_TRUE(until(2).ok()); }, std::chrono::hours(1)));
  EXPECT_EQ(log->text(), "");
  ASSERT_TRUE(sim.RunBlocking([&] { EXPECT_FALSE(until(9).ok()); }, std::chrono::hours(1)));
  EXPECT_EQ(
      log->text(),
      "RetryOnConflict gives up: each call of its function ended in a conflict; the function "
      "has to read the object itself, so that each call reads it anew times=3 err=modified\n");
}

TEST_F(RetryTest, Conflict_IsRetriedUntilSuccess_UR02_UR04) {
  Run([&] {
    EXPECT_EQ(retry::RetryOnConflict(sim_.env(), retry::kDefaultRetry, [&] { return Write(0); })
                  .value_or(-1),
              1);
  });
  asked_.clear();
  Run([&] {
    EXPECT_EQ(retry::RetryOnConflict(sim_.env(), retry::kDefaultBackoff, [&] { return Write(2); })
                  .value_or(-1),
              3);
  });
  EXPECT_EQ(asked_.size(), 3U);
  EXPECT_LT(asked_.back(), 70);
}

TEST_F(RetryTest, OtherErrors_AreNotRetried_UR03_UR05) {
  for (const Reason reason : {Reason::kForbidden, Reason::kCanceled}) {
    asked_.clear();
    Run([&] {
      const auto result =
          retry::RetryOnConflict(sim_.env(), retry::kDefaultRetry, [&]() -> Result<void> {
            Ask();
            return Error(reason, "no");
          });
      EXPECT_EQ(result.error().reason(), reason);
    });
    EXPECT_EQ(asked_.size(), 1U);
  }
}

TEST_F(RetryTest, StopEndsTheDelays) {
  std::stop_source stop;
  stop.request_stop();
  Run([&] {
    EXPECT_EQ(retry::RetryOnConflict(
                  sim_.env(), retry::kDefaultRetry, [&] { return Write(9); }, stop.get_token())
                  .error()
                  .message(),
              "conflict 1");
  });
}

}  // namespace
}  // namespace kinformer
