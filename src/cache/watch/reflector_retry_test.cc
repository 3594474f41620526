// Recovery of the reflector after failures, and its pauses: rows R and RD of the catalogue.

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

#include "cache/watch/reflector.h"
#include "cache/watch/testing/reflector_fixture.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// A server that refuses connections; measures the pauses after the refusals.
class RefusedTest : public ReflectorTest {
 protected:
  std::vector<Duration> Waits(int refusals, base::BackoffOptions backoff) {
    for (int i = 0; i < refusals; ++i) server_.watch_errors.push_back(Refused());
    ReflectorOptions options;
    options.backoff = backoff;
    Start(std::move(options));
    std::vector<Duration> waits;
    SteadyTime last = Now();
    for (std::size_t asked = Count("WATCH"); server_.open_watches() == 0; ++asked) {
      const auto again = [&] { return Count("WATCH") > asked; };
      if (!sim_.RunUntil(again, minutes(10))) break;
      waits.push_back(Now() - last);
      last = Now();
      sim_.RunReady();
    }
    EXPECT_EQ(server_.open_watches(), 1U);
    EXPECT_EQ(Count("LIST"), 1U) << "nothing has happened to the list";
    return waits;
  }
};

TEST_F(RefusedTest, EachWaitIsTwiceTheOneBeforeWithJitter_R15) {
  const std::vector<Duration> waits =
      Waits(5, {.initial = milliseconds(1), .cap = milliseconds(50)});
  ASSERT_EQ(waits.size(), 5U);
  Duration base = milliseconds(1);
  for (const Duration wait : waits) {
    EXPECT_GE(wait, base);
    EXPECT_LE(wait, 2 * base);
    base *= 2;
  }
}

TEST_F(RefusedTest, TheWaitsStayAtTheirCap_R16) {
  const std::vector<Duration> waits =
      Waits(40, {.initial = milliseconds(1), .cap = milliseconds(50)});
  ASSERT_EQ(waits.size(), 40U);
  Duration total(0);
  for (std::size_t i = 6; i < waits.size(); ++i) {
    EXPECT_GE(waits[i], milliseconds(50)) << i;
    EXPECT_LE(waits[i], milliseconds(100)) << i;
    total += waits[i];
  }
  // The mean of 34 draws: jitter is not all or nothing.
  EXPECT_GE(total, 34 * milliseconds(60));
  EXPECT_LE(total, 34 * milliseconds(90));
}

TEST_F(RefusedTest, ABackoffOfOnesOwnWithoutJitterIsExact_R18) {
  EXPECT_EQ(Waits(5, {.initial = milliseconds(10), .cap = milliseconds(100), .jitter = 0}),
            (std::vector<Duration>{milliseconds(10), milliseconds(20), milliseconds(40),
                                   milliseconds(80), milliseconds(100)}));
}

TEST_F(ReflectorTest, TooManyRequestsBacksOffWithoutARelist_R19_R20) {
  for (int i = 0; i < 4; ++i) server_.watch_errors.push_back(TooMany());
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return server_.open_watches() == 1; }, minutes(5)));
  EXPECT_EQ(Count("LIST"), 1U);
  EXPECT_EQ(Count("WATCH"), 5U);
  server_.FailWatches(TooMany());
  sim_.RunReady();
  EXPECT_EQ(server_.open_watches(), 0U);
  ASSERT_TRUE(sim_.RunUntil([&] { return server_.open_watches() == 1; }, minutes(5)));
  EXPECT_EQ(Count("LIST"), 1U);
}

TEST_F(ReflectorTest, RetryAfterIsHonoured) {
  server_.watch_errors.push_back(TooMany().WithRetryAfter(seconds(60)));
  const SteadyTime start = Now();
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return server_.open_watches() == 1; }, minutes(5)));
  EXPECT_GE(Now() - start, seconds(60));
}

