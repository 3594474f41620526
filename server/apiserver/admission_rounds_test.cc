// Rounds of admission: which webhooks are asked, how often, and what becomes of their patches.

#include <chrono>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/testing/admission_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
constexpr std::string_view kAgain = R"({"reinvocationPolicy":"IfNeeded"})";

class AdmissionRounds : public AdmissionWebhooksTest {
 protected:
  // Lets the webhook set a label to a new value each time it is asked.
  void Counts(const std::string& name) {
    At(name).answer = [this, name](const json::Value&) {
      return PatchWith(R"([{"op":"add","path":"/metadata/labels/)" + name + R"(","value":"v)" +
                       std::to_string(At(name).asked.size()) + R"("}])");
    };
  }
};

TEST_F(AdmissionRounds, OnlyWebhook_IsNotAskedAgainAfterItsOwnChange) {
  Counts("a");
  Mutating("a", kAgain);
  EXPECT_EQ(Post(Map("x", R"({"l":"1"})")).Json().At("/metadata/labels"),
            Json(R"({"l":"1","a":"v1"})"));
  EXPECT_THAT(At("a").asked, SizeIs(1));
}

TEST_F(AdmissionRounds, SecondRound_IsTheLast) {
  for (const char* name : {"a", "b"}) {
    Counts(name);
    Mutating(name, kAgain);
  }
  EXPECT_EQ(Post(Map("x", R"({"l":"1"})")).Json().At("/metadata/labels"),
            Json(R"({"l":"1","a":"v2","b":"v2"})"));
  EXPECT_THAT(At("a").asked, SizeIs(2));
  EXPECT_THAT(At("b").asked, SizeIs(2));
}

TEST_F(AdmissionRounds, SecondRound_IsForThoseAskedBeforeTheChange) {
  At("first");
  Counts("second");
  At("third");
  Mutating("first", kAgain);
  Mutating("second");
  Mutating("third", kAgain);
  EXPECT_EQ(Post(Map("x", R"({"l":"1"})")).status, 201);
  EXPECT_THAT(At("first").asked, SizeIs(2));
  EXPECT_THAT(At("second").asked, SizeIs(1));
  EXPECT_THAT(At("third").asked, SizeIs(1)) << "it has seen the change";
}

TEST_F(AdmissionRounds, WebhookThatDidNotFitAtFirst_IsNotAskedInTheSecondRound) {
  At("a");
  Counts("b");
  Mutating("a", R"({"reinvocationPolicy":"IfNeeded",
    "objectSelector":{"matchLabels":{"b":"v1"}}})");
  Mutating("b");
  EXPECT_EQ(Post(Map("x", R"({"l":"1"})")).status, 201);
  EXPECT_THAT(At("a").asked, IsEmpty());
}

TEST_F(AdmissionRounds, PatchThatChangesNothing_IsNoChange) {
  At("a");
  At("b").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"replace","path":"/metadata/name","value":"x"}])");
  };
  Mutating("a", kAgain);
  Mutating("b", kAgain);
  EXPECT_EQ(Post(Map("x")).status, 201);
  EXPECT_THAT(At("a").asked, SizeIs(1));
}

TEST_F(AdmissionRounds, PatchThatCannotBeApplied_FailsTheRequest) {
  At("a").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"remove","path":"/data/none"}])");
  };
  Mutating("a");
  const Reply reply = Post(Map("x"));
  EXPECT_EQ(reply.status, 500);
  EXPECT_THAT(reply.Json()["message"].StringOrEmpty(), HasSubstr("Internal error occurred: "));
  EXPECT_EQ(server_.server().ObjectCount(kConfigMaps), 0U);
}

TEST_F(AdmissionRounds, PatchOfAWrongType_IsRefused) {
  At("a").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"add","path":"/data","value":{"k":7}}])");
  };
  Mutating("a");
  const Reply reply = Post(Map("x"));
  EXPECT_EQ(reply.status, 400) << reply.body;
  EXPECT_THAT(reply.Json()["message"].StringOrEmpty(), HasSubstr("data.k"));
}

