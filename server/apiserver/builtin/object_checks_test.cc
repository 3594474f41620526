#include "apiserver/builtin/object_checks.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Builtin;
using testing::Lines;
using testing::Quoted;

struct Row {
  const char* resource;
  const char* object;
  const char* causes;
};

void ExpectObject(const Row& row) {
  EXPECT_EQ(Lines(ValidateObject(Builtin(row.resource), Quoted(row.object))), row.causes)
      << row.resource << " " << row.object;
}

void ExpectStatus(const Row& row) {
  EXPECT_EQ(Lines(ValidateStatus(Builtin(row.resource), Quoted(row.object))), row.causes)
      << row.resource << " " << row.object;
}

TEST(ObjectChecks, Selector_MustMatchTheTemplate) {
  constexpr const char* kOther =
      "spec.template.metadata.labels: Invalid value: {\"a\":\"c\"}: `selector` does not match "
      "template `labels`\n";
  for (const char* kind : {"apps/deployments", "apps/replicasets", "apps/statefulsets",
                           "apps/daemonsets", "batch/jobs"}) {
    ExpectObject({kind,
                  "{'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':"
                  "{'a':'b','x':'y'}}}}}",
                  ""});
    ExpectObject({kind,
                  "{'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':"
                  "{'a':'c'}}}}}",
                  kOther});
    ExpectObject({kind, "{'spec':{'selector':{'matchLabels':{'a':'b'}}}}", ""});
    // Expressions without their values are reported elsewhere.
    for (const std::string relation : {"In", "NotIn"}) {
      const std::string without =
          "{'spec':{'selector':{'matchLabels':{'a':'b'},'matchExpressions':[{'key':'k','operator':"
          "'" +
          relation + "'}]},'template':{'metadata':{'labels':{'a':'c'}}}}}";
      ExpectObject({kind, without.c_str(), ""});
    }
    ExpectObject({kind,
                  "{'spec':{'selector':{'matchExpressions':[{'key':'a','operator':'In','values':"
                  "['b']}]},'template':{'metadata':{'labels':{'a':'c'}}}}}",
                  kOther});
    ExpectObject({kind,
                  "{'spec':{'selector':{'matchExpressions':[{'key':'k','operator':'Exists'}]},"
                  "'template':{'metadata':{'labels':{'a':'c'}}}}}",
                  kOther});
  }
  ExpectObject({"replicationcontrollers",
                "{'spec':{'selector':{'a':'b'},'template':{'metadata':{'labels':{'a':'c'}}}}}",
                kOther});
  ExpectObject({"replicationcontrollers",
                "{'spec':{'selector':{'a':'b'},'template':{'metadata':{'labels':{'a':'b'}}}}}",
                ""});
  // Only a Job's selector must be there.
  ExpectObject({"apps/deployments",
                "{'spec':{'selector':{},'template':{'metadata':{'labels':{'a':'c'}}}}}", ""});
  ExpectObject({"batch/jobs", "{'spec':{'template':{'metadata':{'labels':{'a':'c'}}}}}",
                "spec.selector: Required value\n"
                "spec.template.metadata.labels: Invalid value: {\"a\":\"c\"}: `selector` does not "
                "match template `labels`\n"});
  ExpectObject({"pods",
                "{'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':"
                "{'a':'c'}}}}}",
                ""});
}

TEST(ObjectChecks, DisruptionBudget_HasOneLimit) {
  ExpectObject({"policy/poddisruptionbudgets", "{'spec':{'minAvailable':1}}", ""});
  ExpectObject({"policy/poddisruptionbudgets", "{'spec':{'maxUnavailable':1}}", ""});
  ExpectObject(
      {"policy/poddisruptionbudgets",
       "{'spec':{'minAvailable':1,'maxUnavailable':'5%','selector':{}}}",
       "spec: Invalid value: {\"MinAvailable\":1,\"Selector\":{},\"MaxUnavailable\":\"5%\","
       "\"UnhealthyPodEvictionPolicy\":null}: minAvailable and maxUnavailable cannot be "
       "both set\n"});
  ExpectObject(
      {"other/poddisruptionbudgets", "{'spec':{'minAvailable':1,'maxUnavailable':1}}", ""});
}

