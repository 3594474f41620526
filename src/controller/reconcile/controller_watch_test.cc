// Watch and Unwatch while sources are being started, and the order of a controller's end.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "controller/reconcile/controller_fixture_for_test.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

// A source whose Start takes its time, even if it is stopped. Tells what happens to it.
class SlowSource final : public source::Source {
 public:
  SlowSource(Env& env, Duration takes) : env_(env), takes_(takes) {}
  Result<void> Start(const std::stop_token& token, const RequestQueue<Request>& /*q*/) override {
    stop = token;
    told.emplace_back("starts");
    env_.SleepFor(takes_);
    told.emplace_back("started");
    return {};
  }
  Result<void> WaitForSync(const std::stop_token& /*token*/, Duration /*timeout*/) override {
    return {};
  }
  void Stop() override { told.emplace_back("stopped"); }
  [[nodiscard]] std::string Describe() const override { return "slow"; }

  std::vector<std::string> told;
  std::stop_token stop{};

 private:
  Env& env_;
  const Duration takes_;
};

// Calls of a controller on a thread of their own, and the moments when they return.
class ControllerWatch : public ControllerTest {
 protected:
  struct Call {
    std::optional<Result<void>> result{};
    Duration after{};
    std::unique_ptr<Thread> thread{};
  };
  void Begin(Call& call, std::function<Result<void>()> work) {
    call.thread = env().NewThread("call", [this, &call, work = std::move(work)] {
      const SteadyTime begun = env().Now();
      call.result = work();
      call.after = env().Now() - begun;
    });
    sim_.RunReady();
  }
  // Runs it on the event loop, which cannot wait.
  Result<void> OnLoop(const std::function<Result<void>()>& work) {
    std::optional<Result<void>> result;
    env().loop().Post([&] { result = work(); });
    sim_.RunReady();
    return result.value_or(Error(Reason::kUnknown, "it waits"));
  }
  std::shared_ptr<TestSource> NewSource() { return std::make_shared<TestSource>(env()); }
  static std::string Refusal(const std::string& what) {
    return "WouldDeadlock: controller pods: " + what +
           " would have to wait until the sources have been started, and neither one of them nor "
           "an event loop can; call it from another thread";
  }
  std::shared_ptr<SlowSource> slow_ = std::make_shared<SlowSource>(env(), seconds(10));
  const std::shared_ptr<TestSource> late_ = NewSource();
};

TEST_F(ControllerWatch, CallsDuringTheFirstStart_WaitForItsEnd) {
  source_->syncs_at = env().Now() + seconds(10);
  const auto second = NewSource();
  const auto third = NewSource();
  Make();
  ASSERT_TRUE(controller_->Watch(second).ok());
  ASSERT_TRUE(controller_->Watch(third).ok());
  Start();
  sim_.RunFor(seconds(1));
  ASSERT_EQ(second->starts, 1);
  Call watch;
  Call unwatch;
  Call unknown;
  Call twice;
  Begin(watch, [&] { return controller_->Watch(late_); });
  Begin(unwatch, [&] { return controller_->Unwatch(second); });
  Begin(unknown, [&] { return controller_->Unwatch(NewSource()); });
  Begin(twice, [&] { return controller_->Watch(third); });
  // An event loop is refused instead.
  EXPECT_EQ(OnLoop([&] { return controller_->Watch(NewSource()); }).error().ToString(),
            Refusal("Watch"));
  EXPECT_EQ(OnLoop([&] { return controller_->Unwatch(third); }).error().ToString(),
            Refusal("Unwatch"));
  EXPECT_EQ(OnLoop([&] { return controller_->Watch(third); }).error().ToString(),
            "AlreadyExists: controller pods has the source pods already: make another one");
  EXPECT_EQ(OnLoop([&] { return controller_->Unwatch(late_); }).error().ToString(),
            "NotFound: controller pods has no such source");
  sim_.RunFor(seconds(9) - milliseconds(1));
  for (const Call* call : {&watch, &unwatch, &unknown, &twice}) EXPECT_FALSE(call->result);
  EXPECT_EQ(late_->starts, 0);
  EXPECT_EQ(second->stops, 0);
  sim_.RunFor(milliseconds(1));
  for (const Call* call : {&watch, &unwatch, &unknown, &twice}) {
    ASSERT_TRUE(call->result);
    EXPECT_EQ(call->after, seconds(9));
  }
  EXPECT_TRUE(watch.result->ok());
  EXPECT_TRUE(unwatch.result->ok());
  EXPECT_EQ(unknown.result->error().reason(), Reason::kNotFound);
  EXPECT_EQ(twice.result->error().reason(), Reason::kAlreadyExists);
  EXPECT_EQ(late_->starts, 1);
  EXPECT_EQ(second->stops, 1);
  EXPECT_EQ(third->stops, 0);
  // The loop may call both now, since nothing is being started.
  EXPECT_TRUE(OnLoop([&] { return controller_->Unwatch(third); }).ok());
  EXPECT_TRUE(OnLoop([&] { return controller_->Watch(third); }).ok());
  EXPECT_EQ(third->starts, 2);
  StopController();
  EXPECT_EQ(second->stops, 1) << "not again";
  EXPECT_EQ(late_->stops, 1);
}

