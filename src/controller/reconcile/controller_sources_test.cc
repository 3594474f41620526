// Sources of controllers, added from the start or later, and how controllers start.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "controller/reconcile/controller_fixture_for_test.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(ControllerTest, NothingIsReconciledBeforeTheSourcesHaveSynced_CR04) {
  source_->syncs_at = env().Now() + seconds(60);
  Make();
  Start();
  sim_.RunFor(seconds(1));
  Add(kA);
  sim_.RunFor(seconds(58));
  EXPECT_TRUE(calls_.empty());
  sim_.RunFor(seconds(2));
  EXPECT_EQ(calls_.size(), 1U);
}

// Both wait until the sources have started, so a source's Start must not call them.
TEST_F(ControllerTest, WatchAndUnwatchInsideTheStartOfASource_AreRefused) {
  Make();
  Result<void> watched;
  Result<void> unwatched;
  const auto late = std::make_shared<TestSource>(env());
  ASSERT_TRUE(controller_
                  ->Watch(source::Func("eager",
                                       [&](const std::stop_token&, const RequestQueue<Request>&) {
                                         watched = controller_->Watch(late);
                                         unwatched = controller_->Unwatch(source_);
                                         return Result<void>();
                                       }))
                  .ok());
  Start();
  sim_.RunFor(seconds(1));
  for (const Result<void>& refused : {watched, unwatched}) {
    EXPECT_EQ(refused.error().reason(), Reason::kWouldDeadlock);
    EXPECT_THAT(refused.error().message(), HasSubstr("call it from another thread"));
  }
  EXPECT_EQ(late->starts, 0);
  Add(kA);
  sim_.RunFor(seconds(1));
  EXPECT_THAT(Names(), ElementsAre("a")) << "it works";
  EXPECT_TRUE(controller_->Watch(late).ok()) << "now it may";
  EXPECT_EQ(late->starts, 1);
}

TEST_F(ControllerTest, ASourceThatDoesNotSyncEndsIt_CR03) {
  source_->syncs_at = SteadyTime::max();
  Make();
  Start();
  sim_.RunFor(minutes(1));
  EXPECT_FALSE(ended_);
  sim_.RunFor(minutes(1) + seconds(1));
  ASSERT_TRUE(ended_);
  EXPECT_THAT(result_.error().message(),
              HasSubstr("failed to wait for pods caches to sync: pods: pods are not listed yet"));
  EXPECT_EQ(source_->stops, 1);
}

TEST_F(ControllerTest, ASourceThatFailsEndsItAtOnce_CR03) {
  source_->fails = true;
  Make();
  const auto slow = std::make_shared<TestSource>(env());
  slow->syncs_at = SteadyTime::max();
  ASSERT_TRUE(controller_->Watch(slow).ok());
  Start();
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(ended_) << "without waiting for the other";
  EXPECT_EQ(result_.error().reason(), Reason::kForbidden);
  EXPECT_THAT(result_.error().message(),
              HasSubstr("controller pods cannot start: pods: may not list pods"));
}

TEST_F(ControllerTest, ASourceThatThrowsEndsIt_CR03) {
  source_->throws = true;
  Make();
  Start();
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(ended_);
  EXPECT_THAT(result_.error().message(), HasSubstr("no such thing"));
}

TEST_F(ControllerTest, SourceBlockingInStart_TimesOut_CR03) {
  source_->blocks_in_start = true;
  Make({.cache_sync_timeout = seconds(5)});
  Start();
  sim_.RunFor(seconds(5));
  EXPECT_FALSE(ended_);
  sim_.RunFor(seconds(2));
  ASSERT_TRUE(ended_);
  EXPECT_THAT(result_.error().message(), HasSubstr("timed out waiting for source pods to Start"));
}

TEST_F(ControllerTest, StopDuringSync_IsNoError_CR03) {
  source_->syncs_at = SteadyTime::max();
  Make();
  Start();
  sim_.RunFor(seconds(4));
  stop_.request_stop();
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(ended_);
  EXPECT_TRUE(result_.ok());
}

TEST_F(ControllerTest, SyncJustBeforeTimeout_IsInTime_CR03) {
  source_->syncs_at = env().Now() + minutes(2) - milliseconds(1);
  Make();
  Start();
  sim_.RunFor(minutes(3));
  EXPECT_FALSE(ended_);
}

// As in Go, where a source gets its controller's context.
TEST_F(ControllerTest, StopTokenOfSource_IsRequestedAtControllersEnd_CR03) {
  Make();
  Start();
  const auto late = std::make_shared<TestSource>(env());
  ASSERT_TRUE(controller_->Watch(late).ok());
  sim_.RunFor(minutes(5));
  EXPECT_FALSE(source_->stop.stop_requested());
  EXPECT_FALSE(late->stop.stop_requested());
  StopController();
  EXPECT_TRUE(source_->stop.stop_requested());
  EXPECT_TRUE(late->stop.stop_requested());
}

