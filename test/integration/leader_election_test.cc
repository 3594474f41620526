// Leader election with Leases of the embedded API server, in simulated time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/coordinationv1_mutable.h"
#include "kinformer/api/coordinationv1beta1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/until.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/leaderelection/lease_candidate.h"
#include "kinformer/testing/api_server.h"

#include "integration/lease_candidates.h"

namespace kinformer::testing {
namespace {

using coordinationv1::Lease;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class LeaseLocks : public ::testing::Test {
 protected:
  std::unique_ptr<ResourceLock> NewLock(LeaseLockOptions options = {}) {
    if (options.namespace_.empty()) options.namespace_ = "default";
    if (options.name.empty()) options.name = "printer";
    if (options.identity.empty()) options.identity = "a";
    return NewLeaseLock(client_, std::move(options)).OrExit();
  }
  // Makes another transport to the server, on the loop of `env`.
  std::shared_ptr<InMemoryTransport> NewTransport(Env& env) {
    return server_.With([&env](apiserver::ApiServer& server) {
      return std::shared_ptr<InMemoryTransport>(NewInMemoryTransport(env, server));
    });
  }
  // Runs a blocking body on a thread of the simulation.
  void Run(Closure body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), minutes(5))); }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport());
  const ResourceClient<Lease> leases_ = client_.For<Lease>("default");
};

TEST_F(LeaseLocks, ARecordComesBackAsItWasWritten_LE13_RK01_RK06) {
  Run([&] {
    const auto lock = NewLock();
    EXPECT_EQ(lock->Get({}).error().reason(), Reason::kNotFound);
    const LeaderElectionRecord record{.holderIdentity = "a",
                                      .leaseDurationSeconds = 15,
                                      .acquireTime = metav1::MicroTime(100, 123456000),
                                      .renewTime = metav1::MicroTime(200, 654321000),
                                      .leaderTransitions = 3,
                                      .strategy = "OldestEmulationVersion",
                                      .preferredHolder = "b"};
    ASSERT_TRUE(lock->Create(record, {}).ok());
    EXPECT_EQ(lock->Get({}).OrExit(), record);
    LeaderElectionRecord next = record;
    next.strategy.clear();
    next.preferredHolder.clear();
    next.leaderTransitions = 4;
    ASSERT_TRUE(lock->Update(next, {}).ok());
    EXPECT_EQ(NewLock({.identity = "b"})->Get({}).OrExit(), next);
  });
}

TEST_F(LeaseLocks, EmptyLease_GivesAZeroRecord_LE13) {
  Run([&] {
    Lease::Mutable bare;
    bare.metadata.name = "printer";
    ASSERT_TRUE(leases_.Create(bare).ok());
    EXPECT_EQ(NewLock()->Get({}).OrExit(), LeaderElectionRecord());
  });
}

TEST_F(LeaseLocks, AWriteThatFailedLeavesNoTrace_RK03) {
  Run([&] {
    const auto a = NewLock({.identity = "a"});
    const auto b = NewLock({.identity = "b"});
    const LeaderElectionRecord record{.holderIdentity = "a", .leaseDurationSeconds = 15};
    ASSERT_TRUE(a->Create(record, {}).ok());
    EXPECT_EQ(b->Create(record, {}).error().reason(), Reason::kAlreadyExists);
    ASSERT_TRUE(b->Get({}).ok());
    LeaderElectionRecord renewed = record;
    renewed.leaderTransitions = 1;
    ASSERT_TRUE(a->Update(renewed, {}).ok());
    // Both have read the earlier version.
    EXPECT_EQ(b->Update({.holderIdentity = "b", .leaseDurationSeconds = 15}, {}).error().reason(),
              Reason::kConflict);
    EXPECT_EQ(b->Update({.holderIdentity = "b", .leaseDurationSeconds = 15}, {}).error().reason(),
              Reason::kConflict)
        << "not with a version that it has not seen";
    ASSERT_TRUE(b->Get({}).ok());
    EXPECT_TRUE(b->Update({.holderIdentity = "b", .leaseDurationSeconds = 15}, {}).ok());
  });
}