// Only the source itself is waited for.
TEST_F(ControllerWatch, UnwatchDuringALateStart_WaitsForItsEnd) {
  Make();
  Start();
  Call watch;
  Call unwatch;
  Begin(watch, [&] { return controller_->Watch(slow_); });
  sim_.RunFor(seconds(4));
  EXPECT_THAT(slow_->told, ElementsAre("starts"));
  Begin(unwatch, [&] { return controller_->Unwatch(slow_); });
  EXPECT_EQ(OnLoop([&] { return controller_->Unwatch(slow_); }).error().ToString(),
            Refusal("Unwatch"));
  EXPECT_TRUE(OnLoop([&] { return controller_->Watch(late_); }).ok());
  EXPECT_TRUE(OnLoop([&] { return controller_->Unwatch(late_); }).ok());
  EXPECT_EQ(late_->stops, 1);
  EXPECT_FALSE(unwatch.result);
  sim_.RunFor(seconds(6));
  ASSERT_TRUE(watch.result && unwatch.result);
  EXPECT_TRUE(watch.result->ok());
  EXPECT_TRUE(unwatch.result->ok());
  EXPECT_EQ(watch.after, seconds(10));
  EXPECT_EQ(unwatch.after, seconds(6));
  EXPECT_THAT(slow_->told, ElementsAre("starts", "started", "stopped"));
  StopController();
  EXPECT_EQ(slow_->told.size(), 3U);
}

TEST_F(ControllerWatch, EndDuringALateStart_StopsTheSourceAfterwards) {
  Make();
  Start();
  Call watch;
  Begin(watch, [&] { return controller_->Watch(slow_); });
  sim_.RunFor(seconds(4));
  stop_.request_stop();
  sim_.RunFor(seconds(6) - milliseconds(1));
  EXPECT_TRUE(slow_->stop.stop_requested()) << "it is told to end";
  EXPECT_THAT(slow_->told, ElementsAre("starts"));
  EXPECT_EQ(source_->stops, 0);
  EXPECT_FALSE(ended_);
  sim_.RunFor(milliseconds(1));
  EXPECT_TRUE(ended_);
  EXPECT_EQ(watch.after, seconds(10));
  EXPECT_THAT(slow_->told, ElementsAre("starts", "started", "stopped"));
  EXPECT_EQ(source_->stops, 1);
}

TEST_F(ControllerWatch, EndDuringAWarmup_WaitsForItsStarts) {
  Make({.enable_warmup = true});
  ASSERT_TRUE(controller_->Watch(slow_).ok());
  Call warmup;
  Begin(warmup, [&] { return controller_->Warmup({}); });
  sim_.RunFor(seconds(4));
  Start();
  stop_.request_stop();
  sim_.RunFor(seconds(6) - milliseconds(1));
  EXPECT_FALSE(ended_);
  EXPECT_THAT(slow_->told, ElementsAre("starts"));
  sim_.RunFor(milliseconds(1));
  EXPECT_TRUE(ended_);
  EXPECT_TRUE(result_.ok());
  EXPECT_TRUE(warmup.result && warmup.result->ok());
  EXPECT_THAT(slow_->told, ElementsAre("starts", "started", "stopped"));
}

