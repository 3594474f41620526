// Run: when a candidate tries and renews, which callbacks it calls, and how it ends.

#include "kinformer/leaderelection/leader_elector.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/base/until.h"

#include "base/core/testing/fields_log.h"
#include "controller/election/testing/fake_lock.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::FakeLease;
using testing::FakeLock;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// One candidate, its thread, and the callbacks it received.
class Candidate {
 public:
  Candidate(Simulation& sim, FakeLease& lease, const std::string& identity,
            LeaderElectionConfig config = {})
      : sim_(sim) {
    auto lock = std::make_unique<FakeLock>(lease, identity);
    lock_ = lock.get();
    config.callbacks.on_started_leading = [this](const std::stop_token& stop) {
      told.emplace_back("started");
      while (!stop.stop_requested()) SleepUnlessStopped(sim_.env(), stop, hours(1));
      sim_.env().SleepFor(goes_on_for);
      told.emplace_back("worked");
    };
    config.callbacks.on_stopped_leading = [this] { told.emplace_back("stopped"); };
    config.callbacks.on_new_leader = [this](const std::string& leader) {
      leaders.push_back(leader);
    };
    elector_ = LeaderElector::New(sim.env(), std::move(lock), std::move(config)).OrExit();
  }
  ~Candidate() {
    if (thread_ != nullptr) Stop();
  }
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  void Start() {
    stop_ = std::stop_source();
    thread_ = sim_.env().NewThread("candidate", [this] {
      elector_->Run(stop_.get_token());
      ended = true;
    });
  }
  void RequestStop() { stop_.request_stop(); }
  void Stop() {
    RequestStop();
    thread_->Join();
    thread_.reset();
  }

  [[nodiscard]] LeaderElector& elector() { return *elector_; }
  [[nodiscard]] FakeLock& lock() { return *lock_; }

  bool ended = false;
  Duration goes_on_for{0};  // how long the work continues after stop was requested
  std::vector<std::string> told{};
  std::vector<std::string> leaders{};

 private:
  Simulation& sim_;
  FakeLock* lock_ = nullptr;
  std::unique_ptr<LeaderElector> elector_;
  std::stop_source stop_{};
  std::unique_ptr<Thread> thread_{};
};

TEST(LeaderElectorTest, TwoCandidates_OneLeadsAndOtherLearnsLeader_LE09_LE27) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim({.log = log});
  FakeLease lease;
  Candidate a(sim, lease, "a");
  Candidate b(sim, lease, "b");
  a.Start();
  sim.RunFor(seconds(1));
  b.Start();
  sim.RunFor(minutes(5));
  EXPECT_TRUE(a.elector().IsLeader());
  EXPECT_FALSE(b.elector().IsLeader());
  EXPECT_EQ(b.elector().GetLeader(), "a");
  EXPECT_THAT(a.leaders, ElementsAre("a"));
  EXPECT_THAT(b.leaders, ElementsAre("a"));
  EXPECT_THAT(a.told, ElementsAre("started"));
  EXPECT_THAT(b.told, IsEmpty());
  b.Stop();
  EXPECT_THAT(b.told, ElementsAre("stopped")) << "though it never led";
  EXPECT_THAT(lease.events, ElementsAre("a became leader"));
  EXPECT_EQ(log->Count("will retry"), 0U) << "another leader is nothing to warn of";
}

TEST(LeaderElectorTest, ACandidateWithoutRights_IsToldWhatToGrant) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim({.log = log});
  FakeLease lease;
  Candidate a(sim, lease, "a");
  a.lock().fault = [](const std::string&, const CallOptions&) -> Result<void> {
    return Error(Reason::kForbidden, "leases is forbidden").WithHttpStatus(403);
  };
  a.Start();
  sim.RunFor(seconds(59));
  EXPECT_EQ(log->Count("will retry"), 1U) << "though it has tried often";
  EXPECT_EQ(log->Count("leases is forbidden; grant get, create and update of leases"), 1U);
  sim.RunFor(seconds(10));
  EXPECT_EQ(log->Count("will retry"), 2U);
  a.lock().fault = [](const std::string& verb, const CallOptions&) -> Result<void> {
    if (verb != "create") return {};
    return Error(Reason::kNotFound, "namespaces \"default\" not found").WithHttpStatus(404);
  };
  sim.RunFor(seconds(10));
  EXPECT_EQ(log->Count("will retry"), 3U);
  EXPECT_EQ(log->Count("not found; is there the namespace of the lease?"), 1U);
}

