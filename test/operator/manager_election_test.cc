// Managers with leader election: who leads, the content of the Lease, and their end.

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/coordinationv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/base/until.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/manager.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/leaderelection/lease_lock.h"
#include "kinformer/leaderelection/resource_lock.h"

#include "operator/manager_probe.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ManagersTest, LeaderStops_OtherTakesOverAfterItsWork_MG03_MG04_MG07) {
  RunningManager a(sim_, server_, Electing("a", true));
  RunningManager b(sim_, server_, Electing("b", true));
  const auto work = NewProbe("a");
  work->ends_after = seconds(20);
  ASSERT_TRUE(a->Add(work).ok());
  ASSERT_TRUE(b->Add(NewProbe("b")).ok());
  ASSERT_TRUE(b->Add(NewProbe("standby", RunnableGroup::kOthers)).ok());
  a.Start();
  sim_.RunFor(seconds(5));
  b.Start();
  sim_.RunFor(minutes(1));
  EXPECT_TRUE(a->Elected());
  EXPECT_FALSE(b->Elected());
  EXPECT_TRUE(a->elector()->IsLeader());
  EXPECT_THAT(told_, ElementsAre("+a", "+standby"));
  a.RequestStop();
  sim_.RunFor(seconds(19));
  EXPECT_EQ(Holder(), "a") << "while its work goes on";
  EXPECT_FALSE(b->Elected());
  sim_.RunFor(seconds(5));
  EXPECT_TRUE(a.ended);
  EXPECT_TRUE(a.result.ok());
  EXPECT_TRUE(b->Elected());
  EXPECT_EQ(Holder(), "b");
  EXPECT_THAT(told_, ElementsAre("+a", "+standby", "-a", "+b"));
  EXPECT_TRUE(a->WaitUntilElected({}).ok()) << "stays true";
  b.Stop();
  EXPECT_EQ(Holder(), "") << "given up";
}

// The manager waits for nothing; but an idle replica must not hold the Lease.
TEST_F(ManagersTest, WithoutGraceTheLeaseIsGivenUpToo_MG10) {
  const auto options = [](const std::string& identity) {
    ManagerOptions electing = Electing(identity, true);
    electing.graceful_shutdown_timeout = Duration(0);
    return electing;
  };
  RunningManager a(sim_, server_, options("a"));
  RunningManager b(sim_, server_, options("b"));
  RunningManager c(sim_, server_, options("c"));
  a.Start();
  sim_.RunFor(seconds(5));
  b.Start();
  c.Start();
  sim_.RunFor(seconds(5));
  ASSERT_TRUE(a->Elected());
  b.RequestStop();
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(b.ended);
  a.RequestStop();
  sim_.RunFor(seconds(30));
  EXPECT_TRUE(a.ended);
  EXPECT_TRUE(c->Elected());
  EXPECT_EQ(Holder(), "c");
  EXPECT_FALSE(a->elector()->IsLeader());
}

TEST_F(ManagersTest, TheLeaseHasTheLabelsThatItIsToHave_MG03) {
  ManagerOptions options = Electing("a");
  options.leader_election_labels = {{"my-key", "my-val"}};
  RunningManager a(sim_, server_, std::move(options));
  a.Start();
  sim_.RunFor(seconds(5));
  const auto lease =
      server_.Get({"coordination.k8s.io", "v1", "leases"}, {"default", "op"}).OrExit();
  EXPECT_EQ(lease.At("/metadata/labels/my-key").StringOrEmpty(), "my-val");
}

TEST_F(ManagersTest, AnotherLockThanALease_MG03) {
  const Client client = Client::ForTransport(sim_.env(), server_.transport());
  int made = 0;
  RunningManager a(sim_, server_,
                   {.leader_election = true, .leader_election_resource_lock = [&] {
                      ++made;
                      return NewLeaseLock(
                          client, {.namespace_ = "kube-system", .name = "mine", .identity = "me"});
                    }});
  EXPECT_EQ(made, 1);
  a.Start();
  sim_.RunFor(seconds(5));
  EXPECT_TRUE(a->Elected());
  const auto lease =
      server_.Get({"coordination.k8s.io", "v1", "leases"}, {"kube-system", "mine"}).OrExit();
  EXPECT_EQ(lease.At("/spec/holderIdentity").StringOrEmpty(), "me");
  const auto failing = Manager::New(
      client, {.leader_election = true,
               .leader_election_resource_lock = []() -> Result<std::unique_ptr<ResourceLock>> {
                 return Error(Reason::kConfig, "no lock today");
               }});
  EXPECT_EQ(failing.error().message(), "no lock today");
}

