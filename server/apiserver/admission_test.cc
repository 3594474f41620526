// Admission webhooks that the server calls before writes.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/testing/admission_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(AdmissionWebhooksTest, Review_IsThatOfARealServer) {
  AdmissionHook& hook = At("a");
  Validating("a", R"({"timeoutSeconds":7})");
  const Reply reply = server_.Do("POST", std::string(kMaps) + "?fieldManager=m&dryRun=All",
                                 Map("x"), {{"Impersonate-User", "ann"}});
  EXPECT_EQ(reply.status, 201) << reply.body;
  ASSERT_EQ(hook.asked.size(), 1U);
  EXPECT_THAT(hook.targets, ElementsAre("/hook?timeout=7s"));
  const json::Value& request = hook.asked[0];
  EXPECT_EQ(request["kind"], Json(R"({"group":"","version":"v1","kind":"ConfigMap"})"));
  EXPECT_EQ(request["resource"], Json(R"({"group":"","version":"v1","resource":"configmaps"})"));
  EXPECT_EQ(request["requestKind"], request["kind"]);
  EXPECT_EQ(request["requestResource"], request["resource"]);
  EXPECT_EQ(request["name"].StringOrEmpty(), "x");
  EXPECT_EQ(request["namespace"].StringOrEmpty(), "default");
  EXPECT_EQ(request["operation"].StringOrEmpty(), "CREATE");
  EXPECT_EQ(request.At("/object/kind").StringOrEmpty(), "ConfigMap");
  EXPECT_EQ(request.At("/object/apiVersion").StringOrEmpty(), "v1");
  EXPECT_EQ(request.At("/object/metadata/name").StringOrEmpty(), "x");
  EXPECT_TRUE(request["oldObject"].is_null());
  EXPECT_EQ(request["dryRun"].AsBool(), true);
  EXPECT_EQ(request["options"], Json(R"({"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1",
    "dryRun":["All"],"fieldManager":"m"})"));
  EXPECT_FALSE(request["uid"].StringOrEmpty().empty());
  EXPECT_FALSE(request.At("/userInfo/username").StringOrEmpty().empty());
}

TEST_F(AdmissionWebhooksTest, ARefusalInTheWordsOfARealServer) {
  AdmissionHook& hook = At("a");
  Validating("a");
  struct Case {
    const char* status;
    int code;
    const char* message;
    const char* reason;
  };
  for (const Case& one :
       {Case{R"({"code":403,"message":"no","reason":"Forbidden"})", 403,
             R"(admission webhook "a.example.com" denied the request: no)", "Forbidden"},
        Case{R"({"code":200,"reason":"Why"})", 400,
             R"(admission webhook "a.example.com" denied the request: Why)", ""},
        Case{"null", 400,
             "admission webhook \"a.example.com\" denied the request without "
             "explanation",
             ""}}) {
    hook.answer = [&](const json::Value&) { return Deny(one.status); };
    const Reply reply = Post(Map("x"));
    EXPECT_EQ(reply.status, one.code) << reply.body;
    EXPECT_EQ(reply.Json()["message"].StringOrEmpty(), one.message);
    if (*one.reason == '\0') continue;
    EXPECT_EQ(reply.Json()["reason"].StringOrEmpty(), one.reason);
  }
  EXPECT_EQ(server_.server().ObjectCount(kConfigMaps), 0U);
}

