// Handlers and predicates, one event of each sort at a time.

#include "kinformer/enqueue.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/predicate.h"
#include "kinformer/resource_client.h"

#include "operator/manager_fixture.h"

namespace kinformer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Names = std::vector<std::string>;
using Pods = handler::EventHandler<corev1::Pod>;

class EventsOfEachSort : public ManagerTest {
 protected:
  Ref<corev1::Pod> MakePod(const std::string& name, const std::string& more) {
    CreatePod(name, more);
    Ref<corev1::Pod> pod;
    const Client client = Client::ForTransport(sim_.env(), server_.transport());
    sim_.RunBlocking([&] { pod = client.For<corev1::Pod>("default").Get(name).OrExit(); },
                     std::chrono::seconds(5));
    return pod;
  }
  Added<corev1::Pod> AddedOf(const Ref<corev1::Pod>& pod) {
    return {.key = key_, .object = *pod, .block = pod.object().get()};
  }
  Updated<corev1::Pod> UpdatedOf(const Ref<corev1::Pod>& before, const Ref<corev1::Pod>& after) {
    return {.key = key_,
            .old_object = *before,
            .new_object = *after,
            .old_block = before.object().get(),
            .new_block = after.object().get()};
  }
  Deleted<corev1::Pod> DeletedOf(const Ref<corev1::Pod>& pod) {
    return {.key = key_, .object = *pod, .block = pod.object().get()};
  }

  // What a handler adds for an event of each sort: of an update from `before` to `after`, of any
  // other about `after`.
  struct Enqueued {
    Names create, update, delete_, generic, of_nothing;
  };
  Enqueued All(Pods& handler, const Ref<corev1::Pod>& before, const Ref<corev1::Pod>& after) {
    return {.create = Queued([&](const auto& q) { handler.Create(AddedOf(after), q); }),
            .update = Queued([&](const auto& q) { handler.Update(UpdatedOf(before, after), q); }),
            .delete_ = Queued([&](const auto& q) { handler.Delete(DeletedOf(after), q); }),
            .generic = Queued([&](const auto& q) { handler.Generic({after}, q); }),
            .of_nothing = Queued([&](const auto& q) { handler.Generic({}, q); })};
  }

  const std::string key_ = "default/x";

 private:
  template <class Event>
  Names Queued(const Event& event) {
    PriorityQueue<Request> queue(sim_.env());
    event(RequestQueue<Request>(queue, 0));
    Names names;
    sim_.RunBlocking(
        [&] {
          while (queue.Len() > 0) {
            const auto next = queue.GetWithPriority();
            names.push_back(next->item.name);
            queue.Done(next->item);
          }
        },
        std::chrono::seconds(5));
    return names;
  }
};

std::string OwnedBy(const std::string& kind, const std::string& name, bool controls = true) {
  return R"({"apiVersion":"apps/v1","kind":")" + kind + R"(","name":")" + name + R"(","uid":"u-)" +
         name + R"(","controller":)" + (controls ? "true" : "false") + "}";
}

TEST_F(EventsOfEachSort, HD_01_TheObjectItself) {
  const auto handler = handler::EnqueueRequestForObject<corev1::Pod>();
  const auto pod = MakePod("a", "");
  const Enqueued heard = All(*handler, pod, pod);
  for (const Names& names : {heard.create, heard.update, heard.delete_, heard.generic}) {
    EXPECT_THAT(names, ElementsAre("a"));
  }
  EXPECT_THAT(heard.of_nothing, IsEmpty());
}

TEST_F(EventsOfEachSort, HD_01_OwnersOfDeletedAndGenericEventsToo) {
  const auto before = MakePod("a", R"(,"ownerReferences":[)" + OwnedBy("ReplicaSet", "one") + "]");
  const auto after = MakePod("b", R"(,"ownerReferences":[)" + OwnedBy("ReplicaSet", "two") + "," +
                                      OwnedBy("ReplicaSet", "three", false) + "," +
                                      OwnedBy("Deployment", "four", false) + "]");
  const auto controller = handler::EnqueueRequestForOwner<corev1::Pod, appsv1::ReplicaSet>();
  const Enqueued one = All(*controller, before, after);
  for (const Names& names : {one.create, one.delete_, one.generic}) {
    EXPECT_THAT(names, ElementsAre("two"));
  }
  EXPECT_THAT(one.update, UnorderedElementsAre("one", "two"));
  EXPECT_THAT(one.of_nothing, IsEmpty());
  const auto owners =
      handler::EnqueueRequestForOwner<corev1::Pod, appsv1::ReplicaSet>(handler::Owners::kAll);
  const Enqueued all = All(*owners, before, after);
  for (const Names& names : {all.create, all.delete_, all.generic}) {
    EXPECT_THAT(names, UnorderedElementsAre("two", "three"));
  }
  EXPECT_THAT(all.update, UnorderedElementsAre("one", "two", "three"));
}

