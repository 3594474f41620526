// The end of a manager: how long each part may take, and what is reported.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/controller/manager.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/events.h"

#include "base/core/testing/fields_log.h"
#include "operator/manager_probe.h"

namespace kinformer::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ManagerEnds : public ManagersTest {
 protected:
  // Requests the end; it must come after exactly that time.
  void ExpectEndAfter(RunningManager& manager, Duration time) {
    manager.RequestStop();
    if (time > Duration(0)) {
      sim_.RunFor(time - milliseconds(1));
      EXPECT_FALSE(manager.ended);
      sim_.RunFor(milliseconds(1));
    }
    sim_.RunReady();
    EXPECT_TRUE(manager.ended);
  }
  std::shared_ptr<Probe> Slow(const std::string& name, Duration time, RunnableGroup group) {
    const auto probe = NewProbe(name, group);
    probe->ends_after = time;
    return probe;
  }
};

struct Times {
  const char* what;
  Duration grace;
  Duration work;  // time that a runnable takes to end
  Duration end;   // of the manager
};

// The server does not answer, so the last events are given up.
TEST_F(ManagerEnds, LastEvents_HaveTenSecondsOfTheGracePeriod) {
  for (const Times& row : {Times{"no grace", Duration(0), seconds(0), seconds(0)},
                           Times{"short", seconds(5), seconds(0), seconds(5)},
                           Times{"just ten", seconds(10), seconds(0), seconds(10)},
                           Times{"long", seconds(30), seconds(0), seconds(10)},
                           Times{"without limit", Duration(-1), seconds(0), seconds(10)},
                           Times{"after some work", seconds(30), seconds(15), seconds(25)},
                           Times{"after long work", seconds(30), seconds(25), seconds(30)},
                           Times{"after work that hangs", seconds(30), minutes(2), seconds(30)}}) {
    SCOPED_TRACE(row.what);
    server_.faults().Clear();
    RunningManager manager(sim_, server_, {.graceful_shutdown_timeout = row.grace});
    ASSERT_TRUE(manager->Add(Slow("slow", row.work, RunnableGroup::kOthers)).ok());
    manager.Start();
    sim_.RunFor(seconds(5));
    server_.faults().Add({.action = apiserver::FaultAction::kDelay, .delay = hours(1)});
    const corev1::ObjectReferenceMutable about{
        .kind = "Pod", .namespace_ = "default", .name = "p", .apiVersion = "v1"};
    manager->GetEventRecorderFor("old")->Event(about, kEventTypeNormal, "Late", "not written");
    manager->GetEventRecorder("example.com/new")
        ->Event(about, std::nullopt, kEventTypeNormal, "Late", "Testing", "not written");
    sim_.RunReady();
    ExpectEndAfter(manager, row.end);
    EXPECT_EQ(manager.result.ok(), row.work < minutes(2));
    sim_.RunFor(minutes(2));
  }
}

TEST_F(ManagerEnds, HangingRunnables_AreNamedByTheFirstGroup) {
  RunningManager manager(sim_, server_);
  for (const char* name : {"one", "two"}) {
    ASSERT_TRUE(manager->Add(Slow(name, minutes(2), RunnableGroup::kOthers)).ok());
  }
  ASSERT_TRUE(manager->Add(NewProbe("quick", RunnableGroup::kOthers)).ok());
  ASSERT_TRUE(manager->Add(Slow("leader", minutes(2), RunnableGroup::kLeaderElection)).ok());
  manager.Start();
  sim_.RunFor(seconds(1));
  ExpectEndAfter(manager, seconds(30));
  EXPECT_EQ(manager.result.error().ToString(),
            "DeadlineExceeded: failed waiting for all runnables to end within grace period: these "
            "still run: one, two");
  sim_.RunFor(minutes(5));
}

TEST_F(ManagerEnds, EachGroup_HasTheTimeThatIsLeft) {
  RunningManager manager(sim_, server_);
  ASSERT_TRUE(manager->Add(Slow("other", seconds(20), RunnableGroup::kOthers)).ok());
  ASSERT_TRUE(manager->Add(Slow("leader", seconds(20), RunnableGroup::kLeaderElection)).ok());
  manager.Start();
  sim_.RunFor(seconds(1));
  ExpectEndAfter(manager, seconds(30));
  EXPECT_THAT(manager.result.error().message(), ::testing::EndsWith("these still run: leader"));
  sim_.RunFor(minutes(5));
}

TEST_F(ManagerEnds, LostLease_EndsItWithoutGrace) {
  RunningManager manager(sim_, server_, Electing("a", true));
  ASSERT_TRUE(manager->Add(Slow("slow", minutes(5), RunnableGroup::kLeaderElection)).ok());
  manager.Start();
  sim_.RunFor(seconds(5));
  ASSERT_TRUE(manager->Elected());
  server_.faults().Add({.action = apiserver::FaultAction::kRefuse});
  for (int i = 0; i < 200 && manager->elector()->IsLeader(); ++i) sim_.RunFor(milliseconds(100));
  ASSERT_FALSE(manager->elector()->IsLeader());
  sim_.RunFor(milliseconds(100));
  EXPECT_TRUE(manager.ended);
  EXPECT_EQ(manager.result.error().ToString(), "Stopped: leader election lost");
  sim_.RunFor(minutes(10));
}

