// The matchers, and what each of them says of an object that it does not match.

#include "kinformer/testing/matchers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/json/yaml.h"
#include "kinformer/object/object_from_json.h"
#include "kinformer/object/unstructured.h"

namespace kinformer::testing {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsTrue;
using ::testing::Lt;
using ::testing::Ne;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::string_view kPod = R"(
apiVersion: v1
kind: Pod
metadata:
  name: web-0
  namespace: default
  uid: u-1
  labels: {app: web, tier: front}
  annotations: {note: "two words"}
  finalizers: [example.com/hold]
  ownerReferences:
  - {apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u-9, controller: true}
  - {apiVersion: v1, kind: ConfigMap, name: settings, uid: u-8}
spec:
  containers:
  - {name: web, image: "nginx:1.27", args: [a, b]}
  - {name: log, image: "log:2"}
  hostNetwork: true
  priority: 7
status:
  phase: Running
  conditions:
  - {type: Ready, status: "False", reason: Unready, message: not yet}
  - {type: PodScheduled, status: "True"}
)";

json::Value Document() { return yaml::Parse(kPod).OrExit(); }
Ref<corev1::Pod> Pod() {
  return ObjectFromJson(corev1::Pod::kind_info(), Document().Dump()).OrExit().As<corev1::Pod>();
}

// Returns what a failed EXPECT_THAT says of the value; "" if it matches.
template <class T, class M>
std::string Said(const T& value, const M& matcher) {
  ::testing::StringMatchResultListener listener;
  const auto fits = ::testing::SafeMatcherCast<const T&>(matcher);
  if (fits.MatchAndExplain(value, &listener)) return "";
  const std::string text = listener.str();
  // In front of what a Result is found to be.
  constexpr std::string_view kName = "Pod default/web-0, ";
  return text.starts_with(kName) ? text.substr(kName.size()) : text;
}
template <class M>
std::string Wanted(const M& matcher) {
  return ::testing::DescribeMatcher<json::Value>(matcher);
}
template <class M>
std::string NotWanted(const M& matcher) {
  return ::testing::DescribeMatcher<json::Value>(Not(matcher));
}

TEST(MatchersTest, ObjectsMayHaveAnyForm) {
  const Ref<corev1::Pod> pod = Pod();
  const corev1::Pod view = *pod;
  const auto matcher = HasLabel("app", "web");
  EXPECT_THAT(pod, matcher);
  EXPECT_THAT(view, matcher);
  EXPECT_THAT(view.DeepCopy(), matcher);
  EXPECT_THAT(Document(), matcher);
  EXPECT_THAT(Unstructured(view.block()), matcher);
  EXPECT_THAT(AnyRef(pod).As<Unstructured>(), matcher);
  EXPECT_THAT(Result<Ref<corev1::Pod>>(pod), matcher);
  EXPECT_THAT(std::make_shared<json::Value>(Document()), matcher);
  const std::vector<Ref<corev1::Pod>> pods = {pod};
  EXPECT_THAT(pods, Contains(matcher));
}

TEST(MatchersTest, NullRefsAndFailedResultsMatchNothing) {
  EXPECT_EQ(Said(Ref<corev1::Pod>(), HasName("a")),
            "which is no object: NotFound: the Ref is null");
  EXPECT_EQ(Said(std::shared_ptr<json::Value>(), HasName("a")),
            "which is no object: NotFound: the pointer is null");
  const Result<Ref<corev1::Pod>> failed = Error(Reason::kForbidden, "no rights");
  EXPECT_EQ(Said(failed, HasName("a")), "which is no object: Forbidden: no rights");
  EXPECT_EQ(Said(failed, DoesNotExist()), "which failed with Forbidden: no rights");
  EXPECT_EQ(Said(Result<Ref<corev1::Pod>>(Pod()), DoesNotExist()), "which exists");
  EXPECT_THAT(Result<Ref<corev1::Pod>>(Error(Reason::kNotFound, "gone")), DoesNotExist());
}

