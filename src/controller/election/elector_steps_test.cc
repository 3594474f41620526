// Moments of an elector: of its renewals, its end, its release and its lines in the log.

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/until.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "base/core/testing/fields_log.h"
#include "controller/election/testing/fake_lock.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::FakeLock;
using ::testing::HasSubstr;
using ::testing::Not;

// A candidate with its log, metrics and requests.
class Elected {
 public:
  struct Request {
    std::string verb;
    SteadyTime at;
    Duration timeout;
  };

  explicit Elected(LeaderElectionConfig config = {}) {
    auto lock = std::make_unique<FakeLock>(lease, "a");
    lock->fault = [this](const std::string& verb, const CallOptions& call) -> Result<void> {
      requests.push_back({verb, Now(), call.timeout});
      return fault ? fault(verb, call) : Result<void>();
    };
    config.callbacks.on_started_leading = [this](const std::stop_token& stop) {
      SleepUnlessStopped(sim.env(), stop, hours(100));
      sim.env().SleepFor(works_on_for);
    };
    config.callbacks.on_stopped_leading = [this] {
      stopped_at = Now();
      if (on_stopped) on_stopped();
    };
    config.callbacks.on_new_leader = [this](const std::string& leader) {
      leaders.push_back(leader);
    };
    elector = LeaderElector::New(sim.env(), std::move(lock), std::move(config)).OrExit();
    thread_ = sim.env().NewThread("candidate", [this] {
      elector->Run(run.get_token());
      ended = true;
    });
  }
  ~Elected() {
    run.request_stop();
    thread_->Join();
  }
  Elected(const Elected&) = delete;
  Elected& operator=(const Elected&) = delete;

  // Runs until the next request has been answered, and forgets all requests.
  void RunUntilRenewed() {
    requests.clear();
    ASSERT_TRUE(sim.RunUntil([&] { return !requests.empty(); }, minutes(5)));
    sim.RunReady();
    requests.clear();
  }
  [[nodiscard]] SteadyTime Now() { return sim.env().Now(); }
  // Returns "update +2 5" for an update 2 s after `since` with a timeout of 5 s.
  [[nodiscard]] std::vector<std::string> Requests(SteadyTime since) const {
    std::vector<std::string> out;
    for (const Request& request : requests) {
      out.push_back(request.verb + " +" + std::to_string((request.at - since) / seconds(1)) + " " +
                    std::to_string(request.timeout / seconds(1)));
    }
    return out;
  }

  const std::shared_ptr<internal::base::FieldsLog> log =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kInfo);
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Simulation sim{{.log = log, .metrics = metrics}};
  testing::FakeLease lease;
  std::vector<Request> requests{};
  std::function<Result<void>(const std::string& verb, const CallOptions& call)> fault{};
  std::function<void()> on_stopped{};
  Duration works_on_for{0};
  SteadyTime stopped_at{};
  bool ended = false;
  std::vector<std::string> leaders{};
  std::unique_ptr<LeaderElector> elector;
  std::stop_source run;

 private:
  std::unique_ptr<Thread> thread_;
};

Result<void> Cut(const std::string&, const CallOptions&) {
  return Error(Reason::kTransport, "cut");
}

TEST(ElectorSteps, Run_IsLoggedAndMeasured) {
  Elected a({.release_on_cancel = true});
  const std::string status = R"(leader_election_master_status{name="default/lease"} )";
  EXPECT_THAT(a.metrics->Text(), HasSubstr(status + "0\n"));
  a.sim.RunFor(seconds(5));
  EXPECT_THAT(a.metrics->Text(), HasSubstr(status + "1\n"));
  a.requests.clear();
  a.run.request_stop();
  a.sim.RunFor(seconds(1));
  EXPECT_THAT(a.metrics->Text(), HasSubstr(status + "0\n"));
  EXPECT_THAT(a.Requests(a.stopped_at), ElementsAre("get +0 5", "update +0 5")) << "the release";
  EXPECT_EQ(a.log->text(),
            "attempting to acquire leadership lock=default/lease identity=a\n"
            "became leader lock=default/lease identity=a\n"
            "stopped leading lock=default/lease identity=a\n");
  Elected named({.name = "printer"});
  EXPECT_THAT(named.metrics->Text(),
              HasSubstr(R"(leader_election_master_status{name="printer"} 0)"));
}

