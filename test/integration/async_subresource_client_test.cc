// Calls of an AsyncDelegatingClient's SubResourceClient: awaited on the loop, in simulated time and
// without a thread.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/authenticationv1_mutable.h"
#include "kinformer/api/autoscalingv1_mutable.h"
#include "kinformer/api/policyv1_mutable.h"
#include "kinformer/controller/async_delegating_client.h"
#include "kinformer/json/json.h"

#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Deployment = appsv1::Deployment;
using Scale = autoscalingv1::Scale;
using Lines = std::vector<std::string>;
using Pod = corev1::Pod;

const RestMapping kAwaitedDeployments{
    {"apps", "v1", "deployments"}, {"apps", "v1", "Deployment"}, true};

class AsyncSubResourceClients : public DelegatingClientTest {
 protected:
  [[nodiscard]] AsyncDelegatingClient Async() const { return AsyncDelegatingClient(cached_); }
  // Runs the task on the loop, and returns when it has ended.
  template <class T>
  T Await(Task<T> task) {
    std::optional<T> result;
    Spawn<T>(sim_.env(), sim_.env().loop(), std::move(task),
             [&result](T got) { result.emplace(std::move(got)); });
    sim_.RunUntil([&] { return result.has_value(); }, minutes(10));
    return result ? *std::move(result) : T(Error(Reason::kInternalError, "it has not ended"));
  }
  void MakeWeb() {
    Deployment::Mutable web;
    web.metadata.namespace_ = "default";
    web.metadata.name = "web";
    web.spec.replicas = 1;
    web.spec.selector.emplace().matchLabels["app"] = "web";
    web.spec.template_.metadata.labels["app"] = "web";
    web.spec.template_.spec.containers.push_back({.name = "c", .image = "i"});
    ASSERT_TRUE(Await(Async().Create(web).AsTask()).ok());
  }
  void MakePod(const std::string& name) {
    Pod::Mutable pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = name;
    pod.spec.containers.push_back({.name = "c", .image = "i"});
    ASSERT_TRUE(Await(Async().Create(pod).AsTask()).ok());
  }
};

std::string Replicas(const Result<Ref<Scale>>& scale) {
  return scale ? std::to_string((*scale)->spec().replicas()) : scale.error().ToString();
}
std::string Replicas(const Result<Ref<Deployment>>& web) {
  if (!web) return web.error().ToString();
  return std::to_string((*web)->spec().replicas().value_or(-1)) + " and " +
         std::to_string((*web)->status().replicas());
}
std::string Replicas(const Result<Ref<Unstructured>>& scale) {
  if (!scale) return scale.error().ToString();
  return std::to_string((*scale)->root()["spec"]["replicas"].AsInt64().value_or(-1));
}
template <class T>
std::string Outcome(const Result<T>& done) {
  return done ? "ok" : done.error().ToString();
}

// Each method for a part with a kind of its own. Reads of the whole object follow at once.
Task<Result<void>> Scaled(AsyncDelegatingClient cached, Lines* said) {
  const ObjectName web{"default", "web"};
  const auto scales = cached.SubResource("scale");
  const Result<Ref<Scale>> scale = co_await scales.Get<Deployment, Scale>(web);
  said->push_back("got " + Replicas(scale));
  if (!scale) co_return scale.error();
  Scale::Mutable more = (**scale).DeepCopy();
  more.spec.replicas = 4;
  said->push_back("updated " + Replicas(co_await scales.Update<Deployment>(web, more)));
  said->push_back("read " + Replicas(co_await cached.Get<Deployment>(web)));
  const auto conflict = co_await scales.Update<Deployment>(web, more);
  said->push_back(!conflict && conflict.error().reason() == Reason::kConflict ? "conflict" : "?");
  Scale::Mutable nameless;
  nameless.spec.replicas = 6;
  const ApplyOptions owner{.fieldManager = "me", .force = true};
  said->push_back("applied " + Outcome(co_await scales.Apply<Deployment>(web, nameless, owner)));
  said->push_back("read " + Replicas(co_await cached.Get<Deployment>(web)));
  const kinformer::Patch patch{.body = R"({"spec":{"replicas":7}})"};
  said->push_back("patched " + Outcome(co_await scales.Patch<Deployment>(web, patch)));
  said->push_back("read " + Replicas(co_await cached.Get<Deployment>(web)));
  co_return Result<void>();
}

