// Managers: what they start, in which order, and how they end.

#include "kinformer/controller/manager.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/coordinationv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/eventsv1.h"
#include "kinformer/base/until.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/object_reconciler.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/events.h"
#include "kinformer/leaderelection/resource_lock.h"

#include "operator/manager_probe.h"

namespace kinformer::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(ManagersTest, GroupsStartAndEndInTheirOrder_MG09_MG13) {
  RunningManager manager(sim_, server_);
  const std::vector<std::pair<std::string, RunnableGroup>> groups{
      {"leader", RunnableGroup::kLeaderElection}, {"warmup", RunnableGroup::kWarmup},
      {"other", RunnableGroup::kOthers},          {"cache", RunnableGroup::kCaches},
      {"webhook", RunnableGroup::kWebhooks},      {"http", RunnableGroup::kHttpServers}};
  for (const auto& [name, group] : groups) {
    auto probe = NewProbe(name, group);
    probe->ready_after = seconds(1);
    probe->ends_after = seconds(1);
    if (group == RunnableGroup::kWarmup) continue;
    ASSERT_TRUE(manager->Add(probe).ok());
  }
  auto warm = NewProbe("warm");
  warm->warms_up = true;
  warm->ends_after = seconds(2);
  ASSERT_TRUE(manager->Add(warm).ok());
  EXPECT_FALSE(manager->Elected());
  manager.Start();
  sim_.RunFor(seconds(30));
  EXPECT_TRUE(manager->Elected());
  ASSERT_EQ(told_.size(), 7U);
  EXPECT_THAT(std::vector(told_.begin(), told_.begin() + 5),
              ElementsAre("+http", "+webhook", "+cache", "+other", "~warm"));
  EXPECT_THAT(std::vector(told_.begin() + 5, told_.end()),
              ::testing::UnorderedElementsAre("+leader", "+warm"));
  told_.clear();
  manager.Stop();
  EXPECT_TRUE(manager.result.ok());
  EXPECT_THAT(told_, ElementsAre("-other", "-leader", "-warm", "-cache", "-webhook", "-http"));
}

TEST_F(ManagersTest, RunnableAddedLater_StartsAtOnce_MG09) {
  RunningManager manager(sim_, server_);
  manager.Start();
  sim_.RunFor(seconds(1));
  const auto late = NewProbe("late");
  ASSERT_TRUE(manager->Add(late).ok());
  EXPECT_EQ(manager->Add(late).error().reason(), Reason::kAlreadyExists);
  sim_.RunFor(seconds(1));
  EXPECT_THAT(told_, ElementsAre("+late"));
  EXPECT_TRUE(sim_.RunBlocking([&] { EXPECT_TRUE(manager->Remove(late).ok()); }, seconds(1)));
  EXPECT_THAT(told_, ElementsAre("+late", "-late"));
  EXPECT_FALSE(manager->Remove(late).ok());
  EXPECT_FALSE(manager.ended);
}

TEST_F(ManagersTest, ARunnableThatRemovesItself_IsToldToEndAndNotWaitedFor) {
  RunningManager manager(sim_, server_);
  std::shared_ptr<Runnable> self;
  Result<void> removed;
  Result<void> added;
  bool told = false;
  self = std::make_shared<RunnableFunc>([&](const std::stop_token& stop) -> Result<void> {
    removed = manager->Remove(self);
    told = stop.stop_requested();
    added = manager->Add(self);
    return {};
  });
  ASSERT_TRUE(manager->Add(self).ok());
  manager.Start();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(removed.error().reason(), Reason::kWouldDeadlock);
  EXPECT_THAT(removed.error().message(), HasSubstr("function was told to end"));
  EXPECT_TRUE(told);
  EXPECT_EQ(added.error().reason(), Reason::kAlreadyExists) << "it still runs";
  EXPECT_EQ(manager->Remove(self).error().reason(), Reason::kNotFound);
  EXPECT_FALSE(manager.ended);
  // It has ended and may be added again.
  EXPECT_TRUE(manager->Add(self).ok());
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(manager.ended);
}

