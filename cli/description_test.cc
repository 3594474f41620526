#include "cli/description.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const WallTime kNow{std::chrono::seconds(1704067200)};  // 2024-01-01

std::string DescribeText(const std::string& json, const Related& related = {}) {
  return Describe(json::Parse(json).OrExit(), related, kNow);
}

TEST(Description, NeighbouringLinesStandInColumns) {
  Description out;
  out.Field(0, "A", "1");
  out.Field(0, "Long", "2\n3");
  out.Title(0, "Title");
  out.Field(1, "B", "\x1b[31m");
  EXPECT_EQ(out.ToText(),
            "A:     1\n"
            "Long:  2\n"
            "       3\n"
            "Title:\n"
            "  B:  \\x1b[31m\n");
}

TEST(Description, LabelsAreListedAndNoneIsSaid) {
  Description out;
  out.Labels(0, "Labels", json::Parse(R"({"b":"2","a":"1"})").OrExit());
  out.Annotations(0, "Annotations", {});
  EXPECT_EQ(out.ToText(), "Labels:       a=1\n              b=2\nAnnotations:  <none>\n");
}

TEST(Description, TimesHaveTheirDay) {
  EXPECT_EQ(TimeText("2026-01-01T00:00:01Z"), "Thu, 01 Jan 2026 00:00:01 +0000");
  EXPECT_EQ(TimeText("soon"), "soon");
}

TEST(Description, APodShowsItsContainersAndWhyTheyEnded) {
  const std::string text = DescribeText(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"default"},)"
      R"("spec":{"nodeName":"n","containers":[{"name":"app","image":"nginx","env":[)"
      R"({"name":"S","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],"ports":[)"
      R"({"containerPort":80},{"containerPort":81}],"livenessProbe":{"httpGet":{"path":"/h",)"
      R"("port":80}}}]},"status":{"phase":"Running","hostIP":"10.0.0.7","containerStatuses":[)"
      R"({"name":"app","restartCount":2,"state":{"waiting":{"reason":"CrashLoopBackOff"}},)"
      R"("lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}})");
  EXPECT_THAT(text, HasSubstr("Node:         n/10.0.0.7\n"));
  EXPECT_THAT(text,
              HasSubstr("    State:          Waiting\n      Reason:       CrashLoopBackOff\n"));
  EXPECT_THAT(text, HasSubstr("    Last State:     Terminated\n      Reason:       OOMKilled\n"
                              "      Exit Code:    137\n"));
  EXPECT_THAT(text, HasSubstr("Ports:          80/TCP, 81/TCP\n"));
  EXPECT_THAT(text, HasSubstr("http-get http://:80/h delay=0s timeout=1s period=10s #success=1"));
  EXPECT_THAT(text, HasSubstr("<set to the key 'k' in secret 's'>  Optional: false"));
  EXPECT_THAT(text, HasSubstr("Events:"));
}

TEST(Description, ASecretsDataIsNeverPrinted) {
  const std::string text =
      DescribeText(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"type":"Opaque",)"
                   R"("data":{"key":"c2VjcmV0","longer":"c2VjcmV0cw=="}})");
  EXPECT_THAT(text, HasSubstr("key:     6 bytes\nlonger:  7 bytes\n"));
  EXPECT_THAT(text, Not(HasSubstr("c2VjcmV0")));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST(Description, AServiceShowsItsPortsAndEndpoints) {
  Related related;
  related.slices = {json::Parse(R"({"ports":[{"name":"http","port":8080}],"endpoints":[)"
                                R"({"addresses":["10.1.0.3"]},{"addresses":["10.1.0.4"],)"
                                R"("conditions":{"ready":false}}]})")
                        .OrExit()};
  const std::string text = DescribeText(
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"d"},"spec":)"
      R"({"type":"ClusterIP","selector":{"app":"web"},"ports":[{"name":"http","port":80,)"
      R"("targetPort":"http"}]}})",
      related);
  EXPECT_THAT(text, HasSubstr("http  80/TCP\n"));
  EXPECT_THAT(text, HasSubstr("TargetPort:        http/TCP\n"));
  EXPECT_THAT(text, HasSubstr("Endpoints:         10.1.0.3:8080\n")) << "only those that are ready";
}