TEST_F(ManagerEnds, SecondFailure_IsLogged) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kError);
  Simulation sim({.log = log});
  ApiServer server(sim);
  std::vector<std::string> told;
  RunningManager manager(sim, server);
  for (const char* name : {"bad", "worse"}) {
    const auto probe =
        std::make_shared<Probe>(sim.env(), told, name, RunnableGroup::kLeaderElection);
    probe->fails_after = name == std::string("bad") ? minutes(1) : minutes(1) + milliseconds(1);
    ASSERT_TRUE(manager->Add(probe).ok());
  }
  const auto slow = std::make_shared<Probe>(sim.env(), told, "slow", RunnableGroup::kOthers);
  slow->ends_after = seconds(5);
  ASSERT_TRUE(manager->Add(slow).ok());
  manager.Start();
  sim.RunFor(minutes(2));
  ASSERT_TRUE(manager.ended);
  EXPECT_EQ(manager.result.error().ToString(), "InternalError: bad: broke");
  EXPECT_EQ(log->text(),
            "error received after the stop sequence was engaged err=InternalError: worse: broke\n");
}

TEST_F(ManagerEnds, WaitUntilElected_SaysWhyItEnded) {
  RunningManager leader(sim_, server_, Electing("a", true));
  leader.Start();
  sim_.RunFor(seconds(5));
  RunningManager standby(sim_, server_, Electing("b", true));
  const auto wait = [&](RunningManager& manager, const std::stop_token& stop) {
    const Result<void> waited = manager->WaitUntilElected(stop);
    return waited.ok() ? std::string("elected") : waited.error().ToString();
  };
  std::vector<std::string> ends;
  std::stop_source stop;
  const auto stopped =
      sim_.env().NewThread("stopped", [&] { ends.push_back(wait(standby, stop.get_token())); });
  const auto ended = sim_.env().NewThread("ended", [&] { ends.push_back(wait(standby, {})); });
  const auto elected = sim_.env().NewThread("elected", [&] { ends.push_back(wait(leader, {})); });
  standby.Start();
  sim_.RunFor(seconds(5));
  EXPECT_THAT(ends, ElementsAre("elected"));
  stop.request_stop();
  sim_.RunReady();
  EXPECT_THAT(ends, ElementsAre("elected", "Canceled: the wait for leadership was stopped"));
  standby.Stop();
  sim_.RunReady();
  ASSERT_EQ(ends.size(), 3U);
  EXPECT_EQ(ends[2], "Stopped: the manager has ended without having led");
  EXPECT_TRUE(standby.result.ok());
  for (const auto* thread : {&stopped, &ended, &elected}) (*thread)->Join();
}

TEST_F(ManagerEnds, EventLoop_CannotRunOrAwaitAManager) {
  RunningManager manager(sim_, server_);
  std::vector<std::string> errors;
  sim_.env().loop().Post([&] {
    errors.push_back(manager->Start({}).error().ToString());
    errors.push_back(manager->WaitUntilElected({}).error().ToString());
  });
  sim_.RunReady();
  EXPECT_THAT(errors, ElementsAre("WouldDeadlock: a manager cannot run on an event loop",
                                  "WouldDeadlock: an event loop cannot wait for leadership"));
  manager.Start();
  sim_.RunFor(seconds(5));
  EXPECT_TRUE(manager->Elected()) << "that was no start";
  EXPECT_FALSE(manager.ended);
  Result<void> again;
  ASSERT_TRUE(sim_.RunBlocking([&] { again = manager->Start({}); }, seconds(1)));
  EXPECT_EQ(again.error().ToString(),
            "InvalidArgument: the manager has been started before: make another one");
}

TEST_F(ManagerEnds, Remove_FreesTheName) {
  RunningManager manager(sim_, server_);
  const auto pods = NewProbe("pods", RunnableGroup::kOthers);
  ASSERT_TRUE(manager->OptionsFor({.name = "pods"}).ok());
  ASSERT_TRUE(manager->OptionsFor({.name = "nodes"}).ok());
  EXPECT_EQ(manager->OptionsFor({.name = "pods"}).error().message(),
            "there is a controller of the name pods: give one of them another name, so that their "
            "metrics do not mix, or set skip_name_validation");
  EXPECT_EQ(manager->Remove(nullptr).error().ToString(), "InvalidArgument: the runnable is null");
  EXPECT_EQ(manager->Add(nullptr).error().ToString(), "InvalidArgument: the runnable is null");
  EXPECT_EQ(manager->Remove(pods).error().ToString(), "NotFound: pods is not in this manager");
  EXPECT_FALSE(manager->OptionsFor({.name = "pods"}).ok());
  ASSERT_TRUE(manager->Add(pods).ok());
  EXPECT_TRUE(manager->Remove(pods).ok());
  EXPECT_FALSE(manager->OptionsFor({.name = "nodes"}).ok());
  EXPECT_TRUE(manager->OptionsFor({.name = "pods"}).ok());
  manager.Start();
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(told_.empty());
}

TEST_F(ManagerEnds, WebhooksAfterTheEnd_AreLogged) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kError);
  Simulation sim({.log = log});
  ApiServer server(sim);
  RunningManager manager(sim, server, {.serve_webhooks = false});
  EXPECT_EQ(manager->webhook_port(), 0);
  manager.Start();
  sim.RunFor(seconds(1));
  manager.Stop();
  const WebhookServer& late = manager->GetWebhookServer();
  EXPECT_EQ(log->Count("webhooks come too late and are not served err=Stopped: "), 1U)
      << log->text();
  EXPECT_EQ(&manager->GetWebhookServer(), &late) << "one server";
  EXPECT_EQ(log->lines.size(), 1U);
  EXPECT_EQ(manager->webhook_port(), 0);
}

}  // namespace
}  // namespace kinformer::testing
