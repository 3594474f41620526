// Exceptions from the program's functions and classes affect only the current request.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include "controller/reconcile/controller_fixture_for_test.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Throws a given number of times.
class ThrowingLimiter final : public RateLimiter<Request> {
 public:
  explicit ThrowingLimiter(int& throws) : throws_(throws) {}
  Duration When(const Request& /*item*/) override {
    if (throws_ > 0) {
      --throws_;
      throw std::runtime_error("no idea when");
    }
    return Duration(0);
  }
  void Forget(const Request& /*item*/) override {}
  [[nodiscard]] int NumRequeues(const Request& /*item*/) const override { return 0; }

 private:
  int& throws_;
};

TEST_F(ControllerTest, ALimiterThatThrowsLosesNoRequestAndNoWorker) {
  int throws = 2;
  controller_ =
      Controller::New(env(),
                      ReconcilerOf<Request>([this](const ReconcileContext& c, const Request& r) {
                        calls_.push_back({r, c.priority(), c.reconcile_id(), env().Now()});
                        if (calls_.size() < 4)
                          return Result<ReconcileResult>(Error(Reason::kConflict, "again"));
                        return Result<ReconcileResult>(ReconcileResult{});
                      }),
                      {.name = "pods"}, std::make_unique<ThrowingLimiter>(throws))
          .OrExit();
  ASSERT_TRUE(controller_->Watch(source_).ok());
  Start();
  Add(kA);
  sim_.RunFor(seconds(5));
  EXPECT_THAT(Names(), ElementsAre("a", "a", "a", "a")) << "twice a second later, then at once";
  EXPECT_EQ(calls_[2].at - calls_[0].at, seconds(2));
  EXPECT_THAT(log_->lines,
              Contains(HasSubstr("function=rate limiter or ToString of=pods err=no idea when")));
  Add(kB);
  sim_.RunFor(seconds(1));
  EXPECT_EQ(calls_.back().request, kB) << "the worker is there";
  EXPECT_FALSE(ended_);
}

TEST_F(ControllerTest, AnIsLeaderThatThrowsHoldsBack) {
  int throws = 3;
  Make({.is_leader = [&] {
    if (throws-- > 0) throw std::runtime_error("who knows");
    return true;
  }});
  Start();
  Add(kA);
  sim_.RunFor(seconds(2));
  EXPECT_TRUE(calls_.empty());
  EXPECT_THAT(log_->lines, Contains(HasSubstr("err=who knows")));
  EXPECT_THAT(log_->lines, Contains(HasSubstr("why=is_leader or ProgressAge threw: who knows")));
  sim_.RunFor(seconds(2));
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_FALSE(ended_);
}

TEST_F(ControllerTest, CatchUpThatThrowsOrFails_EndsTheControllerWithItsError) {
  for (const bool throws : {true, false}) {
    const auto controller =
        Controller::New(env(), ReconcilerOf<Request>([](const ReconcileContext&, const Request&) {
                          return Result<ReconcileResult>(ReconcileResult{});
                        }),
                        {.name = "pods",
                         .catch_up = [throws](const std::stop_token&) -> Result<void> {
                           if (throws) throw std::runtime_error("who knows");
                           return Error(Reason::kForbidden, "not you");
                         }})
            .OrExit();
    std::string message;
    ASSERT_TRUE(
        sim_.RunBlocking([&] { message = controller->Start({}).error().message(); }, seconds(1)));
    EXPECT_EQ(message, throws
                           ? "controller pods: ControllerOptions::catch_up of pods threw: who knows"
                           : "controller pods: not you");
  }
}

// Throws from every function except Start.
class RudeSource final : public source::Source {
 public:
  Result<void> Start(const std::stop_token&, const RequestQueue<Request>&) override { return {}; }
  void Stop() override { throw std::runtime_error("no end"); }
  [[nodiscard]] std::string Describe() const override { throw std::runtime_error("no name"); }
  [[nodiscard]] std::optional<Duration> ProgressAge() const override {
    if (has_age) return Duration(0);
    throw std::runtime_error("no age");
  }
  bool has_age = false;
};

TEST_F(ControllerTest, ASourceThatThrowsWhenAskedOrStoppedHarmsNobody) {
  Make({.max_cache_age = minutes(1)});
  const auto rude = std::make_shared<RudeSource>();
  ASSERT_TRUE(controller_->Watch(rude).ok());
  Start();
  Add(kA);
  sim_.RunFor(seconds(2));
  EXPECT_TRUE(calls_.empty()) << "the age of its cache is not known";
  EXPECT_THAT(log_->lines, Contains(HasSubstr("why=is_leader or ProgressAge threw: no age")));
  rude->has_age = true;
  sim_.RunFor(seconds(2));
  EXPECT_THAT(Names(), ElementsAre("a"));
  stop_.request_stop();
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(ended_);
  EXPECT_TRUE(result_.ok()) << result_.error();
  EXPECT_EQ(source_->stops, 1) << "the other";
  EXPECT_THAT(log_->lines, Contains(HasSubstr("function=Source::Describe of= err=no name")));
  EXPECT_THAT(log_->lines, Contains(HasSubstr("function=Source::Stop of=a source err=no end")));
}

}  // namespace
}  // namespace kinformer
