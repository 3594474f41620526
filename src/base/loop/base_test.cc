// Tests of the small parts of base: errors, results, metrics, log, stop, backoff.

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <thread>

#include "kinformer/base/error.h"
#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/result.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/stop.h"
#include "kinformer/internal/token_bucket.h"

#include "base/core/backoff.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(ErrorTest, CopiesAndMovesAndSaysWhatItIs) {
  Error error(Reason::kNotFound, "pods \"x\" not found");
  error.WithHttpStatus(404)
      .WithRetryAfter(seconds(3))
      .WithDetails({.name = "x", .kind = "pods"})
      .WithContext("https://h");
  const Error copy = error;
  const Error moved = std::move(error);
  for (const Error* e : {&copy, &moved}) {
    EXPECT_EQ(e->ToString(), "NotFound: https://h: pods \"x\" not found");
    EXPECT_EQ(e->http_status(), 404);
    EXPECT_EQ(e->retry_after(), seconds(3));
    EXPECT_EQ(e->details().kind, "pods");
  }
  std::ostringstream out;
  out << copy;
  EXPECT_EQ(out.str(), copy.ToString());
}

TEST(ErrorTest, EveryServerReasonHasItsName) {
  for (int i = 0; i <= static_cast<int>(Reason::kStopped); ++i) {
    const auto reason = static_cast<Reason>(i);
    EXPECT_NE(ReasonName(reason), "");
    EXPECT_EQ(ReasonFromName(ReasonName(reason)),
              reason <= Reason::kTimeout ? reason : Reason::kUnknown);
  }
  EXPECT_EQ(ReasonFromName("NoSuchReason"), Reason::kUnknown);
}

struct PredicateCase {
  Reason reason;
  int code;
  bool (*predicate)(internal::MaybeError);
  bool expected;
};

TEST(ErrorTest, PredicatesTakeResults) {
  const Result<int> absent = Error(Reason::kNotFound, "gone");
  EXPECT_TRUE(IsNotFound(absent));
  EXPECT_TRUE(IsAbsent(absent));
  EXPECT_FALSE(IsConflict(absent));
  const Result<int> well = 7;
  EXPECT_FALSE(IsNotFound(well));
  EXPECT_FALSE(IsTooManyRequests(well));
  EXPECT_FALSE(IsTooLargeResourceVersion(well));
  EXPECT_FALSE(IsNotFound(Result<void>()));
  EXPECT_TRUE(IsTooManyRequests(Result<void>(Error(Reason::kUnknown, "").WithHttpStatus(429))));
}

TEST(ErrorTest, PredicatesFollowApimachinery) {
  const PredicateCase kCases[] = {
      {Reason::kNotFound, 0, &IsNotFound, true},
      {Reason::kUnknown, 404, &IsNotFound, true},
      {Reason::kForbidden, 404, &IsNotFound, false},  // a known reason wins over the code
      {Reason::kUnknown, 409, &IsConflict, true},
      {Reason::kAlreadyExists, 409, &IsConflict, false},
      {Reason::kUnknown, 409, &IsAlreadyExists, false},
      {Reason::kForbidden, 429, &IsTooManyRequests, true},  // this code is always believed
      {Reason::kUnknown, 413, &IsRequestEntityTooLarge, true},
      {Reason::kExpired, 410, &IsGone, false},
      {Reason::kExpired, 410, &IsResourceExpired, true},
      {Reason::kUnknown, 410, &IsResourceExpired, false},
      {Reason::kUnknown, 500, &IsServerTimeout, false},
      {Reason::kConnectionRefused, 0, &IsConnectionRefused, true},
  };
  for (const PredicateCase& c : kCases) {
    Error error(c.reason, "");
    error.WithHttpStatus(c.code);
    EXPECT_EQ(c.predicate(error), c.expected) << ReasonName(c.reason) << " " << c.code;
  }
}

TEST(ErrorTest, RecognisesTooLargeResourceVersion) {
  EXPECT_TRUE(IsTooLargeResourceVersion(
      Error(Reason::kTimeout, "")
          .WithDetails({.causes = {{.reason = "ResourceVersionTooLarge"}}})));
  EXPECT_TRUE(IsTooLargeResourceVersion(
      Error(Reason::kTimeout, "Too large resource version: 9, current: 1")));
  EXPECT_TRUE(IsTooLargeResourceVersion(
      Error(Reason::kUnknown, "")
          .WithHttpStatus(504)
          .WithDetails({.causes = {{.message = "Too large resource version"}}})));
  EXPECT_FALSE(IsTooLargeResourceVersion(Error(Reason::kTimeout, "slow")));
  EXPECT_FALSE(IsTooLargeResourceVersion(Error(Reason::kInvalid, "Too large resource version")));
}

TEST(ResultTest, HoldsAValueOrAnError) {
  const Result<int> value = 7;
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(*value, 7);
  const Result<int> failed = Error(Reason::kGone, "gone");
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error().reason(), Reason::kGone);
  EXPECT_EQ(failed.value_or(3), 3);
  const Result<std::unique_ptr<int>> converted = std::make_unique<int>(1);
  EXPECT_TRUE(converted.ok());
  EXPECT_TRUE(Result<void>().ok());
}