TEST(Description, ADeploymentShowsItsReplicasAndConditions) {
  const std::string text = DescribeText(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"d"},)"
      R"("spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"spec":)"
      R"({"containers":[{"name":"app","image":"nginx"}]}}},"status":{"replicas":2,)"
      R"("availableReplicas":1,"conditions":[{"type":"Available","status":"False",)"
      R"("reason":"Few"}]}})");
  EXPECT_THAT(text, HasSubstr("2 desired | 0 updated | 2 total | 1 available | 0 unavailable"));
  EXPECT_THAT(text, HasSubstr("  Type        Status  Reason\n"
                              "  ----        ------  ------\n"
                              "  Available   False   Few\n"));
}

TEST(Description, ALongAnnotationAndOneOfSeveralLinesStandBelowTheirNames) {
  Description out;
  const std::string longest(133, 'x');
  json::Value notes = json::Parse(R"({"lines":"one\ntwo\n","plain":"p"})").OrExit();
  notes.Ensure("longest") = longest;
  out.Annotations(0, "A", notes);
  notes = json::Value::MakeObject();
  notes.Ensure("longer") = longest + "yyyyyyy";
  out.Annotations(0, "A", notes);
  EXPECT_EQ(out.ToText(), "A:  lines:\n      one\n      two\n    longest:\n      " + longest +
                              "\n    plain: p\nA:  longer:\n      " + longest + "yyyyy...\n");
}

TEST(Description, VolumesSayWhatTheyAre) {
  const std::string text = DescribeText(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[)"
      R"({"name":"c","configMap":{"name":"settings","optional":true}},{"name":"e","emptyDir":{}},)"
      R"({"name":"t","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":9}},)"
      R"({"downwardAPI":{}}]}},{"name":"d","csi":{"driver":"x","volumeAttributes":{"a":"b"}}},)"
      R"({"name":"o","rbd":{"pool":"p"}}]}})");
  EXPECT_THAT(text, HasSubstr("Volumes:\n"
                              "  c:\n"
                              "    Type:      ConfigMap (a volume populated by a ConfigMap)\n"
                              "    Name:      settings\n"
                              "    Optional:  true\n"));
  EXPECT_THAT(text, HasSubstr("    Medium:     \n    SizeLimit:  <unset>\n"));
  EXPECT_THAT(text,
              HasSubstr("    TokenExpirationSeconds:  9\n    DownwardAPI:             true\n"));
  EXPECT_THAT(text, HasSubstr("    ReadOnly:          false\n    VolumeAttributes:      a=b\n"));
  EXPECT_THAT(text, HasSubstr("  o:\n    Type:        Rbd\n    Pool:        p\n"));
}

TEST(Description, VariablesShowWhatTheyAreTakenFrom) {
  const std::string text = DescribeText(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"b"}},"spec":{)"
      R"("containers":[{"name":"c","resources":{"limits":{"memory":"1Gi"}},"env":[)"
      R"({"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},)"
      R"({"name":"B","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['a']"}}},)"
      R"({"name":"C","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}},)"
      R"({"name":"D","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}},)"
      R"({"name":"E","valueFrom":{"resourceFieldRef":{"resource":"limits.memory",)"
      R"("divisor":"1Mi"}}}]}]}})");
  EXPECT_THAT(text, HasSubstr("      A:         p (v1:metadata.name)\n"
                              "      B:         b (v1:metadata.labels['a'])\n"
                              "      C:          (v1:status.podIP)\n"
                              "      D:         node allocatable (limits.cpu)\n"
                              "      E:         1024 (limits.memory)\n"));
  EXPECT_THAT(text, Not(HasSubstr("Container ID"))) << "without a status";
}