TEST(LeaderElectorTest, StoppedLeader_ReleasesLeaseAndAnotherFollows_LE17) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a", {.release_on_cancel = true});
  Candidate b(sim, lease, "b");
  a.Start();
  sim.RunFor(seconds(30));
  b.Start();
  sim.RunFor(seconds(30));
  a.Stop();
  EXPECT_THAT(a.told, ElementsAre("started", "worked", "stopped"));
  EXPECT_EQ(lease.record->holderIdentity, "");
  EXPECT_THAT(a.leaders, ElementsAre("a", ""));
  EXPECT_THAT(lease.events, ElementsAre("a became leader", "a stopped leading"));
  // A candidate tries every 2 to 4.4 s.
  EXPECT_TRUE(sim.RunUntil([&] { return b.elector().IsLeader(); }, milliseconds(4400)));
  EXPECT_EQ(b.elector().LeaderEpoch(), 1);
  EXPECT_EQ(a.elector().LeaderEpoch(), std::nullopt);
}

TEST(LeaderElectorTest, WithoutAReleaseTheLeaseRunsOut) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a");
  Candidate b(sim, lease, "b");
  a.Start();
  sim.RunFor(seconds(30));
  b.Start();
  sim.RunFor(seconds(30));
  a.Stop();
  EXPECT_EQ(lease.record->holderIdentity, "a");
  EXPECT_FALSE(a.elector().IsLeader());
  sim.RunFor(seconds(12));
  EXPECT_FALSE(b.elector().IsLeader());
  sim.RunFor(seconds(8));
  EXPECT_TRUE(b.elector().IsLeader());
}

// The lease must not be released while the work continues: another leader would begin it too.
TEST(LeaderElectorTest, AReleaseWaitsForTheWork) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a", {.release_on_cancel = true});
  a.goes_on_for = seconds(8);
  a.Start();
  sim.RunFor(seconds(30));
  a.RequestStop();
  sim.RunFor(seconds(7));
  EXPECT_FALSE(a.ended);
  EXPECT_TRUE(a.elector().IsLeader()) << "renewed until the work has ended";
  EXPECT_EQ(lease.record->holderIdentity, "a");
  sim.RunFor(seconds(2));
  EXPECT_TRUE(a.ended);
  EXPECT_EQ(lease.record->holderIdentity, "");
}

TEST(LeaderElectorTest, WorkThatDoesNotEndKeepsTheLeaseFromBeingReleased) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a", {.release_on_cancel = true});
  a.goes_on_for = minutes(1);
  a.Start();
  sim.RunFor(seconds(30));
  a.RequestStop();
  sim.RunFor(seconds(11));
  EXPECT_TRUE(a.ended);
  EXPECT_FALSE(a.elector().IsLeader());
  EXPECT_EQ(lease.record->holderIdentity, "a");
  sim.RunFor(minutes(1));
}

