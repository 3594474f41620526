// Writes of scales and bindings: which are refused, and that these change nothing.

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

constexpr std::string_view kSets = "/apis/apps/v1/namespaces/default/replicasets";
constexpr std::string_view kBindings = "/api/v1/namespaces/default/bindings";
constexpr std::string_view kAllPods = "/api/v1/namespaces/default/pods";
const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
const HeaderList kJsonPatch = {{"Content-Type", "application/json-patch+json"}};
const HeaderList kText = {{"Content-Type", "text/plain"}};

class SubresourceWrites : public ::testing::Test {
 protected:
  SubresourceWrites() {
    EXPECT_EQ(server_
                  .Do("POST", kSets,
                      R"({"metadata":{"name":"a"},"spec":{"replicas":2,"selector":{"matchLabels":)"
                      R"({"l":"1"}},"template":{"metadata":{"labels":{"l":"1"}},"spec":)"
                      R"({"containers":[{"name":"c","image":"i"}]}}}})")
                  .status,
              201);
    for (const char* name : {"p", "q"}) {
      EXPECT_EQ(server_
                    .Do("POST", kAllPods,
                        R"({"metadata":{"name":")" + std::string(name) +
                            R"("},"spec":{"containers":[{"name":"c","image":"i"}]}})")
                    .status,
                201);
    }
  }
  [[nodiscard]] std::string Pod(const std::string& name, std::string_view pointer) {
    return server_.Get(std::string(kAllPods) + "/" + name).Json().At(pointer).Dump();
  }

  TestServer server_;
};

TEST_F(SubresourceWrites, FaultyScale_ChangesNothing) {
  const std::string path = std::string(kSets) + "/a/scale";
  const auto replicas = [&] {
    return server_.Get(std::string(kSets) + "/a").Json().At("/spec/replicas").Dump();
  };
  struct Row {
    std::string_view method;
    std::string query;
    std::string body;
    HeaderList headers;
    int status;
  };
  const std::string scale =
      R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a"},)"
      R"("spec":{"replicas":7}})";
  const std::string seven = R"({"spec":{"replicas":7}})";
  for (const Row& row : {
           Row{"PATCH", "",
               R"([{"op":"test","path":"/spec/replicas","value":3},)"
               R"({"op":"replace","path":"/spec/replicas","value":7}])",
               kJsonPatch, 422},
           Row{"PATCH", "", R"([{"op":"remove","path":"/spec/none"}])", kJsonPatch, 422},
           Row{"PATCH", "", "{", kMerge, 400},
           Row{"PATCH", "", seven, kText, 415},
           Row{"PATCH", "?dryRun=x", seven, kMerge, 422},
           Row{"PATCH", "?fieldValidation=x", seven, kMerge, 422},
           Row{"PATCH", "", R"({"metadata":{"resourceVersion":"1"},"spec":{"replicas":7}})", kMerge,
               409},
           Row{"PATCH", "", R"({"spec":{"replicas":-1}})", kMerge, 422},
           Row{"PUT", "?dryRun=x", scale, {}, 422},
           Row{"PUT", "", "{", {}, 400},
           Row{"PUT", "?dryRun=All", scale, {}, 200},
           Row{"PATCH", "?dryRun=All", seven, kMerge, 200},
       }) {
    const Reply reply = server_.Do(row.method, path + row.query, row.body, row.headers);
    EXPECT_EQ(reply.status, row.status) << row.method << row.query << row.body << reply.body;
    EXPECT_EQ(replicas(), "2") << row.method << row.query << row.body;
    if (row.status != 200) continue;
    EXPECT_EQ(reply.Json().At("/spec/replicas").Dump(), "7") << row.method;
    EXPECT_EQ(reply.Json()["kind"].StringOrEmpty(), "Scale") << row.method;
  }
  EXPECT_EQ(server_.Do("PATCH", std::string(kSets) + "/none/scale", seven, kMerge).status, 404);
  EXPECT_EQ(server_.Do("PATCH", path, seven, kMerge).status, 200);
  EXPECT_EQ(replicas(), "7");
}

TEST_F(SubresourceWrites, Binding_IsOfItsPodOrStandsAlone) {
  const std::string body =
      R"({"metadata":{"name":"p","labels":{"zone":"z"},"annotations":{"a":"b"}},)"
      R"("target":{"kind":"Node","name":"n1"}})";
  EXPECT_EQ(server_.Do("POST", std::string(kBindings) + "?dryRun=All", body).status, 201);
  EXPECT_EQ(Pod("p", "/spec/nodeName"), "null");
  EXPECT_EQ(server_.Do("POST", std::string(kBindings) + "?dryRun=x", body).status, 422);
  EXPECT_EQ(server_.Do("POST", std::string(kBindings) + "/p", body).status, 405);
  const Reply bound = server_.Do("POST", kBindings, body);
  EXPECT_EQ(bound.status, 201) << bound.body;
  EXPECT_EQ(bound.Json(), Json(R"({"kind":"Status","apiVersion":"v1","metadata":{},)"
                               R"("status":"Success","code":201})"));
  EXPECT_EQ(Pod("p", "/spec/nodeName"), "\"n1\"");
  EXPECT_EQ(Pod("p", "/metadata/labels"), R"({"zone":"z"})");
  EXPECT_EQ(Pod("p", "/metadata/annotations"), R"({"a":"b"})");
  EXPECT_EQ(Pod("p", "/status/conditions/0/type"), "\"PodScheduled\"");
  EXPECT_EQ(Pod("p", "/status/conditions/0/status"), "\"True\"");
  EXPECT_EQ(Pod("p", "/status/conditions/1"), "null");
}

TEST_F(SubresourceWrites, FaultyBinding_ChangesNothing) {
  struct Row {
    std::string body;
    int status;
    std::string message;
  };
  const std::string path = std::string(kAllPods) + "/q/binding";
  for (const Row& row : {
           Row{R"({"metadata":{"name":"p"},"target":{"name":"n"}})", 400,
               "name in URL does not match name in Binding object"},
           Row{R"({"metadata":{"name":"q"},"target":{"kind":"Pod","name":"n"}})", 500,
               "target.kind: Unsupported value: \"Pod\": supported values: \"Node\", \"<empty>\""},
           Row{R"({"metadata":{"name":"q"},"target":{"kind":"Node"}})", 500,
               "target.name: Required value"},
           Row{R"({"metadata":{"name":"q","uid":"other"},"target":{"name":"n"}})", 409, ""},
       }) {
    const Reply reply = server_.Do("POST", path, row.body);
    EXPECT_EQ(reply.status, row.status) << row.body << reply.body;
    if (!row.message.empty()) {
      EXPECT_EQ(reply.Json()["message"].StringOrEmpty(), row.message);
    }
    EXPECT_EQ(Pod("q", "/spec/nodeName"), "null") << row.body;
  }
}

TEST_F(SubresourceWrites, StrictBody_WithoutProblemsIsTaken) {
  const std::string path = "/api/v1/namespaces/default/configmaps?fieldValidation=Strict";
  EXPECT_EQ(server_.Do("POST", path, R"({"metadata":{"name":"m"},"data":{"a":"b"}})").status, 201);
  const Reply refused = server_.Do("POST", path, R"({"metadata":{"name":"n"},"x":1})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.Json()["message"].StringOrEmpty(),
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: "
            "unknown field \"x\"");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