TEST(MatchersTest, ExplanationNamesTheObjectThatGoogleTestCannotPrint) {
  const auto said = [](const auto& value) {
    ::testing::StringMatchResultListener listener;
    const ::testing::Matcher<decltype(value)> fits = HasName("db");
    EXPECT_FALSE(fits.MatchAndExplain(value, &listener));
    return listener.str();
  };
  const Ref<corev1::Pod> pod = Pod();
  EXPECT_EQ(said(pod), "which has the name \"web-0\"") << "it prints as its view";
  EXPECT_EQ(said(Result<Ref<corev1::Pod>>(pod)), "Pod default/web-0, which has the name \"web-0\"");
  EXPECT_EQ(said((*pod).DeepCopy()), "which has the name \"web-0\"") << "a struct, too";
}

TEST(MatchersTest, NamesAndNamespaces) {
  EXPECT_THAT(Pod(), AllOf(HasName("web-0"), HasName(StartsWith("web")), HasNamespace("default")));
  EXPECT_EQ(Said(Pod(), HasName("db")), "which has the name \"web-0\"");
  EXPECT_EQ(Wanted(HasName("db")), "has a name that is equal to \"db\"");
  EXPECT_EQ(NotWanted(HasNamespace("db")), "has no namespace that is equal to \"db\"");
  EXPECT_EQ(Said(json::Value::MakeObject(), HasNamespace("a")), "which has the namespace \"\"");
}

TEST(MatchersTest, LabelsAndAnnotations) {
  EXPECT_THAT(Pod(), AllOf(HasLabel("app"), HasLabel("app", Ne("db")), HasAnnotation("note"),
                           HasAnnotation("note", HasSubstr("words"))));
  EXPECT_EQ(Said(Pod(), HasLabel("zone")),
            "which has no label \"zone\"; its labels are {app: \"web\", tier: \"front\"}");
  EXPECT_EQ(Said(Pod(), HasLabel("app", "db")),
            "which has the label \"app\" with the value \"web\"");
  EXPECT_EQ(Said(Pod(), HasAnnotation("by", "me")),
            "which has no annotation \"by\"; its annotations are {note: \"two words\"}");
  EXPECT_EQ(Wanted(HasLabel("app", "db")), "has the label \"app\" that is equal to \"db\"");
  EXPECT_EQ(NotWanted(HasAnnotation("by")), "does not have the annotation \"by\"");
}

TEST(MatchersTest, Finalizers) {
  EXPECT_THAT(Pod(), HasFinalizer("example.com/hold"));
  EXPECT_EQ(Said(Pod(), HasFinalizer("example.com")),
            "which has these finalizers: \"example.com/hold\"");
  EXPECT_EQ(Said(json::Value::MakeObject(), HasFinalizer("x")), "which has these finalizers: none");
}

TEST(MatchersTest, Owners) {
  const auto owner = [](const char* kind, const char* name, const char* uid) {
    json::Value out = json::Value::MakeObject({{"kind", kind}});
    out.Ensure("metadata", "name") = name;
    if (*uid != 0) out.Ensure("metadata", "uid") = uid;
    return out;
  };
  EXPECT_THAT(Pod(), IsOwnedBy(owner("ReplicaSet", "web", "u-9")));
  EXPECT_THAT(Pod(), IsOwnedBy(owner("ReplicaSet", "web", "")));
  EXPECT_THAT(Pod(), IsControlledBy(owner("ReplicaSet", "web", "u-9")));
  EXPECT_THAT(Pod(), IsOwnedBy(owner("ConfigMap", "settings", "u-8")));
  EXPECT_THAT(Pod(), Not(IsOwnedBy(owner("ReplicaSet", "web", "u-7")))) << "another incarnation";
  EXPECT_THAT(Pod(), Not(IsOwnedBy(owner("ReplicaSet", "db", ""))));
  EXPECT_EQ(Said(Pod(), IsControlledBy(owner("ConfigMap", "settings", "u-8"))),
            "which has these owners: ReplicaSet/web u-9 (controller), ConfigMap/settings u-8");
  EXPECT_EQ(Wanted(IsControlledBy(owner("ConfigMap", "settings", "u-8"))),
            "is controlled by ConfigMap settings u-8");
  EXPECT_EQ(Said(Pod(), IsOwnedBy(Ref<corev1::Pod>())),
            "which is not compared: the owner cannot be read: the Ref is null");
}