TEST_F(ManagersTest, SecondStartAndLateAdd_AreRefused_MG11) {
  RunningManager manager(sim_, server_);
  manager.Start();
  sim_.RunFor(seconds(1));
  Result<void> second;
  ASSERT_TRUE(sim_.RunBlocking([&] { second = manager->Start({}); }, seconds(1)));
  EXPECT_EQ(second.error().reason(), Reason::kInvalidArgument);
  manager.Stop();
  EXPECT_EQ(manager->Add(NewProbe("late")).error().reason(), Reason::kStopped);
  EXPECT_EQ(manager->Add(nullptr).error().reason(), Reason::kInvalidArgument);
}

TEST_F(ManagersTest, RunnableFails_ManagerEnds_MG08) {
  RunningManager manager(sim_, server_);
  const auto bad = NewProbe("bad");
  bad->fails_after = minutes(1);
  const auto worse = NewProbe("worse");
  worse->fails_after = minutes(1);
  for (const auto& probe : {bad, worse, NewProbe("good", RunnableGroup::kOthers)}) {
    ASSERT_TRUE(manager->Add(probe).ok());
  }
  manager.Start();
  sim_.RunFor(minutes(2));
  ASSERT_TRUE(manager.ended);
  EXPECT_THAT(manager.result.error().message(), HasSubstr("broke"));
  EXPECT_THAT(manager.result.error().message(),
              ::testing::AnyOf(HasSubstr("bad"), HasSubstr("worse")));
  EXPECT_THAT(told_, ::testing::Contains("-good"));
}

TEST_F(ManagersTest, RunnableNeverReady_IsAnError_MG08_MG14) {
  RunningManager manager(sim_, server_);
  const auto cache = NewProbe("cache", RunnableGroup::kCaches);
  cache->ready_after = seconds(5);
  cache->never_ready = true;
  ASSERT_TRUE(manager->Add(cache).ok());
  ASSERT_TRUE(manager->Add(NewProbe("leader")).ok());
  manager.Start();
  sim_.RunFor(minutes(1));
  ASSERT_TRUE(manager.ended);
  EXPECT_THAT(manager.result.error().message(), HasSubstr("cache: not ready"));
  EXPECT_THAT(told_, ElementsAre("+cache", "-cache"));
}

TEST_F(ManagersTest, StopBeforeReady_EndsWithoutError_MG14) {
  RunningManager manager(sim_, server_);
  const auto cache = NewProbe("cache", RunnableGroup::kCaches);
  cache->ready_after = hours(10);
  ASSERT_TRUE(manager->Add(cache).ok());
  ASSERT_TRUE(manager->Add(NewProbe("leader")).ok());
  manager.Start();
  sim_.RunFor(minutes(1));
  manager.RequestStop();
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(manager.ended);
  EXPECT_TRUE(manager.result.ok());
  EXPECT_THAT(told_, ElementsAre("+cache", "-cache"));
}

TEST_F(ManagersTest, AddsThatComeTogetherWithTheStartRunOnce_MG14) {
  RunningManager manager(sim_, server_);
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 5; ++i) {
    threads.push_back(sim_.env().NewThread("add", [&, i] {
      sim_.env().SleepFor(milliseconds(i));
      EXPECT_TRUE(manager->Add(NewProbe(std::to_string(i), RunnableGroup::kOthers)).ok());
    }));
  }
  manager.Start();
  sim_.RunFor(seconds(1));
  std::ranges::sort(told_);
  EXPECT_THAT(told_, ElementsAre("+0", "+1", "+2", "+3", "+4"));
}

