// Sources of controllers: kinds, channels, timers and functions, in a manager.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/event_channel.h"
#include "kinformer/object/unstructured.h"

#include "operator/builder_fixture.h"

namespace kinformer::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(BuilderTest, AKindThatIsNotServedEndsTheManager_SO02) {
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .Named("x")
                  .WatchesRawSource(source::Kind<Unstructured>(
                      "widgets",
                      [this] {
                        return manager_->GetCache().ForResource({"example.com", "v1", "widgets"},
                                                                "Widget");
                      },
                      handler::EnqueueRequestForObject<Unstructured>()))
                  .Complete(Note())
                  .ok());
  manager_.Start();
  sim_.RunFor(minutes(1));
  EXPECT_FALSE(manager_.ended);
  sim_.RunFor(minutes(2));
  ASSERT_TRUE(manager_.ended);
  EXPECT_THAT(
      manager_.result.error().message(),
      ::testing::AllOf(HasSubstr("failed to wait for x caches to sync"), HasSubstr("widgets")));
}

TEST_F(BuilderTest, ASourceWithoutHandlerOrInformerIsAnError_SO02) {
  ASSERT_TRUE(
      ControllerBuilder(*manager_).Named("x").Watches<corev1::Pod>(nullptr).Complete(Note()).ok());
  manager_.Start();
  sim_.RunFor(seconds(5));
  ASSERT_TRUE(manager_.ended);
  EXPECT_THAT(manager_.result.error().message(), HasSubstr("pods: no event handler"));
  const auto source =
      source::Kind<corev1::Pod>("pods", nullptr, handler::EnqueueRequestForObject<corev1::Pod>());
  PriorityQueue<Request> queue(sim_.env());
  EXPECT_THAT(source->Start({}, RequestQueue<Request>(queue, 0)).error().message(),
              HasSubstr("no informer"));
  source->Stop();
}

Ref<corev1::Pod> APod(ApiServer& server, Simulation& sim, const std::string& name) {
  Ref<corev1::Pod> pod;
  const Client client = Client::ForTransport(sim.env(), server.transport());
  sim.RunBlocking([&] { pod = client.For<corev1::Pod>("default").Get(name).OrExit(); }, seconds(5));
  return pod;
}

TEST_F(BuilderTest, Channel_DeliversEventsOfTheProgram_SO03) {
  CreatePod("a");
  CreatePod("b");
  const Ref<corev1::Pod> a = APod(server_, sim_, "a");
  const Ref<corev1::Pod> b = APod(server_, sim_, "b");
  EventChannel<corev1::Pod> channel(sim_.env());
  EXPECT_EQ(channel.Send(a).error().reason(), Reason::kNotFound) << "nobody listens";
  auto source = source::Channel<corev1::Pod>(
      channel, handler::EnqueueRequestForObject<corev1::Pod>(),
      predicate::NewPredicateFuncs<corev1::Pod>(
          [](const corev1::Pod& pod) { return pod.metadata().name() == "a"; }));
  ASSERT_TRUE(
      ControllerBuilder(*manager_).Named("x").WatchesRawSource(source).Complete(Note()).ok());
  EXPECT_TRUE(channel.Send(a).ok()) << "before the start";
  manager_.Start();
  EXPECT_THAT(Seen(), ElementsAre("a"));
  EXPECT_TRUE(channel.Send(b).ok());
  EXPECT_THAT(Seen(), IsEmpty()) << "its predicate";
  EXPECT_EQ(channel.Send({}).error().reason(), Reason::kInvalidArgument);
  PriorityQueue<Request> queue(sim_.env());
  EXPECT_FALSE(source->Start({}, RequestQueue<Request>(queue, 0)).ok()) << "twice";
  channel.Close();
  EXPECT_EQ(channel.Send(a).error().reason(), Reason::kStopped);
}

TEST_F(BuilderTest, AHandlerThatBlocksHoldsUpTheChannelOnlyWhenItIsFull_SO03) {
  CreatePod("a");
  const Ref<corev1::Pod> a = APod(server_, sim_, "a");
  EventChannel<corev1::Pod> channel(sim_.env());
  int heard = 0;
  auto source = source::Channel<corev1::Pod>(
      channel,
      handler::HandlerOf<corev1::Pod>(
          {.generic =
               [&](const GenericEvent<corev1::Pod>&, const RequestQueue<Request>&) {
                 ++heard;
                 sim_.env().SleepFor(seconds(10));
               }}),
      {}, {.buffer_size = 2});
  PriorityQueue<Request> queue(sim_.env());
  ASSERT_TRUE(source->Start({}, RequestQueue<Request>(queue, 0)).ok());
  int sent = 0;
  auto sender = sim_.env().NewThread("sender", [&] {
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(channel.Send(a).ok());
      ++sent;
    }
  });
  sim_.RunFor(seconds(5));
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(sent, 3) << "one is being handled, two wait";
  Result<void> on_loop;
  sim_.env().loop().Post([&] { on_loop = channel.Send(a); });
  sim_.RunFor(seconds(1));
  EXPECT_EQ(on_loop.error().reason(), Reason::kWouldDeadlock);
  sim_.RunFor(minutes(1));
  EXPECT_EQ(heard, 5);
  source->Stop();
  sender->Join();
  EXPECT_EQ(channel.Send(a).error().reason(), Reason::kNotFound);
}

