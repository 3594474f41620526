// The start of kube-scheduler, as in examples/scheduler_start, in simulated time: with leader
// election, before and after it leads, and with a broken watch.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/json/json.h"
#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/leaderelection/lease_lock.h"
#include "kinformer/testing/api_server.h"

#include "scheduler_start/scheduler.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

using Assigned = std::map<std::string, std::string>;

constexpr const char* kCluster = R"(
apiVersion: v1
kind: Node
metadata: {name: node-7}
---
apiVersion: v1
kind: Pod
metadata: {name: running, namespace: default}
spec: {nodeName: node-7, containers: [{name: c, image: i}]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

const GroupVersionResource kPods{"", "v1", "pods"};

class SchedulerStart : public ::testing::Test {
 protected:
  SchedulerStart() { EXPECT_TRUE(server_.Load(kCluster)); }
  ~SchedulerStart() override {
    stop_.request_stop();
    if (thread_ != nullptr) Block([&] { thread_->Join(); });
    Block([&] {
      elector_.reset();
      scheduler_.reset();
    });
  }

  void Block(Closure body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(1)));
  }
  static std::string PodText(const std::string& name, const std::string& spec = "") {
    return "{apiVersion: v1, kind: Pod, metadata: {name: " + name +
           ", namespace: default}, spec: {" + spec + "containers: [{name: c, image: i}]}}";
  }

  // Does the same as main.cc, with a lock of the client.
  void Start(bool delay_cache_until_active) {
    Block([&] {
      scheduler_ = std::make_unique<scheduler::Scheduler>(
          client_,
          scheduler::Options{.delay_cache_until_active = delay_cache_until_active,
                             .say = [this](const std::string& line) { said_.push_back(line); }});
      auto lock = NewLeaseLock(
          client_, {.namespace_ = "kube-system", .name = "kube-scheduler", .identity = "me"});
      elector_ =
          LeaderElector::New(
              sim_.env(), std::move(lock).OrExit(),
              {.callbacks = {.on_started_leading =
                                 [this](const std::stop_token& until) { scheduler_->Lead(until); },
                             .on_stopped_leading = [] {}}})
              .OrExit();
    });
    thread_ = sim_.env().NewThread("main", [this] {
      if (!scheduler_->BeforeElection(stop_.get_token())) return;
      elector_->Run(stop_.get_token());
    });
  }
  // Another process leads for some time.
  void SomebodyElseLeads() {
    server_
        .Load(R"({apiVersion: coordination.k8s.io/v1, kind: Lease,
                  metadata: {name: kube-scheduler, namespace: kube-system},
                  spec: {holderIdentity: other, leaseDurationSeconds: 60, leaseTransitions: 0}})")
        .OrExit();
  }
  // Changes pods while watches are impossible, then removes the history.
  template <class F>
  void WhileTheWatchIsDown(F change) {
    const auto down = server_.faults().Add({.resource = "pods",
                                            .user_agent = "watches",
                                            .action = apiserver::FaultAction::kRespond,
                                            .status = 503});
    server_.With([](apiserver::ApiServer& api) { api.CloseWatches(); });
    sim_.RunFor(seconds(5));
    change();
    server_.With([](apiserver::ApiServer& api) { api.Compact(api.current_resource_version()); });
    server_.faults().Remove(down);
    sim_.RunFor(minutes(2));
  }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ =
      Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1, .user_agent = "watches"});
  std::stop_source stop_;
  std::vector<std::string> said_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  std::unique_ptr<LeaderElector> elector_;
  std::unique_ptr<Thread> thread_;
};

TEST_F(SchedulerStart, AReplicaThatWaitsHasItsCachesAndBindsNothingBeforeItLeads) {
  SomebodyElseLeads();
  server_.Load(PodText("new")).OrExit();
  Start(false);
  sim_.RunFor(seconds(20));
  EXPECT_TRUE(scheduler_->handlers_synced());
  EXPECT_THAT(said_, ElementsAre("caches and handlers synced: 2 pods on 1 nodes, 0 widgets"));
  EXPECT_EQ(scheduler_->waiting(), 1U);
  sim_.RunFor(minutes(2));
  EXPECT_THAT(said_, Contains("bound default/new"));
  EXPECT_EQ(scheduler_->assigned(),
            (Assigned{{"default/new", "node-7"}, {"default/running", "node-7"}}));
}

TEST_F(SchedulerStart, WithDelayCacheUntilActiveOnlyItsLeaseIsWatchedBeforeItLeads) {
  SomebodyElseLeads();
  server_.Load(PodText("new")).OrExit();
  Start(true);
  sim_.RunFor(seconds(20));
  EXPECT_FALSE(scheduler_->handlers_synced());
  EXPECT_THAT(said_, IsEmpty());
  EXPECT_EQ(server_.With([](apiserver::ApiServer& api) { return api.Stats().watches; }), 1U);
  sim_.RunFor(minutes(2));
  EXPECT_THAT(said_,
              ElementsAre("leads", "caches and handlers synced: 2 pods on 1 nodes, 0 widgets",
                          "bound default/new"));
}

TEST_F(SchedulerStart, APodThatIsBoundAndDeletedWhileTheWatchIsDownTakesNoRoom) {
  Start(false);
  sim_.RunFor(seconds(20));
  ASSERT_EQ(scheduler_->assigned(), (Assigned{{"default/running", "node-7"}}));
  // A pod of another scheduler: not in the queue, and not assigned.
  server_.Load(PodText("theirs", "schedulerName: other, ")).OrExit();
  sim_.RunFor(seconds(1));
  WhileTheWatchIsDown([&] {
    server_
        .Patch(kPods, {"default", "theirs"},
               json::Parse(R"({"spec":{"nodeName":"node-7"}})").OrExit())
        .OrExit();
    server_.Delete(kPods, {"default", "theirs"}).OrExit();
    server_.Delete(kPods, {"default", "running"}).OrExit();
  });
  EXPECT_THAT(said_, Contains("gone unseen: default/theirs"));
  EXPECT_THAT(said_, Contains("gone unseen: default/running"));
  EXPECT_THAT(scheduler_->assigned(), IsEmpty());
}

TEST_F(SchedulerStart, BoundPodDeletedUnseen_AssumptionIsUndone) {
  Start(false);
  sim_.RunFor(seconds(20));
  // The scheduler binds the pod, which is deleted before the watch reports either.
  WhileTheWatchIsDown([&] { server_.Load(PodText("late")).OrExit(); });
  EXPECT_THAT(said_, Contains("bound default/late"));
  EXPECT_THAT(scheduler_->assigned(), Contains(Pair("default/late", "node-7")));
  WhileTheWatchIsDown([&] { server_.Delete(kPods, {"default", "late"}).OrExit(); });
  EXPECT_THAT(scheduler_->assigned(), Not(Contains(Pair("default/late", "node-7"))));
}

TEST_F(SchedulerStart, AClaimIsAssumedWithTheNodeOfItsPod) {
  server_
      .Load(R"({apiVersion: v1, kind: PersistentVolumeClaim,
                metadata: {name: data, namespace: default}})")
      .OrExit();
  Start(false);
  sim_.RunFor(seconds(20));
  EXPECT_EQ(scheduler_->NodeOfClaim("default/data"), "");
  server_.Load(PodText("db", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], "))
      .OrExit();
  sim_.RunFor(seconds(5));
  EXPECT_THAT(said_, Contains("bound default/db"));
  EXPECT_EQ(scheduler_->NodeOfClaim("default/data"), "node-7");
}

}  // namespace
}  // namespace kinformer::testing