TEST_F(ManagersTest, HangingRunnable_IsNamed_MG10) {
  RunningManager manager(sim_, server_);
  const auto slow = NewProbe("slow one");
  slow->ends_after = minutes(2);
  ASSERT_TRUE(manager->Add(slow).ok());
  manager.Start();
  sim_.RunFor(seconds(1));
  manager.RequestStop();
  sim_.RunFor(seconds(29));
  EXPECT_FALSE(manager.ended);
  sim_.RunFor(seconds(2));
  ASSERT_TRUE(manager.ended);
  EXPECT_EQ(manager.result.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_THAT(manager.result.error().message(), HasSubstr("these still run: slow one"));
}

// The leader's work continues, so the Lease is kept, but the manager waits only until its deadline.
TEST_F(ManagersTest, TheLeaseIsLastAndKeepsToTheDeadline_MG10) {
  RunningManager manager(sim_, server_, Electing("a", true));
  const auto slow = NewProbe("slow one");
  slow->ends_after = minutes(2);
  ASSERT_TRUE(manager->Add(slow).ok());
  manager.Start();
  sim_.RunFor(seconds(5));
  ASSERT_TRUE(manager->Elected());
  manager.RequestStop();
  sim_.RunFor(seconds(29));
  EXPECT_FALSE(manager.ended);
  sim_.RunFor(seconds(2));
  ASSERT_TRUE(manager.ended);
  EXPECT_THAT(manager.result.error().message(), ::testing::EndsWith("these still run: slow one"));
  EXPECT_EQ(Holder(), "a");
}

TEST_F(ManagersTest, AServerThatDoesNotAnswerHoldsUpNoEndBeyondTheDeadline_MG10) {
  ManagerOptions options = Electing("a", true);
  options.graceful_shutdown_timeout = seconds(5);
  RunningManager manager(sim_, server_, std::move(options));
  manager.Start();
  sim_.RunFor(seconds(5));
  ASSERT_TRUE(manager->Elected());
  server_.faults().Add({.action = apiserver::FaultAction::kDelay, .delay = hours(1)});
  manager->GetEventRecorderFor("test")->Event(
      corev1::ObjectReferenceMutable{.kind = "Pod", .namespace_ = "default", .name = "p"},
      kEventTypeNormal, "Late", "of which nobody hears");
  manager.RequestStop();
  sim_.RunFor(seconds(4));
  EXPECT_FALSE(manager.ended);
  sim_.RunFor(seconds(2));
  ASSERT_TRUE(manager.ended);
  EXPECT_EQ(manager.result.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_THAT(manager.result.error().message(), HasSubstr("these still run: leader election"));
}

// A runnable whose WaitUntilReady calls the manager when stop is requested.
class AskingRunnable final : public Runnable {
 public:
  AskingRunnable(Env& env, Manager& manager) : env_(env), manager_(manager) {}
  Result<void> Start(const std::stop_token& stop) override {
    while (SleepUnlessStopped(env_, stop, hours(1))) {
    }
    return {};
  }
  Result<void> WaitUntilReady(const std::stop_token& stop) override {
    const std::stop_callback told(stop, [this] { elected_when_told = manager_.Elected(); });
    while (SleepUnlessStopped(env_, stop, hours(1))) {
    }
    return {};
  }
  [[nodiscard]] RunnableGroup group() const override { return RunnableGroup::kCaches; }
  std::optional<bool> elected_when_told{};

 private:
  Env& env_;
  Manager& manager_;
};

TEST_F(ManagersTest, ManagerFails_StoppedRunnableMayQueryIt_MG08) {
  RunningManager manager(sim_, server_);
  const auto asks = std::make_shared<AskingRunnable>(sim_.env(), *manager);
  const auto bad = NewProbe("bad", RunnableGroup::kHttpServers);
  bad->fails_after = seconds(5);
  ASSERT_TRUE(manager->Add(asks).ok());
  ASSERT_TRUE(manager->Add(bad).ok());
  manager.Start();
  sim_.RunFor(minutes(1));
  ASSERT_TRUE(manager.ended);
  EXPECT_THAT(manager.result.error().message(), HasSubstr("bad: broke"));
  EXPECT_EQ(asks->elected_when_told, false);
}

TEST_F(ManagersTest, AddToWarmupGroup_IsRefused) {
  RunningManager manager(sim_, server_);
  const auto warm = NewProbe("warm", RunnableGroup::kWarmup);
  for (const bool warms_up : {false, true}) {
    warm->warms_up = warms_up;
    const Result<void> added = manager->Add(warm);
    EXPECT_EQ(added.error().reason(), Reason::kInvalidArgument);
    EXPECT_THAT(added.error().message(), HasSubstr("warm is in RunnableGroup::kWarmup"));
  }
  manager.Start();
  sim_.RunFor(seconds(5));
  EXPECT_THAT(told_, ::testing::IsEmpty());
}

TEST_F(ManagersTest, FailureAndTimeout_BothAreReported_MG10) {
  RunningManager manager(sim_, server_);
  const auto slow = NewProbe("slow one");
  slow->ends_after = minutes(2);
  const auto bad = NewProbe("bad");
  bad->fails_after = seconds(5);
  ASSERT_TRUE(manager->Add(slow).ok());
  ASSERT_TRUE(manager->Add(bad).ok());
  manager.Start();
  sim_.RunFor(minutes(1));
  ASSERT_TRUE(manager.ended);
  EXPECT_THAT(manager.result.error().message(),
              ::testing::AllOf(HasSubstr("bad: broke"), HasSubstr("slow one")));
}

TEST_F(ManagersTest, ZeroGrace_EndsAtOnceWithoutError_MG10) {
  RunningManager manager(sim_, server_, {.graceful_shutdown_timeout = Duration(0)});
  const auto slow = NewProbe("slow one");
  slow->ends_after = minutes(2);
  ASSERT_TRUE(manager->Add(slow).ok());
  manager.Start();
  sim_.RunFor(seconds(1));
  manager.RequestStop();
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(manager.ended);
  EXPECT_TRUE(manager.result.ok());
}

TEST_F(ManagersTest, NegativeGrace_WaitsWithoutLimit_MG10) {
  RunningManager manager(sim_, server_, {.graceful_shutdown_timeout = Duration(-1)});
  const auto slow = NewProbe("slow one");
  slow->ends_after = hours(5);
  ASSERT_TRUE(manager->Add(slow).ok());
  manager.Start();
  sim_.RunFor(seconds(1));
  manager.RequestStop();
  sim_.RunFor(hours(4));
  EXPECT_FALSE(manager.ended);
  sim_.RunFor(hours(2));
  EXPECT_TRUE(manager.ended);
  EXPECT_TRUE(manager.result.ok());
}

TEST_F(ManagersTest, InvalidOptions_AreErrors_MG01_MG02) {
  const Client client = Client::ForTransport(sim_.env(), server_.transport());
  const auto error = [&](ManagerOptions options) {
    const auto manager = Manager::New(client, std::move(options));
    return manager.ok() ? std::string() : manager.error().message();
  };
  EXPECT_THAT(error({.leader_election = true}), HasSubstr("leader_election_id must be set"));
  EXPECT_THAT(error({.leader_election = true, .leader_election_id = "op"}),
              HasSubstr("leader_election_namespace must be set"));
  ManagerOptions bad = Electing("a");
  bad.renew_deadline = bad.lease_duration;
  EXPECT_THAT(error(bad), HasSubstr("lease_duration"));
  EXPECT_THAT(error({.metrics_access = MetricsAccess::kToken}),
              HasSubstr("metrics_token must be set"));
  Config nowhere;
  nowhere.host = "https://[";
  EXPECT_FALSE(Manager::New(sim_.env(), nowhere).ok());
}

TEST_F(ManagersTest, RecordersOfBothKinds_EV01) {
  RunningManager manager(sim_, server_);
  manager.Start();
  sim_.RunFor(seconds(1));
  const corev1::ObjectReferenceMutable about{
      .kind = "Pod", .namespace_ = "default", .name = "p", .apiVersion = "v1"};
  manager->GetEventRecorderFor("old")->Event(about, kEventTypeNormal, "Old", "of core/v1");
  sim_.RunFor(milliseconds(1));  // names of events contain the time
  const auto recorder = manager->GetEventRecorder("example.com/new");
  recorder->Event(about, std::nullopt, kEventTypeNormal, "New", "Testing", "of events.k8s.io/v1");
  EXPECT_EQ(recorder.use_count(), 1) << "one broadcaster, many recorders";
  manager.Stop();
  std::vector<std::string> told;
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        const auto list = Client::ForTransport(sim_.env(), server_.transport())
                              .For<eventsv1::Event>("default")
                              .List()
                              .OrExit();
        for (const auto event : list) {
          told.push_back(std::string(event.reason()) + " " + std::string(event.action()) + " " +
                         std::string(event.reportingController()) + ": " +
                         std::string(event.note()));
        }
      },
      seconds(5)));
  EXPECT_THAT(told,
              ::testing::UnorderedElementsAre("New Testing example.com/new: of events.k8s.io/v1",
                                              "Old  old: of core/v1"));
}