TEST(ObjectChecks, Autoscaler_MaximumIsNotBelowMinimum) {
  constexpr const char* kKind = "autoscaling/horizontalpodautoscalers";
  ExpectObject({kKind, "{'spec':{'minReplicas':2,'maxReplicas':2}}", ""});
  ExpectObject({kKind, "{'spec':{'minReplicas':2,'maxReplicas':3}}", ""});
  ExpectObject({kKind, "{'spec':{'minReplicas':2}}", ""});
  ExpectObject({kKind, "{'spec':{'maxReplicas':-1}}", ""});
  ExpectObject({kKind, "{'spec':{'minReplicas':2,'maxReplicas':1}}",
                "spec.maxReplicas: Invalid value: 1: must be greater than or equal to "
                "`minReplicas`\n"});
}

TEST(ObjectChecks, CronJob_NameAndScheduleHaveLimits) {
  const auto named = [](std::size_t size) {
    return "{'metadata':{'name':'" + std::string(size, 'a') + "'}}";
  };
  ExpectObject({"batch/cronjobs", named(52).c_str(), ""});
  const std::string why = "metadata.name: Invalid value: \"" + std::string(53, 'a') +
                          "\": must be no more than 52 characters\n";
  ExpectObject({"batch/cronjobs", named(53).c_str(), why.c_str()});
  ExpectObject({"batch/jobs", named(53).c_str(), ""});
  ExpectObject({"batch/cronjobs", "{'spec':{'schedule':'* * * * *'}}", ""});
  ExpectObject({"batch/cronjobs", "{'spec':{'schedule':'@daily'}}", ""});
  ExpectObject({"batch/cronjobs", "{'spec':{'schedule':'@daily x'}}", ""});
  ExpectObject({"batch/cronjobs", "{'spec':{'schedule':''}}", ""});
  ExpectObject({"batch/cronjobs", "{'spec':{'schedule':'1 2  3 4'}}",
                "spec.schedule: Invalid value: \"1 2  3 4\": expected exactly 5 fields, found 4: "
                "[1 2 3 4]\n"});
  ExpectObject({"batch/cronjobs", "{'spec':{'schedule':'1 2 3 4 5 6'}}",
                "spec.schedule: Invalid value: \"1 2 3 4 5 6\": expected exactly 5 fields, found "
                "6: [1 2 3 4 5 6]\n"});
}

TEST(ObjectChecks, WebhookConfigurations_AreChecked) {
  for (const char* kind : {"admissionregistration.k8s.io/validatingwebhookconfigurations",
                           "admissionregistration.k8s.io/mutatingwebhookconfigurations"}) {
    ExpectObject({kind, "{'webhooks':[{'clientConfig':{'url':'https://a'},'timeoutSeconds':31}]}",
                  "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be "
                  "between 1 and 30 seconds\n"});
  }
  ExpectObject({"admissionregistration.k8s.io/validatingadmissionpolicies",
                "{'webhooks':[{'timeoutSeconds':31}]}", ""});
}

TEST(ObjectChecks, Data_IsCheckedWithTheObject) {
  ExpectObject(
      {"configmaps", "{'data':{'.':''}}", "data[.]: Invalid value: \".\": must not be '.'\n"});
  ExpectObject({"pods", "{'data':{'.':''}}", ""});
}

// ---- Statuses