TEST_F(ManagersTest, ALockFunctionThatThrowsIsTheErrorOfNew) {
  const Client client = Client::ForTransport(sim_.env(), server_.transport());
  const auto failing = Manager::New(
      client, {.leader_election = true,
               .leader_election_resource_lock = []() -> Result<std::unique_ptr<ResourceLock>> {
                 throw std::runtime_error("no lock today");
               }});
  ASSERT_FALSE(failing.ok());
  EXPECT_EQ(failing.error().message(),
            "ManagerOptions::leader_election_resource_lock threw: no lock today");
}

// As kubectl get events shows them.
TEST_F(ManagersTest, Leadership_IsRecordedAsEventsOfTheLease) {
  std::vector<std::string> events;
  const auto read_events = [&] {
    events.clear();
    const auto list = Client::ForTransport(sim_.env(), server_.transport())
                          .For<corev1::Event>("default")
                          .List()
                          .OrExit();
    for (const auto event : list) {
      EXPECT_EQ(event.involvedObject().kind(), "Lease");
      EXPECT_EQ(event.involvedObject().name(), "op");
      EXPECT_NE(event.involvedObject().uid(), "");
      EXPECT_EQ(event.reason(), "LeaderElection");
      EXPECT_EQ(event.type(), kEventTypeNormal);
      events.emplace_back(event.message());
    }
    std::ranges::sort(events);
  };
  RunningManager a(sim_, server_, Electing("a", true));
  a.Start();
  sim_.RunFor(seconds(5));
  ASSERT_TRUE(sim_.RunBlocking(read_events, seconds(5)));
  EXPECT_THAT(events, ElementsAre("a became leader"));
  a.Stop();
  ASSERT_TRUE(sim_.RunBlocking(read_events, seconds(5)));
  EXPECT_THAT(events, ElementsAre("a became leader", "a stopped leading"))
      << "the Lease is given up, and then the last events are sent";
}

TEST_F(ManagersTest, ALeaseThatIsNotGivenUpRunsOut_MG04) {
  RunningManager a(sim_, server_, Electing("a"));
  a.Start();
  sim_.RunFor(seconds(5));
  a.Stop();
  EXPECT_EQ(Holder(), "a");
}

TEST_F(ManagersTest, ALeaseThatIsLostEndsItAtOnce_MG05) {
  RunningManager a(sim_, server_, Electing("a"));
  const auto slow = NewProbe("slow one");
  slow->ends_after = minutes(5);
  ASSERT_TRUE(a->Add(slow).ok());
  a.Start();
  sim_.RunFor(seconds(5));
  ASSERT_TRUE(a->Elected());
  server_.faults().Add({.resource = "leases", .action = apiserver::FaultAction::kRefuse});
  sim_.RunFor(seconds(13));
  ASSERT_TRUE(a.ended);
  EXPECT_THAT(a.result.error().message(), HasSubstr("leader election lost"));
}

TEST_F(ManagersTest, ElectedWhileStopping_LeaderRunnablesDoNotStart_MG06) {
  RunningManager a(sim_, server_, Electing("a", true));
  a.Start();
  sim_.RunFor(seconds(5));
  RunningManager b(sim_, server_, Electing("b"));
  const auto slow = NewProbe("slow", RunnableGroup::kOthers);
  slow->ends_after = seconds(20);
  ASSERT_TRUE(b->Add(slow).ok());
  ASSERT_TRUE(b->Add(NewProbe("leader")).ok());
  b.Start();
  sim_.RunFor(seconds(5));
  b.RequestStop();
  sim_.RunFor(seconds(1));
  a.Stop();
  sim_.RunFor(seconds(10));
  EXPECT_TRUE(b->elector()->IsLeader());
  b.Stop();
  EXPECT_FALSE(b->Elected());
  EXPECT_THAT(told_, ElementsAre("+slow", "-slow"));
}

TEST_F(ManagersTest, NeverElected_LeaderRunnablesDoNotStart_MG06) {
  RunningManager a(sim_, server_, Electing("a"));
  a.Start();
  sim_.RunFor(seconds(5));
  RunningManager b(sim_, server_, Electing("b"));
  ASSERT_TRUE(b->Add(NewProbe("b")).ok());
  b.Start();
  sim_.RunFor(seconds(5));
  Result<void> waited;
  auto waiting = sim_.env().NewThread("wait", [&] { waited = b->WaitUntilElected({}); });
  sim_.RunFor(seconds(1));
  b.Stop();
  waiting->Join();
  EXPECT_EQ(waited.error().reason(), Reason::kStopped);
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_TRUE(b.result.ok());
}

}  // namespace
}  // namespace kinformer::testing
