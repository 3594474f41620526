// Event handlers of controllers: the requests that each event adds, and their priorities.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/autoscalingv1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/controller/handler.h"
#include "kinformer/controller/source.h"
#include "kinformer/workqueue/priority_queue.h"

#include "controller/reconcile/watched_pods_for_test.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Pod = corev1::Pod;
using ReplicaSet = appsv1::ReplicaSet;
using handler::Owners;
using Handler = std::shared_ptr<handler::EventHandler<Pod>>;
using Queue = RequestQueue<Request>;

std::string Owner(const std::string& name, const std::string& more = "",
                  const std::string& kind = "ReplicaSet", const std::string& version = "apps/v1") {
  return R"({"apiVersion":")" + version + R"(","kind":")" + kind + R"(","name":")" + name + "\"" +
         more + "}";
}
const std::string kControls = R"(,"controller":true)";

Ref<Pod> OwnedBy(const std::vector<std::string>& owners, const std::string& namespace_ = "biz") {
  std::string list;
  for (const std::string& owner : owners) list += (list.empty() ? "" : ",") + owner;
  return PodWith(R"("name":"baz","namespace":")" + namespace_ + R"(","ownerReferences":[)" + list +
                 "]");
}

class EnqueueTest : public ::testing::Test {
 protected:
  [[nodiscard]] Queue Requests() { return {queue_, 0}; }
  // Returns the added requests as texts: "biz/baz", or "biz/baz@-100".
  std::vector<std::string> Added() {
    std::vector<std::string> all;
    while (queue_.Len() > 0) {
      const auto next = queue_.GetWithPriority();
      queue_.Done(next->item);
      all.push_back(next->item.ToString() +
                    (next->priority == 0 ? "" : "@" + std::to_string(next->priority)));
    }
    return all;
  }
  std::vector<std::string> Created(const Handler& handler, const Ref<Pod>& pod) {
    handler->Create(AddedOf(pod), Requests());
    return Added();
  }
  // Returns the requests added for each of the four types of events.
  std::vector<std::vector<std::string>> OfEachEvent(const Handler& handler, const Ref<Pod>& before,
                                                    const Ref<Pod>& now) {
    std::vector<std::vector<std::string>> all;
    handler->Create(AddedOf(before), Requests());
    all.push_back(Added());
    handler->Update(UpdatedOf(before, now), Requests());
    all.push_back(Added());
    handler->Delete(DeletedOf(before), Requests());
    all.push_back(Added());
    handler->Generic(GenericOf(before), Requests());
    all.push_back(Added());
    return all;
  }

  Simulation sim_;
  PriorityQueue<Request> queue_{sim_.env()};
};

TEST_F(EnqueueTest, EachEvent_EnqueuesItsObject_HD01) {
  const Ref<Pod> pod = PodWith(R"("name":"baz","namespace":"biz")");
  const Ref<Pod> now = PodWith(R"("name":"baz2","namespace":"biz2")");
  EXPECT_THAT(OfEachEvent(handler::EnqueueRequestForObject<Pod>(), pod, now),
              ElementsAre(ElementsAre("biz/baz"), ElementsAre("biz2/baz2"), ElementsAre("biz/baz"),
                          ElementsAre("biz/baz")));
  handler::EnqueueRequestForObject<Pod>()->Generic({}, Requests());
  EXPECT_THAT(Added(), IsEmpty()) << "an event without an object";
}

TEST_F(EnqueueTest, EachEvent_EnqueuesRequestsOfMapFunction_HD01) {
  const auto map = handler::EnqueueRequestsFromMapFunc<Pod>([](const Pod& pod) {
    const std::string name(pod.metadata().name());
    return std::vector<Request>{{"foo", name + "-bar"}, {"biz", name + "-baz"}};
  });
  const Ref<Pod> pod = PodWith(R"("name":"a","namespace":"n")");
  const Ref<Pod> same = PodWith(R"("name":"a","namespace":"n","resourceVersion":"2")");
  for (const auto& added : OfEachEvent(map, pod, same)) {
    EXPECT_THAT(added, UnorderedElementsAre("foo/a-bar", "biz/a-baz"));
  }
  map->Update(UpdatedOf(pod, PodWith(R"("name":"b")")), Requests());
  EXPECT_THAT(Added(), UnorderedElementsAre("foo/a-bar", "biz/a-baz", "foo/b-bar", "biz/b-baz"));
}

