// Rules by which a candidate takes, renews and releases the record.

#include "controller/election/leadership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/simulation.h"

#include "controller/election/testing/fake_lock.h"

namespace kinformer::internal::election {
namespace {

using kinformer::testing::FakeLease;
using kinformer::testing::FakeLock;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

LeaderElectionRecord HeldBy(std::string holder, std::int32_t duration = 10) {
  return {.holderIdentity = std::move(holder), .leaseDurationSeconds = duration};
}

class LeadershipTest : public ::testing::Test {
 protected:
  LeadershipTest() : LeadershipTest(LeaderElectionConfig()) {}
  explicit LeadershipTest(LeaderElectionConfig config) {
    config.lease_duration = seconds(10);
    config.renew_deadline = seconds(6);
    auto lock = std::make_unique<FakeLock>(lease_, "baz");
    lock_ = lock.get();
    leadership_ = std::make_unique<Leadership>(sim_.env(), std::move(lock), config);
  }

  Result<void> Try() { return leadership_->TryAcquireOrRenew({}); }
  // Changes the version as well, as the server does on each write.
  void Another(LeaderElectionRecord record) { lease_.Put(std::move(record)); }

  Simulation sim_;
  FakeLease lease_;
  FakeLock* lock_ = nullptr;
  std::unique_ptr<Leadership> leadership_;
};

TEST_F(LeadershipTest, ALeaseThatIsNotThereIsMade_LE01) {
  EXPECT_TRUE(Try().ok());
  EXPECT_TRUE(leadership_->IsLeader());
  EXPECT_EQ(leadership_->Leader(), "baz");
  EXPECT_EQ(lease_.record->leaderTransitions, 0);
  EXPECT_EQ(lease_.record->leaseDurationSeconds, 10);
  EXPECT_EQ(lease_.record->acquireTime, lease_.record->renewTime);
  EXPECT_THAT(lock_->asked, ElementsAre("get", "create"));
}

TEST_F(LeadershipTest, AnEmptyRecordIsTaken_LE02_LE04) {
  Another({});
  EXPECT_TRUE(Try().ok());
  EXPECT_EQ(lease_.record->leaderTransitions, 1);
  EXPECT_EQ(leadership_->Epoch(), 1);
  EXPECT_THAT(lock_->asked, ElementsAre("get", "update"));
}

TEST_F(LeadershipTest, OtherHolder_IsAwaitedForItsLeaseDuration_LE03) {
  Another(HeldBy("bing", 3));
  EXPECT_EQ(Try().error().reason(), Reason::kConflict);
  EXPECT_EQ(leadership_->Leader(), "bing");
  sim_.RunFor(milliseconds(2999));
  EXPECT_FALSE(Try().ok());
  sim_.RunFor(milliseconds(1));
  EXPECT_TRUE(Try().ok());
  EXPECT_EQ(lease_.record->leaderTransitions, 1);
  EXPECT_THAT(lock_->asked, ElementsAre("get", "get", "get", "update"));
}

TEST_F(LeadershipTest, EachRenewalBeginsTheWaitAnew_LE03) {
  for (int i = 0; i < 5; ++i) {
    LeaderElectionRecord renewed = HeldBy("bing", 3);
    renewed.renewTime = metav1::MicroTime(1000 + i);
    Another(renewed);
    EXPECT_FALSE(Try().ok());
    sim_.RunFor(seconds(2));
  }
}

// Expiry must not depend on the clocks of other machines.
TEST_F(LeadershipTest, AnExpiredRecordIsTaken_LE05) {
  LeaderElectionRecord future = HeldBy("bing", 0);
  future.renewTime = metav1::MicroTime(std::int64_t{1} << 40);
  Another(future);
  static_cast<void>(Try());
  sim_.RunFor(milliseconds(1));
  EXPECT_TRUE(Try().ok());
  EXPECT_EQ(lease_.record->leaderTransitions, 1);
}

TEST_F(LeadershipTest, ARecordThatNobodyHoldsIsFreeAtOnce_LE06) {
  LeaderElectionRecord released = HeldBy("", 1000);
  released.leaderTransitions = 4;
  Another(released);
  EXPECT_TRUE(Try().ok());
  EXPECT_EQ(lease_.record->leaderTransitions, 5);
}

TEST_F(LeadershipTest, LeaderTransitions_AtTheMostThatFits_StayThere) {
  LeaderElectionRecord released = HeldBy("", 1000);
  released.leaderTransitions = std::numeric_limits<std::int32_t>::max();
  Another(released);
  EXPECT_TRUE(Try().ok());
  EXPECT_EQ(lease_.record->leaderTransitions, std::numeric_limits<std::int32_t>::max());
  EXPECT_TRUE(leadership_->IsLeader());
}

TEST_F(LeadershipTest, AChangedRecordIsValidFromThatMoment_LE07) {
  Another(HeldBy("bing", 3));
  EXPECT_FALSE(Try().ok());
  sim_.RunFor(seconds(4));
  Another(HeldBy("bang", 3));
  lock_->asked.clear();
  EXPECT_FALSE(Try().ok());
  EXPECT_EQ(leadership_->Leader(), "bang");
  EXPECT_THAT(lock_->asked, ElementsAre("get"));
}

// A process that restarted with the same identity.
TEST_F(LeadershipTest, OnesOwnRecordIsRenewedWithTheSameTerm_LE08) {
  LeaderElectionRecord own = HeldBy("baz");
  own.leaderTransitions = 7;
  own.acquireTime = metav1::MicroTime(42);
  Another(own);
  EXPECT_TRUE(Try().ok());
  EXPECT_EQ(lease_.record->leaderTransitions, 7);
  EXPECT_EQ(lease_.record->acquireTime, own.acquireTime);
  EXPECT_THAT(lock_->asked, ElementsAre("get", "update"));
}

TEST_F(LeadershipTest, LockWithoutRead_ReadsAndRenewsSameTerm_LE08) {
  EXPECT_TRUE(Try().ok());
  const auto acquired = lease_.record->acquireTime;
  lock_->Forget();
  lock_->asked.clear();
  sim_.RunFor(seconds(2));
  EXPECT_TRUE(Try().ok());
  EXPECT_THAT(lock_->asked, ElementsAre("refused", "get", "update"));
  EXPECT_EQ(lease_.record->leaderTransitions, 0);
  EXPECT_EQ(lease_.record->acquireTime, acquired);
  EXPECT_TRUE(leadership_->IsLeader());
}

TEST_F(LeadershipTest, RenewalsDoNotRead_LE21) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Try().ok());
  EXPECT_THAT(lock_->asked, ElementsAre("get", "create", "update", "update"));
  EXPECT_EQ(lease_.record->leaderTransitions, 0);
}

