// Requests of a candidate: their order, timeouts and errors, and the records that they write.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"

#include "controller/election/leadership.h"
#include "controller/election/testing/fake_lock.h"

namespace kinformer::internal::election {
namespace {

using kinformer::testing::FakeLease;
using kinformer::testing::FakeLock;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LeadershipRequests : public ::testing::Test {
 protected:
  void Make(Duration renew_deadline = seconds(6), bool coordinated = false) {
    auto lock = std::make_unique<FakeLock>(lease_, "a");
    lock_ = lock.get();
    LeaderElectionConfig config;
    config.name = "printer";
    config.lease_duration = seconds(10);
    config.renew_deadline = renew_deadline;
    config.coordinated = coordinated;
    leadership_ = std::make_unique<Leadership>(sim_.env(), std::move(lock), config);
    lock_->fault = [this](const std::string& verb, const CallOptions& call) -> Result<void> {
      timeouts_.push_back(call.timeout);
      return fault_ ? fault_(verb) : Result<void>();
    };
  }
  Result<void> Try(Duration timeout = Duration(0)) {
    lock_->asked.clear();
    timeouts_.clear();
    return leadership_->TryAcquireOrRenew({.timeout = timeout});
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_, .start = WallTime(seconds(1000))}};
  FakeLease lease_;
  FakeLock* lock_ = nullptr;
  std::vector<Duration> timeouts_;
  std::function<Result<void>(const std::string& verb)> fault_;
  std::unique_ptr<Leadership> leadership_;
};

struct Timeouts {
  Duration renew_deadline, caller, request;
};

// A request gets half of the renew deadline, but a second at least, and not more than the caller.
TEST_F(LeadershipRequests, Timeout_IsHalfOfTheRenewDeadline) {
  for (const Timeouts& row :
       {Timeouts{seconds(6), seconds(0), seconds(3)},
        Timeouts{seconds(6), seconds(100), seconds(3)},
        Timeouts{seconds(6), seconds(3) + nanoseconds(1), seconds(3)},
        Timeouts{seconds(6), seconds(3), seconds(3)}, Timeouts{seconds(6), seconds(2), seconds(2)},
        Timeouts{seconds(2), seconds(0), seconds(1)},
        Timeouts{seconds(1), seconds(0), seconds(1)}}) {
    lease_ = {};
    Make(row.renew_deadline);
    EXPECT_TRUE(Try(row.caller).ok());
    EXPECT_EQ(timeouts_.size(), 2U);
    EXPECT_THAT(timeouts_, Each(row.request)) << row.caller.count();
    EXPECT_TRUE(Try(row.caller).ok());
    EXPECT_THAT(timeouts_, ElementsAre(row.request)) << row.caller.count();
  }
}

TEST_F(LeadershipRequests, TimeSpent_IsTakenFromTheNextRequest) {
  Make();
  fault_ = [this](const std::string& verb) -> Result<void> {
    if (verb == "get") sim_.RunFor(seconds(2));
    return {};
  };
  EXPECT_TRUE(Try(seconds(3)).ok());
  EXPECT_THAT(timeouts_, ElementsAre(seconds(3), seconds(1)));
  lease_ = {};
  Make();
  const Result<void> late = Try(seconds(2));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().ToString(),
            "DeadlineExceeded: the attempt took longer than the caller allows");
  EXPECT_THAT(lock_->asked, ElementsAre("get")) << "no time is left to create";
  lease_.Put({});
  EXPECT_EQ(Try(seconds(2)).error().reason(), Reason::kDeadlineExceeded);
  EXPECT_THAT(lock_->asked, ElementsAre("get")) << "nor to write";
}

TEST_F(LeadershipRequests, RecordThatCannotBeRead_IsNotCreated) {
  for (const bool coordinated : {false, true}) {
    Make(seconds(6), coordinated);
    fault_ = [](const std::string&) -> Result<void> { return Error(Reason::kTransport, "cut"); };
    EXPECT_EQ(Try().error().ToString(), "Transport: cut");
    EXPECT_THAT(lock_->asked, ElementsAre("get"));
  }
}