// Holds for pauses and relists that come meanwhile.
TEST_F(ReflectorTest, RetryAfterIsHonouredOverPausesAndRelists) {
  for (const bool relists : {false, true}) {
    Start();
    sim_.RunFor(seconds(5));
    server_.requests.clear();
    server_.FailWatches(TooMany().WithRetryAfter(seconds(60)));
    sim_.RunFor(seconds(20));
    if (relists) {
      reflector_->Relist();
    } else {
      reflector_->Pause();
      sim_.RunFor(seconds(1));
      reflector_->Resume();
    }
    sim_.RunFor(seconds(38));
    EXPECT_EQ(server_.requests, Texts()) << relists;
    EXPECT_TRUE(sim_.RunUntil([&] { return !server_.requests.empty(); }, seconds(62)));
    sim_.RunFor(seconds(1));
    EXPECT_EQ(Count("LIST"), relists ? 1U : 0U);
  }
}

TEST_F(ReflectorTest, AnInternalErrorInTheStreamRelists_R21_RD01) {
  Start();
  sim_.RunFor(seconds(5));
  server_.FailWatches(Internal());
  sim_.RunFor(seconds(3));
  EXPECT_EQ(Count("LIST"), 2U);
}

TEST_F(ReflectorTest, WhateverEndsAStreamIsReported_W41) {
  const std::vector<Error> errors = {
      Internal(),
      Expired(),
      TooMany(),
      Refused(),
      Error(Reason::kForbidden, "no").WithHttpStatus(403),
      Error(Reason::kNotFound, "no").WithHttpStatus(404),
      Error(Reason::kDecode, "not a Status"),
      Error(Reason::kUnexpectedEof, "cut off"),
  };
  for (const Error& error : errors) {
    Start();
    sim_.RunFor(minutes(1));
    observer_.errors.clear();
    server_.FailWatches(error);
    sim_.RunReady();
    EXPECT_EQ(observer_.errors, std::vector<Reason>{error.reason()}) << error;
    reflector_.reset();
  }
}

// Fails the watch with an internal error each second until a list follows. `quiet_before`: number
// of the failure that comes a minute after the previous one.
class InternalErrorTest : public ReflectorTest {
 protected:
  int Retries(Duration window, int quiet_before = 0) {
    ReflectorOptions options;
    options.max_internal_error_retry = window;
    Start(std::move(options));
    int retries = 0;
    while (retries < 100) {
      sim_.RunFor(retries + 1 == quiet_before ? Duration(minutes(1)) : Duration(seconds(1)));
      server_.FailWatches(Internal());
      sim_.RunReady();
      if (server_.open_watches() == 0) break;
      ++retries;
    }
    EXPECT_EQ(Count("LIST"), 1U);
    return retries;
  }
};

TEST_F(InternalErrorTest, AreRetriedWithinTheWindow_R22) { EXPECT_EQ(Retries(seconds(30)), 31); }

TEST_F(InternalErrorTest, AQuietMinuteStartsTheWindowAfresh_R23) {
  EXPECT_EQ(Retries(seconds(30), 10), 40);
}

TEST_F(InternalErrorTest, AWindowOfASecondIsTwoRetries_RD02) { EXPECT_EQ(Retries(seconds(1)), 2); }

TEST_F(InternalErrorTest, OtherErrorsAreNotRetriedAndDoNotEndTheWindow_RD03_RD04) {
  ReflectorOptions options;
  options.max_internal_error_retry = seconds(30);
  Start(std::move(options));
  const auto fail_with = [this](const Error& error) {
    sim_.RunFor(seconds(2));
    server_.FailWatches(error);
    sim_.RunReady();
    return server_.open_watches() == 1;
  };
  EXPECT_TRUE(fail_with(Internal()));
  EXPECT_FALSE(fail_with(Error(Reason::kForbidden, "no").WithHttpStatus(403)));
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Count("LIST"), 2U);
  EXPECT_TRUE(fail_with(Internal()));
  EXPECT_EQ(Count("LIST"), 2U);
  // The window starts with the first error.
  sim_.RunFor(seconds(25));
  EXPECT_FALSE(fail_with(Internal()));
}

// ---- pauses

TEST_F(ReflectorTest, HasABackoffOfItsOwn_A410) {
  Start();
  sim_.RunFor(seconds(5));
  for (int i = 0; i < 6; ++i) server_.watch_errors.push_back(Refused());
  server_.watch_errors.push_back(Expired());
  server_.FailWatches(TooMany());
  ASSERT_TRUE(sim_.RunUntil([&] { return server_.watch_errors.empty(); }, minutes(5)));
  const SteadyTime expired = Now();
  ASSERT_TRUE(sim_.RunUntil([&] { return Count("LIST") == 2; }, minutes(5)));
  EXPECT_LE(Now() - expired, seconds(1));
}