TEST_F(ControllerTest, FailingSource_StopsOtherSources_CR03) {
  Make();
  const auto bad = std::make_shared<TestSource>(env());
  bad->fails = true;
  ASSERT_TRUE(controller_->Watch(bad).ok());
  Start();
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(ended_);
  EXPECT_TRUE(source_->stop.stop_requested());
}

TEST_F(ControllerTest, SecondStart_IsRefused_CR05) {
  Make();
  Start();
  Result<void> second;
  ASSERT_TRUE(sim_.RunBlocking([&] { second = controller_->Start({}); }, seconds(1)));
  EXPECT_EQ(second.error().reason(), Reason::kInvalidArgument);
  EXPECT_FALSE(ended_);
  StopController();
  ASSERT_TRUE(sim_.RunBlocking([&] { second = controller_->Start({}); }, seconds(1)));
  EXPECT_EQ(second.error().reason(), Reason::kInvalidArgument) << "nor again when it has ended";
}

TEST_F(ControllerTest, InvalidOptionsAndSources_AreRefused_CR06_CR19) {
  const auto reconciler =
      ReconcilerOf<Request>([](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
        return ReconcileResult{};
      });
  EXPECT_THAT(Controller::New(env(), reconciler, {}).error().message(),
              HasSubstr("name must be set"));
  EXPECT_THAT(Controller::New(env(), nullptr, {.name = "pods"}).error().message(),
              HasSubstr("there is no reconciler"));
  EXPECT_FALSE(
      Controller::New(env(), reconciler, {.name = "p", .max_concurrent_reconciles = 0}).ok());
  EXPECT_FALSE(
      Controller::New(env(), reconciler, {.name = "p", .cache_sync_timeout = Duration(0)}).ok());
  EXPECT_FALSE(
      Controller::New(env(), reconciler, {.name = "p", .max_cache_age = Duration(0)}).ok());
  Make();
  EXPECT_EQ(controller_->Watch(nullptr).error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(controller_->Watch(source_).error().reason(), Reason::kAlreadyExists);
}

// Any type can be a request, for example one of two fields.
struct Pair {
  int a;
  std::string b;
  bool operator==(const Pair&) const = default;
  [[nodiscard]] std::string ToString() const { return std::to_string(a) + b; }
};

}  // namespace
}  // namespace kinformer

template <>
struct std::hash<kinformer::Pair> {
  std::size_t operator()(const kinformer::Pair& pair) const {
    return std::hash<std::string>()(pair.ToString());
  }
};