TEST_F(EnqueueTest, EachEvent_EnqueuesOwners_HD01) {
  const auto owners = handler::EnqueueRequestForOwner<Pod, ReplicaSet>();
  const Ref<Pod> one = OwnedBy({Owner("foo1")});
  EXPECT_THAT(OfEachEvent(owners, one, OwnedBy({Owner("foo2")}, "biz2")),
              ElementsAre(ElementsAre("biz/foo1"), UnorderedElementsAre("biz/foo1", "biz2/foo2"),
                          ElementsAre("biz/foo1"), ElementsAre("biz/foo1")));
  owners->Update(UpdatedOf(one, one), Requests());
  EXPECT_THAT(Added(), ElementsAre("biz/foo1")) << "once";
  EXPECT_THAT(Created(owners, OwnedBy({Owner("a"), Owner("b"), Owner("c")})),
              UnorderedElementsAre("biz/a", "biz/b", "biz/c"));
  EXPECT_THAT(Created(owners, OwnedBy({})), IsEmpty());
  EXPECT_THAT(Created(owners, OwnedBy({Owner("a", "", "ReplicaSet", "extensions/v1"),
                                       Owner("b", "", "Deployment"),
                                       Owner("c", "", "ReplicaSet", "apps/v1/fail"),
                                       Owner("d", "", "ReplicaSet", "apps")})),
              IsEmpty())
      << "of another group or kind, or of none";
}

TEST_F(EnqueueTest, TheVersionOfAnOwnerDoesNotMatter_HD01) {
  EXPECT_THAT(Created(handler::EnqueueRequestForOwner<Pod, autoscalingv1::HorizontalPodAutoscaler>(
                          Owners::kAll),
                      OwnedBy({Owner("a", "", "HorizontalPodAutoscaler", "autoscaling/v2")})),
              ElementsAre("biz/a"));
  EXPECT_THAT(Created(handler::EnqueueRequestForOwner<Pod, corev1::Node>(Owners::kAll),
                      OwnedBy({Owner("node-1", "", "Node", "v1")})),
              ElementsAre("node-1"))
      << "which has no namespace";
}

TEST_F(EnqueueTest, ControllerOwnersOnly_FirstControllerIsEnqueued_HD01) {
  const auto controller = handler::EnqueueRequestForOwner<Pod, ReplicaSet>(Owners::kController);
  EXPECT_THAT(Created(controller, OwnedBy({Owner("a"), Owner("b", kControls), Owner("c"),
                                           Owner("d", kControls), Owner("e")})),
              ElementsAre("biz/b"));
  EXPECT_THAT(
      Created(controller, OwnedBy({Owner("a", kControls, "Deployment"), Owner("b", kControls)})),
      IsEmpty())
      << "another kind controls it";
  EXPECT_THAT(Created(controller, OwnedBy({Owner("a"), Owner("b", R"(,"controller":false)")})),
              IsEmpty());
  EXPECT_THAT(Created(controller, OwnedBy({})), IsEmpty());
}

TEST_F(EnqueueTest, FunctionsGetTheirEventsAndTheQueue_HD01) {
  const Ref<Pod> pod = PodWith(R"("name":"a")");
  const Ref<Pod> now = PodWith(R"("name":"b")");
  const Handler all = handler::HandlerOf<Pod>(
      {.create = [](const kinformer::Added<Pod>& e,
                    const Queue& q) { q.Add({"create", std::string(e.object.metadata().name())}); },
       .update =
           [](const Updated<Pod>& e, const Queue& q) {
             q.Add({std::string(e.old_object.metadata().name()),
                    std::string(e.new_object.metadata().name())});
           },
       .delete_ =
           [](const Deleted<Pod>& e, const Queue& q) {
             q.Add({"delete", std::string(e.object.metadata().name())});
           },
       .generic =
           [](const GenericEvent<Pod>& e, const Queue& q) {
             q.Add({"generic", std::string(e.object->metadata().name())});
           }});
  EXPECT_THAT(OfEachEvent(all, pod, now),
              ElementsAre(ElementsAre("create/a"), ElementsAre("a/b"), ElementsAre("delete/a"),
                          ElementsAre("generic/a")));
  for (const auto& added : OfEachEvent(handler::HandlerOf<Pod>({}), pod, now)) {
    EXPECT_THAT(added, IsEmpty()) << "those that are not there do nothing";
  }
}

// A custom handler that adds requests in one of several ways.
Handler AddsBy(std::function<void(const Queue&, const Request&)> add) {
  return handler::HandlerOf<Pod>(
      {.create = [add](const kinformer::Added<Pod>& e, const Queue& q) { add(q, e.object_name()); },
       .update = [add](const Updated<Pod>& e, const Queue& q) { add(q, e.object_name()); }});
}

struct PriorityRow {
  const char* name;
  Handler handler;
  Duration after{0};
  std::optional<int> own{};
};

std::vector<PriorityRow> PriorityRows() {
  return {
      {"object", handler::EnqueueRequestForObject<Pod>()},
      {"owner", handler::EnqueueRequestForOwner<Pod, Pod>(Owners::kAll)},
      {"map", handler::EnqueueRequestsFromMapFunc<Pod>(
                  [](const Pod&) { return std::vector<Request>{{"biz", "baz"}}; })},
      {"Add", AddsBy([](const Queue& q, const Request& r) { q.Add(r); })},
      {"AddAfter", AddsBy([](const Queue& q, const Request& r) { q.AddAfter(r, seconds(1)); }),
       seconds(1)},
      {"AddRateLimited", AddsBy([](const Queue& q, const Request& r) { q.AddRateLimited(r); }),
       std::chrono::milliseconds(5)},
      {"AddWithOpts",
       AddsBy([](const Queue& q, const Request& r) { q.AddWithOpts({.priority = 100}, r); }),
       Duration(0), 100},
  };
}

