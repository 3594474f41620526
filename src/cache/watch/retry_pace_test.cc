#include "cache/watch/retry_pace.h"

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;

class RetryPaceTest : public ::testing::Test {
 protected:
  static Error Failure(int http_status, Reason reason = Reason::kInternalError) {
    return Error(reason, "no").WithHttpStatus(http_status);
  }
  // Returns the n-th pause, counted from 1, after n such errors of a new pace.
  Duration Nth(const Error& error, int n) {
    RetryPace pace = Make();
    Duration pause{};
    for (int i = 0; i < n; ++i) pause = pace.After(error);
    return pause;
  }
  RetryPace Make() { return {sim_.env(), {.initial = milliseconds(800), .cap = seconds(30)}}; }
  // Jitter doubles a pause at most.
  static void ExpectBetween(Duration pause, Duration least) {
    EXPECT_GE(pause, least);
    EXPECT_LE(pause, 2 * least);
  }

  Simulation sim_;
};

TEST_F(RetryPaceTest, Pause_DependsOnKindOfError) {
  for (int n = 1; n <= 12; ++n) {
    const auto grown = [n](Duration first, double factor, Duration cap) {
      double pause = static_cast<double>(first.count());
      for (int i = 1; i < n; ++i) pause *= factor;
      return std::min(Duration(static_cast<std::int64_t>(pause)), cap);
    };
    SCOPED_TRACE(n);
    ExpectBetween(Nth(Failure(410, Reason::kExpired), n), grown(milliseconds(500), 2, seconds(30)));
    ExpectBetween(Nth(Failure(429, Reason::kTooManyRequests), n),
                  grown(milliseconds(500), 1.5, milliseconds(2500)));
    for (const int denial : {401, 403, 404}) {
      ExpectBetween(Nth(Failure(denial), n), grown(seconds(1), 1.5, milliseconds(4500)));
    }
    ExpectBetween(Nth(Failure(500), n), grown(milliseconds(800), 2, seconds(30)));
    ExpectBetween(Nth(Failure(0, Reason::kConnectionRefused), n),
                  grown(milliseconds(800), 2, milliseconds(2200)));
  }
}

TEST_F(RetryPaceTest, TimeInWhichNoAnswerCameIsAPartOfThePause) {
  const Error unreachable = Failure(0, Reason::kTransport);
  const auto after = [&](const Error& error, Duration waited) {
    RetryPace pace = Make();
    for (int i = 0; i < 10; ++i) (void)pace.After(error);
    pace.Asks();
    sim_.RunFor(waited);
    return pace.After(error);
  };
  ExpectBetween(after(unreachable, Duration(0)), milliseconds(2200));
  EXPECT_LE(after(unreachable, seconds(2)), milliseconds(2400));
  ExpectBetween(after(unreachable, seconds(30)), milliseconds(550));
  EXPECT_GE(after(Failure(500), seconds(29)), seconds(30)) << "that was an answer";
  RetryPace pace = Make();
  pace.Asks();
  pace.Answered();
  sim_.RunFor(seconds(30));
  ExpectBetween(pace.After(unreachable), milliseconds(800));
}

TEST_F(RetryPaceTest, NeverLessThanRetryAfter) {
  for (const int status : {429, 503, 500}) {
    for (const int n : {1, 4}) {
      const Duration pause = Nth(Failure(status).WithRetryAfter(seconds(20)), n);
      EXPECT_GE(pause, seconds(20));
      EXPECT_LE(pause, seconds(24)) << "they return within four seconds";
      ExpectBetween(Nth(Failure(status).WithRetryAfter(seconds(3)), 1), seconds(3));
    }
  }
  // A list at another version does not wait for Retry-After.
  EXPECT_LE(Nth(Failure(410, Reason::kExpired).WithRetryAfter(seconds(20)), 1), seconds(1));
}

TEST_F(RetryPaceTest, NoServerPutsAnInformerToSleep) {
  for (const std::int64_t asked :
       {std::int64_t{121}, std::int64_t{100'000'000}, std::int64_t{9'000'000'000'000'000'000}}) {
    const auto log = std::make_shared<base::FieldsLog>(LogLevel::kWarning);
    Simulation sim({.log = log});
    RetryPace pace(sim.env(), {}, "pods");
    const Error refused =
        Failure(429, Reason::kTooManyRequests).WithRetryAfter(std::chrono::seconds(asked));
    ExpectBetween(pace.After(refused), minutes(2));
    ASSERT_EQ(log->lines.size(), 1U);
    EXPECT_THAT(log->lines[0], HasSubstr("who=pods"));
    EXPECT_THAT(log->lines[0], HasSubstr("asked_seconds=" + std::to_string(asked)));
    EXPECT_THAT(log->lines[0], HasSubstr(" seconds=120"));
  }
  const auto log = std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  Simulation sim({.log = log});
  RetryPace pace(sim.env(), {}, "pods");
  ExpectBetween(pace.After(Failure(503).WithRetryAfter(minutes(2))), minutes(2));
  EXPECT_THAT(log->lines, IsEmpty());
}

TEST_F(RetryPaceTest, AWatchThatHasLastedEndsEveryBackOff) {
  const std::vector<std::pair<Error, Duration>> first = {
      {Failure(410, Reason::kExpired), milliseconds(500)},
      {Failure(429, Reason::kTooManyRequests), milliseconds(500)},
      {Failure(404, Reason::kNotFound), seconds(1)},
      {Failure(500), milliseconds(800)},
      {Failure(0, Reason::kTransport), milliseconds(800)},
  };
  // The required time depends on the cost of a list.
  for (const auto& [objects, lasts] : std::vector<std::pair<std::size_t, Duration>>{
           {10, seconds(4)}, {10'000, seconds(5)}, {1'000'000, seconds(23)}}) {
    RetryPace pace = Make();
    for (int i = 0; i < 20; ++i) {
      for (const auto& [error, least] : first) (void)pace.After(error);
    }
    pace.WatchLasted(lasts - seconds(2), objects);
    EXPECT_GE(pace.After(Failure(500)), seconds(30)) << "a server may admit and end them all";
    pace.WatchLasted(lasts, objects);
    for (const auto& [error, least] : first) ExpectBetween(pace.After(error), least);
  }
}

TEST_F(RetryPaceTest, AListEndsTheBackOffOfRefusalsAlone) {
  RetryPace pace = Make();
  for (int i = 0; i < 20; ++i) {
    (void)pace.After(Failure(429, Reason::kTooManyRequests));
    (void)pace.After(Failure(403, Reason::kForbidden));
  }
  pace.Listed();
  ExpectBetween(pace.After(Failure(429, Reason::kTooManyRequests)), milliseconds(500));
  EXPECT_GE(pace.After(Failure(403, Reason::kForbidden)), milliseconds(4500))
      << "who may list may not be allowed to watch";
}

TEST_F(RetryPaceTest, LargerCollection_WaitsLonger) {
  RetryPace pace = Make();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(pace.BySize(0), Duration(0));
    EXPECT_EQ(pace.BySize(99), Duration(0));
    ExpectBetween(pace.BySize(100), milliseconds(5));
    ExpectBetween(pace.BySize(10'000), milliseconds(500));
    ExpectBetween(pace.BySize(100'000), seconds(5));
    ExpectBetween(pace.BySize(1'000'000), seconds(5));
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