TEST_F(ManagersTest, ControllersHaveNamesOfTheirOwn_CR19) {
  RunningManager manager(sim_, server_);
  ASSERT_TRUE(manager->OptionsFor({.name = "pods"}).ok());
  EXPECT_EQ(manager->OptionsFor({.name = "pods"}).error().reason(), Reason::kAlreadyExists);
  EXPECT_TRUE(manager->OptionsFor({.name = "pods", .skip_name_validation = true}).ok());
  RunningManager careless(sim_, server_, {.controller = {.skip_name_validation = true}});
  EXPECT_TRUE(careless->OptionsFor({.name = "pods"}).ok());
  EXPECT_TRUE(careless->OptionsFor({.name = "pods"}).ok());
}

// Sets every option except the name, to values that depend on `i`.
ControllerOptions Everything(int i, std::function<bool()> is_leader) {
  const bool odd = i % 2 != 0;
  return {.max_concurrent_reconciles = i,
          .cache_sync_timeout = seconds(i),
          .recover_panic = odd,
          .need_leader_election = odd,
          .use_priority_queue = odd,
          .enable_warmup = odd,
          .reconciliation_timeout = minutes(i),
          .max_cache_age = hours(i),
          .is_leader = std::move(is_leader)};
}

void ExpectEqual(const ControllerOptions& a, const ControllerOptions& b) {
  EXPECT_EQ(a.max_concurrent_reconciles, b.max_concurrent_reconciles);
  EXPECT_EQ(a.cache_sync_timeout, b.cache_sync_timeout);
  EXPECT_EQ(a.recover_panic, b.recover_panic);
  EXPECT_EQ(a.need_leader_election, b.need_leader_election);
  EXPECT_EQ(a.use_priority_queue, b.use_priority_queue);
  EXPECT_EQ(a.enable_warmup, b.enable_warmup);
  EXPECT_EQ(a.reconciliation_timeout, b.reconciliation_timeout);
  EXPECT_EQ(a.max_cache_age, b.max_cache_age);
  ASSERT_EQ(static_cast<bool>(a.is_leader), static_cast<bool>(b.is_leader));
  EXPECT_EQ(a.is_leader && a.is_leader(), b.is_leader && b.is_leader());
}