namespace kinformer {
namespace {

TEST_F(ControllerTest, RequestsOfATypeOfOnesOwn_CR06) {
  std::vector<std::string> seen;
  auto controller = TypedController<Pair>::New(
                        env(), ReconcilerOf<Pair>([&](const ReconcileContext&, const Pair& pair) {
                          seen.push_back(pair.ToString());
                          return Result<ReconcileResult>(ReconcileResult{});
                        }),
                        {.name = "pairs"})
                        .OrExit();
  ASSERT_TRUE(controller
                  ->Watch(source::Func<Pair>(
                      "pairs",
                      [](const std::stop_token&, const RequestQueue<Pair>& queue) -> Result<void> {
                        queue.Add({1, "x"});
                        queue.Add({1, "x"});
                        queue.Add({2, "y"});
                        return {};
                      }))
                  .ok());
  std::stop_source stop;
  auto thread =
      env().NewThread("c", [&] { EXPECT_TRUE(controller->Start(stop.get_token()).ok()); });
  sim_.RunFor(seconds(1));
  stop.request_stop();
  thread->Join();
  EXPECT_THAT(seen, ElementsAre("1x", "2y"));
}

TEST_F(ControllerTest, WarmupStartsTheSourcesAndStartDoesTheRest_CR07_CR17) {
  source_->syncs_at = env().Now() + seconds(10);
  Make({.enable_warmup = true});
  std::vector<bool> warm;
  const auto warm_up = [&] { warm.push_back(controller_->Warmup(stop_.get_token()).ok()); };
  auto first = env().NewThread("w1", warm_up);
  auto second = env().NewThread("w2", warm_up);
  sim_.RunFor(seconds(5));
  EXPECT_TRUE(warm.empty()) << "both wait";
  Add(kA);
  sim_.RunFor(seconds(10));
  EXPECT_THAT(warm, ElementsAre(true, true));
  EXPECT_EQ(source_->starts, 1);
  EXPECT_TRUE(calls_.empty()) << "there are no workers";
  EXPECT_EQ(controller_->Len(), 1U);
  Start();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(calls_.size(), 1U);
  EXPECT_EQ(source_->starts, 1);
  first->Join();
  second->Join();
}

TEST_F(ControllerTest, SourceFailedInWarmup_FailsStart_CR17) {
  source_->fails = true;
  Make({.enable_warmup = true});
  Result<void> warm;
  ASSERT_TRUE(sim_.RunBlocking([&] { warm = controller_->Warmup({}); }, minutes(5)));
  EXPECT_EQ(warm.error().reason(), Reason::kForbidden);
  Start();
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(ended_);
  EXPECT_EQ(result_.error().reason(), Reason::kForbidden);
  EXPECT_EQ(source_->starts, 1);
}

TEST_F(ControllerTest, WarmupFailsAsStartDoes_CR17) {
  struct Case {
    const char* what;
    std::function<void(TestSource&)> with;
    const char* error;  // null: none
    bool stop = false;
  };
  for (const Case& c : std::vector<Case>{
           {"does not sync", [](TestSource& s) { s.syncs_at = SteadyTime::max(); },
            "failed to wait for pods caches to sync"},
           {"blocks", [](TestSource& s) { s.blocks_in_start = true; },
            "timed out waiting for source pods to Start"},
           {"throws", [](TestSource& s) { s.throws = true; }, "no such thing"},
           {"is stopped", [](TestSource& s) { s.syncs_at = SteadyTime::max(); }, nullptr, true},
           {"is stopped in its start", [](TestSource& s) { s.blocks_in_start = true; }, nullptr,
            true},
           {"syncs late", [this](TestSource& s) { s.syncs_at = env().Now() + seconds(4); },
            nullptr}}) {
    source_ = std::make_shared<TestSource>(env());
    c.with(*source_);
    Make({.cache_sync_timeout = seconds(5), .enable_warmup = true});
    std::stop_source stop;
    Result<void> warm = Error(Reason::kUnknown, "not yet");
    auto warming = env().NewThread("warm", [&] { warm = controller_->Warmup(stop.get_token()); });
    sim_.RunFor(seconds(1));
    if (c.stop) stop.request_stop();
    sim_.RunFor(seconds(10));
    warming->Join();
    EXPECT_EQ(warm.ok(), c.error == nullptr) << c.what;
    if (c.error != nullptr) {
      EXPECT_THAT(warm.error().message(), HasSubstr(c.error)) << c.what;
    }
    EXPECT_EQ(source_->starts, 1) << c.what;
  }
}

TEST_F(ControllerTest, WarmupAndStartAtOnceStartEachSourceOnce_CR17) {
  Make({.enable_warmup = true});
  const auto second = std::make_shared<TestSource>(env());
  ASSERT_TRUE(controller_->Watch(second).ok());
  bool warm = false;
  auto warming = env().NewThread("warm", [&] {
    EXPECT_TRUE(controller_->Warmup(stop_.get_token()).ok());
    warm = true;
  });
  Start();
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(warm);
  warming->Join();
  EXPECT_EQ(source_->starts, 1);
  EXPECT_EQ(second->starts, 1);
  EXPECT_FALSE(ended_);
}

TEST_F(ControllerTest, SourceWatchedAfterWarmup_IsStarted_CR17) {
  Make({.enable_warmup = true});
  ASSERT_TRUE(sim_.RunBlocking([&] { EXPECT_TRUE(controller_->Warmup({}).ok()); }, minutes(5)));
  const auto late = std::make_shared<TestSource>(env());
  ASSERT_TRUE(controller_->Watch(late).ok());
  Start();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(late->starts, 1);
  EXPECT_EQ(source_->starts, 1);
}

TEST_F(ControllerTest, StartWaitingForStoppedWarmup_ReconcilesNothing_CR17) {
  source_->syncs_at = SteadyTime::max();
  Make({.enable_warmup = true});
  std::stop_source stop_warmup;
  std::vector<bool> warm;
  auto warming = env().NewThread(
      "warmup", [&] { warm.push_back(controller_->Warmup(stop_warmup.get_token()).ok()); });
  sim_.RunFor(seconds(1));
  Add(kA);
  Start();
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(ended_) << "it waits for the warm-up";
  stop_warmup.request_stop();
  sim_.RunFor(seconds(1));
  EXPECT_THAT(warm, ElementsAre(true));
  ASSERT_TRUE(ended_);
  EXPECT_TRUE(result_.ok());
  EXPECT_TRUE(calls_.empty()) << "the sources have not synced";
  EXPECT_EQ(source_->starts, 1);
  EXPECT_EQ(source_->stops, 1);
  warming->Join();
}

TEST_F(ControllerTest, StartAfterStoppedWarmup_ReconcilesNothing_CR17) {
  // Start of the source returns ok as soon as stop is requested.
  source_->blocks_in_start = true;
  Make({.enable_warmup = true});
  std::stop_source stop_warmup;
  auto warming = env().NewThread(
      "warmup", [&] { EXPECT_TRUE(controller_->Warmup(stop_warmup.get_token()).ok()); });
  sim_.RunFor(seconds(1));
  stop_warmup.request_stop();
  warming->Join();
  ASSERT_TRUE(source_->queue.has_value());
  Add(kA);
  EXPECT_EQ(controller_->Watch(std::make_shared<TestSource>(env())).error().reason(),
            Reason::kStopped);
  Start();
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(ended_);
  EXPECT_TRUE(result_.ok());
  EXPECT_TRUE(calls_.empty());
  EXPECT_EQ(source_->starts, 1);
}

TEST_F(ControllerTest, StoppedStart_StopsWarmup_CR17) {
  source_->syncs_at = SteadyTime::max();
  Make({.enable_warmup = true});
  Result<void> warm;
  auto warming = env().NewThread("warmup", [&] { warm = controller_->Warmup({}); });
  sim_.RunFor(seconds(1));
  Start();
  sim_.RunFor(seconds(1));
  stop_.request_stop();
  sim_.RunReady();
  EXPECT_TRUE(ended_) << "and not when the sources are given up";
  EXPECT_TRUE(result_.ok());
  EXPECT_EQ(source_->stops, 1);
  warming->Join();
  EXPECT_TRUE(warm.ok());
}

TEST_F(ControllerTest, AWarmupThatWaitsForStartIsStoppedAlone_CR17) {
  source_->syncs_at = env().Now() + seconds(60);
  Make({.enable_warmup = true});
  Start();
  sim_.RunFor(seconds(1));
  std::stop_source stop_warmup;
  bool warm = false;
  auto warming = env().NewThread("warmup", [&] {
    EXPECT_TRUE(controller_->Warmup(stop_warmup.get_token()).ok());
    warm = true;
  });
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(warm);
  stop_warmup.request_stop();
  sim_.RunReady();
  EXPECT_TRUE(warm);
  Add(kA);
  sim_.RunFor(seconds(60));
  EXPECT_EQ(calls_.size(), 1U) << "Start goes on";
  warming->Join();
}

TEST_F(ControllerTest, WarmupIsToBeEnabled_CR17) {
  Make();
  EXPECT_FALSE(controller_->HasWarmup());
  ASSERT_TRUE(sim_.RunBlocking([&] { EXPECT_TRUE(controller_->Warmup({}).ok()); }, minutes(5)));
  EXPECT_EQ(source_->starts, 0);
}

TEST_F(ControllerTest, SourcesComeAndGoWhileItRuns_CR17) {
  Make();
  Start();
  const auto late = std::make_shared<TestSource>(env());
  late->syncs_at = SteadyTime::max();
  ASSERT_TRUE(controller_->Watch(late).ok());
  ASSERT_EQ(late->starts, 1) << "at once, and nothing waits for it";
  late->queue->Add(kB);
  sim_.RunFor(seconds(1));
  EXPECT_THAT(Names(), ElementsAre("b"));
  EXPECT_TRUE(controller_->Unwatch(late).ok());
  EXPECT_EQ(late->stops, 1);
  EXPECT_EQ(controller_->Unwatch(late).error().reason(), Reason::kNotFound);
  StopController();
  EXPECT_EQ(late->stops, 1);
  EXPECT_EQ(source_->stops, 1);
  EXPECT_EQ(controller_->Watch(late).error().reason(), Reason::kStopped);
}

TEST_F(ControllerTest, ASourceThatIsBeingStartedIsStoppedAfterwards) {
  Make();
  Start();
  const auto late = std::make_shared<TestSource>(env());
  late->blocks_in_start = true;
  Result<void> watched;
  auto watching = env().NewThread("watch", [&] { watched = controller_->Watch(late); });
  sim_.RunFor(seconds(1));
  ASSERT_EQ(late->starts, 1);
  EXPECT_EQ(late->stops, 0);
  StopController();
  watching->Join();
  EXPECT_EQ(late->stops, 1) << "once, and not while it starts";
  const auto bad = std::make_shared<TestSource>(env());
  EXPECT_EQ(controller_->Watch(bad).error().reason(), Reason::kStopped);
}

TEST_F(ControllerTest, SourceFailingInLateWatch_IsNotKept) {
  Make();
  Start();
  const auto bad = std::make_shared<TestSource>(env());
  bad->fails = true;
  EXPECT_EQ(controller_->Watch(bad).error().reason(), Reason::kForbidden);
  EXPECT_EQ(bad->stops, 1);
  EXPECT_EQ(controller_->Unwatch(bad).error().reason(), Reason::kNotFound);
  EXPECT_FALSE(ended_);
}

}  // namespace
}  // namespace kinformer