TEST(LeaderElectorTest, ARequestUnderWayEndsWithTheRun_LE18_LE17) {
  for (const std::string verb : {"get", "update"}) {
    Simulation sim;
    FakeLease lease;
    Candidate a(sim, lease, "a", {.release_on_cancel = true});
    a.Start();
    sim.RunFor(seconds(30));
    bool under_way = false;
    a.lock().fault = [&](const std::string& asked, const CallOptions& call) -> Result<void> {
      if (!call.stop.stop_possible()) return {};  // for the release
      if (asked != verb) return Error(Reason::kConflict, "changed");
      under_way = true;
      SleepUnlessStopped(sim.env(), call.stop, hours(1));
      return Error(Reason::kCanceled, "the caller stopped it");
    };
    ASSERT_TRUE(sim.RunUntil([&] { return under_way; }, seconds(10)));
    a.Stop();
    EXPECT_EQ(lease.record->holderIdentity, "") << verb;
    EXPECT_THAT(lease.events, ElementsAre("a became leader", "a stopped leading"));
  }
}

TEST(LeaderElectorTest, AServerThatDoesNotAnswerEndsLeadership_LE28) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a");
  a.Start();
  sim.RunFor(seconds(30));
  a.lock().fault = [&](const std::string&, const CallOptions& call) -> Result<void> {
    SleepUnlessStopped(sim.env(), call.stop, call.timeout);
    return Error(Reason::kDeadlineExceeded, "no answer");
  };
  sim.RunFor(seconds(9));
  EXPECT_TRUE(a.elector().IsLeader());
  EXPECT_FALSE(a.ended);
  sim.RunFor(seconds(4));
  EXPECT_FALSE(a.elector().IsLeader());
  EXPECT_TRUE(a.ended);
  EXPECT_THAT(a.told, ::testing::UnorderedElementsAre("started", "worked", "stopped"));
}

// The time to lead counts from the start of a renewal, when others may have seen it.
TEST(LeaderElectorTest, SlowAnswersUseUpTheTimeToLead) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a");
  a.Start();
  sim.RunFor(seconds(30));
  SteadyTime renewed{};
  bool dead = false;
  a.lock().fault = [&](const std::string&, const CallOptions& call) -> Result<void> {
    const SteadyTime begun = sim.env().Now();
    if (dead) {
      SleepUnlessStopped(sim.env(), call.stop, call.timeout);
      return Error(Reason::kDeadlineExceeded, "no answer");
    }
    sim.env().SleepFor(milliseconds(4900));
    renewed = begun;
    return {};
  };
  sim.RunFor(minutes(1));
  ASSERT_TRUE(a.elector().IsLeader());
  ASSERT_THAT(a.told, ElementsAre("started"));
  const SteadyTime last = renewed;
  ASSERT_TRUE(sim.RunUntil([&] { return renewed != last; }, minutes(1)));
  dead = true;
  ASSERT_TRUE(sim.RunUntil([&] { return a.told.size() > 2; }, minutes(1)));
  EXPECT_THAT(a.told, ::testing::UnorderedElementsAre("started", "worked", "stopped"));
  EXPECT_LE(sim.env().Now() - renewed, seconds(12)) << "others may lead after 15 s";
}

// Valid durations that leave little time between renewals.
TEST(LeaderElectorTest, LostLease_WorkIsToldBeforeAnotherMayLead) {
  struct Lengths {
    Duration lease, renew, retry, answer;
  };
  for (const Lengths& with :
       {Lengths{seconds(10), seconds(9), seconds(7), milliseconds(4400)},
        Lengths{seconds(2), seconds(1), milliseconds(500), milliseconds(950)},
        Lengths{milliseconds(2900), milliseconds(1900), seconds(1), milliseconds(900)}}) {
    Simulation sim;
    FakeLease lease;
    Candidate a(
        sim, lease, "a",
        {.lease_duration = with.lease, .renew_deadline = with.renew, .retry_period = with.retry});
    a.Start();
    sim.RunFor(seconds(30));
    ASSERT_TRUE(a.elector().IsLeader());
    SteadyTime written{};
    bool dead = false;
    a.lock().fault = [&](const std::string&, const CallOptions& call) -> Result<void> {
      if (dead) {
        SleepUnlessStopped(sim.env(), call.stop, call.timeout);
        return Error(Reason::kDeadlineExceeded, "no answer");
      }
      written = sim.env().Now();
      sim.env().SleepFor(with.answer);
      dead = true;
      return {};
    };
    ASSERT_TRUE(sim.RunUntil([&] { return a.told.size() > 1; }, minutes(1)));
    EXPECT_LE(sim.env().Now() - written, std::chrono::floor<seconds>(with.lease))
        << "others lead then: " << with.lease.count();
  }
}