TEST(Description, ANodeShowsWhatItsPodsRequest) {
  Related related;
  related.pods = {
      json::Parse(R"({"metadata":{"name":"p","namespace":"d"},"spec":{"containers":[)"
                  R"({"resources":{"requests":{"cpu":"100m","memory":"1Gi"}}},)"
                  R"({"resources":{"requests":{"cpu":"100m","example.com/gpu":"1"}}}],)"
                  R"("initContainers":[{"restartPolicy":"Always","resources":{"requests":)"
                  R"({"cpu":"50m"}}},{"resources":{"requests":{"cpu":"1"}}}]}})")
          .OrExit(),
      json::Parse(R"({"metadata":{"name":"q","namespace":"d"},"spec":{"containers":[)"
                  R"({"resources":{"limits":{"memory":"1Gi"}}}]}})")
          .OrExit()};
  related.lease_error = "leases \"n\" not found";
  const std::string node =
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{)"
      R"("cpu":"4","memory":"8Gi","pods":"110","example.com/gpu":"2"}}})";
  const std::string text = DescribeText(node, related);
  EXPECT_THAT(text, HasSubstr("Lease:              Failed to get lease: leases \"n\" not found\n"));
  EXPECT_THAT(text, HasSubstr("    p       1050m (26%)   0 (0%)      1Gi (12%)        0 (0%)  "));
  EXPECT_THAT(text, HasSubstr("Allocated resources:\n"
                              "  (Total limits may be over 100 percent, i.e., overcommitted.)\n"
                              "  Resource           Requests     Limits\n"
                              "  --------           --------     ------\n"
                              "  cpu                1050m (26%)  0 (0%)\n"
                              "  memory             1Gi (12%)    1Gi (12%)\n"
                              "  ephemeral-storage  0 (0%)       0 (0%)\n"
                              "  example.com/gpu    1            0\n"));
  related.lease_error.clear();
  related.lease =
      json::Parse(R"({"spec":{"holderIdentity":"n","renewTime":"2024-01-01T00:00:00Z"}})").OrExit();
  EXPECT_THAT(DescribeText(node, related),
              HasSubstr("Lease:\n  HolderIdentity:  n\n  AcquireTime:     <unset>\n"
                        "  RenewTime:       Mon, 01 Jan 2024 00:00:00 +0000\n"));
}

TEST(Description, ADeploymentNamesItsReplicaSets) {
  Related related;
  for (const char* set :
       {R"({"metadata":{"name":"web-a"},"spec":{"replicas":0,"template":{"spec":{"x":1}}}})",
        R"({"metadata":{"name":"web-b"},"spec":{"replicas":3,"template":{"metadata":)"
        R"({"labels":{"a":"b","pod-template-hash":"b"}},"spec":{"x":2}}},"status":)"
        R"({"replicas":2}})"}) {
    related.replica_sets.push_back(json::Parse(set).OrExit());
  }
  const std::string deployment =
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{)"
      R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"x":2}}}})";
  const std::string text = DescribeText(deployment, related);
  EXPECT_THAT(text, HasSubstr("OldReplicaSets:    web-a (0/0 replicas created)\n"
                              "NewReplicaSet:     web-b (2/3 replicas created)\n"));
  EXPECT_THAT(DescribeText(deployment), Not(HasSubstr("ReplicaSet")));
}

TEST(Description, ATemplatesContainersStandOneBlankDeeper) {
  EXPECT_THAT(
      DescribeText(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r"},)"
                   R"("spec":{"template":{"spec":{"containers":[{"name":"c"}],"volumes":[)"
                   R"({"name":"v","emptyDir":{}}]}}}})"),
      HasSubstr("  Containers:\n   c:\n    Image:        \n    Port:         <none>\n"
                "    Host Port:    <none>\n    Environment:  <none>\n"
                "    Mounts:       <none>\n  Volumes:\n   v:\n    Type:          EmptyDir"));
}

TEST(Description, ALoadBalancersAddressHasItsMode) {
  EXPECT_THAT(
      DescribeText(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"status":)"
                   R"({"loadBalancer":{"ingress":[{"ip":"10.0.0.9","ipMode":"VIP"},)"
                   R"({"hostname":"a.example"}]}}})"),
      HasSubstr("LoadBalancer Ingress:  10.0.0.9 (VIP), a.example\n"));
}

