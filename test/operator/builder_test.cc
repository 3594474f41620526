// ControllerBuilder, sources, predicates and handlers, as objects change on a server.

#include "kinformer/controller/builder.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/base/until.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/event_channel.h"
#include "kinformer/object/unstructured.h"
#include "kinformer/workqueue/rate_limiter.h"

#include "operator/builder_fixture.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST_F(BuilderTest, EachEventOfForIsARequest_BL02_SO01_HD01) {
  CreatePod("old");
  ASSERT_TRUE(ControllerBuilder(*manager_).For<corev1::Pod>().Complete(Note()).ok());
  manager_.Start();
  EXPECT_THAT(Seen(), ElementsAre("old@-100")) << "there at the start";
  CreatePod("web-0");
  EXPECT_THAT(Seen(), ElementsAre("web-0"));
  Change("web-0", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_THAT(Seen(), ElementsAre("web-0"));
  server_.Delete(kPods, {"default", "web-0"}).OrExit();
  EXPECT_THAT(Seen(), ::testing::Contains("web-0"));
}

TEST_F(BuilderTest, Options_ReachTheController_BL02) {
  RunningManager manager(sim_, server_, {.group_kind_concurrency = {{"ReplicaSet.apps", 3}}});
  int running = 0;
  int most = 0;
  const auto slow = [&](const ReconcileContext&, const Request&) {
    most = std::max(most, ++running);
    sim_.env().SleepFor(seconds(1));
    --running;
    return Result<ReconcileResult>(ReconcileResult{});
  };
  const auto from = [](int n) {
    return source::Func<Request>(
        "some", [n](const std::stop_token&, const RequestQueue<Request>& q) -> Result<void> {
          for (int i = 0; i < n; ++i) q.Add({"", std::to_string(i)});
          return {};
        });
  };
  ASSERT_TRUE(ControllerBuilder(*manager)
                  .For<corev1::Pod>()
                  .WatchesRawSource(from(10))
                  .WithOptions({.max_concurrent_reconciles = 5})
                  .Complete(slow)
                  .ok());
  manager.Start();
  sim_.RunFor(minutes(1));
  EXPECT_EQ(std::exchange(most, 0), 5);
  ASSERT_TRUE(ControllerBuilder(*manager)
                  .For<appsv1::ReplicaSet>()
                  .WatchesRawSource(from(10))
                  .Complete(slow)
                  .ok());
  sim_.RunFor(minutes(1));
  EXPECT_EQ(std::exchange(most, 0), 3) << "as the manager says of the kind";
  // A limiter whose delays increase by up to a second for each failure.
  std::vector<SteadyTime> at;
  ASSERT_TRUE(
      ControllerBuilder(*manager)
          .Named("limited")
          .WatchesRawSource(from(1))
          .WithRateLimiter(
              std::make_unique<ItemExponentialFailureRateLimiter<Request>>(minutes(7), minutes(7)))
          .Complete([&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
            at.push_back(sim_.env().Now());
            if (at.size() == 1) return Error(Reason::kConflict, "again");
            return ReconcileResult{};
          })
          .ok());
  sim_.RunFor(minutes(10));
  ASSERT_EQ(at.size(), 2U);
  EXPECT_EQ(at[1] - at[0], minutes(7));
}

TEST_F(BuilderTest, TypedRequests_AreReconciled_BL01_CR06) {
  std::vector<std::string> seen;
  ASSERT_TRUE(
      TypedControllerBuilder<std::string>(*manager_)
          .Named("apps")
          .Watches<corev1::Pod>(handler::EnqueueRequestsFromMapFunc<corev1::Pod, std::string>(
              [](const corev1::Pod& pod) -> std::vector<std::string> {
                return {std::string(pod.metadata().labels()["app"])};
              }))
          .Complete([&](const ReconcileContext&, const std::string& app) {
            seen.push_back(app);
            return Result<ReconcileResult>(ReconcileResult{});
          })
          .ok());
  CreatePod("a", R"(,"labels":{"app":"shop"})");
  CreatePod("b", R"(,"labels":{"app":"shop"})");
  manager_.Start();
  sim_.RunFor(seconds(5));
  EXPECT_THAT(seen, ElementsAre("shop"));
}

