// Limiters that the program gives to clients.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/rate_limiter.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/rest_request.h"

#include "client/client_defaults.h"
#include "client/engine.h"
#include "client/testing/engine_scene.h"
#include "client/testing/scripted_server.h"

namespace kinformer::internal::client {
namespace {

using ::kinformer::testing::Json;
using ::kinformer::testing::ScriptedResponse;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A limiter of a program: each Wait takes a while, as long as nobody stops it.
class OwnLimiter final : public flowcontrol::RateLimiter {
 public:
  explicit OwnLimiter(Env& env) : env_(env) {}
  bool TryAccept() override { return false; }
  void Stop() override {}
  [[nodiscard]] double QPS() const override { return 1; }
  void Accept() override {}
  Result<void> Wait(const std::stop_token& stop, SteadyTime deadline) override {
    EXPECT_FALSE(env_.OnLoopThread());
    ++calls;
    if (throws) throw std::runtime_error("no tokens today");
    if (refuses) return Error(Reason::kTimeout, "sold out");
    deadlines.push_back(deadline);
    most = std::max(most, ++within);
    const SteadyTime end = env_.Now() + lasts;
    while (env_.Now() < end && !stop.stop_requested()) env_.SleepFor(milliseconds(100));
    --within;
    stopped += stop.stop_requested() ? 1 : 0;
    return {};
  }

  Duration lasts = seconds(2);
  bool throws = false;
  bool refuses = false;
  int calls = 0;
  int within = 0;
  int most = 0;
  int stopped = 0;
  std::vector<SteadyTime> deadlines;

 private:
  Env& env_;
};

class SharedLimiterTest : public ::kinformer::testing::EngineScene {
 protected:
  SharedLimiterTest() {
    server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  }
  const std::shared_ptr<OwnLimiter> own_ = std::make_shared<OwnLimiter>(sim_.env());
};

TEST_F(SharedLimiterTest, ClientsShareTheTokensOfOneBucket) {
  const auto limiter = flowcontrol::NewTokenBucketRateLimiter(sim_.env(), 1, 2);
  Make({.qps = -1, .rate_limiter = limiter});
  ASSERT_TRUE(Run({.target = "/a"}).ok());
  EXPECT_EQ(took_, Duration(0));
  const auto first = engine_;
  Make({.rate_limiter = limiter});
  ASSERT_TRUE(Run({.target = "/b"}).ok());
  EXPECT_EQ(took_, Duration(0));
  ASSERT_TRUE(Run({.target = "/b"}).ok());
  EXPECT_EQ(took_, seconds(1)) << "the other client has taken one of the burst";
  EXPECT_FALSE(limiter->TryAccept());
  sim_.env().loop().Post([first] { first->ShutDown(); });
  sim_.RunReady();
}

TEST_F(SharedLimiterTest, AbandonedRequestsGiveTheirTokensBack) {
  const auto limiter = flowcontrol::NewTokenBucketRateLimiter(sim_.env(), 0.1, 1);
  Make({.rate_limiter = limiter});
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  Begin({.target = "/x"});
  sim_.RunFor(seconds(1));
  End();
  sim_.RunFor(seconds(9));
  EXPECT_TRUE(limiter->TryAccept());
}

TEST_F(SharedLimiterTest, AStoppedLimiterEndsRequests) {
  const auto limiter = flowcontrol::NewTokenBucketRateLimiter(sim_.env(), 1, 1);
  Make({.rate_limiter = limiter});
  limiter->Stop();
  const Result<void> result = Run({.target = "/x"});
  EXPECT_EQ(result.error().reason(), Reason::kStopped);
  EXPECT_THAT(result.error().message(), HasSubstr("GET /x"));
  EXPECT_TRUE(server_.requests.empty());
  EXPECT_TRUE(Run({.target = "/x", .watch = true}).ok()) << "a watch is not limited";
}

TEST_F(SharedLimiterTest, LimitersForTestsLetAllOrNothingPass_FC13) {
  Make({.qps = 0.01, .burst = 1, .rate_limiter = flowcontrol::NewFakeAlwaysRateLimiter()});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Run({.target = "/x"}).ok());
    EXPECT_EQ(took_, Duration(0));
  }
  Make({.rate_limiter = flowcontrol::NewFakeNeverRateLimiter(sim_.env())});
  EXPECT_EQ(Run({.target = "/x"}).error().reason(), Reason::kStopped);
  EXPECT_EQ(server_.requests.size(), 5U);
}

TEST_F(SharedLimiterTest, ALimiterOfTheProgramMayBlock) {
  Make({.rate_limiter = own_});
  bool loop_goes_on = false;
  const Timer timer =
      sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&] { loop_goes_on = true; });
  Begin({.target = "/x"});
  sim_.RunFor(milliseconds(1500));
  EXPECT_TRUE(loop_goes_on);
  EXPECT_FALSE(result_);
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->ok());
  End();
  EXPECT_THAT(own_->deadlines, ElementsAre(SteadyTime::max()));
  EXPECT_THAT(log_->text(), HasSubstr("the rate limiter that the program has given"));
  EXPECT_THAT(metrics_->Text(), HasSubstr("rest_client_rate_limiter_duration_seconds"));
}