// A lock of the program that throws.
TEST(LeaderElectorTest, LockThrows_CountsAsFailedAttempt) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a");
  a.Start();
  sim.RunFor(seconds(30));
  int throws = 1;
  a.lock().fault = [&](const std::string&, const CallOptions&) -> Result<void> {
    if (throws-- > 0) throw std::runtime_error("the lock is broken");
    return {};
  };
  sim.RunFor(minutes(1));
  EXPECT_TRUE(a.elector().IsLeader()) << "it threw once";
  EXPECT_THAT(a.told, ElementsAre("started"));
  throws = 1000;
  sim.RunFor(seconds(15));
  EXPECT_FALSE(a.elector().IsLeader());
  EXPECT_THAT(a.told, ::testing::UnorderedElementsAre("started", "worked", "stopped"));
}

TEST(LeaderElectorTest, SuspendedLeader_LeadsOnIfNobodyTookOver) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a");
  a.Start();
  sim.RunFor(seconds(30));
  sim.Suspend(hours(1));
  EXPECT_FALSE(a.elector().IsLeader());
  sim.RunFor(seconds(5));
  EXPECT_TRUE(a.elector().IsLeader());
  EXPECT_FALSE(a.ended);
  EXPECT_EQ(a.elector().LeaderEpoch(), 0);
}

TEST(LeaderElectorTest, AServerThatRefusesForAWhileIsAskedAgain) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a");
  a.Start();
  sim.RunFor(seconds(30));
  const SteadyTime until = sim.env().Now() + seconds(9);
  a.lock().fault = [&](const std::string&, const CallOptions&) -> Result<void> {
    if (sim.env().Now() >= until) return {};
    return Error(Reason::kServiceUnavailable, "not now");
  };
  for (int second = 0; second < 60; ++second) {
    sim.RunFor(seconds(1));
    ASSERT_TRUE(a.elector().IsLeader()) << second;
  }
  EXPECT_FALSE(a.ended);
}

// A process that could not renew does not lead when the server is back. It competes again if Run is
// called again.
TEST(LeaderElectorTest, StoppedElector_LeadsAgainInNewTerm) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a", {.release_on_cancel = true});
  a.Start();
  sim.RunFor(seconds(30));
  a.Stop();
  a.Start();
  sim.RunFor(seconds(30));
  EXPECT_TRUE(a.elector().IsLeader());
  EXPECT_EQ(a.elector().LeaderEpoch(), 1) << "another term";
  EXPECT_THAT(a.told, ElementsAre("started", "worked", "stopped", "started"));
}

TEST(LeaderElectorTest, RunAgain_WaitsForTheWorkOfTheRunBefore) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a");
  a.goes_on_for = minutes(2);
  a.Start();
  sim.RunFor(seconds(30));
  a.Stop();
  EXPECT_THAT(a.told, ElementsAre("started", "stopped"));
  a.Start();
  sim.RunFor(minutes(1));
  EXPECT_THAT(a.told, ElementsAre("started", "stopped")) << "two works would be two leaders";
  sim.RunFor(minutes(2));
  EXPECT_THAT(a.told, ElementsAre("started", "stopped", "worked", "started"));
  EXPECT_TRUE(a.elector().IsLeader());
  a.goes_on_for = Duration(0);
}