TEST_F(ReflectorTest, AListFromTheFutureIsFollowedByTheNewestAtOnce) {
  server_.set_rv(19);
  Start();
  sim_.RunFor(seconds(5));
  server_.list_errors = {TooLarge().WithRetryAfter(seconds(60))};
  server_.FailWatches(Expired());
  ASSERT_TRUE(sim_.RunUntil([&] { return Count("LIST") == 3; }, seconds(2)));
}

TEST_F(ReflectorTest, RetryAfter_WaitsAreSpread) {
  std::vector<Duration> returns;
  for (int i = 0; i < 20; ++i) {
    server_.list_errors = {TooMany().WithRetryAfter(seconds(10))};
    server_.requests.clear();
    const SteadyTime refused = Now();
    Start();
    ASSERT_TRUE(sim_.RunUntil([&] { return Count("LIST") == 2; }, minutes(1)));
    returns.push_back(Now() - refused);
    reflector_.reset();
  }
  std::sort(returns.begin(), returns.end());
  EXPECT_GE(returns.front(), seconds(10));
  EXPECT_LE(returns.back(), seconds(14));
  EXPECT_GT(returns.back() - returns.front(), seconds(2));
}

TEST_F(ReflectorTest, ARefusedPageIsAskedForAgainAlone) {
  for (int i = 0; i < 5; ++i) server_.Put("pod-" + std::to_string(i));
  server_.pages_ignore_rv = true;
  ReflectorOptions options;
  options.watch_list_page_size = 2;
  server_.list_errors = {std::nullopt, TooMany(), Refused(), std::nullopt};
  Start(std::move(options));
  sim_.RunFor(minutes(1));
  EXPECT_EQ(server_.requests, (Texts{"LIST rv=0 limit=2", "LIST rv= limit=2 continue=2",
                                     "LIST rv= limit=2 continue=2", "LIST rv= limit=2 continue=2",
                                     "LIST rv= limit=2 continue=4", "WATCH rv=5 bookmarks"}));
  EXPECT_EQ(store_.objects.size(), 5U);
  EXPECT_EQ(observer_.errors,
            (std::vector<Reason>{Reason::kTooManyRequests, Reason::kConnectionRefused}));
}

TEST_F(ReflectorTest, AWatchThatHasLastedIsAskedToWaitAsBrieflyAsAtFirst) {
  const auto refused_then_open = [&] {
    const SteadyTime refused = Now();
    sim_.RunReady();
    EXPECT_TRUE(sim_.RunUntil([&] { return server_.open_watches() == 1; }, minutes(5)));
    return Now() - refused;
  };
  // After a list.
  for (int i = 0; i < 10; ++i) server_.list_errors.push_back(TooMany());
  server_.watch_errors = {TooMany()};
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return Count("WATCH") == 1; }, minutes(5)));
  EXPECT_LE(refused_then_open(), seconds(1));
  // After a watch.
  for (int i = 0; i < 10; ++i) server_.watch_errors.push_back(TooMany());
  server_.FailWatches(TooMany());
  EXPECT_GT(refused_then_open(), seconds(20));
  server_.FailWatches(TooMany());
  EXPECT_GE(refused_then_open(), milliseconds(2500)) << "it was ended at once";
  sim_.RunFor(seconds(4));
  server_.FailWatches(TooMany());
  EXPECT_LE(refused_then_open(), seconds(1));
}

// Repeated faults with lasting watches in between, as from a server under load.
class Episodes : public ReflectorTest {
 protected:
  // Returns the time from the last of six faults to the next watch.
  Duration AfterSix(const std::function<void()>& trouble) {
    Start();
    sim_.RunFor(seconds(5));
    Duration took{};
    for (int i = 0; i < 6; ++i) {
      trouble();
      const SteadyTime over = Now();
      EXPECT_TRUE(sim_.RunUntil([&] { return server_.open_watches() == 1; }, minutes(5)));
      took = Now() - over;
      sim_.RunFor(seconds(5));
    }
    reflector_.reset();
    return took;
  }
};