TEST(MatchersTest, Conditions) {
  EXPECT_THAT(Pod(), HasCondition("Ready", "False"));
  EXPECT_THAT(Pod(), HasCondition("Ready", "False", StartsWith("Un")));
  EXPECT_THAT(Pod(), HasCondition("PodScheduled", "True"));
  EXPECT_EQ(Said(Pod(), HasCondition("Ready", "True")),
            "which has these conditions: Ready=False (Unready: not yet), PodScheduled=True");
  EXPECT_NE(Said(Pod(), HasCondition("Ready", "False", "Other")), "");
  EXPECT_EQ(Wanted(HasCondition("Ready", "True", "AllGood")),
            "has the condition Ready=True, whose reason is equal to \"AllGood\"");
  EXPECT_EQ(NotWanted(HasCondition("Ready", "True")), "does not have the condition Ready=True");
  EXPECT_EQ(Said(json::Value::MakeObject(), HasCondition("Ready", "True")),
            "which has these conditions: none");
}

TEST(MatchersTest, FieldsAreGivenToMatchersOfAnyType) {
  EXPECT_THAT(Pod(), HasField(".spec.priority", 7));
  EXPECT_THAT(Pod(), HasField(".spec.priority", AllOf(Gt(6), Lt(7.5), Ge(7U))));
  EXPECT_THAT(Pod(), Not(HasField(".spec.priority", "7")));
  EXPECT_THAT(Pod(), Not(HasField(".status.phase", Gt(1)))) << "a string has no order";
  EXPECT_THAT(Pod(), HasField(".status.phase", "Running"));
  EXPECT_THAT(Pod(), HasField(".status.phase", std::string("Running")));
  EXPECT_THAT(Pod(), HasField(".status.phase", AnyOf("Pending", HasSubstr("unn"))));
  EXPECT_THAT(Pod(), HasField(".spec.hostNetwork", true));
  EXPECT_THAT(Pod(), HasField(".spec.hostNetwork", IsTrue()));
  EXPECT_THAT(Pod(), HasField(".spec.containers", SizeIs(2)));
  EXPECT_THAT(Pod(), HasField(".spec.containers[0].args", ElementsAre("a", "b")));
  EXPECT_THAT(Pod(), HasField(".spec.containers", Not(IsEmpty())));
  EXPECT_THAT(
      Pod(), HasField(".metadata.labels", json::Parse(R"({"tier":"front","app":"web"})").OrExit()));
}

TEST(MatchersTest, PathsAreThoseOfColumns) {
  EXPECT_THAT(Pod(), HasField("{.metadata.labels['app']}", "web"));
  EXPECT_THAT(Pod(), HasField("$.spec.containers[-1].name", "log"));
  EXPECT_THAT(Pod(), HasField(".spec.containers[*].image", "log:2")) << "one of them";
  EXPECT_THAT(Pod(), HasField(".status.conditions[?(@.type=='Ready')].reason", "Unready"));
  EXPECT_THAT(Pod(), HasField(".status"));
  EXPECT_THAT(Pod(), Not(HasField(".spec.nodeName", "node-1")));
}

