// Controllers that are added, warm up, wait for leadership and end while their manager runs.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/until.h"
#include "kinformer/controller/builder.h"

#include "operator/builder_fixture.h"
#include "operator/counting_env.h"

namespace kinformer::testing {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(BuilderTest, BeforeItLeadsAControllerWatchesOnlyIfItIsToWarmUp_CR17) {
  CreatePod("a");
  const auto electing = [](const std::string& who) -> ManagerOptions {
    return {.leader_election = true,
            .leader_election_id = "op",
            .leader_election_namespace = "default",
            .leader_election_identity = who};
  };
  RunningManager leader(sim_, server_, electing("leader"));
  leader.Start();
  sim_.RunFor(seconds(5));
  RunningManager standby(sim_, server_, electing("standby"));
  std::shared_ptr<Controller> cold =
      ControllerBuilder(*standby).For<corev1::Node>().Build(Note()).OrExit();
  std::shared_ptr<Controller> warm = ControllerBuilder(*standby)
                                         .For<corev1::Pod>()
                                         .WithOptions({.enable_warmup = true})
                                         .Build(Note())
                                         .OrExit();
  standby.Start();
  sim_.RunFor(seconds(10));
  EXPECT_TRUE(standby->GetCache().InformerFor<corev1::Pod>().HasSynced());
  EXPECT_FALSE(standby->GetCache().InformerFor<corev1::Node>().HasStarted());
  EXPECT_EQ(warm->Len(), 1U);
  EXPECT_THAT(seen_, IsEmpty()) << "does nothing until it leads";
  leader.Stop();
  sim_.RunFor(seconds(30));
  EXPECT_THAT(seen_, ElementsAre("a@-100"));
}

TEST_F(BuilderTest, Controllers_AreAddedAndRemovedWhileRunning) {
  CreatePod("web-0");
  manager_.Start();
  EXPECT_THAT(Seen(), IsEmpty());
  const auto build = [this] {
    return ControllerBuilder(*manager_).For<corev1::Pod>().Build(ReconcilerOf<Request>(Note()));
  };
  const auto remove = [this](const std::shared_ptr<Controller>& controller) {
    bool removed = false;
    EXPECT_TRUE(sim_.RunBlocking([&] { removed = manager_->Remove(controller).ok(); }, seconds(5)));
    return removed;
  };
  const auto first = build();
  ASSERT_TRUE(first.ok());
  EXPECT_THAT(Seen(), ElementsAre("web-0@-100"));
  EXPECT_EQ(build().error().reason(), Reason::kAlreadyExists) << "of that name there is one";
  EXPECT_TRUE(remove(*first));
  EXPECT_FALSE(remove(*first));
  Change("web-0", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_THAT(Seen(), IsEmpty()) << "it is gone";
  const auto second = build();
  ASSERT_TRUE(second.ok()) << "under the same name";
  EXPECT_THAT(Seen(), ElementsAre("web-0@-100"));
  Change("web-0", R"({"metadata":{"labels":{"a":"c"}}})");
  EXPECT_THAT(Seen(), ElementsAre("web-0"));
  manager_.Stop();
  EXPECT_TRUE(manager_.result.ok());
  EXPECT_TRUE(manager_->Remove(*second).ok());
  EXPECT_EQ(build().error().reason(), Reason::kStopped);
}

TEST_F(BuilderTest, AControllerWatchesASecondCluster) {
  ApiServer other(sim_);
  const auto second =
      std::make_shared<Cluster>(Client::ForTransport(sim_.env(), other.transport()));
  ASSERT_TRUE(manager_->Add(second).ok());
  ASSERT_TRUE(
      ControllerBuilder(*manager_)
          .For<corev1::Pod>()
          .WatchesRawSource(source::Kind<corev1::ConfigMap>(
              second->GetCache(), handler::EnqueueRequestForObject<corev1::ConfigMap>()))
          .Complete([&, note = Note()](const ReconcileContext& context, const Request& request) {
            // Reads come from the cache of the second cluster.
            if (second->GetClient().Get<corev1::ConfigMap>(request, context.call()).ok()) {
              seen_.push_back("there:");
            }
            return note(context, request);
          })
          .ok());
  manager_.Start();
  EXPECT_THAT(Seen(), IsEmpty());
  CreatePod("here");
  EXPECT_THAT(Seen(), ElementsAre("here"));
  const auto map = [](const std::string& name) {
    return json::Parse(R"({"metadata":{"namespace":"default","name":")" + name + R"("}})").OrExit();
  };
  other.Create(kConfigMaps, map("far")).OrExit();
  EXPECT_THAT(Seen(), ElementsAre("there:", "far"));
  server_.Create(kConfigMaps, map("near")).OrExit();
  EXPECT_THAT(Seen(), IsEmpty()) << "nobody watches those of the first cluster";
  manager_.Stop();
}

// Threads and loops that remain after a manager is destroyed.
class LeftoversTest : public ManagerTest {
 protected:
  // Runs a manager with a controller that is busy at the end, and one that waits for leadership.
  void RunOne(ManagerOptions options, const std::function<void()>& meanwhile) {
    auto manager =
        Manager::New(Client::ForTransport(env_, server_.transport()), std::move(options)).OrExit();
    ASSERT_TRUE(ControllerBuilder(*manager)
                    .For<corev1::Pod>()
                    .WithOptions({.max_concurrent_reconciles = 3})
                    .Complete([this](const ReconcileContext& context, const Request&) {
                      ++reconciles_;
                      SleepUnlessStopped(env_, context.stop(), hours(1));
                      return Result<ReconcileResult>(ReconcileResult{});
                    })
                    .ok());
    std::stop_source stop;
    std::unique_ptr<Thread> thread;
    if (meanwhile) {
      thread = sim_.env().NewThread("manager",
                                    [&] { EXPECT_TRUE(manager->Start(stop.get_token()).ok()); });
      meanwhile();
      EXPECT_FALSE(env_.running().empty());
    }
    stop.request_stop();
    if (thread != nullptr) thread->Join();
    manager.reset();
    EXPECT_THAT(env_.running(), IsEmpty());
  }
  ManagerOptions Electing() {
    return {.leader_election = true,
            .leader_election_id = "op",
            .leader_election_namespace = "default",
            .leader_election_release_on_cancel = true};
  }
  CountingEnv env_{sim_.env()};
  int reconciles_ = 0;
};

TEST_F(LeftoversTest, NoThreadsOfControllersThatRan_CR20) {
  for (int i = 0; i < 5; ++i) CreatePod("p" + std::to_string(i));
  RunOne({}, [this] { sim_.RunFor(seconds(5)); });
  EXPECT_EQ(reconciles_, 3) << "of five pods, by three workers";
  const int made = env_.made();
  RunOne(Electing(), [this] { sim_.RunFor(seconds(5)); });
  EXPECT_EQ(reconciles_, 6);
  EXPECT_GT(env_.made(), 2 * made) << "with election there are more";
}

TEST_F(LeftoversTest, NoThreadsOfControllersThatNeverRan_CR20) {
  CreatePod("p");
  RunOne({}, nullptr);
  RunOne(Electing(), nullptr);
  // Another manager leads.
  RunningManager leader(sim_, server_, Electing());
  leader.Start();
  sim_.RunFor(seconds(5));
  ManagerOptions second = Electing();
  RunOne(second, [this] { sim_.RunFor(seconds(30)); });
  EXPECT_EQ(reconciles_, 0);
}

// A controller in its warm-up: its caches cannot sync, and it has a request already.
class WarmingTest : public BuilderTest {
 protected:
  WarmingTest() {
    CreatePod("old");
    server_.faults().Add({.resource = "pods", .action = apiserver::FaultAction::kRefuse});
    controller_ = ControllerBuilder(*manager_)
                      .For<corev1::Pod>()
                      .WatchesRawSource(source::Ticker<Request>(sim_.env(), hours(1), {"", "tick"}))
                      .WithOptions({.enable_warmup = true})
                      .Build(ReconcilerOf<Request>(Note()))
                      .OrExit();
  }
  std::shared_ptr<Controller> controller_;
};

TEST_F(WarmingTest, AManagerThatEndsMeanwhileReconcilesNothing_CR17) {
  ASSERT_TRUE(manager_
                  ->Add(std::make_shared<RunnableFunc>(
                      [this](const std::stop_token& stop) -> Result<void> {
                        while (SleepUnlessStopped(sim_.env(), stop, hours(1))) {
                        }
                        sim_.env().SleepFor(seconds(20));
                        return {};
                      },
                      "slow", RunnableGroup::kOthers))
                  .ok());
  manager_.Start();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(controller_->Len(), 1U);
  manager_.Stop();
  EXPECT_TRUE(manager_.result.ok());
  EXPECT_THAT(seen_, IsEmpty());
}

TEST_F(WarmingTest, RemovedController_ReconcilesNothing_CR17) {
  manager_.Start();
  sim_.RunFor(seconds(5));
  ASSERT_TRUE(
      sim_.RunBlocking([&] { EXPECT_TRUE(manager_->Remove(controller_).ok()); }, seconds(1)))
      << "at once";
  EXPECT_THAT(Seen(), IsEmpty());
  EXPECT_FALSE(manager_.ended);
}

}  // namespace
}  // namespace kinformer::testing
