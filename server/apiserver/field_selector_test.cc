// The fields of each built-in resource that selectors may name, and what they compare.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Resource {
  std::string_view path;  // below "/"
  std::set<std::string_view> fields;
};

const std::vector<Resource>& Resources() {
  static const std::vector<Resource> resources = {
      {"api/v1/pods",
       {"spec.nodeName", "spec.host", "spec.restartPolicy", "spec.schedulerName",
        "spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP",
        "status.podIPs", "status.nominatedNodeName"}},
      {"api/v1/nodes", {"spec.unschedulable"}},
      {"api/v1/namespaces", {"status.phase"}},
      {"api/v1/secrets", {"type"}},
      {"api/v1/services", {"spec.clusterIP", "spec.type"}},
      {"api/v1/replicationcontrollers", {"status.replicas"}},
      {"api/v1/events",
       {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
        "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
        "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type"}},
      {"apis/events.k8s.io/v1/events",
       {"regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid",
        "regarding.apiVersion", "regarding.resourceVersion", "regarding.fieldPath", "reason",
        "reportingController", "type"}},
      {"apis/batch/v1/jobs", {"status.successful"}},
      {"apis/certificates.k8s.io/v1/certificatesigningrequests", {"spec.signerName"}},
      {"apis/resource.k8s.io/v1/resourceslices", {"spec.nodeName", "spec.driver"}},
      {"api/v1/configmaps", {}},
      {"api/v1/endpoints", {}},
      {"apis/apps/v1/deployments", {}},
      {"apis/batch/v1/cronjobs", {}},
      {"apis/resource.k8s.io/v1/resourceclaims", {}},
      {"apis/coordination.k8s.io/v1/leases", {}},
  };
  return resources;
}

TEST(FieldSelectors, EachResource_TakesItsFieldsAndNoneOfTheOthers) {
  TestServer server;
  std::set<std::string_view> all;
  for (const Resource& resource : Resources())
    all.insert(resource.fields.begin(), resource.fields.end());
  for (const Resource& resource : Resources()) {
    std::set<std::string_view> taken;
    for (const std::string_view field : all) {
      const Reply reply = server.Get("/" + std::string(resource.path) +
                                     "?fieldSelector=" + std::string(field) + "%3Dx");
      if (reply.status == 200) {
        taken.insert(field);
      } else {
        EXPECT_EQ(reply.status, 400) << resource.path << " " << field;
        EXPECT_THAT(reply.body, HasSubstr(resource.fields.empty() ? "is not a known field selector"
                                                                  : "field label not supported"))
            << resource.path << " " << field;
      }
    }
    EXPECT_EQ(taken, resource.fields) << resource.path;
  }
}

// The names of those that a selector leaves.
std::vector<std::string> Selected(TestServer& server, std::string_view path,
                                  std::string_view selector) {
  std::vector<std::string> names;
  const Reply reply = server.Get(std::string(path) + "?fieldSelector=" + std::string(selector));
  EXPECT_EQ(reply.status, 200) << reply.body;
  const json::Value list = reply.Json();
  for (const json::Value& item : list["items"].items()) {
    names.push_back(item.At("/metadata/name").StringOrEmpty());
  }
  return names;
}

TEST(FieldSelectors, AFieldThatIsNotThere_HasItsDefault) {
  TestServer server;
  server.server()
      .Load(
          "{apiVersion: v1, kind: Node, metadata: {name: open}}\n---\n"
          "{apiVersion: v1, kind: Node, metadata: {name: closed}, spec: {unschedulable: true}}\n")
      .OrExit();
  const std::string nodes = "/api/v1/nodes";
  EXPECT_THAT(Selected(server, nodes, "spec.unschedulable%3Dfalse"), ElementsAre("open"));
  EXPECT_THAT(Selected(server, nodes, "spec.unschedulable%3Dtrue"), ElementsAre("closed"));
}

// The field is named so, and compares status.succeeded.
TEST(FieldSelectors, StatusSuccessful_IsHowManyPodsOfAJobHaveSucceeded) {
  TestServer server;
  const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";
  for (const char* name : {"done", "fresh"}) {
    const Reply made =
        server.Do("POST", jobs,
                  R"({"metadata":{"name":")" + std::string(name) +
                      R"("},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[)"
                      R"({"name":"c","image":"i"}]}}}})");
    ASSERT_EQ(made.status, 201) << made.body;
  }
  const Reply done = server.Do("PATCH", jobs + "/done/status", R"({"status":{"succeeded":2}})",
                               {{"Content-Type", "application/merge-patch+json"}});
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_THAT(Selected(server, jobs, "status.successful%3D2"), ElementsAre("done"));
  EXPECT_THAT(Selected(server, jobs, "status.successful%3D0"), ElementsAre("fresh"));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