// A renewal that fails is tried again until the time to lead has passed: 12 s after the last one.
TEST(ElectorSteps, FailedRenewals_AreRepeatedUntilTheDeadline) {
  Elected a;
  a.sim.RunFor(seconds(5));
  a.RunUntilRenewed();
  const SteadyTime renewed = a.Now();
  a.fault = Cut;
  a.sim.RunFor(seconds(20));
  EXPECT_THAT(a.Requests(renewed),
              ElementsAre("update +2 5", "get +2 5", "update +4 5", "get +4 5", "update +6 5",
                          "get +6 5", "update +8 4", "get +8 4", "update +10 2", "get +10 2"));
  EXPECT_TRUE(a.ended);
  EXPECT_EQ(a.stopped_at - renewed, seconds(12));
  EXPECT_EQ(a.log->Count("leadership was not renewed lock=default/lease identity=a "
                         "err=Transport: cut"),
            5U);
  EXPECT_EQ(a.log->Count("not released"), 0U);
}

struct Pace {
  Duration lease, renew, retry, answer, pause;
};

// The pause leaves a second for the next renewal, or half of the time where that is more.
TEST(ElectorSteps, SlowAnswers_ShortenThePause) {
  for (const Pace& pace :
       {Pace{seconds(15), seconds(10), seconds(2), seconds(0), seconds(2)},
        Pace{seconds(10), seconds(9), seconds(7), seconds(0), seconds(7)},
        Pace{seconds(10), seconds(9), seconds(7), milliseconds(4400), milliseconds(4100)},
        Pace{seconds(2), seconds(1), milliseconds(500), milliseconds(950), milliseconds(275)}}) {
    SteadyTime answered{};
    std::vector<Duration> pauses;
    Elected a(
        {.lease_duration = pace.lease, .renew_deadline = pace.renew, .retry_period = pace.retry});
    a.sim.RunFor(seconds(30));
    a.fault = [&](const std::string&, const CallOptions&) -> Result<void> {
      if (answered != SteadyTime()) pauses.push_back(a.Now() - answered);
      a.sim.env().SleepFor(pace.answer);
      answered = a.Now();
      return {};
    };
    a.sim.RunFor(seconds(40));
    ASSERT_GE(pauses.size(), 3U);
    for (const Duration pause : pauses) EXPECT_EQ(pause, pace.pause) << pace.answer.count();
  }
}

// The time to lead may pass while the machine sleeps. A single try has a second then.
TEST(ElectorSteps, RenewalAfterSuspension_HasTimeLeftOrOneSecond) {
  for (const auto& [asleep, timeout] :
       std::vector<std::pair<Duration, Duration>>{{seconds(7), seconds(3)},
                                                  {seconds(10) - nanoseconds(1), nanoseconds(1)},
                                                  {seconds(10), seconds(1)},
                                                  {hours(1), seconds(1)}}) {
    Elected a;
    a.sim.RunFor(seconds(5));
    a.RunUntilRenewed();
    a.sim.RunFor(seconds(1));
    a.sim.Suspend(asleep);
    a.sim.RunFor(seconds(1));
    ASSERT_FALSE(a.requests.empty());
    EXPECT_EQ(a.requests[0].timeout, timeout) << asleep.count();
  }
}

TEST(ElectorSteps, OvertakenLeader_ReportsTheOther) {
  Elected a;
  a.sim.RunFor(seconds(5));
  a.lease.Put({.holderIdentity = "b", .leaseDurationSeconds = 100});
  a.sim.RunFor(seconds(3));
  EXPECT_THAT(a.leaders, ElementsAre("a", "b"));
  EXPECT_FALSE(a.elector->IsLeader());
}