TEST(LeaderElectorTest, CandidatesThatWaitDoNotAskTogether) {
  Simulation sim;
  FakeLease lease;
  lease.Put({.holderIdentity = "z", .leaseDurationSeconds = 1 << 20});
  Candidate a(sim, lease, "a");
  a.Start();
  std::vector<SteadyTime> asked;
  a.lock().fault = [&](const std::string&, const CallOptions&) -> Result<void> {
    asked.push_back(sim.env().Now());
    return {};
  };
  sim.RunFor(minutes(10));
  ASSERT_GT(asked.size(), 100U);
  Duration least = hours(1);
  Duration most{0};
  for (std::size_t i = 1; i < asked.size(); ++i) {
    least = std::min(least, asked[i] - asked[i - 1]);
    most = std::max(most, asked[i] - asked[i - 1]);
  }
  EXPECT_GE(least, seconds(2));
  EXPECT_LT(least, milliseconds(2300));
  EXPECT_LE(most, milliseconds(4400));
  EXPECT_GT(most, milliseconds(4000));
}

// Three candidates with a server that fails one request in five. From time to time one of them is
// cut off or stopped.
class Rivals {
 public:
  explicit Rivals(std::uint64_t seed) : sim_({.seed = seed}) {
    for (const std::string name : {"a", "b", "c"}) {
      all_.push_back(std::make_unique<Candidate>(
          sim_, lease_, name, LeaderElectionConfig{.release_on_cancel = name != "b"}));
      cut_until_.push_back(sim_.env().Now());
      all_.back()->lock().fault = [this, i = all_.size() - 1](const std::string&,
                                                              const CallOptions& call) {
        return Fault(i, call);
      };
      all_.back()->Start();
    }
  }

  void RunFor(int tenths) {
    for (int tenth = 0; tenth < tenths; ++tenth) {
      sim_.RunFor(milliseconds(100));
      if (tenth % 300 == 0) Trouble();
      std::string leader;
      for (const auto& candidate : all_) {
        if (std::exchange(candidate->ended, false)) {
          candidate->Stop();
          candidate->Start();
        }
        if (!candidate->elector().IsLeader()) continue;
        ASSERT_EQ(leader, "") << "beside " << candidate->lock().Identity() << ", after " << tenth
                              << " tenths of a second";
        leader = candidate->lock().Identity();
      }
      if (!leader.empty() && leader != std::exchange(last_, leader)) ++terms;
    }
  }
  bool OneLeadsOnceAllIsWell() {
    well_ = true;
    const auto leads = [](const auto& candidate) { return candidate->elector().IsLeader(); };
    return sim_.RunUntil([&] { return std::any_of(all_.begin(), all_.end(), leads); }, minutes(1));
  }

  int terms = 0;

 private:
  void Trouble() {
    const std::size_t whom = sim_.env().Random() % all_.size();
    if (sim_.env().Random() % 3 == 0) {
      all_[whom]->RequestStop();
    } else {
      cut_until_[whom] = sim_.env().Now() + milliseconds(sim_.env().Random() % 30'000);
    }
  }
  Result<void> Fault(std::size_t whose, const CallOptions& call) {
    if (well_) return {};
    const std::uint64_t dice = sim_.env().Random() % 100;
    if (sim_.env().Now() < cut_until_[whose] || dice >= 95) {
      SleepUnlessStopped(sim_.env(), call.stop, call.timeout);
      return Error(Reason::kDeadlineExceeded, "no answer");
    }
    if (dice < 80) return {};
    if (dice < 88) return Error(Reason::kTransport, "cut");
    SleepUnlessStopped(sim_.env(), call.stop,
                       std::min<Duration>(call.timeout, milliseconds(dice * 50)));
    return {};
  }

  Simulation sim_;
  FakeLease lease_;
  std::vector<SteadyTime> cut_until_;
  bool well_ = false;
  std::string last_;
  std::vector<std::unique_ptr<Candidate>> all_;
};

TEST(LeaderElectorTest, NeverTwoLeaders) {
  int terms = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rivals rivals(seed);
    rivals.RunFor(3000);
    EXPECT_TRUE(rivals.OneLeadsOnceAllIsWell());
    terms += rivals.terms;
  }
  EXPECT_GT(terms, 100);
}