TEST(MatchersTest, FieldThatIsNotThere_NamesTheStepThatLeadsNowhere) {
  const json::Value pod = Document();
  EXPECT_EQ(Said(pod, HasField(".status.phase", "Failed")),
            "which has at .status.phase \"Running\"");
  EXPECT_EQ(Said(pod, HasField(".status.hostIP.first", _)),
            "which has no .status.hostIP: .status is an object with phase, conditions");
  EXPECT_EQ(Said(pod, HasField(".spec.containers[2].name", _)),
            "which has no .spec.containers[2]: .spec.containers is a list of 2 items");
  EXPECT_EQ(Said(pod, HasField(".status.phase.deep", _)),
            "which has no .status.phase.deep: .status.phase is \"Running\"");
  EXPECT_EQ(Said(pod, HasField(".metadata.labels['a.b']", _)),
            "which has no .metadata.labels['a.b']: .metadata.labels is an object with app, tier");
  EXPECT_EQ(Said(json::Value::MakeObject(), HasField(".spec")),
            "which has no .spec: the object is an empty object");
  EXPECT_EQ(Said(pod, HasField(".spec.containers[*].name", "db")),
            "which has at .spec.containers[*].name \"web\"; \"log\"");
  EXPECT_THAT(Said(pod, HasField(".spec.containers[", _)), HasSubstr("at 18: "));
  EXPECT_EQ(Wanted(HasField(".spec.priority", Gt(7))), "has at .spec.priority a value that is > 7");
  EXPECT_EQ(Wanted(HasField(".status.phase", "Failed")),
            "has at .status.phase a value that is equal to \"Failed\"");
  EXPECT_EQ(NotWanted(HasField(".spec.priority", 7)),
            "has at .spec.priority no value that is equal to 7");
}

TEST(MatchersTest, EqualsObject_SaysWhatDiffersAsADiff) {
  EXPECT_THAT(Pod(), EqualsObject(kPod));
  EXPECT_THAT(Document(), EqualsObject(Pod()));
  EXPECT_THAT(Pod(), EqualsObject(Pod()));
  json::Value other = Document();
  other.Ensure("spec", "priority") = 8;
  other.Ensure("metadata").Erase("uid");
  const std::string said = Said(other, EqualsObject(kPod));
  EXPECT_THAT(said, StartsWith("which differs (- expected, + actual):\n"));
  EXPECT_THAT(said, HasSubstr("-   priority: 7\n+   priority: 8\n"));
  EXPECT_THAT(said, HasSubstr("-   uid: u-1\n"));
  EXPECT_THAT(said, Not(HasSubstr("phase: Running"))) << "too far from what differs";
  EXPECT_THAT(Wanted(EqualsObject("kind: Pod")), StartsWith("is equal to\n  kind: Pod"));
}

TEST(MatchersTest, EqualsObject_ForgivesWhatBuiltInKindsAlwaysWrite) {
  const auto map = ObjectFromJson(corev1::Pod::kind_info(),
                                  R"({"metadata":{"name":"a"},"spec":{"containers":[]}})")
                       .OrExit()
                       .As<corev1::Pod>();
  EXPECT_THAT(map, EqualsObject("metadata: {name: a}")) << "neither kind nor an empty status";
  EXPECT_THAT(map, Not(EqualsObject("metadata: {name: a}\nspec: {hostIPC: true}")));
  EXPECT_THAT(map, Not(EqualsObject("metadata: {name: a}\nspek: {}"))) << "a misspelt field";
  EXPECT_THAT(Said(json::Value(), EqualsObject("a: [")),
              StartsWith("which is not compared: the expected object cannot be read: YAML, line"));
}

