// Controllers: sources, workers, what becomes of requests, and how it all ends.

#include "kinformer/controller.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/metrics.h"
#include "kinformer/simulation.h"
#include "kinformer/until.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Request kA{"default", "a"};
const Request kB{"default", "b"};

// Keeps the lines.
class KeptLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kInfo; }
  void Log(LogLevel /*level*/, std::string_view message,
           std::initializer_list<LogField> fields) override {
    std::string line(message);
    for (const LogField& field : fields) {
      line += " " + std::string(field.key) + "=" + field.value;
    }
    lines.push_back(std::move(line));
  }
  std::vector<std::string> lines;
};

// A source that syncs when it is told to, and whose queue the test adds to.
class TestSource final : public source::Source {
 public:
  explicit TestSource(Env& env) : env_(env) {}
  Result<void> Start(const std::stop_token& stop, const RequestQueue<Request>& q) override {
    ++starts;
    if (blocks_in_start) {
      while (SleepUnlessStopped(env_, stop, hours(1))) {
      }
    }
    if (throws) throw std::runtime_error("no such thing");
    if (fails) return Error(Reason::kForbidden, "may not list pods");
    queue.emplace(q);
    return {};
  }
  Result<void> WaitForSync(const std::stop_token& stop, Duration timeout) override {
    const SteadyTime until = std::min(syncs_at, env_.Now() + timeout);
    if (until > env_.Now() && !SleepUnlessStopped(env_, stop, until - env_.Now())) {
      return Error(Reason::kCanceled, "stopped");
    }
    if (env_.Now() < syncs_at) return Error(Reason::kDeadlineExceeded, "pods are not listed yet");
    return {};
  }
  void Stop() override { ++stops; }
  [[nodiscard]] std::string Describe() const override { return "pods"; }
  [[nodiscard]] std::optional<Duration> ProgressAge() const override { return age; }

  std::optional<RequestQueue<Request>> queue;
  SteadyTime syncs_at{};
  bool fails = false;
  bool throws = false;
  bool blocks_in_start = false;
  int starts = 0;
  int stops = 0;
  std::optional<Duration> age{};

 private:
  Env& env_;
};

class ControllerTest : public ::testing::Test {
 protected:
  ~ControllerTest() override { StopController(); }

  void Make(ControllerOptions options = {}) {
    if (options.name.empty()) options.name = "pods";
    controller_ =
        Controller::New(
            env(), ReconcilerOf<Request>([this](const ReconcileContext& c, const Request& r) {
              calls_.push_back({r, c.priority(), c.reconcile_id(), env().Now()});
              return reconcile_ ? reconcile_(c, r) : Result<ReconcileResult>(ReconcileResult{});
            }),
            std::move(options))
            .OrExit();
    ASSERT_TRUE(controller_->Watch(source_).ok());
  }
  void Start() {
    thread_ = env().NewThread("controller", [this] {
      result_ = controller_->Start(stop_.get_token());
      ended_ = true;
    });
    sim_.RunReady();
  }
  void StopController() {
    stop_.request_stop();
    if (thread_ != nullptr) thread_->Join();
    thread_.reset();
  }
  Env& env() { return sim_.env(); }
  void Add(const Request& request) { source_->queue->Add(request); }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Call& call : calls_) names.push_back(call.request.name);
    return names;
  }
  // The lines of the metrics with that beginning.
  std::string Metric(const std::string& name) const {
    const std::string text = metrics_->Text();
    const std::size_t at = text.find("\n" + name);
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  }

  struct Call {
    Request request;
    int priority;
    std::string id;
    SteadyTime at;
  };
  std::shared_ptr<TextMetrics> metrics_{NewTextMetrics()};
  std::shared_ptr<KeptLog> log_ = std::make_shared<KeptLog>();
  Simulation sim_{{.log = log_, .metrics = metrics_}};
  std::shared_ptr<TestSource> source_ = std::make_shared<TestSource>(sim_.env());
  std::function<Result<ReconcileResult>(const ReconcileContext&, const Request&)> reconcile_;
  std::vector<Call> calls_;
  std::shared_ptr<Controller> controller_;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
  Result<void> result_;
  bool ended_ = false;
};

