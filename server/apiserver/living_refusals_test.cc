// Updates and deletes of the simulated workloads pass admission, too: what is refused is told and
// tried again, and nothing that others write meanwhile is lost.

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/living_server_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Refuses requests as a ValidatingAdmissionPolicy.
std::string PolicyYaml(const std::string& group, const std::string& resource,
                       const std::string& operation, const std::string& expression) {
  return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\n"
         "metadata: {name: deny}\nspec:\n  matchConstraints:\n    resourceRules: [{apiGroups: ['" +
         group + "'], apiVersions: ['*'], operations: [" + operation + "], resources: ['" +
         resource + "']}]\n  validations: [{expression: \"" + expression +
         "\", messageExpression: \"'not for ' + request.userInfo.username\"}]\n---\n"
         "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\n"
         "metadata: {name: deny}\nspec: {policyName: deny, validationActions: [Deny]}\n";
}

class LivingRefusals : public ::testing::Test {
 protected:
  explicit LivingRefusals(const char* script = "seed: 1\n", ApiServerOptions options = {})
      : server_(script, std::move(options)) {}

  void Refuse(const std::string& group, const std::string& resource, const std::string& operation,
              const std::string& expression = "false") {
    server_.Load(PolicyYaml(group, resource, operation, expression));
  }
  void Allow() {
    const std::string bindings =
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/";
    EXPECT_EQ(server_.server().Do("DELETE", bindings + "deny").status, 200);
  }
  // Returns "Warning: text" of the events about objects of a kind.
  std::vector<std::string> Events(const char* kind, const char* reason) {
    std::vector<std::string> out;
    for (const json::Value& event : server_.All(Kind::kEvent)) {
      if (Text(event, "/involvedObject/kind") != kind || Text(event, "/reason") != reason) continue;
      out.push_back(Text(event, "/type") + ": " + Text(event, "/message"));
    }
    return out;
  }
  const json::Value& FailureOf(const json::Value& object) {
    return ConditionOf(object, "ReplicaFailure");
  }
  // Waits until a Deployment has that many pods that are ready.
  bool Ready(const std::string& name, int count) {
    return server_.Until([&] {
      return Number(server_.Get(Kind::kDeployment, name), "/status/readyReplicas") == count;
    });
  }

  LivingServer server_;
};

TEST_F(LivingRefusals, DeletionOfPods_IsToldAndTriedAgain) {
  server_.Load(DeploymentYaml("web", 3, "nginx"));
  ASSERT_TRUE(Ready("web", 3));
  Refuse("", "pods", "DELETE");
  server_.Patch(Kind::kDeployment, "web", "{spec: {replicas: 1}}");
  ASSERT_TRUE(server_.Until([&] { return !Events("ReplicaSet", "FailedDelete").empty(); }));
  server_.RunFor(seconds(5));
  EXPECT_THAT(server_.Pods("web-"), SizeIs(3));
  const auto failed = Events("ReplicaSet", "FailedDelete");
  EXPECT_THAT(failed, SizeIs(2));
  EXPECT_THAT(failed, Contains(StartsWith("Warning: Error deleting: pods \"web-")));
  EXPECT_THAT(
      failed,
      Contains(HasSubstr("not for system:serviceaccount:kube-system:replicaset-controller")));
  EXPECT_THAT(Events("ReplicaSet", "SuccessfulDelete"), IsEmpty());
  const json::Value set = server_.All(Kind::kReplicaSet)[0];
  EXPECT_EQ(Text(FailureOf(set), "/reason"), "FailedDelete");
  EXPECT_THAT(Text(FailureOf(set), "/message"), StartsWith("unable to delete pods: pods \"web-"));
  EXPECT_EQ(Text(FailureOf(server_.Get(Kind::kDeployment, "web")), "/reason"), "FailedDelete");
  Allow();
  ASSERT_TRUE(server_.Until([&] { return server_.Pods("web-").size() == 1; }, minutes(1)));
  ASSERT_TRUE(server_.Until(
      [&] { return FailureOf(server_.Get(Kind::kDeployment, "web")).is_null(); }, minutes(1)));
}

TEST_F(LivingRefusals, StatefulSetAndDaemonSet_TellThemInTheirWords) {
  server_.Load(
      "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n"
      "  replicas: 2\n  selector: {matchLabels: {app: db}}\n  template:\n"
      "    metadata: {labels: {app: db}}\n"
      "    spec: {containers: [{name: main, image: db}]}\n");
  ASSERT_TRUE(server_.Until([&] { return server_.Pods("db-").size() == 2; }));
  Refuse("", "pods", "DELETE");
  server_.Patch(Kind::kStatefulSet, "db", "{spec: {replicas: 1}}");
  ASSERT_TRUE(server_.Until([&] { return !Events("StatefulSet", "FailedDelete").empty(); }));
  EXPECT_THAT(Events("StatefulSet", "FailedDelete"),
              Contains(StartsWith("Warning: delete Pod db-1 in StatefulSet db failed error: pods "
                                  "\"db-1\" is forbidden: ")));
  Allow();
  ASSERT_TRUE(server_.Until([&] { return server_.Pods("db-").size() == 1; }, minutes(1)));
}

