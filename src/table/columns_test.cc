#include "table/columns.h"

#include <gtest/gtest.h>

#include "table/age.h"

namespace kinformer::internal::table {
namespace {

using Cells = std::vector<std::string>;

const WallTime kNow{std::chrono::seconds(1'000'000'100)};

Cells RowOf(const char* group, const char* kind, const std::string& object, bool wide = false) {
  const Result<json::Value> value = json::Parse(
      R"({"metadata":{"name":"x","creationTimestamp":"2001-09-09T01:46:40Z"},)" + object + "}");
  if (!value) return {value.error().message()};
  const Columns& columns = ColumnsFor(group, kind);
  Cells cells = CellsOf(columns, *value, wide, kNow);
  EXPECT_EQ(cells.size(), TitlesOf(columns, wide).size());
  return cells;
}

TEST(Age, HumanDuration) {
  const struct {
    std::int64_t seconds;
    const char* text;
  } kRows[] = {
      {0, "0s"},          {1, "1s"},         {119, "119s"},    {120, "2m"},       {330, "5m30s"},
      {600, "10m"},       {10799, "179m"},   {10800, "3h"},    {11400, "3h10m"},  {28800, "8h"},
      {172799, "47h"},    {172800, "2d"},    {183600, "2d3h"}, {691200, "8d"},    {63072000, "2y"},
      {95212800, "3y7d"}, {252288000, "8y"}, {-1, "0s"},       {-5, "<invalid>"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(HumanDuration(std::chrono::seconds(row.seconds)), row.text) << row.seconds;
  }
}

TEST(Age, AgeOf_ReturnsDurationElseUnknown) {
  const WallTime now{std::chrono::seconds(1'000'000'100)};
  EXPECT_EQ(AgeOf("2001-09-09T01:46:40Z", now), "100s");
  EXPECT_EQ(AgeOf("", now), "<unknown>");
  EXPECT_EQ(AgeOf("yesterday", now), "<unknown>");
  EXPECT_EQ(AgeOf("2001-13-09T01:46:40Z", now), "<unknown>");
}

TEST(Columns, PodStates) {
  const struct {
    const char* status;
    const char* ready;
    const char* state;
    const char* restarts;
  } kRows[] = {
      {R"("phase":"Running","containerStatuses":[{"ready":true,"restartCount":2,)"
       R"("state":{"running":{}}}])",
       "1/2", "Running", "2"},
      {R"("phase":"Pending")", "0/2", "Pending", "0"},
      {R"("phase":"Running","containerStatuses":[{"restartCount":5,)"
       R"("state":{"waiting":{"reason":"CrashLoopBackOff"}},)"
       R"("lastState":{"terminated":{"finishedAt":"2001-09-09T01:47:40Z"}}}])",
       "0/2", "CrashLoopBackOff", "5 (40s ago)"},
      {R"("phase":"Failed","reason":"Evicted")", "0/2", "Evicted", "0"},
      {R"("phase":"Pending","initContainerStatuses":[{"state":{"terminated":{"exitCode":0}}},)"
       R"({"state":{"waiting":{"reason":"PodInitializing"}}}])",
       "0/2", "Init:1/2", "0"},
      {R"("phase":"Pending","initContainerStatuses":[{"state":{"terminated":{"exitCode":3}}}])",
       "0/2", "Init:ExitCode:3", "0"},
      {R"("phase":"Succeeded","containerStatuses":[{"state":{"terminated":{"reason":"Completed"})"
       R"(}}])",
       "0/2", "Completed", "0"},
  };
  for (const auto& row : kRows) {
    const Cells cells =
        RowOf("", "Pod",
              std::string(R"("spec":{"containers":[{},{}],"initContainers":[{},{}]},"status":{)") +
                  row.status + "}");
    EXPECT_EQ(cells, (Cells{"x", row.ready, row.state, row.restarts, "100s"})) << row.status;
  }
}

TEST(Columns, OtherKinds) {
  EXPECT_EQ(RowOf("apps", "Deployment",
                  R"("spec":{"replicas":3},"status":{"readyReplicas":2,"updatedReplicas":3,)"
                  R"("availableReplicas":2})"),
            (Cells{"x", "2/3", "3", "2", "100s"}));
  EXPECT_EQ(RowOf("", "Service",
                  R"("spec":{"type":"NodePort","clusterIP":"10.0.0.1","ports":[{"port":80,)"
                  R"("nodePort":30000,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]})"),
            (Cells{"x", "NodePort", "10.0.0.1", "<none>", "80:30000/TCP,53/UDP", "100s"}));
  EXPECT_EQ(RowOf("", "Node",
                  R"("spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready",)"
                  R"("status":"True"}],"nodeInfo":{"kubeletVersion":"v1.36.0"}})"),
            (Cells{"x", "Ready,SchedulingDisabled", "<none>", "100s", "v1.36.0"}));
  EXPECT_EQ(RowOf("example.com", "Widget", R"("spec":{})"), (Cells{"x", "100s"}));
}

TEST(Columns, EventsOfBothGroups) {
  EXPECT_EQ(
      RowOf("", "Event",
            R"("involvedObject":{"kind":"Pod","name":"p","fieldPath":"spec.containers{c}"},)"
            R"("type":"Warning","reason":"BackOff","message":"m",)"
            R"("firstTimestamp":"2001-09-09T01:46:50Z","lastTimestamp":"2001-09-09T01:47:50Z",)"
            R"("count":4,"source":{"component":"kubelet","host":"n"})",
            true),
      (Cells{"30s", "Warning", "BackOff", "pod/p", "spec.containers{c}", "kubelet, n", "m", "90s",
             "4", "x"}));
  EXPECT_EQ(
      RowOf("events.k8s.io", "Event",
            R"("regarding":{"kind":"Node","name":"n"},"type":"Normal","reason":"R","note":"t",)"
            R"("eventTime":"2001-09-09T01:47:20.000000Z","reportingController":"c",)"
            R"("series":{"count":7,"lastObservedTime":"2001-09-09T01:48:10.000000Z"})",
            true),
      (Cells{"10s", "Normal", "R", "node/n", "", "c", "t", "60s", "7", "x"}));
}

TEST(Columns, ClusterKinds) {
  const struct {
    const char* group;
    const char* kind;
    const char* object;
    Cells want;
  } kRows[] = {
      {"",
       "PersistentVolume",
       R"("spec":{"capacity":{"storage":"5Gi"},"accessModes":["ReadWriteOnce","ReadOnlyMany"],)"
       R"("persistentVolumeReclaimPolicy":"Delete","claimRef":{"namespace":"d","name":"c"},)"
       R"("storageClassName":"fast"},"status":{"phase":"Bound"})",
       {"x", "5Gi", "RWO,ROX", "Delete", "Bound", "d/c", "fast", "<unset>", "", "100s"}},
      {"storage.k8s.io",
       "StorageClass",
       R"("provisioner":"p")",
       {"x", "p", "Delete", "Immediate", "false", "100s"}},
      {"rbac.authorization.k8s.io",
       "RoleBinding",
       R"("roleRef":{"kind":"Role","name":"r"},"subjects":[{"kind":"User","name":"u"}])",
       {"x", "Role/r", "100s"}},
      {"",
       "ResourceQuota",
       R"("status":{"hard":{"limits.cpu":"2","pods":"10"},"used":{"limits.cpu":"1","pods":"3"}})",
       {"x", "pods: 3/10", "limits.cpu: 1/2", "100s"}},
      {"policy",
       "PodDisruptionBudget",
       R"("spec":{"minAvailable":"50%"},"status":{"disruptionsAllowed":1})",
       {"x", "50%", "N/A", "1", "100s"}},
      {"",
       "Endpoints",
       R"("subsets":[{"addresses":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}],"ports":[{"port":80},)"
       R"({"port":443}]}])",
       {"x", "10.0.0.1:80,10.0.0.1:443,[fd00::1]:80 + 1 more...", "100s"}},
      {"autoscaling",
       "HorizontalPodAutoscaler",
       R"("spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"minReplicas":1,)"
       R"("maxReplicas":5,"metrics":[{"type":"Resource","resource":{"name":"cpu",)"
       R"("target":{"averageUtilization":80}}},{"type":"Pods",)"
       R"("pods":{"target":{"averageValue":"1k"}}}]},"status":{"currentReplicas":2,)"
       R"("currentMetrics":[{"type":"Resource",)"
       R"("resource":{"current":{"averageUtilization":12}}}]})",
       {"x", "Deployment/web", "cpu: 12%/80%, <unknown>/1k (avg)", "1", "5", "2", "100s"}},
      {"networking.k8s.io",
       "NetworkPolicy",
       R"("spec":{"podSelector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"t",)"
       R"("operator":"In","values":["x","y"]},{"key":"o","operator":"DoesNotExist"}]}})",
       {"x", "a=b,t in (x,y),!o", "100s"}},
      {"batch",
       "Job",
       R"("spec":{"parallelism":3},"status":{"succeeded":1,"startTime":"2001-09-09T01:46:40Z",)"
       R"("completionTime":"2001-09-09T01:46:50Z","conditions":[{"type":"SuccessCriteriaMet",)"
       R"("status":"True"},{"type":"Complete","status":"True"}]})",
       {"x", "Complete", "1/1 of 3", "10s", "100s"}},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(RowOf(row.group, row.kind, row.object), row.want) << row.kind;
  }
}

TEST(Columns, KindsThatExtendACluster) {
  const struct {
    const char* group;
    const char* kind;
    const char* object;
    Cells want;
  } kRows[] = {
      {"apps",
       "ControllerRevision",
       R"("metadata":{"name":"x","ownerReferences":[{"apiVersion":"apps/v1",)"
       R"("kind":"StatefulSet","name":"db","controller":true}]},"revision":3)",
       {"x", "statefulset.apps/db", "3", "<unknown>"}},
      {"certificates.k8s.io",
       "CertificateSigningRequest",
       R"("spec":{"signerName":"s","username":"u","expirationSeconds":86400},)"
       R"("status":{"certificate":"x","conditions":[{"type":"Approved"}]})",
       {"x", "100s", "s", "u", "24h", "Approved,Issued"}},
      {"networking.k8s.io",
       "IPAddress",
       R"("spec":{"parentRef":{"group":"","resource":"services","namespace":"team","name":"web"}})",
       {"x", "services/team/web"}},
      {"storage.k8s.io",
       "CSIDriver",
       R"("spec":{"podInfoOnMount":true,"tokenRequests":[{"audience":"a"},{"audience":"b"}],)"
       R"("volumeLifecycleModes":["Persistent"]})",
       {"x", "true", "true", "false", "a,b", "false", "Persistent", "100s"}},
      {"admissionregistration.k8s.io",
       "ValidatingAdmissionPolicyBinding",
       R"("spec":{"policyName":"p","paramRef":{"selector":{"matchLabels":{"a":"b"}}}})",
       {"x", "p",
        "&LabelSelector{MatchLabels:map[string]string{a: "
        "b,},MatchExpressions:[]LabelSelectorRequirement{},}",
        "100s"}},
      {"resource.k8s.io",
       "ResourceClaim",
       R"("status":{"allocation":{},"reservedFor":[{"name":"p"}]})",
       {"x", "allocated,reserved", "100s"}},
      {"flowcontrol.apiserver.k8s.io",
       "PriorityLevelConfiguration",
       R"("spec":{"type":"Limited","limited":{"nominalConcurrencyShares":5,)"
       R"("limitResponse":{"type":"Reject"}}})",
       {"x", "Limited", "5", "<none>", "<none>", "<none>", "100s"}},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(RowOf(row.group, row.kind, row.object), row.want) << row.kind;
  }
}

TEST(Columns, KindsThatAskControllers) {
  EXPECT_EQ(RowOf("certificates.k8s.io", "ClusterTrustBundle", R"("spec":{"trustBundle":"x"})"),
            (Cells{"x", "<none>"}));
  EXPECT_EQ(RowOf("certificates.k8s.io", "PodCertificateRequest",
                  R"("spec":{"podName":"p","serviceAccountName":"s","nodeName":"n",)"
                  R"("signerName":"a/b","unverifiedUserAnnotations":{"c":"d"}},)"
                  R"("status":{"conditions":[{"type":"Issued","status":"True"}]})"),
            (Cells{"x", "p", "s", "n", "a/b", "Issued", "c=d"}));
  const char* const migration = "StorageVersionMigration";
  EXPECT_EQ(
      RowOf("storagemigration.k8s.io", migration, R"("spec":{"resource":{"resource":"pods"}})"),
      (Cells{"x", "pods", "Unknown"}));
  EXPECT_EQ(RowOf("storagemigration.k8s.io", migration,
                  R"("spec":{"resource":{"group":"apps","resource":"deployments"}},)"
                  R"("status":{"conditions":[{"type":"Running","status":"False"},)"
                  R"({"type":"Succeeded","status":"True"}]})"),
            (Cells{"x", "deployments.apps", "Succeeded"}));
  EXPECT_EQ(RowOf("resource.k8s.io", "DeviceTaintRule",
                  R"("spec":{"taint":{"key":"k","value":"v","effect":"NoExecute",)"
                  R"("timeAdded":"2001-09-09T01:47:40Z"}})"),
            (Cells{"x", "k", "v", "NoExecute", "40s", "100s"}));
  EXPECT_EQ(RowOf("resource.k8s.io", "DeviceTaintRule", R"("spec":{"taint":{"key":"k"}})"),
            (Cells{"x", "k", "", "", "", "100s"}));
  EXPECT_EQ(RowOf("scheduling.k8s.io", "PodGroup", R"("spec":{"schedulingPolicy":{"basic":{}}})"),
            (Cells{"x", "Basic", "<none>", "Pending", "100s"}));
  EXPECT_EQ(RowOf("scheduling.k8s.io", "PodGroup",
                  R"("spec":{"schedulingPolicy":{"gang":{"minCount":2}},)"
                  R"("workloadRef":{"workloadName":"w"}},"status":{"conditions":[)"
                  R"({"type":"DisruptionTarget","status":"True","reason":"Preempted"},)"
                  R"({"type":"PodGroupInitiallyScheduled","status":"True"}]})"),
            (Cells{"x", "Gang", "w", "Preempted", "100s"}));
  EXPECT_EQ(RowOf("scheduling.k8s.io", "CompositePodGroup", R"("spec":{"schedulingPolicy":{}})"),
            (Cells{"x", "Basic", "<none>", "100s"}));
}

TEST(Columns, EveryTableHasARowAsLongAsItsTitles) {
  const std::pair<const char*, const char*> kKinds[] = {
      {"", "Pod"},
      {"apps", "Deployment"},
      {"apps", "ReplicaSet"},
      {"apps", "StatefulSet"},
      {"apps", "DaemonSet"},
      {"batch", "Job"},
      {"batch", "CronJob"},
      {"", "Service"},
      {"", "Node"},
      {"", "Namespace"},
      {"", "ConfigMap"},
      {"", "Secret"},
      {"discovery.k8s.io", "EndpointSlice"},
      {"networking.k8s.io", "Ingress"},
      {"", "Event"},
      {"coordination.k8s.io", "Lease"},
      {"", "PersistentVolumeClaim"},
      {"", "ReplicationController"},
      {"", "Endpoints"},
      {"", "PersistentVolume"},
      {"", "LimitRange"},
      {"", "ResourceQuota"},
      {"events.k8s.io", "Event"},
      {"storage.k8s.io", "StorageClass"},
      {"rbac.authorization.k8s.io", "Role"},
      {"rbac.authorization.k8s.io", "ClusterRole"},
      {"rbac.authorization.k8s.io", "RoleBinding"},
      {"rbac.authorization.k8s.io", "ClusterRoleBinding"},
      {"policy", "PodDisruptionBudget"},
      {"networking.k8s.io", "NetworkPolicy"},
      {"networking.k8s.io", "IngressClass"},
      {"scheduling.k8s.io", "PriorityClass"},
      {"node.k8s.io", "RuntimeClass"},
      {"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
      {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"},
      {"apiregistration.k8s.io", "APIService"},
      {"autoscaling", "HorizontalPodAutoscaler"},
      {"apiextensions.k8s.io", "CustomResourceDefinition"},
      {"", "ComponentStatus"},
      {"", "PodTemplate"},
      {"apps", "ControllerRevision"},
      {"certificates.k8s.io", "CertificateSigningRequest"},
      {"networking.k8s.io", "IPAddress"},
      {"networking.k8s.io", "ServiceCIDR"},
      {"storage.k8s.io", "CSIDriver"},
      {"storage.k8s.io", "CSINode"},
      {"storage.k8s.io", "CSIStorageCapacity"},
      {"storage.k8s.io", "VolumeAttachment"},
      {"storage.k8s.io", "VolumeAttributesClass"},
      {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy"},
      {"admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"},
      {"resource.k8s.io", "ResourceClaim"},
      {"resource.k8s.io", "ResourceSlice"},
      {"flowcontrol.apiserver.k8s.io", "FlowSchema"},
      {"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"},
      {"certificates.k8s.io", "ClusterTrustBundle"},
      {"certificates.k8s.io", "PodCertificateRequest"},
      {"storagemigration.k8s.io", "StorageVersionMigration"},
      {"resource.k8s.io", "DeviceTaintRule"},
      {"scheduling.k8s.io", "PodGroup"},
      {"scheduling.k8s.io", "CompositePodGroup"}};
  for (const auto& [group, kind] : kKinds) {
    for (const bool wide : {false, true}) {
      EXPECT_EQ(RowOf(group, kind, R"("spec":null)", wide).size(),
                TitlesOf(ColumnsFor(group, kind), wide).size())
          << kind;
    }
  }
}

}  // namespace
}  // namespace kinformer::internal::table
