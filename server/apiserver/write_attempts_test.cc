// Writes whose object changes meanwhile: tried again, and given up in the end; and their answers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing/admission_fixture.h"
#include "apiserver/write/request/request_body.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
const GroupVersionResource kDeployments{
    .group = "apps", .version = "v1", .resource = "deployments"};
constexpr std::string_view kScale = "/apis/apps/v1/namespaces/default/deployments/d/scale";

std::string Warnings(const Reply& reply) {
  std::string out;
  for (const auto& [name, value] : reply.headers) {
    if (name == "Warning") out.append(value).append(";");
  }
  return out;
}

class WriteAttempts : public AdmissionWebhooksTest {
 protected:
  // Asks "m" and "v" about ConfigMaps and Scales. "v" changes the object in its first `changes`
  // calls, as another client might.
  void ChangeMeanwhile(int changes) {
    const std::string rules = R"({"rules":[{"operations":["*"],"apiGroups":["*"],
      "apiVersions":["*"],"resources":["configmaps","deployments/scale"]}]})";
    At("m").answer = [](const json::Value&) {
      return Json(R"({"allowed":true,"warnings":["m"]})");
    };
    At("v").answer = [this, changes](const json::Value& request) {
      if (At("v").asked.size() <= static_cast<std::size_t>(changes)) {
        const bool scale = request.At("/kind/kind").StringOrEmpty() == "Scale";
        const json::Value labels = Json(R"({"metadata":{"labels":{"at":"v)" +
                                        std::to_string(At("v").asked.size()) + R"("}}})");
        EXPECT_TRUE(
            server_.server()
                .Patch(scale ? kDeployments : kConfigMaps, {"default", scale ? "d" : "x"}, labels)
                .ok());
      }
      return Json(R"({"allowed":true,"warnings":["v"]})");
    };
    Mutating("m", rules);
    Validating("v", rules);
  }
  struct Write {
    const char* method;
    std::string path;
    std::string body;
  };
  static std::vector<Write> Writes(std::size_t bytes) {
    const std::string data = R"("data":{"k":")" + std::string(bytes, 'x') + "\"}";
    return {{"PUT", std::string(kMaps) + "/x", R"({"metadata":{"name":"x"},)" + data + "}"},
            {"PATCH", std::string(kMaps) + "/x", "{" + data + "}"},
            {"PUT", std::string(kScale), R"({"metadata":{"name":"d"},"spec":{"replicas":4}})"},
            {"PATCH", std::string(kScale), R"({"spec":{"replicas":5}})"},
            {"DELETE", std::string(kMaps) + "/x", ""}};
  }
  void MakeObjects() {
    server_.MakeConfigMap("default", "x");
    server_.server()
        .Create(kDeployments, Json(R"({"metadata":{"name":"d","namespace":"default"},
          "spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
          "spec":{"containers":[{"name":"c","image":"i"}]}}}})"))
        .OrExit();
  }
  Reply Send(const Write& write) {
    return server_.Do(write.method, write.path, write.body,
                      write.method == std::string_view("PATCH") ? kMerge : HeaderList());
  }
};