TEST_F(EnqueueTest, InitialListAndUnchangedUpdate_GetLowPriority_HD02) {
  const std::string metadata =
      R"("name":"baz","namespace":"biz","ownerReferences":[)" + Owner("baz", "", "Pod", "v1") + "]";
  const Ref<Pod> pod = PodWith(metadata + R"(,"resourceVersion":"1")");
  const Ref<Pod> again = PodWith(metadata + R"(,"resourceVersion":"1")");
  const Ref<Pod> changed = PodWith(metadata + R"(,"resourceVersion":"2")");
  for (const PriorityRow& row : PriorityRows()) {
    for (const bool with_priorities : {true, false}) {
      // Uses the adapter that a source puts between an informer and a handler.
      const auto added = [&](const auto& tell) {
        PriorityQueue<Request> queue(sim_.env());
        source::internal::Adapter<Pod, Request> adapter(
            row.handler, {}, Queue(queue, with_priorities ? std::optional<int>(0) : std::nullopt));
        tell(adapter);
        if (row.after > Duration(0)) {
          sim_.RunFor(row.after - std::chrono::milliseconds(1));
          EXPECT_EQ(queue.Len(), 0U) << row.name;
          sim_.RunFor(std::chrono::milliseconds(1));
        }
        EXPECT_EQ(queue.Len(), 1U) << row.name;
        if (queue.Len() == 0) return std::string("nothing");
        const auto next = queue.GetWithPriority();
        queue.Done(next->item);
        return next->item.ToString() + " " + std::to_string(next->priority);
      };
      const auto expected = [&](int priority) {
        return "biz/baz " + std::to_string(with_priorities ? row.own.value_or(priority) : 0);
      };
      EXPECT_EQ(added([&](auto& to) { to.OnAdd(AddedOf(pod, true)); }), expected(kLowPriority))
          << row.name;
      EXPECT_EQ(added([&](auto& to) { to.OnAdd(AddedOf(pod, false)); }), expected(0)) << row.name;
      EXPECT_EQ(added([&](auto& to) { to.OnUpdate(UpdatedOf(pod, again)); }),
                expected(kLowPriority))
          << row.name;
      EXPECT_EQ(added([&](auto& to) { to.OnUpdate(UpdatedOf(pod, changed)); }), expected(0))
          << row.name;
    }
  }
}

TEST_F(EnqueueTest, ASourcePassesOnWhatItsPredicatesAccept_SO01) {
  const Ref<Pod> pod = PodWith(R"("name":"a")");
  const Ref<Pod> now = PodWith(R"("name":"b")");
  std::vector<std::string> told;
  const Handler handler = handler::HandlerOf<Pod>(
      {.create =
           [&](const kinformer::Added<Pod>& e, const Queue&) {
             told.push_back("+" + std::string(e.object.metadata().name()));
           },
       .update =
           [&](const Updated<Pod>& e, const Queue&) {
             told.push_back(std::string(e.old_object.metadata().name()) + ">" +
                            std::string(e.new_object.metadata().name()));
           },
       .delete_ =
           [&](const Deleted<Pod>& e, const Queue&) {
             told.push_back("-" + std::string(e.object.metadata().name()) +
                            (e.final_state_unknown ? "?" : ""));
           }});
  const auto say = [&](const predicate::Predicate<Pod>& accepts) {
    source::internal::Adapter<Pod, Request> adapter(handler, accepts, Requests());
    adapter.OnAdd(AddedOf(pod));
    adapter.OnUpdate(UpdatedOf(pod, now));
    adapter.OnDelete(DeletedOf(pod));
    adapter.OnDelete(DeletedOf(now, true));
    return std::exchange(told, {});
  };
  EXPECT_THAT(say({}), ElementsAre("+a", "a>b", "-a", "-b?")) << "tombstones, too";
  const auto yes = [](const auto&) { return true; };
  const auto no = [](const auto&) { return false; };
  using P = predicate::Predicate<Pod>;
  struct Row {
    std::vector<bool> predicates;
    bool accepted;
  };
  for (const Row& row : std::vector<Row>{{{false}, false},
                                         {{true}, true},
                                         {{true, false}, false},
                                         {{false, true}, false},
                                         {{true, true}, true}}) {
    std::vector<P> creates;
    std::vector<P> updates;
    std::vector<P> deletes;
    for (const bool accepts : row.predicates) {
      creates.push_back(accepts ? P{.create = yes} : P{.create = no});
      updates.push_back(accepts ? P{.update = yes} : P{.update = no});
      deletes.push_back(accepts ? P{.delete_ = yes} : P{.delete_ = no});
    }
    EXPECT_EQ(say(predicate::And(creates)).size(), row.accepted ? 4U : 3U);
    EXPECT_EQ(say(predicate::And(updates)).size(), row.accepted ? 4U : 3U);
    EXPECT_EQ(say(predicate::And(deletes)).size(), row.accepted ? 4U : 2U);
  }
}

}  // namespace
}  // namespace kinformer