TEST(ElectorSteps, StopDuringRenewal_IsNoFailure) {
  Elected a;
  a.sim.RunFor(seconds(5));
  a.fault = [&](const std::string&, const CallOptions& call) -> Result<void> {
    SleepUnlessStopped(a.sim.env(), call.stop, hours(1));
    return Error(Reason::kCanceled, "stopped");
  };
  a.sim.RunFor(seconds(3));
  a.run.request_stop();
  a.sim.RunFor(nanoseconds(1));
  EXPECT_TRUE(a.ended);
  EXPECT_EQ(a.log->Count("not renewed"), 0U);
  EXPECT_EQ(a.log->Count("stopped leading"), 1U);
}

struct Lost {
  bool release_on_cancel;
  Duration works_on_for;
  const char* holder;
};

// The program learns of the loss first. Its lease is released if its work has ended.
TEST(ElectorSteps, LostLease_IsReleasedAfterTheCallback) {
  for (const Lost& row :
       {Lost{true, seconds(0), ""}, Lost{true, minutes(1), "a"}, Lost{false, seconds(0), "a"}}) {
    std::string before;
    Elected a({.release_on_cancel = row.release_on_cancel});
    a.works_on_for = row.works_on_for;
    a.sim.RunFor(seconds(5));
    a.fault = Cut;
    a.on_stopped = [&] {
      before = a.lease.record->holderIdentity;
      a.fault = {};
      a.requests.clear();
      a.sim.env().SleepFor(seconds(1));  // in which the work ends
    };
    a.sim.RunFor(seconds(20));
    ASSERT_TRUE(a.ended);
    EXPECT_EQ(before, "a");
    EXPECT_EQ(a.lease.record->holderIdentity, row.holder);
    EXPECT_EQ(a.requests.size(), row.holder[0] == '\0' ? 2U : 0U);
    EXPECT_EQ(a.log->Count("not released"), 0U);
  }
}

// The lease is renewed while the work ends.
TEST(ElectorSteps, WorkThatEndsSlowly_KeepsTheLeaseRenewed) {
  for (const bool cut : {false, true}) {
    Elected a({.release_on_cancel = true});
    a.works_on_for = seconds(7);
    a.sim.RunFor(seconds(5));
    a.RunUntilRenewed();
    const SteadyTime asked = a.Now();
    if (cut) a.fault = Cut;
    a.run.request_stop();
    a.sim.RunFor(seconds(20));
    if (cut) {
      EXPECT_THAT(a.Requests(asked),
                  ElementsAre("update +2 5", "get +2 5", "update +4 5", "get +4 5", "update +6 4",
                              "get +6 4", "get +7 5"));
    } else {
      EXPECT_THAT(a.Requests(asked), ElementsAre("update +2 5", "update +4 5", "update +6 4",
                                                 "get +7 5", "update +7 5"));
    }
    EXPECT_EQ(a.stopped_at - asked, seconds(7));
    EXPECT_EQ(a.log->Count("leadership was not renewed"), cut ? 3U : 0U);
    EXPECT_EQ(a.log->Count("the lease was not released lock=default/lease identity=a "
                           "err=Transport: cut"),
              cut ? 1U : 0U);
    EXPECT_EQ(a.lease.record->holderIdentity, cut ? "a" : "");
  }
}

TEST(ElectorSteps, WorkThatDoesNotEnd_IsAwaitedForTheRenewDeadline) {
  Elected a({.release_on_cancel = true});
  a.works_on_for = minutes(1);
  a.sim.RunFor(seconds(5));
  a.RunUntilRenewed();
  const SteadyTime asked = a.Now();
  a.run.request_stop();
  a.sim.RunFor(seconds(20));
  EXPECT_EQ(a.stopped_at - asked, seconds(10));
  EXPECT_THAT(a.Requests(asked),
              ElementsAre("update +2 5", "update +4 5", "update +6 4", "update +8 2"));
  EXPECT_EQ(a.log->Count("on_started_leading has not returned: the lease is not released, but "
                         "runs out lock=default/lease identity=a"),
            1U);
  EXPECT_THAT(a.lease.record->holderIdentity, "a");
}

}  // namespace
}  // namespace kinformer