TEST_F(WriteAttempts, ObjectThatChangesFourTimes_IsWrittenAtLast) {
  MakeObjects();
  ChangeMeanwhile(4);
  for (const std::size_t bytes : {1U, 20'000U}) {
    for (const Write& write : Writes(bytes)) {
      if (write.method == std::string_view("DELETE") && bytes == 1) continue;
      At("m").asked.clear();
      At("v").asked.clear();
      const Reply reply = Send(write);
      EXPECT_EQ(reply.status, 200) << write.method << write.path << reply.body.substr(0, 300);
      EXPECT_THAT(At("v").asked, SizeIs(5)) << write.method << write.path;
      EXPECT_THAT(At("m").asked, SizeIs(5)) << write.method << write.path << " is asked anew";
      EXPECT_EQ(At("v").asked[4].At("/oldObject/metadata/resourceVersion").StringOrEmpty().empty(),
                false);
      EXPECT_EQ(Warnings(reply), "299 - \"m\";299 - \"v\";") << "the last ones";
    }
  }
  EXPECT_EQ(server_.server().ObjectCount(kConfigMaps), 0U);
  EXPECT_EQ(server_.Get(kScale).Json().At("/spec/replicas").AsInt64(), 5);
}

TEST_F(WriteAttempts, ObjectThatChangesFiveTimes_IsAConflict) {
  MakeObjects();
  ChangeMeanwhile(5);
  for (const std::size_t bytes : {1U, 20'000U}) {
    for (const Write& write : Writes(bytes)) {
      At("v").asked.clear();
      const Reply reply = Send(write);
      EXPECT_EQ(reply.status, 409) << write.method << write.path;
      EXPECT_THAT(reply.Json()["message"].StringOrEmpty(),
                  HasSubstr("the object has been modified; please apply your changes to the latest "
                            "version and try again"));
      EXPECT_THAT(At("v").asked, SizeIs(5)) << write.method << write.path;
    }
  }
  const json::Value left = server_.Get(std::string(kMaps) + "/x").Json();
  EXPECT_EQ(left.At("/metadata/labels/at").StringOrEmpty(), "v5");
  EXPECT_TRUE(left["data"].is_null());
}

TEST_F(WriteAttempts, ObjectThatIsDeletedMeanwhile_IsNotFound) {
  At("v").answer = [this](const json::Value&) {
    (void)server_.server().Delete(kConfigMaps, {"default", "x"}).ok();
    return Allow();
  };
  Validating("v");
  for (const char* method : {"PUT", "PATCH", "DELETE"}) {
    server_.MakeConfigMap("default", "x");
    At("v").asked.clear();
    const Reply reply =
        Send({method, std::string(kMaps) + "/x", R"({"metadata":{"name":"x"},"data":{"a":"b"}})"});
    EXPECT_EQ(reply.status, 404) << method << reply.body;
    EXPECT_THAT(At("v").asked, SizeIs(1)) << method;
  }
}

// Objects in a form that is not stored are converted anew in each attempt.
TEST_F(WriteAttempts, WriteInAnotherVersion_IsConvertedInEveryAttempt) {
  const std::string v1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
  const std::string v2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/a";
  const GroupVersionResource stored{
      .group = "autoscaling", .version = "v2", .resource = "horizontalpodautoscalers"};
  const auto object = [](int percentage) {
    return R"({"metadata":{"name":"a"},"spec":{"maxReplicas":3,"scaleTargetRef":{)"
           R"("apiVersion":"x/v1","kind":"D","name":"d"},"targetCPUUtilizationPercentage":)" +
           std::to_string(percentage) + "}}";
  };
  ASSERT_EQ(server_.Do("POST", v1, object(50)).status, 201);
  At("v").answer = [&](const json::Value&) {
    if (At("v").asked.size() <= 2) {
      const std::string at = std::to_string(At("v").asked.size());
      const json::Value labels = Json(R"({"metadata":{"labels":{"at":")" + at + R"("}}})");
      EXPECT_TRUE(server_.server().Patch(stored, {"default", "a"}, labels).ok());
    }
    return Allow();
  };
  Validating("v", R"({"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
    "resources":["horizontalpodautoscalers"]}]})");
  for (const int percentage : {60, 70}) {
    At("v").asked.clear();
    const bool patches = percentage == 70;
    const Reply reply = server_.Do(
        patches ? "PATCH" : "PUT", v1 + "/a",
        patches ? R"({"spec":{"targetCPUUtilizationPercentage":70}})" : object(percentage),
        patches ? kMerge : HeaderList());
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_THAT(At("v").asked, SizeIs(3)) << percentage;
    EXPECT_EQ(reply.Json().At("/spec/targetCPUUtilizationPercentage").AsInt64(), percentage);
    EXPECT_EQ(
        server_.Get(v2).Json().At("/spec/metrics/0/resource/target/averageUtilization").AsInt64(),
        percentage);
  }
}

