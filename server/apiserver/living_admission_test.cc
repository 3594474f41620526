// Creates of the simulated workloads pass admission: plug-ins, quotas, policies and webhooks.

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
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

class LivingAdmission : public ::testing::Test {
 protected:
  // Returns "Warning FailedCreate: text" of the events about objects of a kind, sorted.
  std::vector<std::string> Events(const char* kind, const char* reason) {
    std::vector<std::string> out;
    for (const json::Value& event : server_.All(Kind::kEvent)) {
      if (Text(event, "/involvedObject/kind") != kind || Text(event, "/reason") != reason) continue;
      out.push_back(Text(event, "/type") + ": " + Text(event, "/message"));
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  void Quota(const std::string& hard) {
    server_.Load(
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: default}\n"
        "spec: {hard: {" +
        hard + "}}\n");
  }
  json::Value TheSet() {
    const auto sets = server_.All(Kind::kReplicaSet);
    return sets.empty() ? json::Value() : sets[0];
  }
  std::string Failure(Kind kind, const std::string& name) {
    return ConditionOf(server_.Get(kind, name), "ReplicaFailure")["message"].StringOrEmpty();
  }

  LivingServer server_{"seed: 1\n", {.enable_admission_plugins = {"ResourceQuota", "LimitRanger"}}};
};

constexpr std::string_view kExceeded =
    "is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2";

TEST_F(LivingAdmission, ReplicaSetOverQuota_MakesNoMorePods_AndSaysWhy) {
  Quota("pods: '2'");
  server_.Load(DeploymentYaml("web", 3, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return !Failure(Kind::kDeployment, "web").empty(); }));
  server_.RunFor(seconds(5));
  EXPECT_THAT(server_.Pods("web-"), SizeIs(2));
  const json::Value set = TheSet();
  const json::Value& failure = ConditionOf(set, "ReplicaFailure");
  EXPECT_EQ(Text(failure, "/status"), "True");
  EXPECT_EQ(Text(failure, "/reason"), "FailedCreate");
  EXPECT_THAT(Text(failure, "/message"), HasSubstr("pods \"" + NameOf(set) + "-"));
  EXPECT_THAT(Text(failure, "/message"), HasSubstr(std::string(kExceeded)));
  EXPECT_EQ(Failure(Kind::kDeployment, "web"), Text(failure, "/message"));
  EXPECT_EQ(Number(set, "/status/replicas"), 2);
  const auto failed = Events("ReplicaSet", "FailedCreate");
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_EQ(failed[0], "Warning: Error creating: " + Text(failure, "/message"));
  EXPECT_THAT(Events("ReplicaSet", "SuccessfulCreate"), SizeIs(2));
}

TEST_F(LivingAdmission, QuotaThatGrows_LetsTheRestBeMade) {
  Quota("pods: '2'");
  server_.Load(DeploymentYaml("web", 3, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return !Failure(Kind::kDeployment, "web").empty(); }));
  Quota("pods: '5'");
  ASSERT_TRUE(server_.Until([&] { return server_.Pods("web-").size() == 3; }, minutes(1)));
  ASSERT_TRUE(server_.Until([&] { return Failure(Kind::kDeployment, "web").empty(); }));
  EXPECT_TRUE(ConditionOf(TheSet(), "ReplicaFailure").is_null());
}

TEST_F(LivingAdmission, FewerReplicas_EndTheFailure) {
  Quota("pods: '2'");
  server_.Load(DeploymentYaml("web", 3, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return !Failure(Kind::kDeployment, "web").empty(); }));
  server_.Patch(Kind::kDeployment, "web", "{spec: {replicas: 2}}");
  ASSERT_TRUE(server_.Until([&] { return Failure(Kind::kDeployment, "web").empty(); }, seconds(5)));
  EXPECT_THAT(server_.Pods("web-"), SizeIs(2));
}

TEST_F(LivingAdmission, OtherControllers_TellTheRefusal) {
  Quota("pods: '0'");
  server_.Load(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: task}\nspec:\n  template:\n"
      "    spec: {restartPolicy: Never, containers: [{name: main, image: ok}]}\n");
  server_.Load(
      "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n"
      "  replicas: 2\n  selector: {matchLabels: {app: db}}\n  template:\n"
      "    metadata: {labels: {app: db}}\n"
      "    spec: {containers: [{name: main, image: db}]}\n");
  ASSERT_TRUE(server_.Until([&] {
    return !Events("Job", "FailedCreate").empty() && !Events("StatefulSet", "FailedCreate").empty();
  }));
  EXPECT_THAT(server_.All(Kind::kPod), IsEmpty());
  EXPECT_THAT(Events("Job", "FailedCreate"), Contains(HasSubstr("Error creating: pods \"task-")));
  EXPECT_THAT(
      Events("StatefulSet", "FailedCreate"),
      ElementsAre("Warning: create Pod db-0 in StatefulSet db failed error: pods \"db-0\" is "
                  "forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: "
                  "pods=0"));
  EXPECT_TRUE(server_.Get(Kind::kJob, "task").At("/status/active").is_null());
}

TEST_F(LivingAdmission, LimitRange_GivesPodsItsDefaults) {
  server_.Load(
      "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: default}\n"
      "spec: {limits: [{type: Container, default: {cpu: 200m}, "
      "defaultRequest: {cpu: 100m}}]}\n");
  server_.Load(DeploymentYaml("web", 1, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return !server_.Pods("web-").empty(); }));
  const json::Value pod = server_.Pods("web-")[0];
  EXPECT_EQ(Text(pod, "/spec/containers/0/resources/limits/cpu"), "200m");
  EXPECT_EQ(Text(pod, "/spec/containers/0/resources/requests/cpu"), "100m");
}

// The request that a policy sees is that of the controller.
TEST_F(LivingAdmission, Policies_SeeTheController) {
  server_.Load(R"yaml(
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations:
  - expression: "!request.userInfo.username.endsWith(':replicaset-controller')"
    messageExpression: "'no pods of ' + request.userInfo.username"
)yaml");
  server_.Load(R"(
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec: {policyName: few, validationActions: [Deny]}
)");
  server_.Load(DeploymentYaml("web", 2, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return !Failure(Kind::kDeployment, "web").empty(); }));
  EXPECT_THAT(Failure(Kind::kDeployment, "web"),
              HasSubstr("no pods of system:serviceaccount:kube-system:replicaset-controller"));
  EXPECT_THAT(server_.Pods("web-"), IsEmpty());
}

TEST_F(LivingAdmission, WebhookThatNobodyAnswers_RefusesPods) {
  server_.Load(R"(
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hook}
webhooks:
- name: hook.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 2
  clientConfig: {url: 'https://nobody.example.com/'}
  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
)");
  server_.Load(DeploymentYaml("web", 2, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return !Failure(Kind::kDeployment, "web").empty(); }));
  EXPECT_THAT(Failure(Kind::kDeployment, "web"), HasSubstr("hook.example.com"));
  EXPECT_THAT(server_.Pods("web-"), IsEmpty());
  ASSERT_TRUE(server_.server()
                  .Do("DELETE",
                      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hook")
                  .status == 200);
  ASSERT_TRUE(server_.Until([&] { return server_.Pods("web-").size() == 2; }));
  ASSERT_TRUE(server_.Until([&] { return Failure(Kind::kDeployment, "web").empty(); }));
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