TEST_F(ControllerWatch, WarmupAfterTheEnd_StartsNothing) {
  Make({.enable_warmup = true});
  Start();
  StopController();
  Call warmup;
  Begin(warmup, [&] { return controller_->Warmup({}); });
  ASSERT_TRUE(warmup.result);
  EXPECT_EQ(warmup.result->error().ToString(), "Stopped: pods has ended");
  EXPECT_EQ(source_->starts, 1);
  EXPECT_EQ(source_->stops, 1);
  EXPECT_EQ(controller_->Watch(late_).error().ToString(), "Stopped: controller pods has ended");
  EXPECT_EQ(controller_->Unwatch(source_).error().ToString(),
            "NotFound: controller pods has no such source");
}

TEST_F(ControllerWatch, WarmedUpController_StopsItsSourcesWhenDestroyed) {
  Make({.enable_warmup = true});
  Call warmup;
  Begin(warmup, [&] { return controller_->Warmup({}); });
  ASSERT_TRUE(warmup.result && warmup.result->ok());
  warmup.thread->Join();
  EXPECT_FALSE(source_->stop.stop_requested());
  EXPECT_EQ(source_->stops, 0);
  source_->queue.reset();
  controller_.reset();
  EXPECT_TRUE(source_->stop.stop_requested());
  EXPECT_EQ(source_->stops, 1);
}

TEST_F(ControllerWatch, AfterAFailedStart_RequestsAreDropped) {
  Make();
  ASSERT_TRUE(controller_->Watch(late_).ok());
  late_->fails = true;
  Start();
  ASSERT_TRUE(ended_);
  EXPECT_EQ(result_.error().ToString(),
            "Forbidden: controller pods cannot start: pods: may not list pods");
  Add(kA);
  sim_.RunFor(seconds(1));
  EXPECT_EQ(controller_->Len(), 0U);
  EXPECT_TRUE(calls_.empty());
}

struct Limits {
  const char* error;  // empty: valid
  ControllerOptions options;
};

TEST_F(ControllerWatch, OptionsAtTheirLimits) {
  const auto reconciler =
      ReconcilerOf<Request>([](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
        return ReconcileResult{};
      });
  for (const Limits& row :
       std::vector<Limits>{{"controller without a name: ControllerOptions::name must be set", {}},
                           {"", {.name = "p"}},
                           {"controller p: max_concurrent_reconciles must be above zero",
                            {.name = "p", .max_concurrent_reconciles = 0}},
                           {"", {.name = "p", .max_concurrent_reconciles = 1}},
                           {"controller p: cache_sync_timeout must be above zero",
                            {.name = "p", .cache_sync_timeout = Duration(-1)}},
                           {"controller p: cache_sync_timeout must be above zero",
                            {.name = "p", .cache_sync_timeout = Duration(0)}},
                           {"", {.name = "p", .cache_sync_timeout = Duration(1)}},
                           {"controller p: max_cache_age must be above zero",
                            {.name = "p", .max_cache_age = Duration(-1)}},
                           {"controller p: max_cache_age must be above zero",
                            {.name = "p", .max_cache_age = Duration(0)}},
                           {"", {.name = "p", .max_cache_age = Duration(1)}}}) {
    const auto made = Controller::New(env(), reconciler, row.options);
    EXPECT_EQ(made.ok() ? "" : made.error().message(), row.error);
    EXPECT_EQ(made.ok() || made.error().reason() == Reason::kInvalidArgument, true) << row.error;
  }
  EXPECT_EQ(Controller::New(env(), nullptr, {.name = "p"}).error().message(),
            "controller p: there is no reconciler");
}

}  // namespace
}  // namespace kinformer