TEST_F(BuilderTest, ATimerIsASource) {
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .Named("x")
                  .WatchesRawSource(source::Ticker<Request>(sim_.env(), hours(1), {"", "all"}))
                  .Complete(Note())
                  .ok());
  manager_.Start();
  EXPECT_THAT(Seen(), ElementsAre("all"));
  sim_.RunFor(hours(3));
  EXPECT_THAT(Seen(), ElementsAre("all", "all", "all"));
  PriorityQueue<Request> queue(sim_.env());
  EXPECT_FALSE(source::Ticker<Request>(sim_.env(), Duration(0), {"", "all"})
                   ->Start({}, RequestQueue<Request>(queue, 0))
                   .ok());
}

TEST_F(BuilderTest, TwoSourcesOfOneKindAndAGivenInformerTellTheSame_SO01) {
  using Pod = corev1::Pod;
  std::vector<std::string> told;
  const auto handler = [&told](const std::string& who) {
    const auto name = [](const Pod& pod) {
      return std::string(pod.metadata().name()) + std::string(pod.metadata().labels()["v"]);
    };
    using Queue = RequestQueue<Request>;
    return handler::HandlerOf<Pod>(
        {.create = [&told, who, name](const Added<Pod>& e,
                                      const Queue&) { told.push_back(who + "+" + name(e.object)); },
         .update =
             [&told, who, name](const Updated<Pod>& e, const Queue&) {
               told.push_back(who + name(e.old_object) + ">" + name(e.new_object));
             },
         .delete_ = [&told, who, name](
                        const Deleted<Pod>& e,
                        const Queue&) { told.push_back(who + "-" + name(e.object)); }});
  };
  SharedInformerFactory& cache = manager_->GetCache();
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .Named("x")
                  .Watches<Pod>(handler("1"))
                  .Watches<Pod>(handler("2"))
                  .WatchesRawSource(source::Informer<Pod>(cache.InformerFor<Pod>(), handler("3")))
                  .Complete(Note())
                  .ok());
  manager_.Start();
  sim_.RunFor(seconds(5));
  CreatePod("a");
  sim_.RunFor(seconds(5));
  EXPECT_THAT(std::exchange(told, {}), ::testing::UnorderedElementsAre("1+a", "2+a", "3+a"));
  Change("a", R"({"metadata":{"labels":{"v":"2"}}})");
  sim_.RunFor(seconds(5));
  EXPECT_THAT(std::exchange(told, {}), ::testing::UnorderedElementsAre("1a>a2", "2a>a2", "3a>a2"));
  server_
      .Patch(kPods, {"default", "a"}, json::Parse(R"({"metadata":{"labels":{"v":"3"}}})").OrExit())
      .OrExit();
  sim_.RunFor(seconds(5));
  told.clear();
  server_.Delete(kPods, {"default", "a"}).OrExit();
  sim_.RunFor(minutes(1));
  EXPECT_THAT(told, ::testing::IsSupersetOf({"1-a3", "2-a3", "3-a3"}));
}

TEST_F(BuilderTest, NothingIsReconciledBeforeEachHandlerKnowsWhatThereIs_CR04) {
  for (int i = 0; i < 20; ++i) CreatePod("p" + std::to_string(i));
  int handled = 0;
  int early = 0;
  int reconciled = 0;
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .Named("x")
                  .Watches<corev1::Pod>(handler::HandlerOf<corev1::Pod>(
                      {.create =
                           [&](const Added<corev1::Pod>& e, const RequestQueue<Request>& q) {
                             sim_.env().SleepFor(seconds(1));
                             ++handled;
                             q.Add(e.object_name());
                           }}))
                  .Complete([&](const ReconcileContext&, const Request&) {
                    if (handled < 20) ++early;
                    ++reconciled;
                    return Result<ReconcileResult>(ReconcileResult{});
                  })
                  .ok());
  manager_.Start();
  sim_.RunFor(minutes(1));
  EXPECT_EQ(reconciled, 20);
  EXPECT_EQ(early, 0);
}

TEST_F(BuilderTest, AFunctionIsASourceAndItsErrorEndsTheManager_SO02) {
  bool called = false;
  const auto source = source::Func<Request>(
      "mine", [&called](const std::stop_token&, const RequestQueue<Request>&) -> Result<void> {
        called = true;
        return {};
      });
  PriorityQueue<Request> queue(sim_.env());
  EXPECT_TRUE(source->Start({}, RequestQueue<Request>(queue, 0)).ok());
  EXPECT_TRUE(called);
  source->Stop();
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .Named("x")
                  .WatchesRawSource(source::Func<Request>(
                      "mine",
                      [](const std::stop_token&, const RequestQueue<Request>&) -> Result<void> {
                        return Error(Reason::kConfig, "no such thing");
                      }))
                  .Complete(Note())
                  .ok());
  manager_.Start();
  sim_.RunFor(seconds(5));
  ASSERT_TRUE(manager_.ended);
  EXPECT_THAT(manager_.result.error().message(), HasSubstr("mine: no such thing"));
}

TEST_F(BuilderTest, ClosedChannel_QueuedEventsAreDelivered_SO03) {
  CreatePod("a");
  const Ref<corev1::Pod> a = APod(server_, sim_, "a");
  EventChannel<corev1::Pod> channel(sim_.env());
  int heard = 0;
  auto source = source::Channel<corev1::Pod>(
      channel, handler::HandlerOf<corev1::Pod>(
                   {.generic = [&heard](const GenericEvent<corev1::Pod>&,
                                        const RequestQueue<Request>&) { ++heard; }}));
  ASSERT_TRUE(channel.Send(a).ok());
  channel.Close();
  PriorityQueue<Request> queue(sim_.env());
  ASSERT_TRUE(source->Start({}, RequestQueue<Request>(queue, 0)).ok());
  sim_.RunFor(minutes(1));
  EXPECT_EQ(heard, 1) << "once";
  source->Stop();
}

}  // namespace
}  // namespace kinformer::testing