TEST_F(AsyncSubResourceClients, AScale_IsReadWrittenAndSeenByLaterReads) {
  Lag("deployments");
  MakeWeb();
  Lines said;
  EXPECT_TRUE(Await(Scaled(Async(), &said)).ok());
  EXPECT_THAT(said, ElementsAre("got 1", "updated 4", "read 4 and 0", "conflict", "applied ok",
                                "read 6 and 0", "patched ok", "read 7 and 0"));
  EXPECT_EQ(cached_.UnseenWrites(), 0U);
}

// Each method for a part that the whole object carries.
Task<Result<void>> WithStatus(AsyncDelegatingClient cached, Lines* said) {
  const ObjectName named{"default", "web"};
  const auto status = cached.Status();
  const Result<Ref<Deployment>> read = co_await cached.Get<Deployment>(named);
  if (!read) co_return read.error();
  Deployment::Mutable web = (**read).DeepCopy();
  web.spec.replicas = 9;  // not part of the status
  web.status.replicas = 5;
  said->push_back("updated " + Replicas(co_await status.Update(web)));
  const kinformer::Patch patch{.body = R"({"status":{"replicas":6}})"};
  said->push_back("patched " + Replicas(co_await status.Patch<Deployment>(named, patch)));
  Deployment::Mutable applied;
  applied.metadata.namespace_ = "default";
  applied.metadata.name = "web";
  applied.status.replicas = 7;
  const ApplyOptions owner{.fieldManager = "me", .force = true};
  said->push_back("applied " + Replicas(co_await status.Apply(applied, owner)));
  said->push_back("read " + Replicas(co_await cached.Get<Deployment>(named)));
  co_return Result<void>();
}

TEST_F(AsyncSubResourceClients, AStatus_IsUpdatedPatchedAndApplied) {
  Lag("deployments");
  MakeWeb();
  Lines said;
  EXPECT_TRUE(Await(WithStatus(Async(), &said)).ok());
  EXPECT_THAT(said,
              ElementsAre("updated 1 and 5", "patched 1 and 6", "applied 1 and 7", "read 1 and 7"));
}

Task<Result<void>> Evicted(AsyncDelegatingClient cached, Lines* said) {
  const ObjectName pod{"default", "p"};
  const auto evictions = cached.SubResource("eviction");
  policyv1::Eviction::Mutable eviction;
  eviction.deleteOptions.emplace().gracePeriodSeconds = 0;
  const CreateOptions dry{.dryRun = {"All"}};
  said->push_back("dry run " + Outcome(co_await evictions.Create<Pod>(pod, eviction, dry)));
  said->push_back("read " + Outcome(co_await cached.Get<Pod>(pod)));
  const auto evicted = co_await evictions.Create<Pod>(pod, eviction);
  said->push_back(evicted && !*evicted ? "evicted" : "? " + Outcome(evicted));
  const auto gone = co_await cached.Get<Pod>(pod);
  said->push_back(!gone && gone.error().reason() == Reason::kNotFound ? "gone" : "there");
  co_return Result<void>();
}

TEST_F(AsyncSubResourceClients, AnEviction_IsAnsweredByNoMoreThanSuccess) {
  Lag("pods");
  MakePod("p");
  Lines said;
  EXPECT_TRUE(Await(Evicted(Async(), &said)).ok());
  EXPECT_THAT(said, ElementsAre("dry run ok", "read ok", "evicted", "gone"));
}

Task<Result<void>> ScaledAtRunTime(AsyncDelegatingClient cached, Lines* said) {
  const ObjectName web{"default", "web"};
  const GroupVersionKind kind{"autoscaling", "v1", "Scale"};
  const auto scales = cached.SubResource("scale");
  const auto scale = co_await scales.Get(kAwaitedDeployments, web, kind);
  said->push_back("got " + Replicas(scale));
  if (!scale) co_return scale.error();
  json::Value more = (**scale).DeepCopy();
  more.Ensure("spec").Set("replicas", 3);
  said->push_back("updated " + Replicas(co_await scales.Update(kAwaitedDeployments, web, more)));
  const kinformer::Patch patch{.body = R"({"spec":{"replicas":7}})"};
  said->push_back("patched " + Outcome(co_await scales.Patch(kAwaitedDeployments, web, patch)));
  said->push_back("read " + Replicas(co_await cached.Get<Deployment>(web)));
  const json::Value token = json::Parse(R"({"kind":"TokenRequest",
      "apiVersion":"authentication.k8s.io/v1","spec":{"audiences":["a"]}})")
                                .OrExit();
  const RestMapping accounts{{"", "v1", "serviceaccounts"}, {"", "v1", "ServiceAccount"}, true};
  const ObjectName robot{"default", "robot"};
  const auto issued = co_await cached.SubResource("token").Create(accounts, robot, token);
  if (!issued) co_return issued.error();
  said->push_back((*issued)->root()["status"]["token"].StringOrEmpty().empty() ? "none" : "token");
  co_return Result<void>();
}

