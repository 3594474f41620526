// Predicates: the events that they accept.

#include "kinformer/controller/predicate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/object/label_selector.h"
#include "kinformer/object/object.h"

#include "controller/reconcile/watched_pods_for_test.h"

namespace kinformer {
namespace {

using predicate::Predicate;
using ::testing::ElementsAre;
using Pod = corev1::Pod;

// Returns the predicate's decisions for a created, an updated and a deleted pod, and for a generic
// event, in this order: "yyyn".
std::string Says(const Predicate<Pod>& p, const Ref<Pod>& before, const Ref<Pod>& now) {
  std::string all;
  for (const bool accepted : {p.Create(AddedOf(now)), p.Update(UpdatedOf(before, now)),
                              p.Delete(DeletedOf(now)), p.Generic(GenericOf(now))}) {
    all.push_back(accepted ? 'y' : 'n');
  }
  return all;
}
std::string Says(const Predicate<Object>& p, const Ref<Pod>& before, const Ref<Pod>& now) {
  return Says(predicate::Typed<Pod>(p), before, now);
}

Predicate<Pod> Always(bool accepts) {
  return {.create = [accepts](const Added<Pod>&) { return accepts; },
          .update = [accepts](const Updated<Pod>&) { return accepts; },
          .delete_ = [accepts](const Deleted<Pod>&) { return accepts; },
          .generic = [accepts](const GenericEvent<Pod>&) { return accepts; }};
}

TEST(PredicateTest, EachEventHasItsFunction_PR01) {
  const Ref<Pod> before = PodWith(R"("name":"a")");
  const Ref<Pod> now = PodWith(R"("name":"b")");
  std::vector<std::string> seen;
  bool accepts = false;
  const auto note = [&](std::string what) {
    seen.push_back(std::move(what));
    return accepts;
  };
  const auto name = [](const Pod& pod) { return std::string(pod.metadata().name()); };
  const Predicate<Pod> all{
      .create = [&](const Added<Pod>& e) { return note("+" + name(e.object)); },
      .update =
          [&](const Updated<Pod>& e) {
            return note(name(e.old_object) + ">" + name(e.new_object));
          },
      .delete_ = [&](const Deleted<Pod>& e) { return note("-" + name(e.object)); },
      .generic = [&](const GenericEvent<Pod>& e) { return note("!" + name(*e.object)); }};
  EXPECT_EQ(Says(all, before, now), "nnnn");
  EXPECT_THAT(seen, ElementsAre("+b", "a>b", "-b", "!b"));
  accepts = true;
  EXPECT_EQ(Says(all, before, now), "yyyy");
  EXPECT_EQ(Says(Predicate<Pod>{}, before, now), "yyyy") << "without a function";
  EXPECT_EQ(Says(Predicate<Pod>{.update = [](const Updated<Pod>&) { return false; }}, before, now),
            "ynyy");
}

TEST(PredicateTest, ChangedPredicates_AcceptUpdatesOfTheirField_PR01) {
  struct Row {
    const char* what;
    Predicate<Object> predicate;
    const char* before;
    const char* now;
    const char* says;
  };
  const auto version = predicate::ResourceVersionChangedPredicate();
  const auto generation = predicate::GenerationChangedPredicate();
  const auto annotation = predicate::AnnotationChangedPredicate();
  const auto label = predicate::LabelChangedPredicate();
  for (const Row& row : std::vector<Row>{
           {"version, same", version, R"("resourceVersion":"1")", R"("resourceVersion":"1")",
            "ynyy"},
           {"version, other", version, R"("resourceVersion":"2")", R"("resourceVersion":"1")",
            "yyyy"},
           {"generation, same", generation, R"("generation":1)", R"("generation":1)", "ynyy"},
           {"generation, other", generation, R"("generation":2)", R"("generation":1)", "yyyy"},
           {"annotations, none", annotation, R"("name":"a")", R"("name":"a")", "ynyy"},
           {"annotations, same", annotation, R"("annotations":{"a":"1","b":"2"})",
            R"("annotations":{"b":"2","a":"1"})", "ynyy"},
           {"annotations, value", annotation, R"("annotations":{"a":"1"})",
            R"("annotations":{"a":"2"})", "yyyy"},
           {"annotations, more", annotation, R"("annotations":{"a":"1"})",
            R"("annotations":{"a":"1","b":"2"})", "yyyy"},
           {"annotations, fewer", annotation, R"("annotations":{"a":"1","b":"2"})",
            R"("annotations":{"a":"1"})", "yyyy"},
           {"annotations, another", annotation, R"("annotations":{"a":"1"})",
            R"("annotations":{"b":"1"})", "yyyy"},
           {"annotations, not labels", annotation, R"("labels":{"a":"1"})", R"("labels":{})",
            "ynyy"},
           {"labels, none", label, R"("name":"a")", R"("name":"a")", "ynyy"},
           {"labels, same", label, R"("labels":{"a":"1"})", R"("labels":{"a":"1"})", "ynyy"},
           {"labels, value", label, R"("labels":{"a":"1"})", R"("labels":{"a":"2"})", "yyyy"},
           {"labels, more", label, R"("labels":{"a":"1"})", R"("labels":{"a":"1","b":"2"})",
            "yyyy"},
           {"labels, fewer", label, R"("labels":{"a":"1","b":"2"})", R"("labels":{"a":"1"})",
            "yyyy"}}) {
    EXPECT_EQ(Says(row.predicate, PodWith(row.before), PodWith(row.now)), row.says) << row.what;
  }
}

TEST(PredicateTest, PredicatesCombinedByAndOrNot_PR01) {
  const Ref<Pod> pod = PodWith(R"("name":"a")");
  const auto says = [&](const Predicate<Pod>& p) { return Says(p, pod, pod); };
  EXPECT_EQ(says(predicate::And<Pod>({Always(true), Always(false)})), "nnnn");
  EXPECT_EQ(says(predicate::And<Pod>({Always(true), Always(true)})), "yyyy");
  EXPECT_EQ(says(predicate::And<Pod>({})), "yyyy");
  EXPECT_EQ(says(predicate::Or<Pod>({Always(true), Always(false)})), "yyyy");
  EXPECT_EQ(says(predicate::Or<Pod>({Always(false), Always(false)})), "nnnn");
  EXPECT_EQ(says(predicate::Or<Pod>({})), "nnnn");
  const Predicate<Object> any = predicate::LabelChangedPredicate();
  const Predicate<Pod> mixed = predicate::And(any, Always(true), any);
  EXPECT_EQ(says(mixed), "ynyy") << "one for Object stands for the kind of the others";
  EXPECT_EQ(says(predicate::And(Always(false), any)), "nnnn");
  EXPECT_EQ(says(predicate::Or(any, Always(false))), "ynyy");
  EXPECT_EQ(Says(predicate::Or(any, any), pod, pod), "ynyy");
  EXPECT_EQ(says(predicate::Not(Always(true))), "nnnn");
  EXPECT_EQ(says(predicate::Not(Always(false))), "yyyy");
}

// Passes client-go's DeletedFinalStateUnknown to all kinds of predicates.
TEST(PredicateTest, ATombstone_IsAskedAboutAsSuch) {
  const Ref<Pod> pod = PodWith(R"("name":"a")");
  const Ref<Pod> told = PodWith(R"("name":"told")");
  const auto says = [&](const Predicate<Pod>& p, bool final_state_unknown) {
    Deleted<Pod> event = DeletedOf(pod, final_state_unknown);
    event.told = *told;
    return p.Delete(event);
  };
  std::vector<std::string> seen;
  const auto note = [&](const auto& e) {
    seen.push_back(e.key + " " + std::string(e.object.metadata().name()) + " " +
                   std::string(e.told_object().metadata().name()) +
                   (e.final_state_unknown ? "?" : ""));
    return e.final_state_unknown;
  };
  const Predicate<Pod> typed{.delete_ = note};
  const Predicate<Object> any{.delete_ = note};
  const Predicate<Pod> of_any = predicate::Typed<Pod>(any);
  for (const auto& p :
       {typed, of_any, predicate::And<Pod>({Always(true), of_any}),
        predicate::Or<Pod>({Always(false), of_any}), predicate::Not(predicate::Not(of_any))}) {
    EXPECT_TRUE(says(p, true));
    EXPECT_FALSE(says(p, false));
    EXPECT_THAT(std::exchange(seen, {}), ElementsAre("biz/baz a told?", "biz/baz a told"));
  }
  // Predicates that take only the object get its last known state.
  const auto named =
      predicate::NewPredicateFuncs<Pod>([](const Pod& p) { return p.metadata().name() == "a"; });
  EXPECT_TRUE(says(named, true));
  EXPECT_FALSE(says(predicate::Not(named), true));
  for (const auto& p :
       {predicate::GenerationChangedPredicate(), predicate::ResourceVersionChangedPredicate(),
        predicate::AnnotationChangedPredicate(), predicate::LabelChangedPredicate()}) {
    EXPECT_TRUE(says(predicate::Typed<Pod>(p), true)) << "only updates are judged";
  }
}

TEST(PredicateTest, ByNamespaceAndByLabels_PR01) {
  const auto in_biz = predicate::NewPredicateFuncs<Pod>(
      [](const Pod& pod) { return pod.metadata().namespace_() == "biz"; });
  const Ref<Pod> biz = PodWith(R"("name":"a","namespace":"biz","labels":{"foo":"bar"})");
  const Ref<Pod> other = PodWith(R"("name":"a","namespace":"bizz")");
  EXPECT_EQ(Says(in_biz, biz, biz), "yyyy");
  EXPECT_EQ(Says(in_biz, biz, other), "nnnn") << "of an update the new object counts";
  EXPECT_EQ(Says(in_biz, other, biz), "yyyy");
  const auto foo = predicate::LabelSelectorPredicate(LabelSelector::Parse("foo=bar").OrExit());
  EXPECT_EQ(Says(foo, biz, biz), "yyyy");
  EXPECT_EQ(Says(foo, biz, other), "nnnn");
}

}  // namespace
}  // namespace kinformer