TEST_F(AdmissionWebhooksTest, ReviewOfEachVerb_HasItsObjectsAndOptions) {
  AdmissionHook& hook = At("a");
  Validating("a");
  ASSERT_EQ(Post(Map("x")).status, 201);
  const std::string target = std::string(kMaps) + "/x";
  ASSERT_EQ(server_.Do("PUT", target, R"({"metadata":{"name":"x"},"data":{"k":"1"}})").status, 200);
  ASSERT_EQ(server_
                .Do("PATCH", target, R"({"data":{"k":"2"}})",
                    {{"Content-Type", "application/merge-patch+json"}})
                .status,
            200);
  ASSERT_EQ(server_.Do("DELETE", target).status, 200);
  ASSERT_EQ(hook.asked.size(), 4U);
  EXPECT_EQ(hook.asked[1]["operation"].StringOrEmpty(), "UPDATE");
  EXPECT_EQ(hook.asked[1].At("/options/kind").StringOrEmpty(), "UpdateOptions");
  EXPECT_EQ(hook.asked[2].At("/options/kind").StringOrEmpty(), "UpdateOptions");
  EXPECT_EQ(hook.asked[2].At("/object/data/k").StringOrEmpty(), "2");
  EXPECT_EQ(hook.asked[2].At("/oldObject/data/k").StringOrEmpty(), "1");
  EXPECT_EQ(hook.asked[2].At("/oldObject/kind").StringOrEmpty(), "ConfigMap");
  EXPECT_EQ(hook.asked[3]["operation"].StringOrEmpty(), "DELETE");
  EXPECT_TRUE(hook.asked[3]["object"].is_null());
  EXPECT_EQ(hook.asked[3].At("/oldObject/metadata/name").StringOrEmpty(), "x");
}

TEST_F(AdmissionWebhooksTest, Delete_MayBeRefusedAlsoInCollections) {
  AdmissionHook& hook = At("a");
  ASSERT_EQ(Post(Map("keep")).status, 201);
  ASSERT_EQ(Post(Map("x")).status, 201);
  Validating("a");
  hook.answer = [](const json::Value& request) {
    return request.At("/oldObject/metadata/name").StringOrEmpty() == "keep"
               ? Deny(R"({"message":"no"})")
               : Allow();
  };
  EXPECT_EQ(server_
                .Do("DELETE", std::string(kMaps) + "/keep", R"({"propagationPolicy":"Orphan",
                  "preconditions":{"uid":"u"},"gracePeriodSeconds":0})")
                .status,
            409);
  EXPECT_THAT(hook.asked, IsEmpty());
  EXPECT_EQ(server_
                .Do("DELETE", std::string(kMaps) + "/keep",
                    R"({"propagationPolicy":"Orphan","gracePeriodSeconds":0})")
                .status,
            400);
  EXPECT_EQ(hook.asked[0]["options"], Json(R"({"kind":"DeleteOptions","apiVersion":
    "meta.k8s.io/v1","gracePeriodSeconds":0,"propagationPolicy":"Orphan"})"));
  EXPECT_EQ(hook.asked[0]["name"].StringOrEmpty(), "keep");
  EXPECT_EQ(server_.Do("DELETE", kMaps).status, 400);
  // A request for a collection has no name.
  EXPECT_TRUE(hook.asked.back()["name"].is_null());
  EXPECT_EQ(server_.Get(std::string(kMaps) + "/keep").status, 200);
  hook.answer = [](const json::Value&) { return Json(R"({"allowed":true,"warnings":["gone"]})"); };
  const Reply all = server_.Do("DELETE", kMaps);
  EXPECT_EQ(all.status, 200);
  EXPECT_EQ(all.headers.Get("Warning"), "299 - \"gone\"");
  EXPECT_EQ(server_.server().ObjectCount(kConfigMaps), 0U);
}

TEST_F(AdmissionWebhooksTest, PatchesFollowEachOtherInTheOrderOfTheNames) {
  At("b").answer = [](const json::Value& request) {
    const std::string seen = request.At("/object/data/from").StringOrEmpty();
    return PatchWith(R"([{"op":"replace","path":"/data/from","value":")" + seen + R"(b"}])");
  };
  At("a").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"add","path":"/data","value":{"from":"a"}}])");
  };
  Mutating("b");
  Mutating("a");
  Validating("c");
  At("c").answer = [](const json::Value& request) {
    return request.At("/object/data/from").StringOrEmpty() == "ab" ? Allow() : Deny("null");
  };
  const Reply reply = Post(Map("x"));
  EXPECT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.Json().At("/data/from").StringOrEmpty(), "ab");
  EXPECT_EQ(At("a").asked.size(), 1U);
}