TEST(StatusChecks, Parts_AreAtMostTheWhole) {
  struct Kind {
    const char* name;
    std::vector<std::string> parts;
  };
  for (const Kind& kind :
       {Kind{"replicationcontrollers", {"fullyLabeledReplicas", "readyReplicas"}},
        Kind{"apps/replicasets", {"fullyLabeledReplicas", "readyReplicas"}},
        Kind{"apps/deployments", {"updatedReplicas", "readyReplicas"}},
        Kind{"apps/statefulsets", {"readyReplicas", "currentReplicas", "updatedReplicas"}}}) {
    for (const std::string& part : kind.parts) {
      ExpectStatus({kind.name, ("{'status':{'replicas':2,'" + part + "':2}}").c_str(), ""});
      ExpectStatus(
          {kind.name, ("{'status':{'replicas':2,'" + part + "':3}}").c_str(),
           ("status." + part + ": Invalid value: 3: cannot be greater than status.replicas\n")
               .c_str()});
      ExpectStatus(
          {kind.name, ("{'status':{'" + part + "':1}}").c_str(),
           ("status." + part + ": Invalid value: 1: cannot be greater than status.replicas\n")
               .c_str()});
    }
    ExpectStatus(
        {kind.name, "{'status':{'replicas':3,'readyReplicas':2,'availableReplicas':2}}", ""});
    const std::string ready =
        std::string(kind.name) == "apps/statefulsets" ? "status.readyReplicas" : "readyReplicas";
    const std::string above =
        "status.availableReplicas: Invalid value: 3: cannot be greater than " + ready + "\n";
    ExpectStatus({kind.name, "{'status':{'replicas':3,'readyReplicas':2,'availableReplicas':3}}",
                  above.c_str()});
    ExpectStatus({kind.name, "{'status':{'replicas':2,'readyReplicas':2,'availableReplicas':3}}",
                  ("status.availableReplicas: Invalid value: 3: cannot be greater than "
                   "status.replicas\n" +
                   above)
                      .c_str()});
  }
  ExpectStatus({"apps/daemonsets", "{'status':{'readyReplicas':3,'availableReplicas':4}}", ""});
  ExpectStatus({"apps/replicationcontrollers", "{'status':{'readyReplicas':3}}", ""});
}

TEST(StatusChecks, ServiceIngress_NeedsALoadBalancer) {
  constexpr const char* kIngress =
      "{'spec':{'type':'ClusterIP'},'status':{'loadBalancer':{'ingress':[{'ip':'192.0.2.1'}]}}}";
  ExpectStatus({"services", kIngress,
                "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is "
                "'LoadBalancer'\n"});
  ExpectStatus({"services",
                "{'spec':{'type':'LoadBalancer'},'status':{'loadBalancer':{'ingress':[{}]}}}", ""});
  ExpectStatus(
      {"services", "{'spec':{'type':'ClusterIP'},'status':{'loadBalancer':{'ingress':[]}}}", ""});
  ExpectStatus({"pods", kIngress, ""});
}

TEST(StatusChecks, NamespacePhase_FollowsTheDeletion) {
  constexpr const char* kActive =
      "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` "
      "is not empty\n";
  ExpectStatus({"namespaces", "{'metadata':{},'status':{'phase':'Active'}}", ""});
  ExpectStatus({"namespaces", "{'metadata':{},'status':{}}", ""});
  ExpectStatus({"namespaces", "{'metadata':{},'status':{'phase':'Terminating'}}",
                "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if "
                "`deletionTimestamp` is empty\n"});
  ExpectStatus({"namespaces",
                "{'metadata':{'deletionTimestamp':'t'},'status':{'phase':'Terminating'}}", ""});
  ExpectStatus({"namespaces", "{'metadata':{'deletionTimestamp':'t'},'status':{'phase':'Active'}}",
                kActive});
  ExpectStatus({"namespaces", "{'metadata':{'deletionTimestamp':'t'},'status':{}}", kActive});
  ExpectStatus({"nodes", "{'metadata':{},'status':{'phase':'Terminating'}}", ""});
}

}  // namespace
}  // namespace kinformer::apiserver