TEST_F(AsyncSubResourceClients, PartsOfKindsThatAreKnownAtRunTimeOnly) {
  MakeWeb();
  corev1::ServiceAccount::Mutable robot;
  robot.metadata.namespace_ = "default";
  robot.metadata.name = "robot";
  ASSERT_TRUE(Await(Async().Create(robot).AsTask()).ok());
  Lines said;
  const Result<void> done = Await(ScaledAtRunTime(Async(), &said));
  EXPECT_TRUE(done.ok()) << done.error();
  EXPECT_THAT(said, ElementsAre("got 1", "updated 3", "patched ok", "read 7 and 0", "token"));
}

TEST_F(AsyncSubResourceClients, ErrorsOfParts_AreThoseOfTheBlockingForm) {
  const ObjectName none{"default", "none"};
  const ObjectName nowhere{"", "p"};
  const ObjectName elsewhere{"kube-system", "web"};
  const policyv1::Eviction::Mutable eviction;
  const Scale::Mutable scale;
  const DelegatingClient bound = cached_.WithNamespace("default");
  const auto awaited = [&](auto call) {
    const auto result = Await(std::move(call).AsTask());
    return Outcome(result);
  };
  Lines got;
  got.push_back(awaited(Async().SubResource("scale").Get<Deployment, Scale>(none)));
  got.push_back(awaited(Async().SubResource("eviction").Create<Pod>(nowhere, eviction)));
  got.push_back(awaited(Async().SubResource("scale").Apply<Deployment>(none, scale)));
  got.push_back(awaited(
      AsyncDelegatingClient(bound).SubResource("scale").Update<Deployment>(elsewhere, scale)));
  Lines want;
  Run([&] {
    want.push_back(Outcome(cached_.SubResource("scale").Get<Deployment, Scale>(none)));
    want.push_back(Outcome(cached_.SubResource("eviction").Create<Pod>(nowhere, eviction)));
    want.push_back(Outcome(cached_.SubResource("scale").Apply<Deployment>(none, scale)));
    want.push_back(Outcome(bound.SubResource("scale").Update<Deployment>(elsewhere, scale)));
  });
  EXPECT_EQ(got, want);
  EXPECT_THAT(got, ElementsAre(HasSubstr("not found"), HasSubstr("namespace"),
                               HasSubstr("fieldManager"), HasSubstr("kube-system")));
}

TEST_F(AsyncSubResourceClients, APartWithoutANamespace_IsInThatOfTheClient) {
  MakeWeb();
  const AsyncDelegatingClient bound(cached_.WithNamespace("default"));
  const ObjectName web{"", "web"};
  Scale::Mutable scale;
  scale.spec.replicas = 2;
  const auto updated = Await(bound.SubResource("scale").Update<Deployment>(web, scale).AsTask());
  EXPECT_EQ(Replicas(updated), "2");
}

// The call keeps the part, and outlives what made it.
TEST_F(AsyncSubResourceClients, NothingIsSentBeforeTheCallIsAwaited) {
  MakeWeb();
  const ObjectName web{"default", "web"};
  auto scale = std::make_unique<Scale::Mutable>();
  scale->spec.replicas = 2;
  auto call = Async().SubResource("scale").Update<Deployment>(web, *scale);
  scale.reset();
  sim_.RunFor(seconds(5));
  const auto scales = Async().SubResource("scale");
  EXPECT_EQ(Replicas(Await(scales.Get<Deployment, Scale>(web).AsTask())), "1");
  EXPECT_EQ(Replicas(Await(std::move(call).AsTask())), "2");
}

TEST_F(AsyncSubResourceClients, AStopAndATimeout_EndACallOfAPartThatHangs) {
  MakeWeb();
  server_.faults().Add(
      {.verb = "get", .action = apiserver::FaultAction::kDelay, .delay = hours(1)});
  const ObjectName web{"default", "web"};
  const auto scales = Async().SubResource("scale");
  const SteadyTime before = sim_.env().Now();
  auto late = scales.Get<Deployment, Scale>(web).WithTimeout(seconds(3));
  EXPECT_EQ(Await(std::move(late).AsTask()).error().reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(sim_.env().Now() - before, Duration(seconds(3)));
  std::stop_source stop;
  stop.request_stop();
  auto stopped = scales.Get<Deployment, Scale>(web).WithStop(stop.get_token());
  EXPECT_EQ(Await(std::move(stopped).AsTask()).error().reason(), Reason::kCanceled);
}

}  // namespace
}  // namespace kinformer::testing