TEST(MatchersTest, MatchesYaml_TakesFurtherMembersForGranted) {
  EXPECT_THAT(Pod(), MatchesYaml("spec: {priority: 7}\nmetadata: {labels: {app: web}}"));
  EXPECT_THAT(Pod(), MatchesYaml("spec: {containers: [{name: log}]}")) << "others stand before it";
  EXPECT_THAT(Pod(), MatchesYaml("spec: {containers: [{name: web}, {image: 'log:2'}]}"));
  EXPECT_THAT(Pod(), Not(MatchesYaml("spec: {containers: [{name: log}, {name: web}]}")));
  EXPECT_THAT(Pod(), MatchesYaml("spec: {nodeName: null}")) << "it is not there";
  EXPECT_EQ(Said(Document(), MatchesYaml("spec: {priority: 8}")),
            "which has at .spec.priority 7, and not 8");
  EXPECT_EQ(Said(Document(), MatchesYaml("spec: {nodeName: n}")), "which has no .spec.nodeName");
  EXPECT_EQ(Said(Document(), MatchesYaml("spec: {containers: [{name: log, image: 'log:3'}]}")),
            "which has at .spec.containers[1].image \"log:2\", and not \"log:3\"");
  EXPECT_EQ(Said(Document(), MatchesYaml("spec: {containers: [{image: x}]}")),
            "which has at .spec.containers no item that contains {\"image\":\"x\"}");
  EXPECT_EQ(Said(Document(), MatchesYaml("spec: {containers: [{name: web, args: [a]}]}")),
            "which has at .spec.containers[0].args [\"a\",\"b\"], and not [\"a\"]");
  EXPECT_EQ(Said(Document(), MatchesYaml("metadata: {annotations: {a.b/c: d}}")),
            "which has no .metadata.annotations['a.b/c']");
}

TEST(MatchersTest, EventsOfAList) {
  const std::vector<json::Value> events = {
      yaml::Parse("{type: Normal, reason: Printed, message: two pages}").OrExit(),
      yaml::Parse("{type: Warning, reason: Jammed, note: no paper}").OrExit()};
  EXPECT_THAT(events, HasEvent("Normal", "Printed"));
  EXPECT_THAT(events, HasEvent("Warning", "Jammed", "no paper"));
  EXPECT_EQ(Said(events, HasEvent("Normal", "Printed", HasSubstr("three"))),
            "which has these events:\n  Normal Printed two pages\n  Warning Jammed no paper");
  EXPECT_EQ(Said(std::vector<json::Value>(), HasEvent("Normal", "Printed")),
            "which has these events: none");
  const Result<std::vector<json::Value>> failed = Error(Reason::kForbidden, "no rights");
  EXPECT_EQ(Said(failed, HasEvent("Normal", "Printed")),
            "which has no events: Forbidden: no rights");
  EXPECT_EQ(::testing::DescribeMatcher<std::vector<json::Value>>(HasEvent("Normal", "A", "b")),
            "has an event Normal A with a message that is equal to \"b\"");
}

TEST(LineDiffTest, ShowsTheLinesThatDifferAndThoseAround) {
  using kinformer::internal::kit::LineDiff;
  EXPECT_EQ(LineDiff("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(LineDiff("", "a\n"), "+ a\n");
  EXPECT_EQ(LineDiff("a", ""), "- a\n");
  EXPECT_EQ(LineDiff("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\nx\n"), "  3\n  4\n  5\n- 6\n+ x\n");
  EXPECT_EQ(LineDiff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n"),
            "- a\n+ A\n  1\n  2\n  3\n  ...\n  5\n  6\n  7\n- b\n+ B\n");
  EXPECT_EQ(LineDiff("a\nb\nc\nd\n", "a\nc\nx\nd\n"), "  a\n- b\n  c\n+ x\n  d\n");
}

TEST(LineDiffTest, LargeTextsDifferAsAWholeBetweenTheirEnds) {
  std::string a = "first\n";
  std::string b = "first\n";
  for (int i = 0; i < 2100; ++i) {
    a += "a" + std::to_string(i) + "\n";
    b += "b" + std::to_string(i) + "\n";
  }
  const std::string diff = kinformer::internal::kit::LineDiff(a + "last\n", b + "last\n");
  EXPECT_THAT(diff, StartsWith("  first\n- a0\n- a1\n"));
  EXPECT_THAT(diff, HasSubstr("- a2099\n+ b0\n"));
}

}  // namespace
}  // namespace kinformer::testing