TEST_F(AdmissionWebhooksTest, ReinvocationIfNeeded_AsksAgainAfterLaterChanges) {
  At("a").answer = [](const json::Value& request) {
    return request.At("/object/data").is_null()
               ? Allow()
               : PatchWith(R"([{"op":"add","path":"/data/again","value":"1"}])");
  };
  At("b").answer = [](const json::Value& request) {
    return request.At("/object/data").is_null()
               ? PatchWith(R"([{"op":"add","path":"/data","value":{"b":"1"}}])")
               : Allow();
  };
  At("never");
  Mutating("a", R"({"reinvocationPolicy":"IfNeeded"})");
  Mutating("b", R"({"reinvocationPolicy":"IfNeeded"})");
  Mutating("never");
  EXPECT_EQ(Post(Map("x")).Json()["data"], Json(R"({"b":"1","again":"1"})"));
  EXPECT_EQ(At("a").asked.size(), 2U);
  // Reinvoked because of the second change, made by "a".
  EXPECT_EQ(At("b").asked.size(), 2U);
  EXPECT_EQ(At("never").asked.size(), 1U);
}

TEST_F(AdmissionWebhooksTest, AWebhookThatFailsAndThePolicyForIt) {
  At("a").status = 500;
  Validating("a");
  const Reply broken = Post(Map("x"));
  EXPECT_EQ(broken.status, 500);
  EXPECT_EQ(broken.Json()["reason"].StringOrEmpty(), "InternalError");
  EXPECT_THAT(broken.Json()["message"].StringOrEmpty(),
              HasSubstr("Internal error occurred: failed calling webhook \"a.example.com\": failed "
                        "to call webhook: an error on the server (\"broken\") has prevented the "
                        "request from succeeding"));
  At("a").status = 200;
  At("a").answer = [](const json::Value&) { return Json(R"({"allowed":true,"uid":"other"})"); };
  EXPECT_THAT(Post(Map("x")).Json()["message"].StringOrEmpty(),
              HasSubstr("received invalid webhook response: expected response.uid="));
  At("a").answer = [](const json::Value&) { return Allow(); };
  Validating("nowhere", R"({"failurePolicy":"Ignore"})");
  EXPECT_EQ(Post(Map("x")).status, 201);
}

TEST_F(AdmissionWebhooksTest, AnswersThatARealServerDoesNotTake) {
  const auto message = [&](bool mutates, json::Value answer) {
    const std::string name = mutates ? "m" : "v";
    At(name).answer = [answer = std::move(answer)](const json::Value&) { return answer; };
    if (mutates) {
      Mutating(name);
    } else {
      Validating(name);
    }
    const Reply reply = Post(Map("x"));
    EXPECT_EQ(reply.status, 500) << reply.body;
    server_.Do("DELETE", std::string(kConfigurations) + "mutatingwebhookconfigurations/m");
    server_.Do("DELETE", std::string(kConfigurations) + "validatingwebhookconfigurations/v");
    return reply.Json()["message"].StringOrEmpty();
  };
  const std::string called = R"(failed calling webhook "m.example.com": )";
  const std::string invalid = called + "received invalid webhook response: ";
  EXPECT_THAT(message(true, Json(R"({"allowed":true,"patch":"W10="})")),
              HasSubstr(invalid + "webhook returned response.patch but not response.patchType"));
  EXPECT_THAT(message(true, Json(R"({"allowed":true,"patchType":"JSONPatch"})")),
              HasSubstr(invalid + "webhook returned response.patchType but not response.patch"));
  EXPECT_THAT(message(true, PatchWith("{}")),
              HasSubstr(called + "received undecodable patch in webhook response: "));
  EXPECT_THAT(message(false, PatchWith("[]")),
              HasSubstr("invalid webhook response: validating webhook may not return "
                        "response.patch"));
  EXPECT_THAT(message(false, Json(R"({"allowed":true,"patchType":"JSONPatch"})")),
              HasSubstr("invalid webhook response: validating webhook may not return "
                        "response.patchType"));
}