// Large objects are encoded off the loop; nobody sees a difference.
TEST_F(WriteAttempts, AnswerOfALargeObject_HasTheFormThatWasAskedFor) {
  for (const std::size_t bytes : {1U, 20'000U}) {
    const std::string text(bytes, 'x');
    const std::string body = R"({"metadata":{"name":"x"},"data":{"k":")" + text + R"("},"more":1})";
    const Reply json = server_.Do("POST", std::string(kMaps) + "?pretty=1", body);
    EXPECT_EQ(json.status, 201);
    EXPECT_EQ(json.Json().At("/data/k").StringOrEmpty(), text);
    EXPECT_TRUE(json.body.starts_with("{\n")) << json.body.substr(0, 20);
    EXPECT_EQ(json.headers.Get("Content-Type"), "application/json");
    EXPECT_EQ(Warnings(json), "299 - \"unknown field \\\"more\\\"\";");
    const Reply table = server_.Do("PUT", std::string(kMaps) + "/x", body,
                                   {{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});
    EXPECT_EQ(table.status, 200);
    EXPECT_EQ(table.Json()["kind"].StringOrEmpty(), "Table");
    EXPECT_EQ(table.Json().At("/rows/0/cells/0").StringOrEmpty(), "x");
    const Reply binary = server_.Do("PATCH", std::string(kMaps) + "/x", R"({"data":{"n":"1"}})",
                                    {{"Content-Type", "application/merge-patch+json"},
                                     {"Accept", "application/vnd.kubernetes.protobuf"}});
    EXPECT_EQ(binary.status, 200);
    EXPECT_EQ(binary.headers.Get("Content-Type"), "application/vnd.kubernetes.protobuf");
    EXPECT_TRUE(binary.body.starts_with(std::string_view("k8s\0", 4)));
    EXPECT_NE(binary.body.find(text), std::string::npos);
    const Reply gone = server_.Do("DELETE", std::string(kMaps) + "/x", "",
                                  {{"Accept", "application/vnd.kubernetes.protobuf"}});
    EXPECT_EQ(gone.status, 200);
    EXPECT_EQ(gone.headers.Get("Content-Type"), "application/vnd.kubernetes.protobuf");
    EXPECT_TRUE(gone.body.starts_with(std::string_view("k8s\0", 4)));
    EXPECT_NE(gone.body.find("Success"), std::string::npos);
  }
}

TEST_F(WriteAttempts, AnswerOfADryRun_HasNoVersion) {
  for (const char* accept : {"application/json", "application/vnd.kubernetes.protobuf"}) {
    const Reply made =
        server_.Do("POST", std::string(kMaps) + "?dryRun=All", Map("x"), {{"Accept", accept}});
    EXPECT_EQ(made.status, 201) << accept;
    const json::Value object = DecodeBody(accept, made.body).OrExit();
    EXPECT_EQ(object.At("/metadata/name").StringOrEmpty(), "x") << accept;
    EXPECT_TRUE(object.At("/metadata/resourceVersion").is_null()) << accept;
  }
}

TEST_F(WriteAttempts, FaultyFields_AreNamedInTheirOrderAndCountedBeyondAMegabyte) {
  const auto problems = [&](const std::string& members) {
    const Reply refused =
        Post(R"({"metadata":{"name":"x"},)" + members + "}", "?fieldValidation=Strict");
    EXPECT_EQ(refused.status, 400);
    return refused.Json()["message"].StringOrEmpty();
  };
  EXPECT_THAT(problems(R"("aa":1,"data":{"k":"1"},"data":{"k":"2"})"),
              EndsWith("strict decoding error: unknown field \"aa\", duplicate field \"data\""));
  const std::string name(std::size_t{300} << 10, 'n');
  std::string five;
  for (int i = 0; i < 5; ++i) five += (i == 0 ? "\"" : ",\"") + name + std::to_string(i) + "\":1";
  EXPECT_THAT(problems(five), EndsWith("3\", 1 more unknown fields"));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