TEST_F(AdmissionRounds, VersionSentWithANewObject_IsRefusedThoughAWebhookChangesIt) {
  Counts("a");
  Mutating("a");
  const Reply reply = Post(R"({"metadata":{"name":"x","resourceVersion":"7","labels":{"l":"1"}}})");
  EXPECT_EQ(reply.status, 500) << reply.body;
  EXPECT_EQ(reply.Json()["message"].StringOrEmpty(),
            "resourceVersion should not be set on objects to be created");
}

TEST_F(AdmissionRounds, UpdateOfAnAbsentObject_IsACreateForSomeKinds) {
  const std::string rules = R"({"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
    "resources":["configmaps","leases"]}]})";
  At("m");
  At("v");
  Mutating("m", rules);
  Validating("v", rules);
  EXPECT_EQ(server_.Do("PUT", std::string(kMaps) + "/x", Map("x")).status, 404);
  EXPECT_THAT(At("m").asked, IsEmpty());
  const Reply lease =
      server_.Do("PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/x", Map("x"));
  EXPECT_EQ(lease.status, 201) << lease.body;
  for (const char* name : {"m", "v"}) {
    ASSERT_THAT(At(name).asked, SizeIs(1)) << name;
    EXPECT_EQ(At(name).asked[0]["operation"].StringOrEmpty(), "CREATE");
    EXPECT_TRUE(At(name).asked[0]["oldObject"].is_null());
  }
}

TEST_F(AdmissionRounds, WarningsOfBothPhases_AreAllSent) {
  for (const char* name : {"m", "v"}) {
    At(name).answer = [name](const json::Value&) {
      return json::Value::MakeObject(
          {{"allowed", true}, {"warnings", json::Value::MakeArray({name})}});
    };
  }
  Mutating("m");
  Validating("v");
  const auto warnings = [](const Reply& reply) {
    std::string out;
    for (const auto& [name, value] : reply.headers) {
      if (name == "Warning") out.append(value).append(";");
    }
    return out;
  };
  const std::string both = "299 - \"m\";299 - \"v\";";
  EXPECT_EQ(warnings(Post(Map("x"))), both);
  EXPECT_EQ(
      warnings(server_.Do("PATCH", std::string(kMaps) + "/x", R"({"data":{"a":"b"}})", kMerge)),
      both);
  EXPECT_EQ(warnings(server_.Do("DELETE", std::string(kMaps) + "/x")), both);
}

TEST_F(AdmissionRounds, ObjectSelector_LooksAtTheOldAndTheNewObject) {
  At("has");
  At("lacks");
  const std::string begin = R"({"objectSelector":{"matchExpressions":[{"key":"l","operator":")";
  const std::string patch = R"({"metadata":{"labels":)";
  for (const bool mutates : {true, false}) {
    const char* const kind = mutates ? "Mutating" : "Validating";
    Configure(server_, kind, "has", begin + "Exists\"}]}}");
    Configure(server_, kind, "lacks", begin + "DoesNotExist\"}]}}");
  }
  const auto asked = [&] {
    const auto counts = std::pair(At("has").asked.size(), At("lacks").asked.size());
    At("has").asked.clear();
    At("lacks").asked.clear();
    return counts;
  };
  using Both = std::pair<std::size_t, std::size_t>;
  const std::string path = std::string(kMaps) + "/x";
  EXPECT_EQ(Post(Map("x", R"({"l":"1"})")).status, 201);
  EXPECT_EQ(asked(), Both(2, 0)) << "there is no old object";
  server_.Do("PATCH", path, patch + R"({"l":"2"}}})", kMerge);
  EXPECT_EQ(asked(), Both(2, 0));
  server_.Do("PATCH", path, patch + R"({"l":null}}})", kMerge);
  EXPECT_EQ(asked(), Both(2, 2));
  server_.Do("PATCH", path, patch + R"({"m":"1"}}})", kMerge);
  EXPECT_EQ(asked(), Both(0, 2));
  server_.Do("PATCH", path, patch + R"({"l":"1"}}})", kMerge);
  EXPECT_EQ(asked(), Both(2, 2));
  server_.Do("DELETE", path);
  EXPECT_EQ(asked(), Both(2, 0)) << "there is no new object";
}

