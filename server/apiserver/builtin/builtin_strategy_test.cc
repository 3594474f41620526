#include "apiserver/builtin/builtin_strategy.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Builtin;
using testing::Quoted;

constexpr const char* kTolerations =
    R"([{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",)"
    R"("tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists",)"
    R"("effect":"NoExecute","tolerationSeconds":300}])";

class BuiltinStrategyTest : public ::testing::Test {
 public:
  void Add(const std::string& group, const std::string& plural, const std::string& object) {
    const auto resource = state_.resources.FindGroupResource(group, plural);
    resource->store->Put(StoredObject::Make(Quoted(object), ++state_.resource_version, {}),
                         state_.env.Now());
  }
  // Returns the new object with its server's values, or the error's message.
  std::string Create(const std::string& resource, const std::string& object, bool client = false) {
    json::Value made = Quoted(object);
    ServedResource named = Builtin(resource);
    named.kind = named.plural == "services" ? "Service" : "Pod";
    const auto result = strategy_.Create(named, client ? &user_ : nullptr, made);
    BuiltinStrategy::Created(named, state_.env.WallNow(), made);
    return result.ok() ? made.Dump() : std::string(result.error().message());
  }
  // Returns one value of a pod with this spec.
  std::string Pod(const std::string& spec, const std::string& pointer, bool client = false) {
    const std::string made =
        Create("pods", "{'metadata':{'name':'p'},'spec':" + spec + "}", client);
    return made[0] == '{' ? testing::ValueAt(made, pointer) : made;
  }

 protected:
  Simulation sim_{{.start = WallTime(std::chrono::seconds(5))}};
  ServerState state_{sim_.env(), {}};
  BuiltinStrategy strategy_{state_};
  const UserInfo user_{.name = "jane"};
};

TEST_F(BuiltinStrategyTest, NewPod_IsPendingWithToleratedFailures) {
  EXPECT_EQ(Create("pods", "{'metadata':{'name':'p'},'spec':{}}"),
            std::string(R"({"metadata":{"name":"p"},"spec":{"priority":0,"preemptionPolicy":)"
                        R"("PreemptLowerPriority","tolerations":)") +
                kTolerations + R"(},"status":{"phase":"Pending","qosClass":"BestEffort"}})");
  EXPECT_EQ(
      Create("pods", "{'status':{'phase':'Running','qosClass':'Burstable'}}"),
      std::string(R"({"status":{"phase":"Running","qosClass":"Burstable"},"spec":{)"
                  R"("priority":0,"preemptionPolicy":"PreemptLowerPriority","tolerations":)") +
          kTolerations + "}}");
  EXPECT_EQ(Create("apps/pods", "{}"), "{}");
}

TEST_F(BuiltinStrategyTest, Pod_OwnTolerationsCount) {
  const auto keys = [&](const std::string& own) {
    std::string out;
    const json::Value all =
        json::Parse(Pod("{'tolerations':[" + own + "]}", "/spec/tolerations")).OrExit();
    for (const json::Value& each : all.items()) {
      const std::string key = each["key"].StringOrEmpty();
      out += " " + key.substr(key.find('/') + 1);
    }
    return out;
  };
  EXPECT_EQ(keys("{'key':'node.kubernetes.io/not-ready','effect':'NoExecute'}"),
            " not-ready unreachable");
  EXPECT_EQ(keys("{'key':'node.kubernetes.io/unreachable'}"), " unreachable not-ready");
  EXPECT_EQ(keys("{'operator':'Exists'}"), " ");
  EXPECT_EQ(keys("{'operator':'Exists','effect':'NoExecute'}"), " ");
  EXPECT_EQ(keys("{'operator':'Exists','effect':'NoSchedule'}"), "  not-ready unreachable");
  EXPECT_EQ(keys("{'key':'other','effect':'NoExecute'}"), " other not-ready unreachable");
  EXPECT_EQ(keys("{'key':'node.kubernetes.io/not-ready','effect':'NoSchedule'}"),
            " not-ready not-ready unreachable");
}