// Each patch adds slightly less than the limit for one; the number of webhooks is unlimited.
TEST_F(AdmissionWebhooksTest, PatchesThatAddUp_AreRefusedBeforeTheyAreTooMuch) {
  const std::string much(3'000'000, 'x');
  for (int i = 0; i < 12; ++i) {
    const std::string name = "h" + std::to_string(i + 10);
    Mutating(name);
    At(name).answer = [&, name](const json::Value&) {
      return PatchWith(R"([{"op":"add","path":"/metadata/annotations","value":{")" + name +
                       R"(":""}},{"op":"add","path":"/)" + name + R"(","value":")" + much + "\"}]");
    };
  }
  const Reply reply = Post(Map("x"));
  EXPECT_EQ(reply.status, 413) << reply.body.substr(0, 1000);
  EXPECT_THAT(reply.body, HasSubstr("patches of admission webhooks would add more than"));
  std::size_t asked = 0;
  for (int i = 0; i < 12; ++i) asked += At("h" + std::to_string(i + 10)).asked.size();
  EXPECT_EQ(asked, 6U) << "nobody is asked about what is refused already";
}

// Each call contains the objects.
TEST_F(AdmissionWebhooksTest, ManyQuestionsAboutALargeObject_AreNotAllUnderWayAtOnce) {
  constexpr int kHooks = 30;
  for (int i = 0; i < kHooks; ++i) {
    const std::string name = "v" + std::to_string(i);
    Validating(name);
    At(name).answer = [](const json::Value&) { return json::Value(); };  // never answers
  }
  const auto asked = [&] {
    std::size_t count = 0;
    for (int i = 0; i < kHooks; ++i) count += At("v" + std::to_string(i)).asked.size();
    return count;
  };
  const auto open = [&](std::string body) {
    HttpRequest request{.method = "POST", .target = std::string(kMaps), .body = std::move(body)};
    request.headers.Add("Content-Type", "application/json");
    return OpenReply(server_.sim(), server_.server().Handle(std::move(request)));
  };
  const OpenReply small = open(Map("small"));
  server_.sim().RunFor(std::chrono::seconds(1));
  EXPECT_EQ(asked(), static_cast<std::size_t>(kHooks)) << "those of a small object are";
  const OpenReply large =
      open(R"({"metadata":{"name":"large"},"data":{"k":")" + std::string(1'000'000, 'x') + "\"}}");
  server_.sim().RunFor(std::chrono::seconds(1));
  EXPECT_LE(asked(), kHooks + 9U);
  EXPECT_GT(asked(), kHooks + 4U);
  // Webhooks that do not answer time out, and the next ones are called.
  server_.sim().RunFor(std::chrono::seconds(100));
  EXPECT_EQ(asked(), 2U * kHooks);
}

TEST_F(AdmissionWebhooksTest, DeletePatchedByAWebhook_Fails) {
  ASSERT_EQ(Post(Map("x")).status, 201);
  At("a").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"add","path":"/data","value":{}}])");
  };
  Mutating("a");
  const Reply reply = server_.Do("DELETE", std::string(kMaps) + "/x");
  EXPECT_EQ(reply.status, 500) << reply.body;
  EXPECT_EQ(reply.Json()["message"].StringOrEmpty(),
            "Internal error occurred: admission webhook \"a.example.com\" attempted to modify the "
            "object, which is not supported for this operation");
}