TEST_F(LeaseLocks, LabelsOfOthersStay_RK05) {
  Run([&] {
    Lease::Mutable lease;
    lease.metadata.name = "printer";
    lease.metadata.labels = {{"theirs", "1"}, {"ours", "old"}};
    ASSERT_TRUE(leases_.Create(lease).ok());
    const auto lock = NewLock({.labels = {{"ours", "new"}}});
    ASSERT_TRUE(lock->Get({}).ok());
    ASSERT_TRUE(lock->Update({.holderIdentity = "a", .leaseDurationSeconds = 15}, {}).ok());
    const Ref<Lease> written = leases_.Get("printer").OrExit();
    EXPECT_THAT(written->DeepCopy().metadata.labels,
                UnorderedElementsAre(Pair("theirs", "1"), Pair("ours", "new")));
    // Labels are added to a Lease without labels; existing ones stay if the lock has none or fewer.
    Lease::Mutable bare;
    bare.metadata.name = "bare";
    ASSERT_TRUE(leases_.Create(bare).ok());
    const auto write = [&](std::map<std::string, std::string> labels) {
      const auto some = NewLock({.name = "bare", .labels = std::move(labels)});
      EXPECT_TRUE(some->Get({}).ok());
      EXPECT_TRUE(some->Update({.holderIdentity = "a", .leaseDurationSeconds = 15}, {}).ok());
      const Ref<Lease> after = leases_.Get("bare").OrExit();
      return after->DeepCopy().metadata.labels;
    };
    EXPECT_THAT(write({{"ours", "1"}}), UnorderedElementsAre(Pair("ours", "1")));
    EXPECT_THAT(write({}), UnorderedElementsAre(Pair("ours", "1")));
    EXPECT_THAT(write({{"ours", "2"}, {"more", "3"}}),
                UnorderedElementsAre(Pair("ours", "2"), Pair("more", "3")));
    // A lock without labels, and a Lease without labels.
    const auto plain = NewLock({.name = "plain"});
    ASSERT_TRUE(plain->Create({.holderIdentity = "a", .leaseDurationSeconds = 15}, {}).ok());
    EXPECT_TRUE(plain->Update({.holderIdentity = "a", .leaseDurationSeconds = 15}, {}).ok());
  });
}

// Records events as "reason kind namespace/name uid: message".
class KeptEvents final : public EventRecorder {
 public:
  void AnnotatedEvent(const corev1::ObjectReferenceMutable& about,
                      std::map<std::string, std::string> /*annotations*/, std::string_view type,
                      std::string_view reason, std::string message) override {
    EXPECT_EQ(type, kEventTypeNormal);
    EXPECT_EQ(about.apiVersion, "coordination.k8s.io/v1");
    events.push_back(std::string(reason) + " " + about.kind + " " + about.namespace_ + "/" +
                     about.name + " " + about.uid + ": " + message);
  }
  std::vector<std::string> events;
};

TEST_F(LeaseLocks, EventsAreAboutTheLease_RK02) {
  const auto kept = std::make_shared<KeptEvents>();
  const auto lock = NewLock({.event_recorder = kept});
  lock->RecordEvent("waits");
  std::string uid;
  Run([&] {
    ASSERT_TRUE(lock->Create({.holderIdentity = "a", .leaseDurationSeconds = 15}, {}).ok());
    const Ref<Lease> lease = leases_.Get("printer").OrExit();
    uid = lease->metadata().uid();
  });
  lock->RecordEvent("became leader");
  EXPECT_THAT(kept->events,
              ElementsAre("LeaderElection Lease default/printer : a waits",
                          "LeaderElection Lease default/printer " + uid + ": a became leader"));
  NewLock()->RecordEvent("nobody listens");
}

TEST_F(LeaseLocks, DescribeAndInvalidLocks_NeedNoServer_RK04_RK07) {
  const auto lock = NewLock();
  EXPECT_EQ(lock->Describe(), "default/printer");
  Run([&] { EXPECT_EQ(lock->Update({}, {}).error().reason(), Reason::kInvalidArgument); });
  EXPECT_THAT(NewLeaseLock(client_, {.name = "x", .identity = "a"}).error().message(),
              HasSubstr("namespace_ is empty"));
  EXPECT_THAT(NewLeaseLock(client_, {.namespace_ = "x", .identity = "a"}).error().message(),
              HasSubstr("name is empty"));
  EXPECT_THAT(NewLeaseLock(client_, {.namespace_ = "x", .name = "x"}).error().message(),
              HasSubstr("identity is empty"));
  EXPECT_NE(NewLeaderIdentity(sim_.env()), NewLeaderIdentity(sim_.env()));
}