TEST_F(SharedLimiterTest, RequestsAskTheLimiterOneAfterTheOther) {
  Make({.rate_limiter = own_});
  struct Ends final : ResponseReceiver {
    void OnHeaders(int, const HttpHeaders&) override {}
    void OnData(std::string_view) override {}
    void OnDone(Result<void> result) override {
      EXPECT_TRUE(result.ok()) << result.error();
      ++done;
    }
    int done = 0;
  } ends;
  std::vector<std::unique_ptr<Exchange>> exchanges;
  sim_.env().loop().Post([&] {
    for (int i = 0; i < 5; ++i) {
      exchanges.push_back(
          std::make_unique<Exchange>(engine_, ExchangeRequest{.target = "/x"}, ends));
      exchanges.back()->Start();
    }
    exchanges[2].reset();
  });
  sim_.RunFor(seconds(5));
  EXPECT_EQ(ends.done, 2);
  sim_.RunFor(seconds(5));
  EXPECT_EQ(ends.done, 4);
  EXPECT_EQ(own_->most, 1);
  EXPECT_EQ(own_->calls, 4) << "not for the one that nobody waits for";
  sim_.env().loop().Post([&] { exchanges.clear(); });
  sim_.RunReady();
}

TEST_F(SharedLimiterTest, AnAbandonedRequestStopsTheLimitersWait) {
  own_->lasts = minutes(10);
  Make({.rate_limiter = own_});
  Begin({.target = "/x"});
  sim_.RunFor(seconds(1));
  End();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(own_->stopped, 1);
  EXPECT_EQ(own_->within, 0);
  EXPECT_TRUE(server_.requests.empty());
  const Result<void> late = Run({.target = "/x", .timeout = seconds(3)});
  EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(took_, seconds(3));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(own_->stopped, 2);
  EXPECT_EQ(own_->deadlines[1] - sim_.env().Now(), seconds(-1));
}

TEST_F(SharedLimiterTest, ALimiterThatThrowsOrRefusesEndsOnlyItsRequest) {
  Make({.rate_limiter = own_});
  own_->throws = true;
  EXPECT_THAT(Run({.target = "/x"}).error().message(), HasSubstr("no tokens today"));
  EXPECT_THAT(log_->text(), HasSubstr("function=RateLimiter::Wait"));
  own_->throws = false;
  own_->refuses = true;
  const Result<void> refused = Run({.target = "/x"});
  EXPECT_EQ(refused.error().reason(), Reason::kTimeout);
  EXPECT_THAT(refused.error().message(), HasSubstr("GET /x: the rate limiter: sold out"));
  own_->refuses = false;
  EXPECT_TRUE(Run({.target = "/x"}).ok());
}

TEST_F(SharedLimiterTest, ARequestMayHaveAnotherLimiterOrNone) {
  Make({.qps = 0.01, .burst = 1});
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  ASSERT_TRUE(Run({.target = "/x", .limiter = nullptr}).ok());
  EXPECT_EQ(took_, Duration(0));
  ASSERT_TRUE(Run({.target = "/x", .limiter = own_}).ok());
  EXPECT_EQ(took_, seconds(2));
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_EQ(took_, seconds(98)) << "the client's own goes on as before";
}

TEST_F(SharedLimiterTest, ARestClientGivesItsLimiterAndARequestTakesOne) {
  const auto transport = [&] {
    return std::shared_ptr<Transport>(NewInMemoryTransport(sim_.env(), server_));
  };
  const Client limited = Client::ForTransport(sim_.env(), transport(), {.qps = 0.1, .burst = 1});
  const auto limiter = RestClient(limited).GetRateLimiter();
  ASSERT_NE(limiter, nullptr);
  EXPECT_EQ(limiter->QPS(), 0.1);
  EXPECT_EQ(RestClient(limited).GetRateLimiter(), limiter);
  const Client open = Client::ForTransport(sim_.env(), transport(), {.qps = -1});
  EXPECT_EQ(RestClient(open).GetRateLimiter(), nullptr);
  std::vector<Duration> took;
  const auto thread = sim_.env().NewThread("caller", [&] {
    const SteadyTime begun = sim_.env().Now();
    const RestRequest request = RestClient(open).Get().AbsPath("/x").Throttle(limiter);
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(request.Do().ok());
      took.push_back(sim_.env().Now() - begun);
    }
  });
  sim_.RunFor(seconds(15));
  EXPECT_THAT(took, ElementsAre(Duration(0), seconds(10)));
}

TEST(SharedLimiterDefaults, TheConfigsLimiterHoldsWhereTheOptionsSayNothing) {
  Config config;
  config.qps = 7;
  config.rate_limiter = flowcontrol::NewFakeAlwaysRateLimiter();
  const auto other = flowcontrol::NewFakeAlwaysRateLimiter();
  EXPECT_EQ(OptionsFor(config, {}).rate_limiter, config.rate_limiter);
  EXPECT_EQ(OptionsFor(config, {.rate_limiter = other}).rate_limiter, other);
  EXPECT_EQ(OptionsFor(config, {.qps = 3}).rate_limiter, nullptr);
  EXPECT_EQ(OptionsFor(config, {.burst = 3}).rate_limiter, nullptr);
  EXPECT_EQ(AnonymousClientConfig(config).rate_limiter, config.rate_limiter);
}

}  // namespace
}  // namespace kinformer::internal::client