TEST_F(ManagersTest, OwnControllerOptions_PrecedeTheManagers_CR19) {
  const ControllerOptions usual = Everything(1, [] { return true; });
  ControllerOptions own = Everything(2, [] { return false; });
  RunningManager manager(sim_, server_, {.controller = usual});
  ExpectEqual(manager->OptionsFor({.name = "says nothing"}).OrExit(), usual);
  own.name = "says all";
  ExpectEqual(manager->OptionsFor(own).OrExit(), own);
  RunningManager plain(sim_, server_);
  ExpectEqual(plain->OptionsFor({.name = "pods"}).OrExit(), {});
  ExpectEqual(plain->OptionsFor(own).OrExit(), own);
}

TEST_F(ManagersTest, IsLeader_IsSetOnlyForControllersThatNeedElection_CR19) {
  RunningManager electing(sim_, server_, Electing("a"));
  EXPECT_TRUE(electing->OptionsFor({.name = "pods"})->is_leader);
  EXPECT_FALSE(electing->OptionsFor({.name = "pods"}).ok());
  EXPECT_FALSE(electing->OptionsFor({.name = "x", .need_leader_election = false})->is_leader);
  EXPECT_FALSE(electing->OptionsFor({.name = "y"})->is_leader()) << "nobody leads yet";
  EXPECT_TRUE(electing->OptionsFor({.name = "z", .is_leader = [] { return true; }})->is_leader());
}