// Renewals wait neither for the client's rate limit nor for the program's loop.
TEST_F(LeaseLocks, RenewalsWaitForNobody) {
  const std::unique_ptr<Loop> loop = sim_.env().NewLoop("leases");
  std::optional<Client> slow =
      Client::ForTransport(loop->env(), NewTransport(loop->env()), {.qps = 0.01, .burst = 1});
  std::stop_source stop;
  {
    const auto elector =
        LeaderElector::New(
            sim_.env(),
            NewLeaseLock(*slow, {.namespace_ = "default", .name = "printer", .identity = "a"})
                .OrExit(),
            {.callbacks = {.on_started_leading = [](const std::stop_token&) {},
                           .on_stopped_leading = [] {}}})
            .OrExit();
    const auto thread = sim_.env().NewThread("candidate", [&] { elector->Run(stop.get_token()); });
    for (int second = 0; second < 120; ++second) {
      sim_.RunFor(seconds(1));
      ASSERT_TRUE(elector->IsLeader()) << second;
    }
    // The other loop is busy with one task for half a minute.
    bool led_meanwhile = false;
    sim_.env().loop().Post([&] {
      sim_.RunFor(seconds(30));
      led_meanwhile = elector->IsLeader();
    });
    sim_.RunReady();
    EXPECT_TRUE(led_meanwhile);
    stop.request_stop();
    sim_.RunFor(seconds(1));
  }
  slow.reset();
  sim_.RunReady();
}

// Two replicas of a program, connected to the same server.
TEST_F(LeaseLocks, LeaderCutOff_SecondTakesOver) {
  const std::shared_ptr<InMemoryTransport> wire = NewTransport(sim_.env());
  const Client first = Client::ForTransport(sim_.env(), wire);
  std::vector<std::string> works;
  const auto candidate = [&](const Client& client, const std::string& name) {
    return LeaderElector::New(
               sim_.env(),
               NewLeaseLock(client, {.namespace_ = "default", .name = "printer", .identity = name})
                   .OrExit(),
               {.callbacks = {.on_started_leading =
                                  [&, name](const std::stop_token& until) {
                                    works.push_back(name + " begins");
                                    while (!until.stop_requested()) {
                                      SleepUnlessStopped(sim_.env(), until, hours(1));
                                    }
                                    works.push_back(name + " ends");
                                  },
                              .on_stopped_leading = [] {}}})
        .OrExit();
  };
  const auto a = candidate(first, "a");
  const auto b = candidate(client_, "b");
  std::stop_source stop;
  const auto run_a = sim_.env().NewThread("a", [&] { a->Run(stop.get_token()); });
  sim_.RunFor(seconds(1));
  const auto run_b = sim_.env().NewThread("b", [&] { b->Run(stop.get_token()); });
  sim_.RunFor(minutes(1));
  EXPECT_TRUE(a->IsLeader());
  EXPECT_EQ(a->LeaderEpoch(), 0);
  wire->Down();
  sim_.RunFor(seconds(25));
  EXPECT_FALSE(a->IsLeader());
  EXPECT_TRUE(b->IsLeader());
  EXPECT_EQ(b->LeaderEpoch(), 1);
  EXPECT_THAT(works, ElementsAre("a begins", "a ends", "b begins"));
  stop.request_stop();
  sim_.RunFor(seconds(20));
}

class LeaseCandidates : public LeaseLocks {
 protected:
  using Candidate = coordinationv1beta1::LeaseCandidate;