TEST_F(BuiltinStrategyTest, PriorityClass_GivesValueAndPreemption) {
  const std::string group = "scheduling.k8s.io";
  Add(group, "priorityclasses",
      "{'metadata':{'name':'high'},'value':1000,'preemptionPolicy':'Never'}");
  Add(group, "priorityclasses", "{'metadata':{'name':'none'}}");
  EXPECT_EQ(Pod("{'priorityClassName':'high'}", "/spec/priority"), "1000");
  EXPECT_EQ(Pod("{'priorityClassName':'high'}", "/spec/preemptionPolicy"), "\"Never\"");
  EXPECT_EQ(
      Pod("{'priorityClassName':'high','preemptionPolicy':'Other'}", "/spec/preemptionPolicy"),
      "pods \"p\" is forbidden: the string value of PreemptionPolicy (Other) must not be provided "
      "in "
      "pod spec; priority admission controller computed Never from the given PriorityClass name");
  EXPECT_EQ(Pod("{'priorityClassName':'none'}", "/spec/priority"), "0");
  EXPECT_EQ(Pod("{'priorityClassName':'none'}", "/spec/preemptionPolicy"),
            "\"PreemptLowerPriority\"");
  EXPECT_EQ(Pod("{'priorityClassName':'system-node-critical'}", "/spec/priority"), "2000001000");
  EXPECT_EQ(Pod("{'priorityClassName':'absent'}", "/spec"),
            "pods \"p\" is forbidden: no PriorityClass with name absent was found");
  EXPECT_EQ(Pod("{'priorityClassName':'high','priority':1000}", "/spec/priority"), "1000");
  EXPECT_EQ(Pod("{'priorityClassName':'high','priority':7}", "/spec"),
            "pods \"p\" is forbidden: the integer value of priority (7) must not be provided in "
            "pod spec; priority admission controller computed 1000 from the given PriorityClass "
            "name");
  // Without a name, the lowest default counts.
  EXPECT_EQ(Pod("{}", "/spec/priorityClassName"), "null");
  for (const char* name : {"20", "10", "30"}) {
    Add(group, "priorityclasses",
        std::string("{'metadata':{'name':'d") + name + "'},'globalDefault':true,'value':" + name +
            "}");
  }
  Add(group, "priorityclasses", "{'metadata':{'name':'e10'},'globalDefault':true,'value':10}");
  EXPECT_EQ(Pod("{}", "/spec/priority"), "10");
  EXPECT_EQ(Pod("{}", "/spec/priorityClassName"), "\"d10\"");
}

TEST_F(BuiltinStrategyTest, RuntimeClass_GivesOverheadAndPlacement) {
  Add("node.k8s.io", "runtimeclasses",
      "{'metadata':{'name':'vm'},'overhead':{'podFixed':{'cpu':'1'}},'scheduling':{'nodeSelector':"
      "{'vm':'yes','a':'b'},'tolerations':[{'key':'x','a':1},{'key':'y'}]}}");
  Add("node.k8s.io", "runtimeclasses", "{'metadata':{'name':'plain'}}");
  const std::string forbidden = "pods \"p\" is forbidden: ";
  const auto pod = [&](const std::string& more, const char* pointer) {
    return Pod("{'runtimeClassName':'vm'" + more + "}", pointer, true);
  };
  EXPECT_EQ(pod("", "/spec/overhead"), R"({"cpu":"1"})");
  EXPECT_EQ(pod(",'overhead':{'cpu':'1'}", "/spec/overhead"), R"({"cpu":"1"})");
  EXPECT_EQ(
      pod(",'overhead':{'cpu':'2'}", "/spec"),
      forbidden + "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  EXPECT_EQ(pod(",'nodeSelector':{'z':'1','a':'b'}", "/spec/nodeSelector"),
            R"({"a":"b","vm":"yes","z":"1"})");
  EXPECT_EQ(pod(",'nodeSelector':{'vm':'no'}", "/spec"),
            forbidden +
                "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; "
                "pod.spec.nodeSelector[vm] = no");
  const std::string known = kTolerations;
  EXPECT_EQ(pod("", "/spec/tolerations"),
            known.substr(0, known.size() - 1) + R"(,{"key":"x","a":1},{"key":"y"}])");
  EXPECT_EQ(pod(",'tolerations':[{'key':'x','a':1}]", "/spec/tolerations"),
            R"([{"key":"x","a":1},)" + known.substr(1, known.size() - 2) + R"(,{"key":"y"}])");
  EXPECT_EQ(Pod("{'runtimeClassName':'plain'}", "/spec/nodeSelector", true), "null");
  EXPECT_EQ(Pod("{'runtimeClassName':'plain'}", "/spec/overhead", true), "null");
  EXPECT_EQ(Pod("{'runtimeClassName':'absent'}", "/spec", true),
            forbidden + "pod rejected: RuntimeClass \"absent\" not found");
  // A stray overhead is forbidden later, once the pod is valid.
  const auto refusal = [&](const std::string& spec, const UserInfo* user) {
    return strategy_.RefusalOfValid(Builtin("pods"), user, Quoted("{'spec':" + spec + "}"));
  };
  const std::string stray =
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
  EXPECT_EQ(refusal("{'runtimeClassName':'plain','overhead':{'cpu':'1'}}", &user_), stray);
  EXPECT_EQ(refusal("{'overhead':{'cpu':'1'}}", &user_), stray);
  EXPECT_EQ(refusal("{'runtimeClassName':'vm','overhead':{'cpu':'1'}}", &user_), "");
  EXPECT_EQ(refusal("{}", &user_), "");
  // This process may write what it likes.
  EXPECT_EQ(Pod("{'overhead':{'cpu':'1'}}", "/spec/overhead"), R"({"cpu":"1"})");
  EXPECT_EQ(refusal("{'overhead':{'cpu':'1'}}", nullptr), "");
  const std::string ephemeral = "{'ephemeralContainers':[{'name':'e'}]}";
  EXPECT_EQ(Pod(ephemeral, "/spec", true),
            "Pod \"p\" is invalid: spec.ephemeralContainers: Forbidden: cannot be set on create");
  EXPECT_EQ(Pod(ephemeral, "/spec/priority"), "0");
}