TEST_F(BuilderTest, TwoControllersOfOneKindAndOneWithoutFor_BL02) {
  const auto noted = [this](const std::string& who) {
    return [this, who](const ReconcileContext&, const Request& request) {
      seen_.push_back(who + ":" + request.ToString());
      return Result<ReconcileResult>(ReconcileResult{});
    };
  };
  ASSERT_TRUE(ControllerBuilder(*manager_).For<corev1::Pod>().Complete(noted("pod")).ok());
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .For<corev1::Pod>()
                  .Named("second")
                  .Complete(noted("second"))
                  .ok());
  ASSERT_TRUE(
      ControllerBuilder(*manager_)
          .Named("neither")
          .Named("watches")
          .Watches<corev1::Node>(handler::EnqueueRequestForObject<corev1::Node>())
          .Watches<corev1::Pod>(handler::EnqueueRequestForOwner<corev1::Pod, appsv1::ReplicaSet>())
          .Complete(noted("watches"))
          .ok());
  EXPECT_EQ(ControllerBuilder(*manager_).For<corev1::Pod>().Complete(Note()).error().reason(),
            Reason::kAlreadyExists);
  EXPECT_TRUE(
      ControllerBuilder(*manager_).For<corev1::Node>().Named("neither").Complete(Note()).ok());
  manager_.Start();
  CreatePod("a", R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs",)"
                 R"("uid":"u","controller":true}])");
  EXPECT_THAT(Seen(),
              UnorderedElementsAre("pod:default/a", "second:default/a", "watches:default/rs"));
}

TEST_F(BuilderTest, WithoutPriorityQueue_ExistingObjectsAreReconciled_HD02) {
  CreatePod("old");
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .For<corev1::Pod>()
                  .WithOptions({.use_priority_queue = false})
                  .Complete(Note())
                  .ok());
  manager_.Start();
  EXPECT_THAT(Seen(), ElementsAre("old"));
}

TEST_F(BuilderTest, AResyncIsLowAndAnExplicitPriorityStays_HD02) {
  const auto twice = handler::HandlerOf<corev1::Pod>(
      {.create =
           [](const Added<corev1::Pod>& e, const RequestQueue<Request>& q) {
             q.AddWithOpts({.priority = 3}, e.object_name());
           },
       .update =
           [](const Updated<corev1::Pod>& e, const RequestQueue<Request>& q) {
             q.AddAfter(e.object_name(), milliseconds(1));
           }});
  SharedInformer<corev1::Pod> pods =
      manager_->GetCache().InformerFor<corev1::Pod>({.resync_period = minutes(1)});
  ASSERT_TRUE(
      ControllerBuilder(*manager_).Named("pods").Watches<corev1::Pod>(twice).Complete(Note()).ok());
  CreatePod("old");
  manager_.Start();
  EXPECT_THAT(Seen(), ElementsAre("old@3"));
  sim_.RunFor(minutes(1));
  EXPECT_THAT(Seen(), ElementsAre("old@-100"));
}

TEST_F(BuilderTest, Owns_QueuesTheControllingOwner_BL02_HD01) {
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .For<appsv1::ReplicaSet>()
                  .Owns<corev1::Pod>()
                  .Complete(Note())
                  .ok());
  manager_.Start();
  EXPECT_THAT(Seen(), IsEmpty());
  const auto owner = [](const std::string& kind, const std::string& version,
                        const std::string& name, const std::string& controller) {
    return R"({"apiVersion":")" + version + R"(","kind":")" + kind + R"(","name":")" + name +
           R"(","uid":"u-)" + name + '"' + controller + "}";
  };
  const std::string controls = R"(,"controller":true)";
  CreatePod("a", R"(,"ownerReferences":[)" + owner("ReplicaSet", "apps/v1", "mine", controls) +
                     "," + owner("ReplicaSet", "apps/v1", "also", "") + "]");
  EXPECT_THAT(Seen(), ElementsAre("mine"));
  CreatePod("b",
            R"(,"ownerReferences":[)" + owner("ReplicaSet", "apps/v9", "newer", controls) + "]");
  EXPECT_THAT(Seen(), ElementsAre("newer")) << "of any version";
  CreatePod("c", R"(,"ownerReferences":[)" + owner("ReplicaSet", "other/v1", "x", controls) + "]");
  CreatePod("d", R"(,"ownerReferences":[)" + owner("Deployment", "apps/v1", "x", controls) + "]");
  EXPECT_THAT(Seen(), IsEmpty()) << "of another group or kind";
}