  LeaseCandidates() {
    server_.Load(kLeaseCandidates).OrExit();
    candidate_ = LeaseCandidate::New(client_, {.namespace_ = "default",
                                               .name = "a",
                                               .lease_name = "printer",
                                               .binary_version = "1.2.3",
                                               .emulation_version = "1.1.0"})
                     .OrExit();
    thread_ = sim_.env().NewThread("candidate", [this] { candidate_->Run(stop_.get_token()); });
  }
  ~LeaseCandidates() override {
    stop_.request_stop();
    thread_->Join();
  }
  [[nodiscard]] Candidate::Mutable OnServer() {
    std::optional<Candidate::Mutable> found;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          const Ref<Candidate> candidate = candidates_.Get("a").OrExit();
          found = candidate->DeepCopy();
        },
        minutes(1)));
    return *found;
  }

  const ResourceClient<Candidate> candidates_ = client_.For<Candidate>("default");
  std::unique_ptr<LeaseCandidate> candidate_;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

TEST_F(LeaseCandidates, ACandidateIsMadeAndMadeAgain_LE25) {
  sim_.RunFor(seconds(10));
  const Candidate::Mutable made = OnServer();
  EXPECT_EQ(made.spec.leaseName, "printer");
  EXPECT_EQ(made.spec.binaryVersion, "1.2.3");
  EXPECT_EQ(made.spec.emulationVersion, "1.1.0");
  EXPECT_EQ(made.spec.strategy, "OldestEmulationVersion");
  EXPECT_TRUE(made.spec.renewTime.has_value());
  Run([&] { EXPECT_TRUE(candidates_.Delete("a").ok()); });
  sim_.RunFor(seconds(10));
  EXPECT_NE(OnServer().metadata.uid, made.metadata.uid);
}

TEST_F(LeaseCandidates, APingIsAnswered_LE26) {
  sim_.RunFor(minutes(1));
  Candidate::Mutable pinged = OnServer();
  const auto before = pinged.spec.renewTime;
  pinged.spec.pingTime = metav1::MicroTime(before->seconds() + 50);
  Run([&] { EXPECT_TRUE(candidates_.Update(pinged).ok()); });
  sim_.RunFor(seconds(10));
  EXPECT_GT(*OnServer().spec.renewTime, *pinged.spec.pingTime);
  const std::string version = OnServer().metadata.resourceVersion;
  sim_.RunFor(minutes(3));
  EXPECT_EQ(OnServer().metadata.resourceVersion, version) << "one answer is enough";
}

// Servers ignore candidates whose renewTime is half an hour old.
TEST_F(LeaseCandidates, RenewsUnasked_LE26) {
  sim_.RunFor(minutes(1));
  const auto made = OnServer().spec.renewTime;
  int renewals = 0;
  auto last = made;
  for (int minute = 0; minute < 30; ++minute) {
    sim_.RunFor(minutes(1));
    const auto now = OnServer().spec.renewTime;
    if (now != last) ++renewals;
    last = now;
  }
  EXPECT_EQ(renewals, 6) << "every five minutes";
}

// A candidate object that exists already, as after a time when this process was down.
TEST_F(LeaseCandidates, RenewsAtTheStart_LE26) {
  sim_.RunFor(minutes(1));
  stop_.request_stop();
  Run([&] { thread_->Join(); });
  sim_.RunFor(minutes(60));
  const Candidate::Mutable old = OnServer();
  std::stop_source again;
  const auto thread = sim_.env().NewThread("again", [&] { candidate_->Run(again.get_token()); });
  sim_.RunFor(seconds(10));
  EXPECT_GE(OnServer().spec.renewTime->seconds(), old.spec.renewTime->seconds() + 3600);
  again.request_stop();
  Run([&] { thread->Join(); });
}

TEST_F(LeaseCandidates, AClockBehindTheServersAnswersOnce_LE26) {
  sim_.RunFor(minutes(1));
  Candidate::Mutable pinged = OnServer();
  pinged.spec.pingTime = metav1::MicroTime(pinged.spec.renewTime->seconds() + 1000, 999'999'000);
  Run([&] { EXPECT_TRUE(candidates_.Update(pinged).ok()); });
  sim_.RunFor(seconds(10));
  EXPECT_EQ(*OnServer().spec.renewTime, metav1::MicroTime(pinged.spec.pingTime->seconds() + 1));
  const std::string version = OnServer().metadata.resourceVersion;
  sim_.RunFor(minutes(1));
  EXPECT_EQ(OnServer().metadata.resourceVersion, version);
}

}  // namespace
}  // namespace kinformer::testing