TEST_F(ControllerTest, CR_08_CR_16_CR_18_ARequestIsReconciledAndForgotten) {
  Make();
  EXPECT_THAT(Metric("controller_runtime_reconcile_total{controller=\"pods\",result=\"error\"}"),
              HasSubstr("} 0"))
      << "there from the beginning";
  Start();
  Add(kA);
  sim_.RunFor(hours(1));
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(calls_[0].id.size(), 36U);
  EXPECT_EQ(controller_->Len(), 0U);
  EXPECT_THAT(Metric("controller_runtime_reconcile_total{controller=\"pods\",result=\"success\"}"),
              HasSubstr("} 1"));
  EXPECT_THAT(Metric("controller_runtime_reconcile_errors_total"), HasSubstr(" 0"));
  EXPECT_THAT(Metric("controller_runtime_reconcile_time_seconds_count"), HasSubstr(" 1"));
  EXPECT_THAT(Metric("controller_runtime_max_concurrent_reconciles"), HasSubstr(" 1"));
  EXPECT_THAT(Metric("controller_runtime_active_workers"), HasSubstr(" 0"));
  EXPECT_EQ(ReconcileContext(env(), {}).reconcile_id(), "");
}

TEST_F(ControllerTest, CR_09_CR_11_WhatFailsComesLaterAndLaterUntilItSucceeds) {
  Make();
  Start();
  int left = 3;
  bool requeue = true;
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    if (left-- > 0) return Error(Reason::kConflict, "somebody was faster");
    return ReconcileResult{.requeue = std::exchange(requeue, false)};
  };
  Add(kA);
  sim_.RunFor(minutes(1));
  ASSERT_EQ(calls_.size(), 5U);
  EXPECT_EQ(calls_[1].at - calls_[0].at, milliseconds(5));
  EXPECT_EQ(calls_[2].at - calls_[1].at, milliseconds(10));
  EXPECT_EQ(calls_[3].at - calls_[2].at, milliseconds(20));
  EXPECT_EQ(calls_[4].at - calls_[3].at, milliseconds(40)) << "requeue does not forget";
  EXPECT_THAT(Metric("controller_runtime_reconcile_errors_total"), HasSubstr(" 3"));
  EXPECT_THAT(log_->lines,
              ::testing::Contains(AllOf(HasSubstr("Reconciler error controller=pods key=default/a "
                                                  "reconcileID="),
                                        HasSubstr("somebody was faster"))));
  left = 1;
  Add(kA);
  sim_.RunFor(minutes(1));
  ASSERT_EQ(calls_.size(), 7U);
  EXPECT_EQ(calls_[6].at - calls_[5].at, milliseconds(5)) << "success has";
}

TEST_F(ControllerTest, CR_10_ATerminalErrorDoesNotComeAgain) {
  Make();
  Start();
  reconcile_ = [](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    return TerminalError(Error(Reason::kInvalid, "the spec makes no sense"));
  };
  Add(kA);
  sim_.RunFor(hours(10));
  EXPECT_EQ(calls_.size(), 1U);
  EXPECT_THAT(Metric("controller_runtime_reconcile_errors_total"), HasSubstr(" 1"));
  EXPECT_THAT(Metric("controller_runtime_terminal_reconcile_errors_total"), HasSubstr(" 1"));
  EXPECT_THAT(Metric("controller_runtime_reconcile_total{controller=\"pods\",result=\"error\"}"),
              HasSubstr("} 1"));
  EXPECT_THAT(log_->lines, ::testing::Contains(HasSubstr("terminal error: Invalid: the spec")));
}

TEST_F(ControllerTest, ATerminalErrorEndsTheHistoryOfFailures) {
  Make();
  Start();
  std::vector<Result<ReconcileResult>> answers(3, Error(Reason::kConflict, "somebody was faster"));
  answers.emplace_back(TerminalError(Error(Reason::kInvalid, "the spec makes no sense")));
  answers.emplace_back(Error(Reason::kConflict, "somebody was faster"));
  answers.emplace_back(ReconcileResult{});
  std::size_t at = 0;
  reconcile_ = [&](const ReconcileContext&, const Request&) { return answers.at(at++); };
  Add(kA);
  sim_.RunFor(minutes(1));
  ASSERT_EQ(calls_.size(), 4U);
  Add(kA);
  sim_.RunFor(minutes(1));
  ASSERT_EQ(calls_.size(), 6U);
  EXPECT_EQ(calls_[5].at - calls_[4].at, milliseconds(5)) << "as after a first failure";
}