TEST_F(LeadershipTest, Conflict_ReadsRecordAndRenews_LE22) {
  EXPECT_TRUE(Try().ok());
  EXPECT_TRUE(Try().ok());
  // Another client has set a label: a new version of the same record.
  ++lease_.version;
  EXPECT_TRUE(Try().ok());
  EXPECT_TRUE(Try().ok());
  EXPECT_THAT(lock_->asked,
              ElementsAre("get", "create", "update", "update", "get", "update", "update"));
}

TEST_F(LeadershipTest, OvertakenLeader_LeadsNoMore) {
  EXPECT_TRUE(Try().ok());
  Another(HeldBy("bing"));
  EXPECT_TRUE(leadership_->IsLeader()) << "nobody has told it";
  EXPECT_FALSE(Try().ok());
  EXPECT_FALSE(leadership_->IsLeader());
  EXPECT_EQ(leadership_->Epoch(), std::nullopt);
  EXPECT_EQ(lease_.record->holderIdentity, "bing");
}

TEST_F(LeadershipTest, LeadershipEndsByTheBootTimeClock) {
  EXPECT_TRUE(Try().ok());
  sim_.RunFor(milliseconds(7999));
  EXPECT_TRUE(leadership_->IsLeader());
  sim_.RunFor(milliseconds(1));
  EXPECT_FALSE(leadership_->IsLeader()) << "before others may take over, after 10 s";
  EXPECT_TRUE(Try().ok());
  EXPECT_TRUE(leadership_->IsLeader());
  sim_.Suspend(std::chrono::hours(1));
  EXPECT_FALSE(leadership_->IsLeader()) << "while the machine was suspended";
}

// Others may have seen the write when it was made, long before its answer arrives.
TEST_F(LeadershipTest, ASlowAnswerCountsFromTheRequest) {
  lock_->fault = [&](const std::string&, const CallOptions&) -> Result<void> {
    sim_.RunFor(seconds(3));
    return {};
  };
  EXPECT_TRUE(Try().ok()) << "two requests";
  EXPECT_TRUE(leadership_->IsLeader());
  sim_.RunFor(seconds(2));
  EXPECT_FALSE(leadership_->IsLeader());
}

TEST_F(LeadershipTest, AReleaseReadsAndEmptiesTheRecord_LE14_LE15) {
  EXPECT_TRUE(Try().ok());
  lock_->asked.clear();
  EXPECT_TRUE(leadership_->Release(seconds(5)).ok());
  EXPECT_THAT(lock_->asked, ElementsAre("get", "update"));
  EXPECT_EQ(lease_.record->holderIdentity, "");
  EXPECT_EQ(lease_.record->leaseDurationSeconds, 1);
  EXPECT_EQ(lease_.record->leaderTransitions, 0);
  EXPECT_EQ(leadership_->Leader(), "");
  EXPECT_FALSE(leadership_->IsLeader());
}