TEST_F(BuiltinStrategyTest, Job_FindsItsPodsByItsUid) {
  const auto job = [&](const std::string& metadata, const std::string& spec) {
    return Create("batch/jobs",
                  "{'metadata':{'name':'j','uid':'u'" + metadata + "},'spec':{" + spec + "}}");
  };
  const std::string labels =
      R"("batch.kubernetes.io/controller-uid":"u","batch.kubernetes.io/job-name":"j",)"
      R"("controller-uid":"u","job-name":"j")";
  const std::string spec = R"("spec":{"template":{"metadata":{"labels":{)" + labels +
                           R"(}}},"selector":{"matchLabels":)"
                           R"({"batch.kubernetes.io/controller-uid":"u"}}}})";
  EXPECT_EQ(job("", ""), R"({"metadata":{"name":"j","uid":"u","labels":{)" + labels + "}}," + spec);
  EXPECT_EQ(job(",'labels':{'own':'1'}", ""),
            R"({"metadata":{"name":"j","uid":"u","labels":{"own":"1"}},)" + spec);
  EXPECT_EQ(job(",'generateName':'g'", ""),
            R"({"metadata":{"name":"j","uid":"u","generateName":"g"},)" + spec);
  EXPECT_EQ(job("", "'manualSelector':true"),
            R"({"metadata":{"name":"j","uid":"u"},"spec":{"manualSelector":true}})");
  EXPECT_EQ(Create("other/jobs", "{}"), "{}");
}

TEST_F(BuiltinStrategyTest, OtherKinds_AreCompleted) {
  EXPECT_EQ(Create("serviceaccounts",
                   "{'secrets':[{'kind':'Secret','name':'a','uid':'u'},'x',{'name':'b'}]}"),
            R"({"secrets":[{"name":"a"},"x",{"name":"b"}]})");
  EXPECT_EQ(Create("serviceaccounts", "{}"), "{}");
  EXPECT_EQ(Create("serviceaccounts", "{'secrets':'x'}"), R"({"secrets":"x"})");
  EXPECT_EQ(Create("namespaces", "{'metadata':{'name':'n'},'spec':{'finalizers':['x']}}"),
            R"({"metadata":{"name":"n","labels":{"kubernetes.io/metadata.name":"n"}},)"
            R"("spec":{"finalizers":["x","kubernetes"]}})");
  EXPECT_EQ(Create("namespaces", "{'metadata':{'name':'n'},'spec':{'finalizers':['kubernetes']}}"),
            R"({"metadata":{"name":"n","labels":{"kubernetes.io/metadata.name":"n"}},)"
            R"("spec":{"finalizers":["kubernetes"]}})");
  const std::string generation = "'deprecated.daemonset.template.generation':";
  for (const auto& [sent, kept] :
       {std::pair("", "1"), std::pair("'0'", "1"), std::pair("'5'", "5"), std::pair("'x'", "1")}) {
    const std::string value(sent);
    EXPECT_EQ(
        Create("apps/daemonsets", "{'metadata':{'annotations':{'z':'1'" +
                                      (value.empty() ? "" : "," + generation + value) + "}}}"),
        std::string(R"({"metadata":{"annotations":{"deprecated.daemonset.template.)"
                    R"(generation":")") +
            kept + R"(","z":"1"}}})");
  }
  EXPECT_EQ(Create("persistentvolumes", "{}"),
            R"({"status":{"phase":"Pending","lastPhaseTransitionTime":"1970-01-01T00:00:05Z"}})");
  EXPECT_EQ(Create("persistentvolumes", "{'status':{'phase':'Bound'}}"),
            R"({"status":{"phase":"Bound","lastPhaseTransitionTime":"1970-01-01T00:00:05Z"}})");
  const std::string requests = "certificates.k8s.io/certificatesigningrequests";
  EXPECT_EQ(Create(requests, "{}", true), R"({"spec":{"username":"jane"}})");
  EXPECT_EQ(Create(requests, "{}"), "{}");
  EXPECT_EQ(Create("services", "{'spec':{'type':'ExternalName'}}"),
            R"({"spec":{"type":"ExternalName"}})");
  EXPECT_EQ(Create("services",
                   "{'metadata':{'name':'s'},'spec':{'type':'NodePort',"
                   "'ports':[{'nodePort':1}]}}"),
            "Service \"s\" is invalid: spec.ports[0].nodePort: Invalid value: 1: provided port is "
            "not in the valid range. The range of valid ports is 30000-32767");
}

}  // namespace
}  // namespace kinformer::apiserver