TEST(ResultDeathTest, ErrorOfAResultThatSucceeded_EndsTheProcessWithWords) {
  const Result<int> value = 7;
  EXPECT_EXIT(static_cast<void>(value.error()), ::testing::KilledBySignal(SIGABRT),
              "error\\(\\) of a Result that succeeded was read");
  EXPECT_EXIT(static_cast<void>(Result<int>(7).error()), ::testing::KilledBySignal(SIGABRT),
              "ask ok\\(\\) first");
  EXPECT_EXIT(static_cast<void>(Result<void>().error()), ::testing::KilledBySignal(SIGABRT),
              "ask ok\\(\\) first");
  const Result<void> done;
  EXPECT_EXIT(static_cast<void>(done.error()), ::testing::KilledBySignal(SIGABRT),
              "ask ok\\(\\) first");
}

TEST(ResultDeathTest, ReadingAFailedResultEndsTheProcess) {
  const Result<int> failed = Error(Reason::kGone, "gone");
  EXPECT_EXIT(static_cast<void>(failed.value()), ::testing::KilledBySignal(SIGABRT), "Gone: gone");
  EXPECT_EXIT(static_cast<void>(Result<int>(Error(Reason::kConfig, "no kubeconfig")).OrExit()),
              ::testing::ExitedWithCode(1), "error: no kubeconfig");
}

TEST(LogTest, WritesOneQuotedLine) {
  const std::unique_ptr<LogSink> log = NewStderrLog(LogLevel::kInfo);
  ::testing::internal::CaptureStderr();
  log->Log(LogLevel::kDebug, "too fine", {});
  log->Log(LogLevel::kWarning, "watch ended",
           {{"resource", "pods"}, {"err", "a \"b\"\nc"}, {"empty", ""}});
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, ::testing::MatchesRegex("W[0-9]+ ..:..:...[0-9]+ watch ended  resource=pods "
                                            "err=\"a \\\\\"b\\\\\"\\\\nc\" empty=\"\"\n"));
}

TEST(LogTest, ControlCharactersInLogFields_AreEscaped) {
  const std::unique_ptr<LogSink> log = NewStderrLog(LogLevel::kInfo);
  ::testing::internal::CaptureStderr();
  log->Log(LogLevel::kWarning, "the server warns\u009b2J",
           {{"warning", "gpj\u202eexe \x9b"}, {"name", "a\u2066b"}, {"path", "c:\\x"}});
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr(R"(the server warns\u009b2J  warning="gpj\u202eexe \x9b" )"
                              R"(name="a\u2066b" path="c:\\x")"
                              "\n"));
}

TEST(MetricsTest, WritesPrometheusText) {
  const std::unique_ptr<TextMetrics> metrics = NewTextMetrics();
  metrics->NewCounter("c_total", "counts", {{"name", "a\"b"}})->Add();
  metrics->NewCounter("c_total", "counts", {{"name", "a\"b"}})->Add(2);
  metrics->NewGauge("g", "a gauge", {})->Set(1.5);
  const auto histogram = metrics->NewHistogram("workqueue_x_seconds", "times", {{"name", "q"}});
  histogram->Observe(0.5);
  histogram->Observe(5000);
  const std::string text = metrics->Text();
  EXPECT_THAT(text, HasSubstr("# HELP c_total counts\n# TYPE c_total counter\n"
                              "c_total{name=\"a\\\"b\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE g gauge\ng 1.5\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_x_seconds_bucket{name=\"q\",le=\"0.1\"} 0\n"
                              "workqueue_x_seconds_bucket{name=\"q\",le=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_x_seconds_bucket{name=\"q\",le=\"+Inf\"} 2\n"
                              "workqueue_x_seconds_sum{name=\"q\"} 5000.5\n"
                              "workqueue_x_seconds_count{name=\"q\"} 2\n"));
}

TEST(StopTest, WaitReturnsWhenStopIsRequested) {
  StopSource source;
  const StopSource same = source;
  std::thread thread([&] { source.RequestStop(); });
  same.Wait();
  thread.join();
  EXPECT_TRUE(same.stop_requested());
  EXPECT_TRUE(same.token().stop_requested());
}

TEST(StopDeathTest, SignalsStopOnceAndEndTheSecondTime) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        StopSource stop = StopOnSignals();
        std::raise(SIGTERM);
        stop.Wait();
        std::_Exit(StopOnSignals().stop_requested() ? 7 : 8);
      },
      ::testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        StopSource stop = StopOnSignals();
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::ExitedWithCode(130), "");
}

TEST(BackoffTest, DoublesUpToTheCap) {
  Simulation sim;
  internal::base::BackoffManager backoff(sim.env(), {.jitter = 0});
  for (const int expected : {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}) {
    EXPECT_EQ(backoff.Next(), milliseconds(expected));
  }
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), milliseconds(800));
}