TEST_F(ControllerTest, CR_12_CR_13_CR_14_WhatAReconcileAsksFor) {
  Make();
  Start();
  std::vector<Result<ReconcileResult>> answers{
      ReconcileResult{.requeue_after = minutes(5)},
      ReconcileResult{.requeue_after = minutes(5), .requeue = true},
      ReconcileResult{.requeue = true},
      ReconcileResult{.requeue_after = minutes(5),
                      .terminal_error = Error(Reason::kInvalid, "counts more")}};
  std::size_t at = 0;
  reconcile_ = [&](const ReconcileContext&, const Request&) { return answers.at(at++); };
  Add(kA);
  sim_.RunFor(hours(1));
  ASSERT_EQ(calls_.size(), 4U);
  EXPECT_EQ(calls_[1].at - calls_[0].at, minutes(5));
  EXPECT_EQ(calls_[2].at - calls_[1].at, minutes(5)) << "requeue_after wins";
  EXPECT_EQ(calls_[3].at - calls_[2].at, milliseconds(5)) << "rate limited, and forgotten before";
  const std::string total = "controller_runtime_reconcile_total{controller=\"pods\",result=";
  EXPECT_THAT(Metric(total + "\"requeue_after\"}"), HasSubstr("} 2"));
  EXPECT_THAT(Metric(total + "\"requeue\"}"), HasSubstr("} 1"));
  EXPECT_THAT(Metric(total + "\"error\"}"), HasSubstr("} 1"));
}

TEST_F(ControllerTest, CR_15_PrioritiesStayUnlessTheResultSaysOtherwise) {
  Make();
  Start();
  std::vector<Result<ReconcileResult>> answers{
      Error(Reason::kConflict, "keeps the priority"),
      ReconcileResult{.requeue = true},
      ReconcileResult{.requeue_after = seconds(1)},
      ReconcileResult{.requeue_after = seconds(1), .priority = 7},
      ReconcileResult{.requeue = true, .priority = -3},
      ReconcileResult{}};
  std::size_t at = 0;
  reconcile_ = [&](const ReconcileContext&, const Request&) { return answers.at(at++); };
  source_->queue->AddWithOpts({.priority = 42}, kA);
  sim_.RunFor(hours(1));
  std::vector<int> priorities;
  for (const Call& call : calls_) priorities.push_back(call.priority);
  EXPECT_THAT(priorities, ElementsAre(42, 42, 42, 42, 7, -3));
}

TEST_F(ControllerTest, CR_01_WhatIsThrownIsAnError) {
  Make();
  Start();
  bool thrown = false;
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    if (std::exchange(thrown, true)) return ReconcileResult{};
    throw std::runtime_error("off by one");
  };
  Add(kA);
  sim_.RunFor(minutes(1));
  EXPECT_EQ(calls_.size(), 2U) << "tried again";
  EXPECT_THAT(Metric("controller_runtime_reconcile_panics_total"), HasSubstr(" 1"));
  EXPECT_THAT(log_->lines, ::testing::Contains(HasSubstr("panic: off by one [recovered]")));
}

TEST_F(ControllerTest, CR_01_UnlessItIsToEndTheProcess) {
  const auto run = [this] {
    Make({.recover_panic = false});
    Start();
    reconcile_ = [](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
      throw std::runtime_error("off by one");
    };
    Add(kA);
    sim_.RunFor(minutes(1));
  };
  EXPECT_DEATH(run(), "");
}