TEST_F(BuilderTest, OwnersOfOldAndNewObject_AreQueuedOnce_HD01) {
  const std::vector<Request> both = handler::internal::OwnersOf(
      metav1::ObjectMeta(), corev1::Node::kind_info(), handler::Owners::kAll);
  EXPECT_THAT(both, IsEmpty());
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .For<appsv1::ReplicaSet>()
                  .Owns<corev1::Pod>({}, handler::Owners::kAll)
                  .Complete(Note())
                  .ok());
  manager_.Start();
  EXPECT_THAT(Seen(), IsEmpty());
  const auto owners = [](const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) {
      list +=
          (list.empty() ? "" : ",") +
          (R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":")" + name + R"(","uid":"u"})");
    }
    return list;
  };
  CreatePod("a", R"(,"ownerReferences":[)" + owners({"one", "two"}) + "]");
  EXPECT_THAT(Seen(), UnorderedElementsAre("one", "two"));
  Change("a", R"({"metadata":{"ownerReferences":[)" + owners({"two", "three"}) + "]}}");
  EXPECT_THAT(Seen(), UnorderedElementsAre("one", "two", "three"));
}

TEST_F(BuilderTest, AnOwnerWithoutNamespaceHasNone_HD01) {
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .For<corev1::Node>()
                  .Owns<corev1::Pod>()
                  .Complete([this](const ReconcileContext&, const Request& request) {
                    seen_.push_back(request.ToString());
                    return Result<ReconcileResult>(ReconcileResult{});
                  })
                  .ok());
  manager_.Start();
  CreatePod("a", R"(,"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n-1","uid":"u",)"
                 R"("controller":true}])");
  EXPECT_THAT(Seen(), ElementsAre("n-1"));
}

TEST_F(BuilderTest, MapFunction_EachRequestIsQueuedOnce_HD01) {
  const auto map = handler::EnqueueRequestsFromMapFunc<corev1::Pod>(
      [](const corev1::Pod& pod) -> std::vector<Request> {
        const std::string app(pod.metadata().labels()["app"]);
        return {{"default", app}, {"default", app}};
      });
  ASSERT_TRUE(
      ControllerBuilder(*manager_).Named("apps").Watches<corev1::Pod>(map).Complete(Note()).ok());
  manager_.Start();
  EXPECT_THAT(Seen(), IsEmpty());
  CreatePod("a", R"(,"labels":{"app":"shop"})");
  EXPECT_THAT(Seen(), ElementsAre("shop"));
  Change("a", R"({"metadata":{"labels":{"app":"bank"}}})");
  EXPECT_THAT(Seen(), UnorderedElementsAre("shop", "bank"));
}

TEST_F(BuilderTest, EventFilterAndOwnPredicate_BothApply_PR01_BL02) {
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .For<corev1::Pod>(predicate::NewPredicateFuncs<corev1::Pod>(
                      [](const corev1::Pod& pod) { return pod.metadata().name() != "never"; }))
                  .WithEventFilter(
                      predicate::LabelSelectorPredicate(LabelSelector::Parse("app=shop").OrExit()))
                  .Complete(Note())
                  .ok());
  manager_.Start();
  EXPECT_THAT(Seen(), IsEmpty());
  CreatePod("a", R"(,"labels":{"app":"shop"})");
  CreatePod("b", R"(,"labels":{"app":"bank"})");
  CreatePod("never", R"(,"labels":{"app":"shop"})");
  EXPECT_THAT(Seen(), ElementsAre("a"));
}