TEST_F(ManagersTest, ControllerOptions_DefaultToTheManagers_CR19) {
  RunningManager manager(sim_, server_,
                         {.controller = {.skip_name_validation = true,
                                         .cache_sync_timeout = seconds(5),
                                         .recover_panic = true,
                                         .need_leader_election = true,
                                         .use_priority_queue = true,
                                         .enable_warmup = true,
                                         .reconciliation_timeout = seconds(30)}});
  const ControllerOptions plain = manager->OptionsFor({.name = "pods"}).value();
  EXPECT_EQ(plain.cache_sync_timeout, seconds(5));
  EXPECT_EQ(plain.recover_panic, true);
  EXPECT_EQ(plain.need_leader_election, true);
  EXPECT_EQ(plain.use_priority_queue, true);
  EXPECT_EQ(plain.enable_warmup, true);
  EXPECT_EQ(plain.reconciliation_timeout, seconds(30));
  EXPECT_EQ(plain.max_concurrent_reconciles, std::nullopt);
  const ControllerOptions own = manager
                                    ->OptionsFor({.name = "pods",
                                                  .cache_sync_timeout = seconds(6),
                                                  .recover_panic = false,
                                                  .need_leader_election = false,
                                                  .use_priority_queue = false,
                                                  .enable_warmup = false,
                                                  .reconciliation_timeout = minutes(1)})
                                    .value();
  EXPECT_EQ(own.cache_sync_timeout, seconds(6));
  EXPECT_EQ(own.recover_panic, false);
  EXPECT_EQ(own.need_leader_election, false);
  EXPECT_EQ(own.use_priority_queue, false);
  EXPECT_EQ(own.enable_warmup, false);
  EXPECT_EQ(own.reconciliation_timeout, minutes(1));
}

TEST_F(ManagersTest, RunnableEndsCanceledOnStop_IsNoError_MG08) {
  RunningManager manager(sim_, server_);
  ASSERT_TRUE(
      manager
          ->Add(std::make_shared<RunnableFunc>([&](const std::stop_token& stop) -> Result<void> {
            SleepUnlessStopped(sim_.env(), stop, hours(1));
            return Error(Reason::kCanceled, "stopped");
          }))
          .ok());
  manager.Start();
  sim_.RunFor(seconds(5));
  manager.Stop();
  EXPECT_TRUE(manager.result.ok()) << manager.result.error();
}

TEST_F(ManagersTest, AReconcilerOfObjects_CR06) {
  std::vector<std::string> seen;
  RunningManager manager(sim_, server_);
  const auto reconciler = AsReconciler<corev1::Pod>(
      manager->GetClient(), [&](const ReconcileContext&, const Ref<corev1::Pod>& pod) {
        seen.emplace_back(pod->metadata().name());
        return Result<ReconcileResult>(ReconcileResult{.requeue_after = seconds(7)});
      });
  CreatePod("a");
  std::vector<Result<ReconcileResult>> results;
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        const ReconcileContext context(sim_.env(), {});
        results.push_back(reconciler->Reconcile(context, {"default", "a"}));
        results.push_back(reconciler->Reconcile(context, {"default", "none"}));
      },
      minutes(1)));
  EXPECT_THAT(seen, ElementsAre("a"));
  EXPECT_EQ(results.at(0)->requeue_after, seconds(7));
  EXPECT_EQ(results.at(1)->requeue_after, Duration(0)) << "nothing is to be done";
  EXPECT_TRUE(ControllerBuilder(*manager).For<corev1::Pod>().Complete(reconciler).ok());
}