TEST_F(Episodes, EachIsForgottenWhenAWatchHasLasted) {
  const auto refusing = [this](const Error& error) {
    return [this, error] {
      server_.down = error;
      server_.FailWatches(error);
      sim_.RunFor(seconds(2));
      server_.down.reset();
    };
  };
  EXPECT_LE(AfterSix(refusing(Internal())), milliseconds(3300));
  EXPECT_LE(AfterSix(refusing(Refused())), milliseconds(3300));
  EXPECT_LE(AfterSix(refusing(TooMany())), milliseconds(3300));
  EXPECT_LE(AfterSix([this] { server_.FailWatches(Expired()); }), seconds(1));
}

TEST_F(Episodes, AWatchThatIsEndedAtOnceIsNoSuccess) {
  Start();
  sim_.RunFor(seconds(5));
  server_.requests.clear();
  server_.on_watch = [this] { server_.FailWatches(Internal()); };
  server_.FailWatches(Internal());
  sim_.RunFor(minutes(10));
  EXPECT_LE(Count("LIST"), 25U);
  server_.requests.clear();
  server_.on_watch = [this] { server_.FailWatches(Expired()); };
  sim_.RunFor(minutes(10));
  EXPECT_LE(Count("LIST"), 25U);
}

TEST_F(ReflectorTest, ConnectionsThatBreakAtOnce_AreAnOutage) {
  Start();
  sim_.RunFor(seconds(5));
  server_.on_watch = [this] { server_.BreakWatches(); };
  server_.BreakWatches();
  sim_.RunFor(minutes(2));
  EXPECT_EQ(server_.open_watches(), 0U);
  server_.on_watch = nullptr;
  EXPECT_TRUE(sim_.RunUntil([&] { return server_.open_watches() == 1; }, milliseconds(4500)));
}

// ---- rights

TEST_F(ReflectorTest, RightsAndTokensAreNoticedWithinTenSecondsAndCostARequestEach) {
  for (const bool watch_list : {true, false}) {
    for (const int status : {401, 403}) {
      server_.watch_list_unsupported = !watch_list;
      server_.down = Error(Reason::kForbidden, "no").WithHttpStatus(status);
      server_.requests.clear();
      observer_.errors.clear();
      Start();
      sim_.RunFor(minutes(10));
      EXPECT_GE(server_.requests.size(), 65U) << status;
      EXPECT_LE(server_.requests.size(), 140U) << status;
      EXPECT_LE(observer_.errors.size(), server_.requests.size());
      server_.down.reset();
      EXPECT_TRUE(sim_.RunUntil([&] { return server_.open_watches() == 1; }, seconds(10)));
      server_.FailWatches(Error(Reason::kForbidden, "no").WithHttpStatus(status));
      sim_.RunFor(seconds(10));
      EXPECT_EQ(server_.open_watches(), 1U);
      reflector_.reset();
    }
  }
}

TEST_F(ReflectorTest, WatchForbidden_ListsPeriodically) {
  server_.watch_list_unsupported = false;
  server_.Put("a");
  for (int i = 0; i < 100; ++i) {
    server_.watch_errors.push_back(Error(Reason::kForbidden, "no").WithHttpStatus(403));
  }
  Start();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(store_.objects.size(), 1U);
  sim_.RunFor(minutes(5));
  EXPECT_LE(Count("LIST"), 35U);
  EXPECT_GE(Count("LIST"), 10U);
}

TEST_F(ReflectorTest, AStreamThatHadBegunAndIsCutOffWithAnErrorRelists) {
  Start();
  sim_.RunFor(seconds(5));
  server_.FailWatches(Refused());
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Count("LIST"), 2U);
}

TEST_F(ReflectorTest, TheDefaultBackoffConnectsWithinTenSeconds_R17) {
  server_.watch_errors = {Refused(), Refused()};
  Start();
  EXPECT_EQ(server_.open_watches(), 0U);
  EXPECT_TRUE(sim_.RunUntil([&] { return server_.open_watches() == 1; }, seconds(10)));
}

}  // namespace
}  // namespace kinformer::internal::cache