TEST_F(BuilderTest, ChangePredicates_AcceptTheirChanges_PR01) {
  struct Row {
    const char* name;
    predicate::Predicate<Object> accepts;
    std::vector<std::string> expected;
  };
  const std::vector<Row> rows{
      {"generation", predicate::GenerationChangedPredicate(), {"spec"}},
      {"label", predicate::LabelChangedPredicate(), {"label", "label gone"}},
      {"annotation", predicate::AnnotationChangedPredicate(), {"annotation"}},
      {"version",
       predicate::ResourceVersionChangedPredicate(),
       {"spec", "label", "label gone", "annotation", "status"}},
      {"and",
       predicate::And<Object>(
           {predicate::LabelChangedPredicate(), predicate::AnnotationChangedPredicate()}),
       {}},
      {"or",
       predicate::Or<Object>(
           {predicate::LabelChangedPredicate(), predicate::AnnotationChangedPredicate()}),
       {"label", "label gone", "annotation"}},
      {"or of none", predicate::Or<Object>({}), {}},
      {"not", predicate::Not(predicate::ResourceVersionChangedPredicate()), {}},
      {"all",
       predicate::Predicate<Object>{},
       {"spec", "label", "label gone", "annotation", "status"}}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_TRUE(ControllerBuilder(*manager_)
                    .Named(rows[i].name)
                    .For<corev1::Pod>(predicate::And<Object>(
                        {rows[i].accepts, {.create = [](const Added<Object>&) { return false; }}}))
                    .Complete([this, i](const ReconcileContext&, const Request&) {
                      seen_.push_back(std::to_string(i));
                      return Result<ReconcileResult>(ReconcileResult{});
                    })
                    .ok());
  }
  CreatePod("a");
  manager_.Start();
  sim_.RunFor(seconds(5));
  std::vector<std::vector<std::string>> heard(rows.size());
  const std::vector<std::pair<std::string, std::string>> changes{
      {"spec", R"({"spec":{"activeDeadlineSeconds":7}})"},
      {"label", R"({"metadata":{"labels":{"x":"y"}}})"},
      {"label gone", R"({"metadata":{"labels":null}})"},
      {"annotation", R"({"metadata":{"annotations":{"x":"y"}}})"},
      {"status", ""}};
  for (const auto& [name, patch] : changes) {
    if (patch.empty()) {
      json::Value pod = server_.Get(kPods, {"default", "a"}).OrExit();
      const Client client = Client::ForTransport(sim_.env(), server_.transport());
      sim_.RunBlocking(
          [&] {
            EXPECT_TRUE(client.For<corev1::Pod>("default")
                            .Patch("a",
                                   {.type = PatchType::kMergePatch,
                                    .body = R"({"status":{"phase":"Running"}})"},
                                   {}, "status")
                            .ok());
          },
          seconds(5));
    } else {
      Change("a", patch);
    }
    for (const std::string& who : Seen()) heard[std::stoul(who)].push_back(name);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(heard[i], rows[i].expected) << rows[i].name;
  }
}

TEST_F(BuilderTest, PredicatesOfOneKindSeeNoOther_BL02) {
  std::vector<std::string> asked;
  const auto note = [&asked](const std::string& who) -> predicate::Predicate<Object> {
    return {.create = [&asked, who](const Added<Object>& e) {
      asked.push_back(who + ":" + std::string(e.object.kind()));
      return true;
    }};
  };
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .For<corev1::ConfigMap>(note("for"))
                  .Owns<corev1::Pod>(note("owns"))
                  .WithEventFilter(note("all"))
                  .Complete(Note())
                  .ok());
  manager_.Start();
  EXPECT_THAT(Seen(), IsEmpty());
  server_
      .Create(kConfigMaps,
              json::Parse(R"({"metadata":{"namespace":"default","name":"m"}})").OrExit())
      .OrExit();
  EXPECT_THAT(Seen(), ElementsAre("m"));
  CreatePod("a",
            R"(,"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"m","uid":"u",)"
            R"("controller":true}])");
  EXPECT_THAT(Seen(), ElementsAre("m"));
  EXPECT_THAT(asked, UnorderedElementsAre("all:ConfigMap", "for:ConfigMap", "all:Pod", "owns:Pod"));
}