TEST_F(AdmissionWebhooksTest, AWebhookThatSaysNothingHoldsUpNobodyElse) {
  At("a").answer = [](const json::Value&) { return json::Value(); };
  Validating("a", R"({"timeoutSeconds":5})");
  const SteadyTime begin = server_.sim().env().Now();
  HttpRequest request{.method = "POST", .target = std::string(kMaps), .body = Map("x")};
  OpenReply open(server_.sim(), server_.server().Handle(std::move(request)));
  EXPECT_EQ(server_.Get("/api/v1/namespaces/default/pods").status, 200);
  EXPECT_EQ(server_.sim().env().Now(), begin);
  ASSERT_TRUE(server_.sim().RunUntil(
      [&] {
        open.Pull();
        return open.ended();
      },
      seconds(60)));
  EXPECT_EQ(server_.sim().env().Now() - begin, seconds(5));
  EXPECT_THAT(open.reply().Json()["message"].StringOrEmpty(),
              HasSubstr("context deadline exceeded"));
}

TEST_F(AdmissionWebhooksTest, ARequestThatNobodyWaitsForIsNotWritten) {
  Validating("a");
  At("a");
  HttpRequest request{.method = "POST", .target = std::string(kMaps), .body = Map("x")};
  server_.server().Handle(std::move(request)).reset();
  server_.sim().RunFor(seconds(20));
  EXPECT_EQ(server_.server().ObjectCount(kConfigMaps), 0U);
}

TEST_F(AdmissionWebhooksTest, AnObjectThatChangesMeanwhileIsAskedAboutAnew) {
  ASSERT_EQ(Post(Map("x")).status, 201);
  int asked = 0;
  At("a").answer = [&](const json::Value&) {
    if (++asked == 1) {
      EXPECT_TRUE(server_.server()
                      .Patch(kConfigMaps, {"default", "x"}, Json(R"({"data":{"other":"1"}})"))
                      .ok());
    }
    return Allow();
  };
  Validating("a");
  const Reply reply = server_.Do("PATCH", std::string(kMaps) + "/x", R"({"data":{"k":"2"}})",
                                 {{"Content-Type", "application/merge-patch+json"}});
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.Json()["data"], Json(R"({"k":"2","other":"1"})"));
  EXPECT_EQ(asked, 2);
}

TEST_F(AdmissionWebhooksTest, DryRunsAndWarnings) {
  At("a").answer = [](const json::Value&) {
    return Json(R"({"allowed":true,"warnings":["look out"]})");
  };
  Validating("a", R"({"sideEffects":"NoneOnDryRun"})");
  const Reply reply = Post(Map("x"), "?dryRun=All");
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.headers.Get("Warning"), "299 - \"look out\"");
  At("a").answer = [](const json::Value&) {
    return Json(R"({"allowed":false,"warnings":["look out"]})");
  };
  const Reply refused = Post(Map("x"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.headers.Get("Warning"), "299 - \"look out\"");
}

struct RuleCase {
  const char* what;
  const char* more;
  bool asked;
};

TEST_F(AdmissionWebhooksTest, RulesScopesAndSelectors) {
  server_.server()
      .Patch({"", "v1", "namespaces"}, {"", "default"},
             Json(R"({"metadata":{"labels":{"n":"1"}}})"))
      .OrExit();
  int index = 0;
  for (const RuleCase& one : std::vector<RuleCase>{
           {"other operation", R"({"rules":[{"operations":["DELETE"],"apiGroups":["*"],
             "apiVersions":["*"],"resources":["*"]}]})",
            false},
           {"all", R"({"rules":[{"operations":["CREATE"],"apiGroups":["*"],"apiVersions":["*"],
             "resources":["*/*"],"scope":"*"}]})",
            true},
           {"star", R"({"rules":[{"operations":["CREATE"],"apiGroups":["*"],"apiVersions":["*"],
             "resources":["*"],"scope":"Namespaced"}]})",
            true},
           {"cluster", R"({"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
             "resources":["*"],"scope":"Cluster"}]})",
            false},
           {"group", R"({"rules":[{"operations":["*"],"apiGroups":["apps"],"apiVersions":["*"],
             "resources":["*"]}]})",
            false},
           {"subresource", R"({"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
             "resources":["configmaps/status"]}]})",
            false},
           {"namespace", R"({"namespaceSelector":{"matchLabels":{"n":"1"}}})", true},
           {"no namespace", R"({"namespaceSelector":{"matchLabels":{"n":"2"}}})", false},
           {"object",
            R"({"objectSelector":{"matchExpressions":[{"key":"l","operator":"Exists"}]}})", true},
           {"no object", R"({"objectSelector":{"matchLabels":{"m":"1"}}})", false}}) {
    const std::string name = "hook" + std::to_string(index++);
    At(name).answer = [](const json::Value&) { return Deny(R"({"message":"no"})"); };
    Validating(name, one.more);
    EXPECT_EQ(Post(Map("x", R"({"l":"1"})"), "?dryRun=All").status, one.asked ? 400 : 201)
        << one.what;
    EXPECT_EQ(
        server_
            .Do("DELETE", std::string(kConfigurations) + "validatingwebhookconfigurations/" + name)
            .status,
        200);
  }
}

