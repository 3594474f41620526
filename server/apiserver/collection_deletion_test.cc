// Deletion of collections: which objects go, how many, and who is asked about them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing/admission_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CollectionDeletion : public AdmissionWebhooksTest {
 protected:
  // Makes ConfigMaps of about `bytes`, with the label "n" as their name.
  void Make(const std::vector<std::string>& names, std::size_t bytes = 0,
            const std::string& ns = "default") {
    for (const std::string& name : names) {
      server_.server()
          .Create(kConfigMaps,
                  json::Value::MakeObject(
                      {{"metadata", json::Value::MakeObject(
                                        {{"name", name},
                                         {"namespace", ns},
                                         {"labels", json::Value::MakeObject({{"n", name}})}})},
                       {"data", json::Value::MakeObject({{"k", std::string(bytes, 'x')}})}}))
          .OrExit();
    }
  }
  std::vector<std::string> Left() {
    std::vector<std::string> names;
    for (const auto& [key, version] : server_.server().DumpState(kConfigMaps)) {
      names.push_back(key.starts_with("default/") ? key.substr(8) : key);
    }
    return names;
  }
  Reply Delete(const std::string& query = "", const std::string& body = "") {
    return server_.Do("DELETE", std::string(kMaps) + query, body);
  }
  void Clear() {
    for (const std::string& name : Left()) {
      ASSERT_TRUE(server_.server().Delete(kConfigMaps, {"default", name}).ok());
    }
  }
};

// Large objects are handled off the loop, and webhooks are asked one after the other.
TEST_F(CollectionDeletion, Parameters_ChooseTheObjects) {
  struct Row {
    const char* query;
    std::vector<std::string> left;
    std::size_t shown;
  };
  const std::vector<Row> rows = {
      {"", {}, 5},
      {"?limit=0", {}, 5},
      {"?limit=1", {"b", "c", "d", "e"}, 1},
      {"?limit=2", {"c", "d", "e"}, 2},
      {"?limit=4", {"e"}, 4},
      {"?limit=5", {}, 5},
      {"?limit=9", {}, 5},
      {"?labelSelector=n%20in%20(b,d)", {"a", "c", "e"}, 2},
      {"?labelSelector=n%20in%20(b,d)&limit=1", {"a", "c", "d", "e"}, 1},
      {"?fieldSelector=metadata.name%3Dc", {"a", "b", "d", "e"}, 1},
      {"?labelSelector=n%3Dnone", {"a", "b", "c", "d", "e"}, 0},
      {"?dryRun=All", {"a", "b", "c", "d", "e"}, 5},
  };
  for (const char* way : {"small", "large", "asking"}) {
    if (way == std::string_view("asking")) {
      At("v");
      Validating("v");
    }
    for (const Row& row : rows) {
      Make({"a", "b", "c", "d", "e"}, way == std::string_view("large") ? 20'000 : 0);
      const Reply reply = Delete(row.query);
      EXPECT_EQ(reply.status, 200) << way << row.query;
      EXPECT_EQ(reply.Json()["kind"].StringOrEmpty(), "ConfigMapList");
      EXPECT_EQ(reply.Json()["items"].size(), row.shown) << way << row.query;
      EXPECT_EQ(Left(), row.left) << way << row.query;
      Clear();
    }
  }
}

TEST_F(CollectionDeletion, ObjectsOfOtherNamespaces_Stay) {
  for (const std::size_t bytes : {0U, 20'000U}) {
    Make({"a", "b"}, bytes);
    Make({"a"}, bytes, "kube-system");
    EXPECT_EQ(Delete().status, 200);
    EXPECT_THAT(Left(), ElementsAre("kube-system/a"));
    ASSERT_TRUE(server_.server().Delete(kConfigMaps, {"kube-system", "a"}).ok());
  }
}

TEST_F(CollectionDeletion, MoreObjectsThanOneTurnTakes_AllGo) {
  for (const std::size_t bytes : {0U, 17'000U}) {
    std::vector<std::string> names;
    for (int i = 0; i < 600; ++i) names.push_back("m" + std::to_string(i));
    Make(names, bytes);
    EXPECT_EQ(Delete().Json()["items"].size(), 600U);
    EXPECT_THAT(Left(), IsEmpty());
  }
}

TEST_F(CollectionDeletion, Options_AreThoseOfEachDelete) {
  for (const std::size_t bytes : {0U, 20'000U}) {
    Make({"a", "b"}, bytes);
    const Reply refused = Delete("", R"({"preconditions":{"uid":"u"}})");
    EXPECT_EQ(refused.status, 409) << refused.body.substr(0, 300);
    EXPECT_THAT(refused.Json()["message"].StringOrEmpty(),
                HasSubstr("the UID in the precondition (u) does not match the UID in record"));
    EXPECT_THAT(Left(), ElementsAre("a", "b"));
    EXPECT_EQ(Delete("?propagationPolicy=Nonsense").status, 422);
    EXPECT_EQ(Delete("?limit=x").status, 400);
    EXPECT_EQ(Delete("?labelSelector=%3D%3D").status, 400);
    EXPECT_THAT(Left(), ElementsAre("a", "b"));
    Clear();
  }
}

TEST_F(CollectionDeletion, EitherKindOfWebhook_IsAskedAboutEachObject) {
  const std::string other = R"({"rules":[{"operations":["*"],"apiGroups":[""],
    "apiVersions":["v1"],"resources":["secrets"]}]})";
  for (const char* kind : {"Mutating", "Validating"}) {
    At("asked");
    At("unconcerned");
    Configure(server_, kind, "asked", "{}");
    Configure(server_, kind, "unconcerned", other);
    At("asked").asked.clear();
    Make({"a", "b"});
    EXPECT_EQ(Delete("", R"({"dryRun":["All"],"gracePeriodSeconds":0})").status, 200);
    EXPECT_EQ(Delete().status, 200);
    EXPECT_THAT(Left(), IsEmpty());
    ASSERT_THAT(At("asked").asked, SizeIs(4)) << kind;
    for (std::size_t i = 0; i < 4; ++i) {
      const json::Value& request = At("asked").asked[i];
      EXPECT_EQ(request["operation"].StringOrEmpty(), "DELETE");
      EXPECT_TRUE(request["name"].is_null());
      EXPECT_EQ(request["namespace"].StringOrEmpty(), "default");
      EXPECT_TRUE(request["object"].is_null());
      EXPECT_EQ(request.At("/oldObject/kind").StringOrEmpty(), "ConfigMap");
      EXPECT_EQ(request.At("/oldObject/metadata/labels/n"), request.At("/oldObject/metadata/name"));
      EXPECT_EQ(request["dryRun"].AsBool(), i < 2);
      EXPECT_EQ(request.At("/options/gracePeriodSeconds").is_null(), i >= 2);
    }
    EXPECT_THAT(At("unconcerned").asked, IsEmpty());
    const std::string plural = kind == std::string_view("Mutating") ? "mutating" : "validating";
    for (const char* name : {"asked", "unconcerned"}) {
      server_.Do("DELETE", std::string(kConfigurations) + plural + "webhookconfigurations/" + name);
    }
  }
}

