#include "kinformer/client/wait_conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_from_json.h"
#include "kinformer/object/unstructured.h"

#include "client/testing/pod_view.h"

namespace kinformer::wait {
namespace {

using ::testing::HasSubstr;

// Returns an object of this kind; null for "".
AnyRef Made(const std::string& kind, const std::string& content) {
  if (content.empty()) return {};
  const KindInfo* type = internal::DynamicKindInfo("example.com", "v1", kind, "things", true);
  std::string json = R"({"metadata":{"name":"a","namespace":"default","uid":"u1","generation":3},)";
  return ObjectFromJson(*type, json + content + "}").OrExit();
}
bool Holds(const ObjectCondition& condition, const AnyRef& object) {
  return condition.Holds(ObservedObject(object)).OrExit();
}
std::string StatusWith(const std::string& conditions) {
  return R"("status":{"conditions":[)" + conditions + "]}";
}

struct Case {
  const char* name;
  ObjectCondition condition;
  std::string holds;                // content of an object for which it holds
  std::vector<std::string> others;  // for which it does not; "" is an object that does not exist
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

std::vector<Case> Cases() {
  const std::string ready = StatusWith(R"({"type":"Ready","status":"True"})");
  const std::string not_ready = StatusWith(R"({"type":"Ready","status":"False"})");
  return {
      {"Exists", conditions::Exists(), R"("spec":{})", {""}},
      {"PodReady", conditions::PodReady(), ready, {not_ready, R"("status":{})", ""}},
      {"PodRunning",
       conditions::PodRunning(),
       R"("status":{"phase":"Running"})",
       {R"("status":{"phase":"Pending"})", ""}},
      {"PodCompleted_AfterAFailure",
       conditions::PodCompleted(),
       R"("status":{"phase":"Failed"})",
       {R"("status":{"phase":"Running"})", ""}},
      {"PodCompleted_AfterASuccess",
       conditions::PodCompleted(),
       R"("status":{"phase":"Succeeded"})",
       {R"("status":{})"}},
      {"JobComplete",
       conditions::JobComplete(),
       StatusWith(R"({"type":"Complete","status":"True"})"),
       {StatusWith(R"({"type":"Failed","status":"True"})")}},
      {"JobFailed",
       conditions::JobFailed(),
       StatusWith(R"({"type":"Failed","status":"True"})"),
       {StatusWith(R"({"type":"Complete","status":"True"})")}},
      {"CrdEstablished",
       conditions::CrdEstablished(),
       StatusWith(R"({"type":"Established","status":"True"})"),
       {StatusWith(R"({"type":"Established","status":"False"})")}},
      {"NamespaceActive",
       conditions::NamespaceActive(),
       R"("status":{"phase":"Active"})",
       {R"("status":{"phase":"Terminating"})"}},
      {"ServiceHasLoadBalancer_WithAnIp",
       conditions::ServiceHasLoadBalancer(),
       R"("status":{"loadBalancer":{"ingress":[{},{"ip":"10.0.0.1"}]}})",
       {R"("status":{"loadBalancer":{"ingress":[{"ip":""}]}})", R"("status":{})"}},
      {"ServiceHasLoadBalancer_WithAName",
       conditions::ServiceHasLoadBalancer(),
       R"("status":{"loadBalancer":{"ingress":[{"hostname":"lb"}]}})",
       {R"("status":{"loadBalancer":{}})"}},
      {"StatusCondition_InAnyCase",
       conditions::StatusCondition("ready", "false"),
       not_ready,
       {ready, ""}},
      {"StatusCondition_OfTheObservedGeneration",
       conditions::StatusCondition("Ready"),
       StatusWith(R"({"type":"Ready","status":"True","observedGeneration":3})"),
       {StatusWith(R"({"type":"Ready","status":"True","observedGeneration":2})"),
        R"("status":{"observedGeneration":2,"conditions":[{"type":"Ready","status":"True"}]})"}},
      {"GenerationObserved",
       conditions::GenerationObserved(),
       R"("status":{"observedGeneration":3})",
       {R"("status":{"observedGeneration":2})", R"("status":{})", ""}},
      {"Field",
       conditions::Field("/spec/count", 3),
       R"("spec":{"count":3})",
       {R"("spec":{"count":4})", R"("spec":{})", ""}},
      {"FieldExists",
       conditions::FieldExists("/spec/count"),
       R"("spec":{"count":0})",
       {R"("spec":{"count":null})", R"("spec":{})", ""}},
      {"FieldWhere",
       conditions::FieldWhere("/spec/items", [](const json::Value& v) { return v.size() > 1; }),
       R"("spec":{"items":[1,2]})",
       {R"("spec":{"items":[1]})", R"("spec":{})", ""}},
      {"AllOf",
       AllOf(conditions::PodReady(), conditions::Field("/spec/count", 1)),
       R"("spec":{"count":1},)" + ready,
       {ready, R"("spec":{"count":1})", ""}},
      {"AnyOf",
       AnyOf(conditions::PodReady(), conditions::Field("/spec/count", 1)),
       R"("spec":{"count":1})",
       {not_ready, ""}},
      {"Not", Not(conditions::PodReady()), not_ready, {ready}},
  };
}

class WaitConditionTest : public ::testing::TestWithParam<Case> {};
TEST_P(WaitConditionTest, HoldsForItsStateOnly) {
  const Case& c = GetParam();
  EXPECT_TRUE(Holds(c.condition, Made("Thing", c.holds)));
  for (const std::string& other : c.others) {
    EXPECT_FALSE(Holds(c.condition, Made("Thing", other))) << "for " << other;
  }
}
INSTANTIATE_TEST_SUITE_P(Conditions, WaitConditionTest, ::testing::ValuesIn(Cases()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(WaitConditions, Deleted_CountsALaterObjectOfTheNameAsAnotherOne) {
  const AnyRef object = Made("Thing", R"("spec":{})");
  EXPECT_FALSE(Holds(conditions::Deleted(), object));
  EXPECT_FALSE(Holds(conditions::Deleted("u1"), object));
  EXPECT_TRUE(Holds(conditions::Deleted("u0"), object));
  EXPECT_TRUE(Holds(conditions::Deleted(), {}));
  EXPECT_TRUE(Holds(conditions::Deleted("u1"), {}));
}

TEST(WaitConditions, Not_HoldsForAnObjectThatDoesNotExist) {
  EXPECT_TRUE(Holds(Not(conditions::PodReady()), {}));
}

TEST(WaitConditions, AllOfNothingHolds_AnyOfNothingDoesNot) {
  EXPECT_TRUE(Holds(AllOf(std::vector<ObjectCondition>{}), {}));
  EXPECT_FALSE(Holds(AnyOf(std::vector<ObjectCondition>{}), {}));
}

TEST(WaitConditions, Error_EndsACombinationUnlessAnEarlierConditionDecides) {
  const ObjectCondition broken("broken", [](const ObservedObject&) -> Result<bool> {
    return Error(Reason::kInvalidArgument, "no such thing");
  });
  const ObservedObject absent;
  for (const ObjectCondition& condition :
       {AllOf(broken, conditions::Exists()), AnyOf(broken, conditions::Deleted()), Not(broken),
        AllOf(conditions::Deleted(), broken), AnyOf(conditions::Exists(), broken)}) {
    const Result<bool> holds = condition.Holds(absent);
    ASSERT_FALSE(holds.ok()) << condition.what();
    EXPECT_EQ(holds.error().reason(), Reason::kInvalidArgument);
  }
  EXPECT_TRUE(AnyOf(conditions::Deleted(), broken).Holds(absent).OrExit());
  EXPECT_FALSE(AllOf(conditions::Exists(), broken).Holds(absent).OrExit());
}

TEST(WaitConditions, Description_NamesEachPart) {
  EXPECT_EQ(AllOf(conditions::PodReady(),
                  AnyOf(conditions::Field("/a", "x"), Not(conditions::StatusCondition("B", "c"))))
                .what(),
            "(pod Ready and (/a=\"x\" or not condition B=c))");
  EXPECT_EQ(AllOf(conditions::Exists()).what(), "existence");
}

TEST(WaitConditions, Where_CallsItsFunctionWithAView) {
  const ObjectCondition blue =
      conditions::Where<Unstructured>([](const Unstructured& thing) -> Result<bool> {
        return thing.root()["spec"]["colour"].StringOrEmpty() == "blue";
      });
  EXPECT_TRUE(Holds(blue, Made("Thing", R"("spec":{"colour":"blue"})")));
  EXPECT_FALSE(Holds(blue, Made("Thing", R"("spec":{"colour":"red"})")));
  EXPECT_FALSE(Holds(blue, {}));
}

TEST(WaitConditions, Where_RefusesAnObjectOfAnotherKind) {
  const ObjectCondition any = conditions::Where<Pod>([](const Pod&) { return true; }, "any pod");
  const Result<bool> holds = any.Holds(ObservedObject(Made("Thing", R"("spec":{})")));
  ASSERT_FALSE(holds.ok());
  EXPECT_EQ(holds.error().reason(), Reason::kInvalidArgument);
  EXPECT_THAT(holds.error().message(), HasSubstr("any pod"));
}

// ---- Rollouts

struct RolloutCase {
  const char* name;
  const char* kind;
  std::string content;
  const char* message;
  bool done = false;
};
std::ostream& operator<<(std::ostream& out, const RolloutCase& c) { return out << c.name; }

const RolloutCase kRollouts[] = {
    {"DeploymentIsNotObserved", "Deployment", R"("status":{"observedGeneration":2})",
     "Waiting for deployment spec update to be observed..."},
    {"DeploymentIsBeingUpdated", "Deployment",
     R"("spec":{"replicas":3},"status":{"observedGeneration":3,"updatedReplicas":1})",
     "Waiting for deployment \"a\" rollout to finish: 1 out of 3 new replicas have been "
     "updated..."},
    {"DeploymentHasOldReplicas", "Deployment",
     R"("status":{"observedGeneration":3,"updatedReplicas":1,"replicas":3})",
     "Waiting for deployment \"a\" rollout to finish: 2 old replicas are pending termination..."},
    {"DeploymentIsNotAvailable", "Deployment",
     R"("spec":{"replicas":2},"status":{"observedGeneration":3,"updatedReplicas":2,"replicas":2,)"
     R"("availableReplicas":1})",
     "Waiting for deployment \"a\" rollout to finish: 1 of 2 updated replicas are available..."},
    {"DeploymentIsDone", "Deployment",
     R"("spec":{"replicas":2},"status":{"observedGeneration":3,"updatedReplicas":2,"replicas":2,)"
     R"("availableReplicas":2})",
     "deployment \"a\" successfully rolled out", true},
    {"DaemonSetIsNotObserved", "DaemonSet", R"("status":{})",
     "Waiting for daemon set spec update to be observed..."},
    {"DaemonSetIsBeingUpdated", "DaemonSet",
     R"("status":{"observedGeneration":3,"desiredNumberScheduled":2,"updatedNumberScheduled":1})",
     "Waiting for daemon set \"a\" rollout to finish: 1 out of 2 new pods have been updated..."},
    {"DaemonSetIsNotAvailable", "DaemonSet",
     R"("status":{"observedGeneration":3,"desiredNumberScheduled":2,"updatedNumberScheduled":2})",
     "Waiting for daemon set \"a\" rollout to finish: 0 of 2 updated pods are available..."},
    {"DaemonSetIsDone", "DaemonSet",
     R"("status":{"observedGeneration":3,"desiredNumberScheduled":2,"updatedNumberScheduled":2,)"
     R"("numberAvailable":2})",
     "daemon set \"a\" successfully rolled out", true},
    {"StatefulSetIsNotObserved", "StatefulSet", R"("status":{})",
     "Waiting for statefulset spec update to be observed..."},
    {"StatefulSetIsNotReady", "StatefulSet",
     R"("spec":{"replicas":3},"status":{"observedGeneration":3,"readyReplicas":1})",
     "Waiting for 2 pods to be ready..."},
    {"StatefulSetIsBeingUpdated", "StatefulSet",
     R"("spec":{"replicas":2},"status":{"observedGeneration":3,"readyReplicas":2,)"
     R"("updatedReplicas":1,"updateRevision":"r2","currentRevision":"r1"})",
     "waiting for statefulset rolling update to complete 1 pods at revision r2..."},
    {"StatefulSetIsDone", "StatefulSet",
     R"("spec":{"replicas":2},"status":{"observedGeneration":3,"readyReplicas":2,)"
     R"("currentReplicas":2,"updateRevision":"r2","currentRevision":"r2"})",
     "statefulset rolling update complete 2 pods at revision r2...", true},
    {"PartOfAStatefulSetIsBeingUpdated", "StatefulSet",
     R"("spec":{"replicas":3,"updateStrategy":{"rollingUpdate":{"partition":1}}},)"
     R"("status":{"observedGeneration":3,"readyReplicas":3,"updatedReplicas":1})",
     "Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated..."},
    {"PartOfAStatefulSetIsDone", "StatefulSet",
     R"("spec":{"replicas":3,"updateStrategy":{"rollingUpdate":{"partition":1}}},)"
     R"("status":{"observedGeneration":3,"readyReplicas":3,"updatedReplicas":2,)"
     R"("updateRevision":"r2","currentRevision":"r1"})",
     "partitioned roll out complete: 2 new pods have been updated...", true},
    // Servers write a partition of 0 into each that has none.
    {"AllOfAStatefulSetIsDone", "StatefulSet",
     R"("spec":{"replicas":3,"updateStrategy":{"rollingUpdate":{"partition":0}}},)"
     R"("status":{"observedGeneration":3,"readyReplicas":3,"updatedReplicas":3})",
     "partitioned roll out complete: 3 new pods have been updated...", true},
};

class RolloutStateTest : public ::testing::TestWithParam<RolloutCase> {};
TEST_P(RolloutStateTest, IsToldInTheWordsOfKubectl) {
  const RolloutCase& c = GetParam();
  const ObservedObject object(Made(c.kind, c.content));
  const RolloutState state = RolloutStateOf(object.json()).OrExit();
  EXPECT_EQ(state.message, c.message);
  EXPECT_EQ(state.done, c.done);
  EXPECT_EQ(conditions::RolledOut().Holds(object).OrExit(), c.done);
}
INSTANTIATE_TEST_SUITE_P(Rollouts, RolloutStateTest, ::testing::ValuesIn(kRollouts),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(RolloutState, ExceededProgressDeadline_IsAnErrorThatSaysSo) {
  const ObservedObject object(Made(
      "Deployment",
      R"("status":{"observedGeneration":3,"conditions":[{"type":"Progressing","status":"False",)"
      R"("reason":"ProgressDeadlineExceeded"}]})"));
  const Result<bool> holds = conditions::DeploymentRolledOut().Holds(object);
  ASSERT_FALSE(holds.ok());
  EXPECT_EQ(holds.error().reason(), Reason::kTimeout);
  EXPECT_EQ(holds.error().message(), "deployment \"a\" exceeded its progress deadline");
}

TEST(RolloutState, ObjectsWithoutARollout_AreRefused) {
  const auto refusal = [](const ObjectCondition& condition, const char* kind, const char* content) {
    const Result<bool> holds = condition.Holds(ObservedObject(Made(kind, content)));
    EXPECT_EQ(holds.ok() ? Reason::kUnknown : holds.error().reason(), Reason::kInvalidArgument);
    return holds.ok() ? std::string() : holds.error().message();
  };
  EXPECT_THAT(refusal(conditions::RolledOut(), "Pod", R"("spec":{})"),
              HasSubstr("a Pod has no rollout"));
  EXPECT_THAT(refusal(conditions::RolledOut(), "DaemonSet",
                      R"("spec":{"updateStrategy":{"type":"OnDelete"}})"),
              HasSubstr("only available for RollingUpdate"));
  EXPECT_THAT(refusal(conditions::StatefulSetRolledOut(), "DaemonSet", R"("spec":{})"),
              HasSubstr("the rollout of a StatefulSet was awaited, but the object is a DaemonSet"));
  EXPECT_FALSE(Holds(conditions::DaemonSetRolledOut(), {}));
}

}  // namespace
}  // namespace kinformer::wait