TEST_F(AdmissionWebhooksTest, WebhookConfigurations_AreNotSubjectToWebhooks) {
  At("a").answer = [](const json::Value&) { return Deny("null"); };
  Validating("a", R"({"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
    "resources":["*"]}]})");
  EXPECT_EQ(server_.Do("DELETE", std::string(kConfigurations) + "validatingwebhookconfigurations/a")
                .status,
            200);
  EXPECT_THAT(At("a").asked, IsEmpty());
}

TEST_F(AdmissionWebhooksTest, ConfigurationWithInvalidFields_IsRefused) {
  for (const auto& [more, message] : std::vector<std::pair<const char*, const char*>>{
           {R"({"sideEffects":"Some"})",
            R"(webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", )"
            R"("NoneOnDryRun")"},
           {R"({"timeoutSeconds":31})", "webhooks[0].timeoutSeconds: Invalid value: 31"},
           {R"({"admissionReviewVersions":["v9"]})", "must include at least one of v1, v1beta1"}}) {
    json::Value webhook = Json(R"({"name":"a.example.com","sideEffects":"None",
      "admissionReviewVersions":["v1"],"clientConfig":{"url":"https://a"}})");
    webhook.MergePatch(Json(more));
    const Reply reply =
        server_.Do("POST", std::string(kConfigurations) + "validatingwebhookconfigurations",
                   json::Value::MakeObject({{"metadata", json::Value::MakeObject({{"name", "a"}})},
                                            {"webhooks", json::Value::MakeArray({webhook})}})
                       .Dump());
    EXPECT_EQ(reply.status, 422) << reply.body;
    EXPECT_THAT(reply.Json()["message"].StringOrEmpty(), HasSubstr(message));
  }
}

// Go's test servers redirect requests with such paths, as Go's test kit writes them.
TEST_F(AdmissionWebhooksTest, PathsAreCleanedBeforeTheyAreAskedFor) {
  for (const auto& [path, target] : std::vector<std::pair<const char*, const char*>>{
           {"//hook", "/hook"}, {"/a//b/", "/a/b"}, {"/a/./b/../c", "/a/c"}, {"", "/"}}) {
    AdmissionHook& hook = At("a");
    hook.targets.clear();
    Validating("a", R"({"timeoutSeconds":7,"clientConfig":{"url":"https://a)" + std::string(path) +
                        "\"}}");
    EXPECT_EQ(server_.Do("POST", std::string(kMaps) + "?dryRun=All", Map("x")).status, 201);
    EXPECT_THAT(hook.targets, ElementsAre(std::string(target) + "?timeout=7s"));
    server_.Do("DELETE", std::string(kConfigurations) + "validatingwebhookconfigurations/a");
  }
}