TEST_F(LeadershipRequests, Renewals_KeepTimeOfAcquisitionAndCount) {
  Make();
  lease_.Put({.leaderTransitions = 4});
  ASSERT_TRUE(Try().ok());
  const metav1::MicroTime acquired(1000);
  EXPECT_EQ(lease_.record->acquireTime, acquired);
  sim_.RunFor(seconds(5));
  ASSERT_TRUE(Try().ok());
  EXPECT_THAT(lock_->asked, ElementsAre("update"));
  EXPECT_EQ(lease_.record->acquireTime, acquired);
  EXPECT_EQ(lease_.record->renewTime, metav1::MicroTime(1005));
  EXPECT_EQ(lease_.record->leaderTransitions, 5);
  const std::string slow = "leader_election_slowpath_total{name=\"printer\"} ";
  EXPECT_THAT(metrics_->Text(), HasSubstr(slow + "0\n"));
  ++lease_.version;
  ASSERT_TRUE(Try().ok());
  EXPECT_THAT(lock_->asked, ElementsAre("update", "get", "update"));
  EXPECT_THAT(metrics_->Text(), HasSubstr(slow + "1\n"));
  sim_.RunFor(seconds(10));
  ASSERT_TRUE(Try().ok());
  EXPECT_THAT(lock_->asked, ElementsAre("get", "update")) << "its own record has expired";
  EXPECT_EQ(lease_.record->acquireTime, acquired);
  EXPECT_EQ(lease_.record->leaderTransitions, 5);
  EXPECT_THAT(metrics_->Text(), HasSubstr(slow + "2\n"));
}

TEST_F(LeadershipRequests, CoordinatedRenewal_KeepsWhatTheServerGave) {
  Make(seconds(6), true);
  lease_.Put({.holderIdentity = "a",
              .leaseDurationSeconds = 10,
              .acquireTime = metav1::MicroTime(7),
              .leaderTransitions = 3,
              .strategy = "s"});
  ASSERT_TRUE(Try().ok());
  EXPECT_EQ(lease_.record->acquireTime, metav1::MicroTime(7));
  EXPECT_EQ(lease_.record->renewTime, metav1::MicroTime(1000));
  EXPECT_EQ(lease_.record->leaderTransitions, 3);
  EXPECT_EQ(lease_.record->strategy, "s");
  EXPECT_EQ(lease_.record->leaseDurationSeconds, 10);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(Try().error().ToString(), "Conflict: lease default/lease has expired");
  lease_.Put({.holderIdentity = "a", .leaseDurationSeconds = 10, .preferredHolder = "b"});
  EXPECT_EQ(Try().error().ToString(), "Conflict: lease default/lease shall go to b");
  lease_.Put({.holderIdentity = "b", .leaseDurationSeconds = 10});
  EXPECT_EQ(Try().error().ToString(), R"(Conflict: lease default/lease is held by "b")");
  lease_.Put({.leaseDurationSeconds = 10});
  EXPECT_EQ(Try().error().ToString(), "Conflict: lease default/lease is held by nobody yet");
}

TEST_F(LeadershipRequests, Release_KeepsTheCountAndEndsAtOtherErrors) {
  Make();
  lease_.Put({.leaderTransitions = 4});
  ASSERT_TRUE(Try().ok());
  lock_->asked.clear();
  fault_ = [](const std::string& verb) -> Result<void> {
    if (verb == "update") return Error(Reason::kTransport, "cut");
    return {};
  };
  EXPECT_EQ(leadership_->Release(seconds(5)).error().ToString(), "Transport: cut");
  EXPECT_THAT(lock_->asked, ElementsAre("get", "update"));
  EXPECT_FALSE(leadership_->IsLeader()) << "all the same";
  lock_->asked.clear();
  fault_ = [](const std::string&) -> Result<void> { return Error(Reason::kTransport, "lost"); };
  EXPECT_EQ(leadership_->Release(seconds(5)).error().ToString(), "Transport: lost");
  EXPECT_THAT(lock_->asked, ElementsAre("get"));
  fault_ = {};
  sim_.RunFor(seconds(2));
  ASSERT_TRUE(leadership_->Release(seconds(5)).ok());
  EXPECT_EQ(lease_.record->leaderTransitions, 5);
  EXPECT_EQ(lease_.record->holderIdentity, "");
  EXPECT_EQ(lease_.record->leaseDurationSeconds, 1);
  EXPECT_EQ(lease_.record->renewTime, metav1::MicroTime(1002));
}

}  // namespace
}  // namespace kinformer::internal::election