TEST(LeaderElectorTest, InvalidConfig_ErrorNamesOption_LE19_LE20) {
  Simulation sim;
  FakeLease lease;
  const LeaderCallbacks callbacks{.on_started_leading = [](const std::stop_token&) {},
                                  .on_stopped_leading = [] {}};
  const auto error = [&](LeaderElectionConfig config, const std::string& identity = "a") {
    const auto made = LeaderElector::New(sim.env(), std::make_unique<FakeLock>(lease, identity),
                                         std::move(config));
    return made ? std::string() : made.error().ToString();
  };
  EXPECT_EQ(error({.callbacks = callbacks}), "");
  EXPECT_THAT(error({.callbacks = callbacks}, ""), HasSubstr("Lock identity is empty"));
  EXPECT_THAT(error({.lease_duration = seconds(10), .callbacks = callbacks}),
              HasSubstr("lease_duration (10 s) must be greater than renew_deadline (10 s)"));
  EXPECT_THAT(error({.retry_period = milliseconds(8334), .callbacks = callbacks}),
              HasSubstr("renew_deadline (10 s) must be greater than 1.2 * retry_period (8.334 s)"));
  EXPECT_THAT(error({.lease_duration = Duration(0), .callbacks = callbacks}),
              HasSubstr("lease_duration must be at least a second"));
  EXPECT_THAT(error({.lease_duration = Duration::max(), .callbacks = callbacks}),
              HasSubstr("lease_duration must be at most ten years"));
  EXPECT_THAT(error({.retry_period = Duration::max(), .callbacks = callbacks}),
              HasSubstr("renew_deadline (10 s) must be greater than 1.2 * retry_period ("));
  EXPECT_THAT(error({.renew_deadline = Duration(0), .callbacks = callbacks}),
              HasSubstr("renew_deadline must be greater than zero"));
  EXPECT_THAT(error({.retry_period = Duration(0), .callbacks = callbacks}),
              HasSubstr("retry_period must be greater than zero"));
  EXPECT_THAT(error({.callbacks = {.on_stopped_leading = [] {}}}),
              HasSubstr("on_started_leading is not set"));
  EXPECT_THAT(error({.callbacks = {.on_started_leading = [](const std::stop_token&) {}}}),
              HasSubstr("on_stopped_leading is not set"));
  EXPECT_THAT(LeaderElector::New(sim.env(), nullptr, {.callbacks = callbacks}).error().message(),
              HasSubstr("the lock is null"));
}

TEST(LeaderElectorTest, CallbacksMayThrow) {
  Simulation sim;
  FakeLease lease;
  const auto throwing = [] { throw std::runtime_error("a callback of the program's"); };
  const auto elector =
      LeaderElector::New(
          sim.env(), std::make_unique<FakeLock>(lease, "a"),
          {.release_on_cancel = true,
           .callbacks = {.on_started_leading = [&](const std::stop_token&) { throwing(); },
                         .on_stopped_leading = throwing,
                         .on_new_leader = [&](const std::string&) { throwing(); }}})
          .OrExit();
  std::stop_source stop;
  bool ended = false;
  const auto thread = sim.env().NewThread("candidate", [&] {
    elector->Run(stop.get_token());
    ended = true;
  });
  sim.RunFor(minutes(1));
  EXPECT_TRUE(elector->IsLeader()) << "the work may have been handed to others";
  stop.request_stop();
  sim.RunFor(seconds(1));
  EXPECT_TRUE(ended);
  EXPECT_EQ(lease.record->holderIdentity, "");
}

TEST(LeaderElectorTest, RunOnLoop_DoesNothing) {
  Simulation sim;
  FakeLease lease;
  Candidate a(sim, lease, "a");
  sim.env().loop().Post([&] { a.elector().Run({}); });
  sim.RunReady();
  EXPECT_THAT(a.lock().asked, IsEmpty());
  EXPECT_THAT(a.told, IsEmpty());
}

}  // namespace
}  // namespace kinformer