TEST_F(AdmissionWebhooksTest, WebhookForAnotherVersion_SeesThatVersionUnlessExact) {
  constexpr std::string_view kScalers =
      "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
  const std::string body = R"({"metadata":{"name":"x"},"spec":{"maxReplicas":3,
    "targetCPUUtilizationPercentage":50,"scaleTargetRef":{"apiVersion":"apps/v1",
    "kind":"Deployment","name":"d"}}})";
  constexpr std::string_view kRules = R"("rules":[{"operations":["*"],"apiGroups":["autoscaling"],
    "apiVersions":["v2"],"resources":["horizontalpodautoscalers"]}])";
  At("a").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"replace","path":"/spec/maxReplicas","value":4}])");
  };
  Mutating("a", "{" + std::string(kRules) + "}");
  Mutating("exact", "{" + std::string(kRules) + R"(,"matchPolicy":"Exact"})");
  At("exact");
  const Reply reply = server_.Do("POST", kScalers, body);
  EXPECT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.Json().At("/spec/maxReplicas").AsInt64(), 4);
  EXPECT_EQ(reply.Json().At("/spec/targetCPUUtilizationPercentage").AsInt64(), 50);
  ASSERT_EQ(At("a").asked.size(), 1U);
  const json::Value request = At("a").asked[0];
  EXPECT_EQ(request.At("/kind/version").StringOrEmpty(), "v2");
  EXPECT_EQ(request.At("/requestKind/version").StringOrEmpty(), "v1");
  EXPECT_EQ(request.At("/object/apiVersion").StringOrEmpty(), "autoscaling/v2");
  EXPECT_EQ(request.At("/object/spec/metrics").size(), 1U);
  EXPECT_THAT(At("exact").asked, IsEmpty());

  // The same in the other direction, with objects of another group.
  At("b").answer = [](const json::Value&) {
    return PatchWith(
        R"([{"op":"replace","path":"/spec/targetCPUUtilizationPercentage","value":7}])");
  };
  Mutating("b", R"({"rules":[{"operations":["*"],"apiGroups":["autoscaling"],
    "apiVersions":["v1"],"resources":["horizontalpodautoscalers"]}]})");
  const Reply patched = server_.Do(
      "PATCH", "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/x",
      R"({"spec":{"minReplicas":2}})", {{"Content-Type", "application/merge-patch+json"}});
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(patched.Json().At("/spec/metrics/0/resource/target/averageUtilization").AsInt64(), 7);
  ASSERT_EQ(At("b").asked.size(), 1U);
  EXPECT_EQ(At("b").asked[0].At("/oldObject/apiVersion").StringOrEmpty(), "autoscaling/v1");
  EXPECT_EQ(At("b").asked[0].At("/requestResource/version").StringOrEmpty(), "v2");
  At("events");
  Validating("events", R"({"rules":[{"operations":["*"],"apiGroups":["events.k8s.io"],
    "apiVersions":["*"],"resources":["events"]}]})");
  const Reply event = server_.Do("POST", "/api/v1/namespaces/default/events",
                                 R"({"metadata":{"name":"e"},"message":"m","involvedObject":
                                   {"namespace":"default","name":"x"}})");
  EXPECT_EQ(event.status, 201) << event.body;
  ASSERT_EQ(At("events").asked.size(), 1U);
  EXPECT_EQ(At("events").asked[0].At("/kind/group").StringOrEmpty(), "events.k8s.io");
  EXPECT_EQ(At("events").asked[0].At("/object/note").StringOrEmpty(), "m");
  EXPECT_EQ(At("events").asked[0].At("/requestKind/group").StringOrEmpty(), "");
}

TEST_F(AdmissionWebhooksTest, AServiceIsAskedByItsName) {
  AdmissionHook& hook = At("hooks.system.svc:8443");
  hook.answer = [](const json::Value&) { return Deny(R"({"message":"by service"})"); };
  Validating("a", R"({"clientConfig":{"url":null,"service":{"namespace":"system","name":"hooks",
    "port":8443,"path":"/validate"}}})");
  EXPECT_THAT(Post(Map("x")).Json()["message"].StringOrEmpty(), HasSubstr("by service"));
  EXPECT_THAT(hook.targets, ElementsAre("/validate?timeout=10s"));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