TEST_F(ControllerTest, CR_02_AReconcileThatTakesTooLongIsAskedToStop) {
  Make({.reconciliation_timeout = seconds(10)});
  Start();
  Duration took{0};
  reconcile_ = [&](const ReconcileContext& context, const Request&) -> Result<ReconcileResult> {
    const SteadyTime begun = env().Now();
    EXPECT_EQ(context.call().timeout, seconds(10));
    SleepUnlessStopped(env(), context.stop(), hours(1));
    took = env().Now() - begun;
    EXPECT_EQ(context.call().timeout, Duration(1)) << "over, and not: without limit";
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(minutes(1));
  EXPECT_EQ(took, seconds(10));
  EXPECT_THAT(Metric("controller_runtime_reconcile_timeouts_total"), HasSubstr(" 1"));
}

TEST_F(ControllerTest, CR_02_OnlyItsOwnTimeCounts) {
  Make({.reconciliation_timeout = hours(1)});
  Start();
  bool asked = false;
  reconcile_ = [&](const ReconcileContext& context, const Request&) -> Result<ReconcileResult> {
    asked = !SleepUnlessStopped(env(), context.stop(), minutes(30));
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(minutes(1));
  StopController();
  EXPECT_TRUE(asked) << "the controller's end";
  EXPECT_THAT(Metric("controller_runtime_reconcile_timeouts_total"), HasSubstr(" 0"));
}

TEST_F(ControllerTest, CR_02_WithoutALimitThereIsNone) {
  Make();
  Start();
  reconcile_ = [&](const ReconcileContext& context, const Request&) -> Result<ReconcileResult> {
    EXPECT_EQ(context.deadline(), std::nullopt);
    EXPECT_EQ(context.call().timeout, Duration(0));
    EXPECT_TRUE(SleepUnlessStopped(env(), context.stop(), hours(30)));
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(hours(48));
  EXPECT_EQ(calls_.size(), 1U);
}

TEST_F(ControllerTest, CR_04_NothingIsReconciledBeforeTheSourcesHaveSynced) {
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

TEST_F(ControllerTest, CR_03_ASourceThatDoesNotSyncEndsIt) {
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

TEST_F(ControllerTest, CR_03_ASourceThatFailsEndsItAtOnce) {
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

TEST_F(ControllerTest, CR_03_ASourceThatThrowsEndsIt) {
  source_->throws = true;
  Make();
  Start();
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(ended_);
  EXPECT_THAT(result_.error().message(), HasSubstr("no such thing"));
}

TEST_F(ControllerTest, CR_03_ASourceThatBlocksInStartIsTooLate) {
  source_->blocks_in_start = true;
  Make({.cache_sync_timeout = seconds(5)});
  Start();
  sim_.RunFor(seconds(5));
  EXPECT_FALSE(ended_);
  sim_.RunFor(seconds(2));
  ASSERT_TRUE(ended_);
  EXPECT_THAT(result_.error().message(), HasSubstr("timed out waiting for source pods to Start"));
}

TEST_F(ControllerTest, CR_03_ToBeStoppedMeanwhileIsNoError) {
  source_->syncs_at = SteadyTime::max();
  Make();
  Start();
  sim_.RunFor(seconds(4));
  stop_.request_stop();
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(ended_);
  EXPECT_TRUE(result_.ok());
}

TEST_F(ControllerTest, CR_03_EnoughTimeIsEnough) {
  source_->syncs_at = env().Now() + minutes(2) - milliseconds(1);
  Make();
  Start();
  sim_.RunFor(minutes(3));
  EXPECT_FALSE(ended_);
}

TEST_F(ControllerTest, CR_05_ItStartsOnce) {
  Make();
  Start();
  Result<void> second;
  ASSERT_TRUE(sim_.RunBlocking([&] { second = controller_->Start({}); }, seconds(1)));
  EXPECT_EQ(second.error().reason(), Reason::kInvalidArgument);
  EXPECT_FALSE(ended_);
}

TEST_F(ControllerTest, CR_06_CR_19_WhatIsMissingIsSaid) {
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

// Two words: any type can be a request.
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

TEST_F(ControllerTest, CR_06_RequestsOfATypeOfOnesOwn) {
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

TEST_F(ControllerTest, CR_07_CR_17_WarmupStartsTheSourcesAndStartDoesTheRest) {
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

TEST_F(ControllerTest, CR_17_WhatFailedInWarmupFailsInStart) {
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

TEST_F(ControllerTest, CR_17_WarmupIsToBeEnabled) {
  Make();
  EXPECT_FALSE(controller_->HasWarmup());
  ASSERT_TRUE(sim_.RunBlocking([&] { EXPECT_TRUE(controller_->Warmup({}).ok()); }, minutes(5)));
  EXPECT_EQ(source_->starts, 0);
}

TEST_F(ControllerTest, CR_17_SourcesComeAndGoWhileItRuns) {
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

TEST_F(ControllerTest, ASourceThatFailsLaterIsNotKept) {
  Make();
  Start();
  const auto bad = std::make_shared<TestSource>(env());
  bad->fails = true;
  EXPECT_EQ(controller_->Watch(bad).error().reason(), Reason::kForbidden);
  EXPECT_EQ(bad->stops, 1);
  EXPECT_EQ(controller_->Unwatch(bad).error().reason(), Reason::kNotFound);
  EXPECT_FALSE(ended_);
}

TEST_F(ControllerTest, OneRequestIsNeverReconciledTwiceAtATime) {
  Make({.max_concurrent_reconciles = 3});
  Start();
  std::map<std::string, int> running;
  int most = 0;
  reconcile_ = [&](const ReconcileContext&, const Request& request) -> Result<ReconcileResult> {
    EXPECT_EQ(running[request.name]++, 0);
    int all = 0;
    for (const auto& [name, count] : running) all += count;
    most = std::max(most, all);
    env().SleepFor(milliseconds(10 + env().Random() % 50));
    --running[request.name];
    return ReconcileResult{};
  };
  for (int i = 0; i < 1000; ++i) {
    Add({"default", std::to_string(env().Random() % 10)});
    sim_.RunFor(milliseconds(env().Random() % 10));
  }
  sim_.RunFor(minutes(1));
  EXPECT_EQ(most, 3);
  EXPECT_EQ(controller_->Len(), 0U);
}

TEST_F(ControllerTest, CR_20_ItEndsSoonWithAFullQueue) {
  Make();
  Start();
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    env().SleepFor(seconds(1));
    return ReconcileResult{};
  };
  for (int i = 0; i < 100; ++i) Add({"default", std::to_string(i)});
  sim_.RunFor(milliseconds(1500));
  stop_.request_stop();
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(ended_) << "with the reconcile that ran";
  EXPECT_TRUE(result_.ok());
  EXPECT_EQ(calls_.size(), 2U);
}

TEST_F(ControllerTest, NothingIsDoneWithoutLeadershipAndNothingIsLost) {
  bool leads = false;
  Make({.is_leader = [&] { return leads; }});
  Start();
  Add(kA);
  Add(kB);
  sim_.RunFor(minutes(10));
  EXPECT_TRUE(calls_.empty());
  EXPECT_THAT(Metric("kinformer_reconcile_held_back"), HasSubstr(" 1"));
  EXPECT_EQ(std::ranges::count_if(log_->lines,
                                  [](const auto& l) { return l.starts_with("reconciles wait"); }),
            1)
      << "said once";
  leads = true;
  sim_.RunFor(seconds(2));
  EXPECT_THAT(Names(), ElementsAre("a", "b"));
  EXPECT_THAT(Metric("kinformer_reconcile_held_back"), HasSubstr(" 0"));
}

TEST_F(ControllerTest, AControllerDoesNotActOnACacheThatIsTooOld) {
  Make({.max_cache_age = minutes(2)});
  Start();
  source_->age = minutes(3);
  Add(kA);
  sim_.RunFor(minutes(10));
  EXPECT_TRUE(calls_.empty());
  EXPECT_THAT(log_->lines, ::testing::Contains(HasSubstr(
                               "why=the cache of pods was last known to be up to date 180 s ago")));
  source_->age = seconds(10);
  sim_.RunFor(seconds(2));
  EXPECT_THAT(Names(), ElementsAre("a"));
  StopController();
}

TEST_F(ControllerTest, AControllerThatIsHeldBackEnds) {
  Make({.is_leader = [] { return false; }});
  Start();
  Add(kA);
  sim_.RunFor(minutes(1));
  stop_.request_stop();
  sim_.RunReady();
  EXPECT_TRUE(ended_);
  EXPECT_TRUE(calls_.empty());
}

TEST_F(ControllerTest, OnALoopItWouldDeadlock) {
  Make();
  env().loop().Post([&] { result_ = controller_->Start({}); });
  sim_.RunReady();
  EXPECT_EQ(result_.error().reason(), Reason::kWouldDeadlock);
}

}  // namespace
}  // namespace kinformer