TEST_F(CollectionDeletion, RefusalOfOneObject_EndsTheDeletion) {
  for (const char* kind : {"Mutating", "Validating"}) {
    At("a").answer = [](const json::Value& request) {
      return request.At("/oldObject/metadata/name").StringOrEmpty() == "b"
                 ? Json(R"({"allowed":false,"warnings":["w"],"status":{"message":"no"}})")
                 : Allow();
    };
    Configure(server_, kind, "a", "{}");
    Make({"a", "b", "c"});
    const Reply reply = Delete();
    EXPECT_EQ(reply.status, 400) << kind;
    EXPECT_EQ(reply.Json()["message"].StringOrEmpty(),
              R"(admission webhook "a.example.com" denied the request: no)");
    EXPECT_EQ(reply.headers.Get("Warning"), "299 - \"w\"");
    EXPECT_THAT(Left(), ::testing::Contains("b"));
    At("a").answer = [](const json::Value&) { return Allow(); };
    EXPECT_EQ(Delete().status, 200);
    EXPECT_THAT(Left(), IsEmpty());
  }
}

// An object that another client deletes meanwhile is no error; one that it changes is deleted.
TEST_F(CollectionDeletion, ObjectThatChangesMeanwhile_IsDeletedAllTheSame) {
  At("a").answer = [&](const json::Value& request) {
    const std::string name = request.At("/oldObject/metadata/name").StringOrEmpty();
    if (name == "gone") {
      EXPECT_TRUE(server_.server().Delete(kConfigMaps, {"default", name}).ok());
    } else if (request.At("/oldObject/data/changed").is_null()) {
      EXPECT_TRUE(server_.server()
                      .Patch(kConfigMaps, {"default", name}, Json(R"({"data":{"changed":"1"}})"))
                      .ok());
    }
    return Allow();
  };
  Validating("a");
  Make({"changed", "gone"});
  const Reply reply = Delete();
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_THAT(Left(), IsEmpty());
}

}  // namespace
}  // namespace kinformer::apiserver::testing
