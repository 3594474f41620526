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
  EXPECT_THAT(text, HasSubstr("Node:             n/10.0.0.7\n"));
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
  EXPECT_THAT(text, HasSubstr("  Type       Status  Reason\n"
                              "  ----       ------  ------\n"
                              "  Available  False   Few\n"));
}

TEST(Description, AnyOtherKindIsDescribedByItsFields) {
  const std::string text = DescribeText(
      R"({"apiVersion":"x.io/v1","kind":"Tab","metadata":{"name":"t","namespace":"d","uid":"u"},)"
      R"("spec":{"cronSpec":"* *","list":[1,2],"objs":[{"a":1}],"apiURL":"q"}})");
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
            "    A:   1\n"
            "Events:  <none>\n");
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