TEST(BackoffTest, JitterAddsUpToTheWholeDelay) {
  Simulation sim;
  internal::base::BackoffManager backoff(sim.env());
  Duration least = std::chrono::hours(1);
  Duration most{0};
  for (int i = 0; i < 1000; ++i) {
    backoff.Reset();
    const Duration delay = backoff.Next();
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  EXPECT_GE(least, milliseconds(800));
  EXPECT_LT(least, milliseconds(820));
  EXPECT_LT(most, milliseconds(1600));
  EXPECT_GT(most, milliseconds(1580));
}

TEST(BackoffTest, ScalingStopsBeforeTheCountOverflows) {
  EXPECT_EQ(internal::base::Scaled(milliseconds(3), 1.5), std::chrono::microseconds(4500));
  EXPECT_EQ(internal::base::Scaled(milliseconds(3), -1), Duration(0));
  EXPECT_EQ(internal::base::Scaled(std::chrono::hours(1), 1e30).count(), 9'000'000'000'000'000'000);
}

TEST(BackoffTest, StartsAgainOnlyAfterAQuietTime) {
  Simulation sim;
  internal::base::BackoffManager backoff(sim.env(), {.jitter = 0});
  // The sequence does not restart during an outage of half an hour.
  Duration delay{0};
  int attempts = 0;
  const SteadyTime start = sim.env().Now();
  while (sim.env().Now() - start < minutes(30)) {
    const Duration next = backoff.Next();
    EXPECT_GE(next, delay);
    delay = next;
    ++attempts;
    sim.RunFor(delay);
  }
  EXPECT_LT(attempts, 70);
  sim.RunFor(minutes(2));
  EXPECT_EQ(backoff.Next(), seconds(30));  // quiet for exactly the limit is not enough
  sim.RunFor(seconds(30) + minutes(2) + milliseconds(1));
  EXPECT_EQ(backoff.Next(), milliseconds(800));
}

TEST(TokenBucket, BurstThenRate) {
  internal::TokenBucket bucket(5, 2);
  SteadyTime now{std::chrono::hours(1)};
  EXPECT_EQ(bucket.Reserve(now), Duration{0});
  EXPECT_EQ(bucket.Reserve(now), Duration{0});
  EXPECT_EQ(bucket.Reserve(now), std::chrono::milliseconds(200));
  EXPECT_EQ(bucket.Reserve(now), std::chrono::milliseconds(400));
  bucket.Return();
  EXPECT_EQ(bucket.Reserve(now), std::chrono::milliseconds(400));
  now += std::chrono::hours(1);  // never more than the burst
  EXPECT_EQ(bucket.Reserve(now), Duration{0});
  EXPECT_EQ(bucket.Reserve(now), Duration{0});
  EXPECT_GT(bucket.Reserve(now), Duration{0});
}

// Like client-go's TryAccept: takes a token only if one is available now.
bool TryAccept(internal::TokenBucket& bucket, SteadyTime now) {
  if (bucket.Reserve(now) == Duration{0}) return true;
  bucket.Return();
  return false;
}

TEST(TokenBucket, ABurstOfThree_FC10) {
  internal::TokenBucket bucket(1, 3);
  const SteadyTime now{std::chrono::hours(1)};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(TryAccept(bucket, now)) << i;
  EXPECT_FALSE(TryAccept(bucket, now));
}

TEST(TokenBucket, Refilled_FC11) {
  internal::TokenBucket bucket(1, 1);
  const SteadyTime now{std::chrono::hours(1)};
  EXPECT_TRUE(TryAccept(bucket, now));
  EXPECT_FALSE(TryAccept(bucket, now));
  EXPECT_TRUE(TryAccept(bucket, now + std::chrono::seconds(2)));
}

TEST(TokenBucket, NoDrift_FC15) {
  internal::TokenBucket bucket(1 / 1.031425, 1);
  SteadyTime now{std::chrono::hours(24 * 365 * 20)};
  for (int i = 0; i < 60; ++i, now += std::chrono::seconds(2)) {
    EXPECT_TRUE(TryAccept(bucket, now)) << i;
  }
  // A caller that is always slightly early waits exactly that time each time.
  internal::TokenBucket steady(1 / 1.031425, 1);
  constexpr auto kPeriod = std::chrono::microseconds(1'031'425);
  constexpr auto kEarly = std::chrono::milliseconds(1);
  EXPECT_TRUE(TryAccept(steady, now));
  for (int i = 0; i < 100'000; ++i) {
    now += kPeriod;
    const Duration wait = steady.Reserve(now - kEarly);
    ASSERT_NEAR(static_cast<double>(wait.count()), static_cast<double>(Duration(kEarly).count()),
                1000)
        << i;
  }
}

TEST(TokenBucket, NoRateOrAnInfiniteOneIsNoLimit) {
  internal::TokenBucket bucket(-1, 1);
  internal::TokenBucket infinite(std::numeric_limits<double>::infinity(), 1);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(bucket.Reserve(SteadyTime{}), Duration{0});
    ASSERT_EQ(infinite.Reserve(SteadyTime{}), Duration{0});
  }
}

}  // namespace
}  // namespace kinformer