// A controller does not tell that it has made an update that was refused.
TEST_F(LivingRefusals, ReplicaSetThatMayNotBeScaled_StaysAsItIs) {
  server_.Load(DeploymentYaml("web", 2, "nginx"));
  ASSERT_TRUE(Ready("web", 2));
  const std::size_t before = Events("Deployment", "ScalingReplicaSet").size();
  Refuse("apps", "replicasets", "UPDATE",
         "!request.userInfo.username.endsWith(':deployment-controller')");
  server_.Patch(Kind::kDeployment, "web", "{spec: {replicas: 4}}");
  server_.RunFor(seconds(15));
  EXPECT_EQ(Number(server_.All(Kind::kReplicaSet)[0], "/spec/replicas"), 2);
  EXPECT_THAT(Events("Deployment", "ScalingReplicaSet"), SizeIs(before));
  Allow();
  ASSERT_TRUE(Ready("web", 4));
  EXPECT_THAT(Events("Deployment", "ScalingReplicaSet"), SizeIs(before + 1));
}

TEST_F(LivingRefusals, Binding_IsReviewedAsBinding) {
  Refuse("", "pods/binding", "CREATE", "object.target.name == 'nowhere'");
  server_.Load(DeploymentYaml("web", 1, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return !Events("Pod", "FailedScheduling").empty(); }));
  server_.RunFor(seconds(5));
  const auto pods = server_.Pods("web-");
  ASSERT_THAT(pods, SizeIs(1));
  EXPECT_EQ(Text(pods[0], "/spec/nodeName"), "");
  const json::Value& scheduled = ConditionOf(pods[0], "PodScheduled");
  EXPECT_EQ(Text(scheduled, "/reason"), "SchedulerError");
  EXPECT_THAT(Text(scheduled, "/message"),
              StartsWith("binding rejected: running Bind plugin \"DefaultBinder\": "));
  EXPECT_THAT(Events("Pod", "FailedScheduling"),
              ElementsAre("Warning: " + Text(scheduled, "/message")));
  EXPECT_THAT(Text(scheduled, "/message"), HasSubstr("not for system:kube-scheduler"));
  EXPECT_THAT(Events("Pod", "Scheduled"), IsEmpty());
  Allow();
  ASSERT_TRUE(Ready("web", 1));
  EXPECT_THAT(Events("Pod", "Scheduled"), SizeIs(1));
}

TEST_F(LivingRefusals, EndpointSlices_TellTheService) {
  server_.Load(DeploymentYaml("web", 1, "nginx"));
  server_.Load(
      "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
      "spec: {selector: {app: web}, ports: [{port: 80}]}\n");
  ASSERT_TRUE(Ready("web", 1));
  server_.RunFor(seconds(5));
  Refuse("discovery.k8s.io", "endpointslices", "UPDATE");
  server_.Patch(Kind::kDeployment, "web", "{spec: {replicas: 2}}");
  ASSERT_TRUE(server_.Until(
      [&] { return !Events("Service", "FailedToUpdateEndpointSlices").empty(); }, minutes(1)));
  EXPECT_THAT(Events("Service", "FailedToUpdateEndpointSlices"),
              Contains(StartsWith("Warning: Error updating Endpoint Slices for Service "
                                  "default/web: failed to update web-")));
  Allow();
  const auto endpoints = [&] {
    std::size_t count = 0;
    for (const json::Value& slice : server_.All(Kind::kEndpointSlice)) {
      if (NameOf(slice).starts_with("web-")) count += slice["endpoints"].size();
    }
    return count;
  };
  ASSERT_TRUE(server_.Until([&] { return endpoints() == 2; }, minutes(1)));
}