TEST_F(BuilderTest, ForOwnsAndWatchesOfTheMetadata_BL02) {
  using Metadata = metav1::PartialObjectMetadata;
  std::vector<std::string> mapped;
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .For<appsv1::ReplicaSet>({}, WatchAs::kMetadata)
                  .Owns<corev1::Pod>({}, handler::Owners::kController, WatchAs::kMetadata)
                  .WatchesMetadata<corev1::ConfigMap>(handler::EnqueueRequestsFromMapFunc<Metadata>(
                      [&](const Metadata& map) -> std::vector<Request> {
                        mapped.push_back(std::string(map.kind()) + " " +
                                         std::string(map.metadata().name()) + " " +
                                         std::string(map.metadata().labels()["foo"]));
                        return {};
                      }))
                  .Complete(Note())
                  .ok());
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .For<appsv1::ReplicaSet>({}, WatchAs::kMetadata)
                  .Named("second")
                  .Complete(Note())
                  .ok());
  manager_.Start();
  EXPECT_THAT(Seen(), IsEmpty());
  server_
      .Create({"apps", "v1", "replicasets"}, json::Parse(R"({"metadata":{"namespace":"default",
      "name":"rs"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":
      {"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})")
                                                 .OrExit())
      .OrExit();
  EXPECT_THAT(Seen(), ElementsAre("rs", "rs")) << "of both";
  CreatePod("a", R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs",)"
                 R"("uid":"u","controller":true}])");
  EXPECT_THAT(Seen(), ElementsAre("rs"));
  server_
      .Create(kConfigMaps, json::Parse(R"({"metadata":{"namespace":"default","name":"m",
      "labels":{"foo":"bar"}}})")
                               .OrExit())
      .OrExit();
  EXPECT_THAT(Seen(), IsEmpty());
  EXPECT_THAT(mapped, ::testing::Contains("ConfigMap m bar"));
}

TEST_F(BuilderTest, ForMetadata_UsesTheMetadataInformer_BL02) {
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .For<corev1::Pod>(
                      predicate::LabelSelectorPredicate(LabelSelector::Parse("app=shop").OrExit()),
                      WatchAs::kMetadata)
                  .Complete(Note())
                  .ok());
  manager_.Start();
  EXPECT_THAT(Seen(), IsEmpty());
  CreatePod("a", R"(,"labels":{"app":"shop"})");
  CreatePod("b");
  EXPECT_THAT(Seen(), ElementsAre("a"));
  const auto stats = manager_->GetCache().MetadataInformerFor<corev1::Pod>().Stats();
  EXPECT_EQ(stats.objects, 2U);
}

TEST_F(BuilderTest, OwnedAndWatchedMetadata_UseTheirPredicates_BL02) {
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .For<appsv1::ReplicaSet>()
                  .Owns<corev1::Pod>(
                      predicate::LabelSelectorPredicate(LabelSelector::Parse("app!=none").OrExit()),
                      handler::Owners::kController, WatchAs::kMetadata)
                  .WatchesMetadata<corev1::Pod>(
                      handler::EnqueueRequestsFromMapFunc<metav1::PartialObjectMetadata>(
                          [](const metav1::PartialObjectMetadata& pod) -> std::vector<Request> {
                            return {{"default", "map-of-" + std::string(pod.metadata().name())}};
                          }),
                      predicate::NewPredicateFuncs<metav1::PartialObjectMetadata>(
                          [](const metav1::PartialObjectMetadata& pod) {
                            return pod.metadata().name() != "unmapped";
                          }))
                  .Complete(Note())
                  .ok());
  manager_.Start();
  EXPECT_THAT(Seen(), IsEmpty());
  const std::string owned = R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet",)"
                            R"("name":"set","uid":"u","controller":true}])";
  CreatePod("a", owned);
  EXPECT_THAT(Seen(), UnorderedElementsAre("set", "map-of-a"));
  CreatePod("unmapped", owned);
  EXPECT_THAT(Seen(), ElementsAre("set"));
  CreatePod("b", R"(,"labels":{"app":"none"})" + owned);
  EXPECT_THAT(Seen(), ElementsAre("map-of-b"));
  EXPECT_EQ(manager_->GetCache().MetadataInformerFor<corev1::Pod>().Stats().objects, 3U)
      << "one cache for both";
}

// Records whether it is called on the event loop; adds nothing to the queue.
class WhereCalled final : public handler::EventHandler<corev1::Pod> {
 public:
  WhereCalled(Env& env, bool only_enqueues, std::vector<std::string>& calls)
      : env_(env), only_enqueues_(only_enqueues), calls_(calls) {}
  void Create(const Added<corev1::Pod>&, const Queue&) override { Note(); }
  void Update(const Updated<corev1::Pod>&, const Queue&) override { Note(); }
  void Delete(const Deleted<corev1::Pod>&, const Queue&) override { Note(); }
  void Generic(const GenericEvent<corev1::Pod>&, const Queue&) override { Note(); }
  [[nodiscard]] bool OnlyEnqueues() const override { return only_enqueues_; }