TEST_F(EventsOfEachSort, HD_01_AMapOfDeletedAndGenericEventsToo) {
  const auto handler = handler::EnqueueRequestsFromMapFunc<corev1::Pod>(
      [](const corev1::Pod& pod) -> std::vector<Request> {
        const std::string name(pod.metadata().name());
        return {{"default", "map-of-" + name}, {"default", "both"}, {"default", "both"}};
      });
  const Enqueued heard = All(*handler, MakePod("a", ""), MakePod("b", ""));
  for (const Names& names : {heard.create, heard.delete_, heard.generic}) {
    EXPECT_THAT(names, UnorderedElementsAre("map-of-b", "both"));
  }
  EXPECT_THAT(heard.update, UnorderedElementsAre("map-of-a", "map-of-b", "both"));
  EXPECT_THAT(heard.of_nothing, IsEmpty());
}

TEST_F(EventsOfEachSort, HD_01_FunctionsThatAreMissingIgnoreTheirEvents) {
  const auto pod = MakePod("a", "");
  const auto none = handler::HandlerOf<corev1::Pod>({});
  const Enqueued nothing = All(*none, pod, pod);
  for (const Names& names : {nothing.create, nothing.update, nothing.delete_, nothing.generic}) {
    EXPECT_THAT(names, IsEmpty());
  }
  const auto add = [](const std::string& name) {
    return [name](const auto&, const RequestQueue<Request>& q) { q.Add({"", name}); };
  };
  const auto all = handler::HandlerOf<corev1::Pod>({.create = add("created"),
                                                    .update = add("updated"),
                                                    .delete_ = add("deleted"),
                                                    .generic = add("told")});
  const Enqueued heard = All(*all, pod, pod);
  EXPECT_THAT(heard.create, ElementsAre("created"));
  EXPECT_THAT(heard.update, ElementsAre("updated"));
  EXPECT_THAT(heard.delete_, ElementsAre("deleted"));
  EXPECT_THAT(heard.generic, ElementsAre("told"));
}

TEST_F(EventsOfEachSort, PR_01_WhatLooksForAChangeTakesAllButUpdates) {
  const auto pod = MakePod("a", R"(,"labels":{"app":"shop"})");
  for (auto& [name, any] : std::vector<std::pair<std::string, predicate::Predicate<Object>>>{
           {"version", predicate::ResourceVersionChangedPredicate()},
           {"generation", predicate::GenerationChangedPredicate()},
           {"annotation", predicate::AnnotationChangedPredicate()},
           {"label", predicate::LabelChangedPredicate()}}) {
    const predicate::Predicate<corev1::Pod> accepts = predicate::Typed<corev1::Pod>(any);
    EXPECT_TRUE(accepts.Create(AddedOf(pod))) << name;
    EXPECT_TRUE(accepts.Delete(DeletedOf(pod))) << name;
    EXPECT_TRUE(accepts.Generic({pod})) << name;
    EXPECT_FALSE(accepts.Update(UpdatedOf(pod, pod))) << name;
    const auto none = predicate::Not(accepts);
    EXPECT_FALSE(none.Create(AddedOf(pod))) << name;
    EXPECT_FALSE(none.Delete(DeletedOf(pod))) << name;
    EXPECT_FALSE(none.Generic({pod})) << name;
    EXPECT_TRUE(none.Update(UpdatedOf(pod, pod))) << name;
  }
}

TEST_F(EventsOfEachSort, PR_01_LabelsOfTheObjectOfAnUpdateOfTheNewOne) {
  const auto shop = MakePod("a", R"(,"labels":{"app":"shop"})");
  const auto bank = MakePod("b", R"(,"labels":{"app":"bank"})");
  const auto accepts = predicate::Typed<corev1::Pod>(
      predicate::LabelSelectorPredicate(LabelSelector::Parse("app=shop").OrExit()));
  for (const auto& [pod, yes] : {std::pair(shop, true), std::pair(bank, false)}) {
    EXPECT_EQ(accepts.Create(AddedOf(pod)), yes);
    EXPECT_EQ(accepts.Delete(DeletedOf(pod)), yes);
    EXPECT_EQ(accepts.Generic({pod}), yes);
    EXPECT_EQ(accepts.Update(UpdatedOf(bank, pod)), yes);
    EXPECT_EQ(accepts.Update(UpdatedOf(shop, pod)), yes);
  }
}

}  // namespace
}  // namespace kinformer::testing