TEST_F(AdmissionRounds, NamespaceSelector_LooksAtTheNamespaceItselfWhereThatIsWritten) {
  At("a");
  Validating("a", R"({"namespaceSelector":{"matchLabels":{"n":"1"}},"rules":[{"operations":["*"],
    "apiGroups":["*"],"apiVersions":["*"],"resources":["*"]},{"operations":["*"],
    "apiGroups":[""],"apiVersions":["v1"],"resources":["namespaces/status"]}]})");
  struct Row {
    const char* method;
    const char* path;
    const char* body;
    bool asked;
  };
  for (const Row& row : {
           Row{"POST", "", R"({"metadata":{"name":"a"}})", false},
           {"POST", "", R"({"metadata":{"name":"b","labels":{"n":"1"}}})", true},
           {"PATCH", "/a", R"({"metadata":{"labels":{"n":"1"}}})", true},
           {"PATCH", "/a", R"({"metadata":{"labels":{"m":"1"}}})", true},
           {"PATCH", "/b", R"({"metadata":{"labels":{"n":"2"}}})", false},
           {"POST", "/a/configmaps", R"({"metadata":{"name":"x"}})", true},
           {"POST", "/b/configmaps", R"({"metadata":{"name":"x"}})", false},
           {"PATCH", "/a/status", R"({"status":{"conditions":[]}})", true},
           {"PATCH", "/b/status", R"({"status":{"conditions":[]}})", false},
           {"DELETE", "/b", "", false},
           {"DELETE", "/a", "", true},
       }) {
    At("a").asked.clear();
    const Reply reply =
        server_.Do(row.method, "/api/v1/namespaces" + std::string(row.path), row.body,
                   row.method == std::string_view("PATCH") ? kMerge : HeaderList());
    EXPECT_LT(reply.status, 300) << row.method << row.path << reply.body;
    EXPECT_EQ(At("a").asked.size(), row.asked ? 1U : 0U) << row.method << row.path << row.body;
    server_.sim().RunReady();
  }
  At("a").asked.clear();
  EXPECT_EQ(server_.Do("POST", "/api/v1/nodes", R"({"metadata":{"name":"n"}})").status, 201);
  EXPECT_THAT(At("a").asked, SizeIs(1)) << "what has no namespace is always asked about";
}

// Only in-process calls can store such a configuration.
TEST_F(AdmissionRounds, WebhookWithSideEffects_IsNotAskedInDryRuns) {
  for (const std::string kind : {"mutating", "validating"}) {
    At("a");
    const GroupVersionResource resource{.group = "admissionregistration.k8s.io",
                                        .version = "v1",
                                        .resource = kind + "webhookconfigurations"};
    server_.server()
        .Create(resource, Json(R"({"metadata":{"name":"a"},"webhooks":[{"name":"a.example.com",
          "rules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],
          "resources":["configmaps"]}],"sideEffects":"Some","admissionReviewVersions":["v1"],
          "clientConfig":{"url":"https://a/hook"}}]})"))
        .OrExit();
    At("a").asked.clear();
    const Reply dry = Post(Map("x"), "?dryRun=All");
    EXPECT_EQ(dry.status, 400) << kind;
    EXPECT_EQ(dry.Json()["message"].StringOrEmpty(),
              R"(admission webhook "a.example.com" does not support dry run)");
    EXPECT_THAT(At("a").asked, IsEmpty());
    EXPECT_EQ(Post(Map(kind)).status, 201);
    EXPECT_THAT(At("a").asked, SizeIs(1));
    ASSERT_TRUE(server_.server().Delete(resource, {"", "a"}).ok());
  }
}

// Each call holds the objects: calls under way hold 16 MiB, or little more.
TEST_F(AdmissionRounds, QuestionsAboutAnObjectOfOneMebibyte_NineAreUnderWay) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  std::size_t asked = 0;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "v" + std::to_string(i);
    Validating(name);
    At(name).answer = [&asked](const json::Value&) {
      ++asked;
      return json::Value();  // never answers
    };
  }
  std::string body = R"({"metadata":{"name":"large"},"data":{"k":""}})";
  body.insert(body.size() - 3, kMebibyte - body.size(), 'x');
  ASSERT_EQ(body.size(), kMebibyte);
  const OpenReply open(server_.sim(), server_.server().Handle({.method = "POST",
                                                               .target = std::string(kMaps),
                                                               .body = std::move(body)}));
  server_.sim().RunFor(std::chrono::seconds(1));
  EXPECT_EQ(asked, 9U);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