 private:
  void Note() { calls_.emplace_back(env_.OnLoopThread() ? "loop" : "pool"); }
  Env& env_;
  const bool only_enqueues_;
  std::vector<std::string>& calls_;
};

TEST_F(BuilderTest, EnqueueOnlyHandlers_RunOnTheLoop) {
  Env& env = sim_.env();
  std::vector<std::string> quick;
  std::vector<std::string> slow;
  std::vector<std::string> filtered;
  std::vector<std::string> filter;
  std::vector<std::string> map;
  const auto note = [&env](std::vector<std::string>& calls) {
    calls.emplace_back(env.OnLoopThread() ? "loop" : "pool");
  };
  ASSERT_TRUE(
      ControllerBuilder(*manager_)
          .Named("x")
          .Watches<corev1::Pod>(std::make_shared<WhereCalled>(env, true, quick))
          .Watches<corev1::Pod>(std::make_shared<WhereCalled>(env, false, slow))
          .Watches<corev1::Pod>(std::make_shared<WhereCalled>(env, true, filtered),
                                predicate::NewPredicateFuncs<corev1::Pod>([&](const corev1::Pod&) {
                                  note(filter);
                                  return true;
                                }))
          .Watches<corev1::Pod>(
              handler::EnqueueRequestsFromMapFunc<corev1::Pod>([&](const corev1::Pod&) {
                note(map);
                return std::vector<Request>();
              }))
          .Complete(Note())
          .ok());
  manager_.Start();
  sim_.RunFor(seconds(5));
  CreatePod("web-0");
  sim_.RunFor(seconds(5));
  EXPECT_THAT(quick, ElementsAre("loop"));
  for (const auto* calls : {&slow, &filtered, &filter, &map}) {
    EXPECT_THAT(*calls, ElementsAre("pool"));
  }
  EXPECT_TRUE(handler::EnqueueRequestForObject<corev1::Pod>()->OnlyEnqueues());
  EXPECT_TRUE((handler::EnqueueRequestForOwner<corev1::Pod, appsv1::ReplicaSet>()->OnlyEnqueues()));
}

TEST_F(BuilderTest, InvalidBuilders_AreErrors_BL01) {
  const auto error = [](Result<void> result) {
    return result.ok() ? std::string() : result.error().message();
  };
  EXPECT_THAT(error(ControllerBuilder(*manager_).Named("x").Complete(Note())),
              HasSubstr("there are no watches configured"));
  EXPECT_THAT(error(ControllerBuilder(*manager_).Owns<corev1::Pod>().Complete(Note())),
              HasSubstr("Owns() can only be used together with For()"));
  EXPECT_THAT(
      error(ControllerBuilder(*manager_).For<corev1::Pod>().For<corev1::Node>().Complete(Note())),
      HasSubstr("For may be called only once"));
  EXPECT_THAT(error(ControllerBuilder(*manager_)
                        .Watches<corev1::Pod>(handler::EnqueueRequestForObject<corev1::Pod>())
                        .Complete(Note())),
              HasSubstr("needs a name"));
  EXPECT_THAT(error(ControllerBuilder(*manager_)
                        .For<corev1::Pod>(predicate::NewPredicateFuncs<corev1::Pod>(
                                              [](const corev1::Pod&) { return true; }),
                                          WatchAs::kMetadata)
                        .Complete(Note())),
              HasSubstr("only the metadata is watched"));
  EXPECT_THAT(error(ControllerBuilder(*manager_).For<corev1::Pod>().Complete(
                  std::shared_ptr<Reconciler>())),
              HasSubstr("there is no reconciler"));
  ASSERT_TRUE(ControllerBuilder(*manager_).For<corev1::Node>().Complete(Note()).ok());
  EXPECT_THAT(error(ControllerBuilder(*manager_).For<corev1::Node>().Complete(Note())),
              HasSubstr("there is a controller of the name node"));
}

}  // namespace
}  // namespace kinformer::testing