TEST(Description, AnIngressShowsWhatIsBehindItsPaths) {
  Related related;
  Backend web;
  web.service = json::Parse(R"({"spec":{"ports":[{"name":"http","port":80}]}})").OrExit();
  web.slices = {json::Parse(R"({"ports":[{"name":"http","port":8080}],"endpoints":[{"addresses":)"
                            R"(["10.1.0.1","10.1.0.2","10.1.0.3","10.1.0.4","10.1.0.5"]}]})")
                    .OrExit()};
  related.backends["web"] = web;
  related.backends["gone"].error = "services \"gone\" not found";
  const std::string text = DescribeText(
      R"({"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"i"},"spec":)"
      R"({"rules":[{"http":{"paths":[{"path":"/","backend":{"service":{"name":"web","port":)"
      R"({"number":80}}}},{"path":"/x","backend":{"service":{"name":"gone","port":)"
      R"({"name":"x"}}}}]}}]}})",
      related);
  EXPECT_THAT(text, HasSubstr("web:80 (10.1.0.1:8080,10.1.0.2:8080,10.1.0.3:8080 + 2 more...)\n"));
  EXPECT_THAT(text, HasSubstr("gone:x (<error: services \"gone\" not found>)\n"));
}

TEST(Description, RolesAreTablesOfTheirRules) {
  const std::string text = DescribeText(
      R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":)"
      R"("r"},"rules":[{"apiGroups":["","apps"],"resources":["x"],"verbs":["get","list"]},)"
      R"({"nonResourceURLs":["/healthz"],"verbs":["get"]}]})");
  EXPECT_THAT(text, HasSubstr("  Resources  Non-Resource URLs  Resource Names  Verbs\n"
                              "  ---------  -----------------  --------------  -----\n"));
  EXPECT_THAT(text, HasSubstr("  x          []                 []              [get list]\n"));
  EXPECT_THAT(text, HasSubstr("  x.apps     []                 []              [get list]\n"));
  EXPECT_THAT(text, HasSubstr("             [/healthz]         []              [get]\n"));
}

TEST(Description, AnyOtherKindIsDescribedByItsFields) {
  const std::string text = DescribeText(
      R"({"apiVersion":"x.io/v1","kind":"Tab","metadata":{"name":"t","namespace":"d","uid":"u"},)"
      R"("spec":{"cronSpec":"* *","list":[1,2],"objs":[{"a":1}],"apiURL":"q",)"
      R"("v3Schema":1,"x-y":2}})");
  EXPECT_EQ(text,
            "Name:         t\n"
            "Namespace:    d\n"
            "Labels:       <none>\n"
            "Annotations:  <none>\n"
            "API Version:  x.io/v1\n"
            "Kind:         Tab\n"
            "Metadata:\n"
            "  UID:  u\n"
            "Spec:\n"
            "  API URL:    q\n"
            "  Cron Spec:  * *\n"
            "  List:\n"
            "    1\n"
            "    2\n"
            "  Objs:\n"
            "    A:       1\n"
            "  v3Schema:  1\n"
            "  X - Y:     2\n"
            "Events:      <none>\n");
}

TEST(Description, EventsStandAtTheEndWithTheirCounts) {
  Related related;
  related.events = {{.type = "Warning",
                     .reason = "BackOff",
                     .message = "again",
                     .source = "kubelet",
                     .first = 1704067200 - 7200,
                     .last = 1704067200 - 60,
                     .count = 3}};
  EXPECT_THAT(DescribeText(R"({"apiVersion":"x/v1","kind":"T","metadata":{"name":"t"}})", related),
              HasSubstr("Events:\n"
                        "  Type     Reason   Age                 From     Message\n"
                        "  ----     ------   ----                ----     -------\n"
                        "  Warning  BackOff  60s (x3 over 120m)  kubelet  again\n"));
}

}  // namespace
}  // namespace kinformer::cli
