// Causes of reconciles, from the queue to the reconciler, the log and the history.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/controller/event_channel.h"
#include "kinformer/controller/handler.h"

#include "controller/causes/reconcile_history.h"
#include "controller/reconcile/controller_fixture_for_test.h"
#include "controller/reconcile/watched_pods_for_test.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;

class ControllerCausesTest : public ControllerTest {
 protected:
  // Starts a controller whose reconciles note their causes and then do `as`.
  void StartNoting(std::function<Result<ReconcileResult>(int)> as = [](int) {
    return ReconcileResult{};
  }) {
    Make();
    reconcile_ = [this, as = std::move(as)](const ReconcileContext& context, const Request&) {
      causes_.push_back(context.causes().ToString());
      return as(static_cast<int>(causes_.size()));
    };
    Start();
    sim_.RunFor(seconds(1));
  }
  std::vector<std::string> causes_;
};

TEST_F(ControllerCausesTest, AFailedAttemptIsTheCauseOfTheNext) {
  StartNoting([](int attempt) -> Result<ReconcileResult> {
    if (attempt <= 2) return Error(Reason::kForbidden, "no " + std::to_string(attempt));
    return ReconcileResult{};
  });
  Add(kA);
  sim_.RunFor(seconds(60));
  EXPECT_THAT(causes_, ElementsAre("source", "retry 1 after Forbidden: no 1",
                                   "retry 2 after Forbidden: no 2"));
}

TEST_F(ControllerCausesTest, OwnRequestsAndTimersAreCauses) {
  StartNoting([](int attempt) -> Result<ReconcileResult> {
    if (attempt == 1) return ReconcileResult{.requeue = true};
    if (attempt == 2) return ReconcileResult{.requeue_after = minutes(1)};
    return ReconcileResult{};
  });
  Add(kA);
  sim_.RunFor(minutes(2));
  EXPECT_THAT(causes_, ElementsAre("source", "requeue", "timer"));
}

TEST_F(ControllerCausesTest, EventsDuringAReconcileAreCausesOfTheNext) {
  StartNoting([this](int attempt) {
    if (attempt == 1) {
      Add(kA);
      Add(kA);
    }
    return ReconcileResult{};
  });
  Add(kA);
  sim_.RunFor(seconds(1));
  EXPECT_THAT(causes_, ElementsAre("source", "source; source"));
}

// The queue gives the request to a worker, which puts it back until its delay is over.
TEST_F(ControllerCausesTest, CausesOfARequestThatIsPutBackAreKept) {
  StartNoting([this](int attempt) -> Result<ReconcileResult> {
    if (attempt == 1 || attempt == 3) Add(kA);
    if (attempt <= 3) return Error(Reason::kForbidden, "no");
    return ReconcileResult{};
  });
  Add(kA);
  sim_.RunFor(minutes(2));
  EXPECT_THAT(causes_,
              ElementsAre("source", "source; retry 1 after Forbidden: no",
                          "retry 2 after Forbidden: no", "source; retry 3 after Forbidden: no"));
  ASSERT_EQ(calls_.size(), 4U);
  EXPECT_GE(calls_[3].at - calls_[2].at, milliseconds(20)) << "it was put back";
}

TEST_F(ControllerCausesTest, EventsOfAChannelAreNamed_AlsoThroughAFunction) {
  const Ref<corev1::Pod> pod =
      PodWith(R"("namespace":"default","name":"a","resourceVersion":"12")");
  const EventChannel<corev1::Pod> channel(env());
  Make();
  reconcile_ = [this](const ReconcileContext& context, const Request& request) {
    causes_.push_back(request.name + " " + context.causes().ToString());
    return ReconcileResult{};
  };
  ASSERT_TRUE(controller_
                  ->Watch(source::Channel<corev1::Pod>(
                      channel, handler::EnqueueRequestsFromMapFunc<corev1::Pod>(
                                   [](const corev1::Pod& /*pod*/) -> std::vector<Request> {
                                     return {kA, kB};
                                   })))
                  .ok());
  Start();
  ASSERT_TRUE(channel.Send(pod).ok());
  sim_.RunFor(seconds(1));
  EXPECT_THAT(causes_, ElementsAre("a channel Pod default/a 12", "b channel Pod default/a 12"));
}

TEST(ControllerCausesLogTest, TheFirstLineOfAReconcileHasThem) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kDebug);
  Simulation sim({.log = log});
  const auto source = std::make_shared<TestSource>(sim.env());
  const auto controller =
      Controller::New(sim.env(), ReconcilerOf<Request>([](const ReconcileContext&, const Request&) {
                        return Result<ReconcileResult>(ReconcileResult{});
                      }),
                      {.name = "pods"})
          .OrExit();
  ASSERT_TRUE(controller->Watch(source).ok());
  std::stop_source stop;
  const std::unique_ptr<Thread> thread =
      sim.env().NewThread("controller", [&] { (void)controller->Start(stop.get_token()); });
  sim.RunReady();
  source->queue->Add(kA);
  sim.RunFor(seconds(1));
  stop.request_stop();
  thread->Join();
  EXPECT_THAT(log->text(), ContainsRegex("a reconcile begins controller=pods key=default/a "
                                         "reconcileID=[-0-9a-f]+ causes=source\n"));
}

TEST_F(ControllerCausesTest, TheHistoryHasResultsAndErrors) {
  StartNoting([this](int attempt) -> Result<ReconcileResult> {
    env().SleepFor(milliseconds(20));
    if (attempt == 1) return Error(Reason::kForbidden, "no");
    if (attempt == 2) return TerminalError(Error(Reason::kInvalid, "never"));
    return ReconcileResult{};
  });
  Add(kA);
  sim_.RunFor(seconds(10));
  Add(kA);
  sim_.RunFor(seconds(10));
  const auto about = controller_->History()->About("default/a", true,
                                                   [](const KindInfo& /*kind*/) { return false; });
  ASSERT_EQ(about.size(), 1U);
  std::vector<std::string> results;
  for (const internal::PastReconcile& past : about[0].reconciles) {
    results.push_back(std::string(past.result) + " " + past.error + "|" + past.last_error);
    EXPECT_EQ(past.took, milliseconds(20));
    EXPECT_EQ(past.id.size(), 36U);
  }
  EXPECT_THAT(results, ElementsAre("error Forbidden: no|",
                                   "terminal error Invalid: never|Forbidden: no", "success |"));
}

TEST_F(ControllerCausesTest, AContextOfATestHasNone) {
  const ReconcileContext context(env(), {});
  EXPECT_TRUE(context.causes().list.empty());
}

}  // namespace
}  // namespace kinformer