TEST_F(LivingRefusals, CronJob_TellsTheRefusalOfItsJob) {
  Refuse("batch", "jobs", "CREATE");
  server_.Load(
      "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: tick}\nspec:\n"
      "  schedule: '* * * * *'\n  jobTemplate:\n    spec:\n      template:\n"
      "        spec: {restartPolicy: Never, containers: [{name: main, image: ok}]}\n");
  ASSERT_TRUE(server_.Until([&] { return !Events("CronJob", "FailedCreate").empty(); }));
  EXPECT_THAT(Events("CronJob", "FailedCreate")[0],
              StartsWith("Warning: Error creating job: jobs.batch \"tick-"));
  EXPECT_TRUE(server_.Get(Kind::kCronJob, "tick").At("/status/lastScheduleTime").is_null());
  EXPECT_THAT(Events("CronJob", "SuccessfulCreate"), IsEmpty());
  Allow();
  ASSERT_TRUE(
      server_.Until([&] { return !Events("CronJob", "SuccessfulCreate").empty(); }, minutes(1)));
  EXPECT_THAT(server_.All(Kind::kJob), SizeIs(1));
}

class LivingScaleRefusals : public LivingRefusals {
 protected:
  LivingScaleRefusals()
      : LivingRefusals("loads:\n- {name: web, steps: [{at: 0s, usage: {cpu: 800m}}]}\n") {}
};

TEST_F(LivingScaleRefusals, Autoscaler_ScalesThroughTheScale) {
  Refuse("apps", "deployments/scale", "UPDATE", "object.spec.replicas < 3");
  server_.Load(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n"
      "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
      "    spec: {containers: [{name: m, image: i, resources: {requests: {cpu: 200m}}}]}\n---\n"
      "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec:\n"
      "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n  maxReplicas: 8\n"
      "  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, "
      "averageUtilization: 50}}}]\n");
  constexpr const char* kKind = "HorizontalPodAutoscaler";
  ASSERT_TRUE(server_.Until([&] { return !Events(kKind, "FailedRescale").empty(); }));
  EXPECT_THAT(Events(kKind, "FailedRescale")[0],
              StartsWith("Warning: New size: 6; reason: resource metrics; error: "));
  server_.RunFor(seconds(1));
  const json::Value scaler = server_.Get(Kind::kAutoscaler, "web");
  const json::Value& able = ConditionOf(scaler, "AbleToScale");
  EXPECT_EQ(Text(able, "/status"), "False");
  EXPECT_EQ(Text(able, "/reason"), "FailedUpdateScale");
  EXPECT_THAT(Text(able, "/message"),
              StartsWith("the HPA controller was unable to update the target scale: "));
  EXPECT_TRUE(scaler.At("/status/lastScaleTime").is_null());
  EXPECT_EQ(Number(server_.Get(Kind::kDeployment, "web"), "/spec/replicas"), 2);
  EXPECT_THAT(Events(kKind, "SuccessfulRescale"), IsEmpty());
  Allow();
  ASSERT_TRUE(server_.Until(
      [&] { return Number(server_.Get(Kind::kDeployment, "web"), "/spec/replicas") == 6; },
      minutes(1)));
  EXPECT_TRUE(IsTrue(server_.Get(Kind::kAutoscaler, "web"), "AbleToScale"));
}

// A webhook that takes its time: what a client writes meanwhile is not overwritten.
TEST_F(LivingRefusals, ObjectsThatOthersChangeMeanwhile_AreDecidedAnew) {
  server_.Load(DeploymentYaml("web", 1, "nginx"));
  ASSERT_TRUE(Ready("web", 1));
  server_.Load(R"(
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: slow}
webhooks:
- name: slow.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 2
  failurePolicy: Ignore
  clientConfig: {url: 'https://nobody.example.com/'}
  rules: [{apiGroups: [apps], apiVersions: [v1], operations: [UPDATE], resources: [replicasets]}]
)");
  server_.Patch(Kind::kDeployment, "web", "{spec: {replicas: 3}}");
  const std::string set = NameOf(server_.All(Kind::kReplicaSet)[0]);
  server_.Patch(Kind::kReplicaSet, set, "{metadata: {annotations: {mine: stays}}}");
  ASSERT_TRUE(Ready("web", 3));
  EXPECT_EQ(Annotation(server_.Get(Kind::kReplicaSet, set), "mine"), "stays");
}

class LivingNodeRestriction : public LivingRefusals {
 protected:
  LivingNodeRestriction()
      : LivingRefusals("seed: 1\n", {.authorization = AuthorizationMode::kNodeAndRbac,
                                     .enable_admission_plugins = {"NodeRestriction"}}) {}
};

TEST_F(LivingNodeRestriction, SimulatedKubelets_WriteNothingButTheirOwn) {
  server_.Load(DeploymentYaml("web", 2, "nginx"));
  ASSERT_TRUE(Ready("web", 2));
  server_.Patch(Kind::kDeployment, "web", "{spec: {replicas: 0}}");
  ASSERT_TRUE(server_.Until([&] { return server_.Pods("web-").empty(); }));
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