TEST_F(ManagersTest, WorkersByKind_CR19) {
  RunningManager manager(sim_, server_,
                         {.controller = {.max_concurrent_reconciles = 4},
                          .group_kind_concurrency = {{"ReplicaSet.apps", 10}, {"Pod", 7}}});
  const auto workers = [&](ControllerOptions own, const std::string& kind) {
    own.skip_name_validation = true;
    return manager->OptionsFor(std::move(own), kind)->max_concurrent_reconciles;
  };
  EXPECT_EQ(workers({}, "ReplicaSet.apps"), 10U);
  EXPECT_EQ(workers({}, "Pod"), 7U);
  EXPECT_EQ(workers({.max_concurrent_reconciles = 2}, "Pod"), 2U);
  EXPECT_EQ(workers({}, "Node"), 4U);
  EXPECT_EQ(workers({}, ""), 4U);
}

TEST_F(ManagersTest, WebhooksOfAManagerAreServedWhileItRuns_WH01) {
  RunningManager manager(sim_, server_, {.serve_webhooks = false});
  WebhookServer& webhooks = manager->GetWebhookServer();
  EXPECT_EQ(&manager->GetWebhookServer(), &webhooks);
  const auto check = webhooks.StartedChecker();
  EXPECT_TRUE(manager->AddReadyzCheck("webhooks", check).ok());
  EXPECT_FALSE(check().ok());
  manager.Start();
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(check().ok());
  manager.Stop();
  EXPECT_FALSE(check().ok());
}

TEST_F(ManagersTest, AnotherClusterIsACache_MG09) {
  ApiServer second(sim_);
  second
      .Create(kConfigMaps,
              json::Parse(R"({"metadata":{"namespace":"default","name":"there"}})").OrExit())
      .OrExit();
  RunningManager manager(sim_, server_);
  const auto cluster =
      std::make_shared<Cluster>(Client::ForTransport(sim_.env(), second.transport()));
  auto maps = cluster->GetCache().InformerFor<corev1::ConfigMap>();
  ASSERT_TRUE(manager->Add(cluster).ok());
  bool synced = false;
  ASSERT_TRUE(manager
                  ->Add(std::make_shared<RunnableFunc>([&](const std::stop_token&) -> Result<void> {
                    synced = maps.HasSynced();
                    return {};
                  }))
                  .ok());
  manager.Start();
  sim_.RunFor(seconds(5));
  EXPECT_TRUE(synced) << "before the others start";
  EXPECT_TRUE(maps.lister().Get("default", "there").ok());
  manager.Stop();
  EXPECT_TRUE(maps.IsStopped());
}

TEST_F(ManagersTest, ACluster_WithoutAManager_RunsItsCacheUntilItIsStopped) {
  Cluster cluster(Client::ForTransport(sim_.env(), server_.transport()));
  const auto maps = cluster.GetCache().InformerFor<corev1::ConfigMap>();
  std::stop_source stop;
  const auto thread =
      sim_.env().NewThread("cluster", [&] { EXPECT_TRUE(cluster.Start(stop.get_token()).ok()); });
  sim_.RunFor(seconds(5));
  EXPECT_TRUE(maps.HasSynced());
  EXPECT_FALSE(maps.IsStopped());
  stop.request_stop();
  thread->Join();
  EXPECT_TRUE(maps.IsStopped());
}

}  // namespace
}  // namespace kinformer::testing