TEST_F(LeadershipTest, AConflictOfAReleaseIsRepeated_LE16) {
  EXPECT_TRUE(Try().ok());
  int updates = 0;
  lock_->fault = [&](const std::string& verb, const CallOptions&) -> Result<void> {
    if (verb == "update" && ++updates == 1) return Error(Reason::kConflict, "changed");
    return {};
  };
  EXPECT_TRUE(leadership_->Release(seconds(5)).ok());
  EXPECT_EQ(updates, 2);
  EXPECT_EQ(lease_.record->holderIdentity, "");
}

// client-go overwrites the other holder here.
TEST_F(LeadershipTest, AReleaseLeavesTheRecordOfAnother) {
  EXPECT_TRUE(Try().ok());
  Another(HeldBy("bing"));
  EXPECT_TRUE(leadership_->Release(seconds(5)).ok());
  EXPECT_EQ(lease_.record->holderIdentity, "bing");
}

TEST_F(LeadershipTest, Release_EndsAtItsTimeout) {
  EXPECT_TRUE(Try().ok());
  lock_->fault = [&](const std::string& verb, const CallOptions& call) -> Result<void> {
    EXPECT_LE(call.timeout, seconds(5));
    EXPECT_GT(call.timeout, seconds(0));
    sim_.RunFor(seconds(1));
    return verb == "update" ? Result<void>(Error(Reason::kConflict, "changed")) : Result<void>();
  };
  EXPECT_EQ(leadership_->Release(seconds(5)).error().reason(), Reason::kDeadlineExceeded);
}

TEST_F(LeadershipTest, Health_LE23) {
  EXPECT_TRUE(leadership_->Check(seconds(1)).ok()) << "nobody leads";
  EXPECT_TRUE(Try().ok());
  EXPECT_TRUE(leadership_->Check(seconds(1)).ok());
  sim_.RunFor(seconds(11));
  EXPECT_TRUE(leadership_->Check(seconds(1)).ok()) << "within the tolerance";
  sim_.RunFor(milliseconds(1));
  EXPECT_THAT(leadership_->Check(seconds(1)).error().message(),
              ::testing::HasSubstr("default/lease"));
  Another(HeldBy("bing"));
  EXPECT_FALSE(Try().ok());
  EXPECT_TRUE(leadership_->Check(seconds(1)).ok()) << "another one leads";
}

class CoordinatedLeadership : public LeadershipTest {
 protected:
  CoordinatedLeadership() : LeadershipTest({.coordinated = true}) {}
};

TEST_F(CoordinatedLeadership, LeaseOfAnother_IsNotTaken_LE10) {
  Another(HeldBy("bing"));
  EXPECT_FALSE(Try().ok());
  EXPECT_THAT(lock_->asked, ElementsAre("get"));
}

TEST_F(CoordinatedLeadership, LeaseGivenByServer_IsRenewedWithItsStrategy_LE11) {
  LeaderElectionRecord given = HeldBy("baz");
  given.leaderTransitions = 3;
  given.strategy = "OldestEmulationVersion";
  Another(given);
  EXPECT_TRUE(Try().ok());
  EXPECT_TRUE(Try().ok());
  EXPECT_EQ(lease_.record->leaderTransitions, 3);
  EXPECT_EQ(lease_.record->strategy, "OldestEmulationVersion");
  EXPECT_THAT(lock_->asked, ElementsAre("get", "update", "get", "update"));
}

TEST_F(CoordinatedLeadership, LeaseNotGivenByServer_IsNotTaken_LE12) {
  EXPECT_EQ(Try().error().reason(), Reason::kNotFound);
  EXPECT_FALSE(lease_.record) << "it is for the server to make it";
  Another(HeldBy("baz", 3));
  EXPECT_TRUE(Try().ok());
  sim_.RunFor(seconds(30));
  EXPECT_FALSE(Try().ok()) << "expired";
  LeaderElectionRecord ending = HeldBy("baz");
  ending.preferredHolder = "bing";
  Another(ending);
  lock_->asked.clear();
  EXPECT_FALSE(Try().ok()) << "the end of the term";
  EXPECT_THAT(lock_->asked, ElementsAre("get"));
}

// The record contains whole seconds, which other candidates rely on.
TEST(LeadershipLengths, FractionOfLeaseSecond_IsNotLed) {
  Simulation sim;
  FakeLease lease;
  Leadership leadership(sim.env(), std::make_unique<FakeLock>(lease, "baz"),
                        {.lease_duration = milliseconds(2900),
                         .renew_deadline = milliseconds(1900),
                         .retry_period = seconds(1)});
  ASSERT_TRUE(leadership.TryAcquireOrRenew({}).ok());
  EXPECT_EQ(lease.record->leaseDurationSeconds, 2);
  EXPECT_TRUE(leadership.IsLeader());
  sim.RunFor(seconds(2));
  EXPECT_FALSE(leadership.IsLeader());
}

}  // namespace
}  // namespace kinformer::internal::election
