// Admission webhooks for another version of a custom resource, with a conversion webhook. Errors
// are those of k8s.io/apiserver's webhook dispatchers.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/testing/admission_fixture.h"
#include "apiserver/testing/webhook_conversion_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// v1 is the storage version; spec.size, a number, in v1 is spec.length, a string, in v2.
class AdmissionVersionTest : public WebhookConversion {
 protected:
  AdmissionVersionTest() {
    others_ = [this, hooks = hooks_](const WebhookAddress& address) {
      return hooks->To(server_.sim().env(), address);
    };
  }
  AdmissionHook& At(const std::string& name) { return hooks_->At(name); }
  // Installs a webhook for widgets of these versions.
  void Ask(const std::string& kind, const std::string& name, const std::string& versions,
           const std::string& more = "{}") {
    At(name);
    json::Value rules = Json(R"({"rules":[{"operations":["*"],"apiGroups":["example.com"],
      "apiVersions":[)" + versions +
                             R"(],"resources":["widgets","widgets/status","widgets/scale"]}]})");
    rules.MergePatch(Json(more));
    Configure(server_, kind, name, rules.Dump());
  }
  // Returns the target version of each conversion, and its number of objects.
  std::vector<std::string> Conversions() {
    std::vector<std::string> out;
    for (const json::Value& asked : hook_.asked) {
      out.push_back(asked["desiredAPIVersion"].StringOrEmpty().substr(12) + "*" +
                    std::to_string(asked["objects"].size()));
    }
    hook_.asked.clear();
    return out;
  }

  const std::shared_ptr<AdmissionHooks> hooks_ = std::make_shared<AdmissionHooks>();
};

TEST_F(AdmissionVersionTest, Webhook_SeesItsVersionAndItsPatchIsConvertedBack) {
  Ask("Mutating", "m", R"("v2")");
  Ask("Validating", "v", R"("v2")");
  At("m").answer = [](const json::Value& request) {
    const bool first = request["operation"].StringOrEmpty() == "CREATE";
    return PatchWith(R"([{"op":"replace","path":"/spec/length","value":")" +
                     std::string(first ? "8" : "10") + "\"}]");
  };
  const Reply made = Post(kV1, R"({"metadata":{"name":"a"},"spec":{"size":7}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Json().At("/spec/size").AsInt64(), 8);
  EXPECT_EQ(made.Json()["apiVersion"].StringOrEmpty(), "example.com/v1");
  // To the mutating webhook's version, back, and to the validating webhook's.
  EXPECT_THAT(Conversions(), ElementsAre("v2*1", "v1*1", "v2*1"));
  ASSERT_THAT(At("m").asked, SizeIs(1));
  const json::Value create = At("m").asked[0];
  EXPECT_EQ(create["kind"], Json(R"({"group":"example.com","version":"v2","kind":"Widget"})"));
  EXPECT_EQ(create["resource"],
            Json(R"({"group":"example.com","version":"v2","resource":"widgets"})"));
  EXPECT_EQ(create.At("/requestKind/version").StringOrEmpty(), "v1");
  EXPECT_EQ(create.At("/requestResource/version").StringOrEmpty(), "v1");
  EXPECT_EQ(create.At("/object/apiVersion").StringOrEmpty(), "example.com/v2");
  EXPECT_EQ(create.At("/object/spec/length").StringOrEmpty(), "7");
  ASSERT_THAT(At("v").asked, SizeIs(1));
  EXPECT_EQ(At("v").asked[0].At("/object/spec/length").StringOrEmpty(), "8");

  const Reply updated = server_.Do("PATCH", kV1 + "/a", R"({"spec":{"size":9}})", kMerge);
  EXPECT_EQ(updated.status, 200) << updated.body;
  EXPECT_EQ(Size("a"), 10);
  // One call converts both objects.
  EXPECT_THAT(Conversions(), ElementsAre("v2*2", "v1*1", "v2*2"));
  const json::Value& update = At("v").asked[1];
  EXPECT_EQ(update.At("/object/spec/length").StringOrEmpty(), "10");
  EXPECT_EQ(update.At("/oldObject/spec/length").StringOrEmpty(), "8");
  EXPECT_EQ(update.At("/oldObject/apiVersion").StringOrEmpty(), "example.com/v2");

  At("m").answer = [](const json::Value&) { return Allow(); };
  EXPECT_EQ(server_.Do("DELETE", kV1 + "/a").status, 200);
  EXPECT_THAT(Conversions(), ElementsAre("v2*1", "v2*1"));
  EXPECT_EQ(At("v").asked[2].At("/oldObject/spec/length").StringOrEmpty(), "10");
  EXPECT_TRUE(At("v").asked[2]["object"].is_null());
}

TEST_F(AdmissionVersionTest, Conversions_AreMadeOnlyWhereNeeded) {
  Ask("Validating", "exact", R"("v2")", R"({"matchPolicy":"Exact"})");
  Ask("Validating", "both", R"("v1","v2")");
  Ask("Mutating", "unselected", R"("v2")", R"({"objectSelector":{"matchLabels":{"no":"no"}}})");
  Make("a", 7);
  EXPECT_THAT(Conversions(), IsEmpty());
  EXPECT_THAT(At("exact").asked, IsEmpty());
  EXPECT_EQ(At("both").asked[0].At("/kind/version").StringOrEmpty(), "v1");

  // Several webhooks for the same version, one of which changes nothing.
  Ask("Validating", "a", R"("v2")");
  Ask("Validating", "b", R"("v2")");
  Ask("Mutating", "c", R"("v2")");
  Ask("Mutating", "d", R"("v1")");
  Ask("Mutating", "e", R"("v2")");
  Make("b", 7);
  EXPECT_THAT(Conversions(), ElementsAre("v2*1", "v2*1")) << "one for each phase";
  EXPECT_THAT(At("e").asked, SizeIs(1));
}

TEST_F(AdmissionVersionTest, MutatedObject_NextWebhookSeesItInItsOwnVersion) {
  Ask("Mutating", "a", R"("v2")", R"({"reinvocationPolicy":"IfNeeded"})");
  Ask("Mutating", "b", R"("v1")");
  Ask("Mutating", "c", R"("v2")");
  At("a").answer = [](const json::Value& request) {
    const std::string& length = request.At("/object/spec/length").StringOrEmpty();
    return length == "7" ? PatchWith(R"([{"op":"replace","path":"/spec/length","value":"8"}])")
                         : Allow();
  };
  At("b").answer = [](const json::Value& request) {
    EXPECT_EQ(request.At("/object/spec/size").AsInt64(), 8);
    return PatchWith(R"([{"op":"replace","path":"/spec/size","value":9}])");
  };
  At("c").answer = [](const json::Value& request) {
    EXPECT_EQ(request.At("/object/spec/length").StringOrEmpty(), "9");
    return PatchWith(R"([{"op":"replace","path":"/spec/length","value":"10"}])");
  };
  Make("x", 7);
  EXPECT_EQ(Size("x"), 10);
  ASSERT_THAT(At("a").asked, SizeIs(2));
  EXPECT_EQ(At("a").asked[1].At("/object/spec/length").StringOrEmpty(), "10");
  // To "a", to "b", to "c" and "a", and to the storage version.
  EXPECT_THAT(Conversions(), ElementsAre("v2*1", "v1*1", "v2*1", "v1*1"));
}

TEST_F(AdmissionVersionTest, DefaultsOfItsVersionComeWithAPatch) {
  Ask("Mutating", "m", R"("v2")");
  Ask("Mutating", "n", R"("v2")");
  At("m").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"replace","path":"/spec/length","value":"8"}])");
  };
  Make("a", 7);
  EXPECT_TRUE(At("m").asked[0].At("/object/spec/added").is_null());
  EXPECT_EQ(At("n").asked[0].At("/object/spec/added").StringOrEmpty(), "by v2");
}

TEST_F(AdmissionVersionTest, RequestInAnUnstoredVersion_WebhookSeesItsOwn) {
  Ask("Mutating", "m", R"("v1")");
  At("m").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"replace","path":"/spec/size","value":8}])");
  };
  const Reply made = Post(kV2, R"({"metadata":{"name":"a"},"spec":{"length":"7"}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Json().At("/spec/length").StringOrEmpty(), "8");
  EXPECT_EQ(At("m").asked[0].At("/object/spec/size").AsInt64(), 7);
  const Reply status =
      server_.Do("PATCH", kV2 + "/a/status", R"({"status":{"phase":"done"}})", kMerge);
  EXPECT_EQ(status.status, 200) << status.body;
  ASSERT_THAT(At("m").asked, SizeIs(2));
  EXPECT_EQ(At("m").asked[1]["subResource"].StringOrEmpty(), "status");
  EXPECT_EQ(At("m").asked[1].At("/object/status/done").StringOrEmpty(), "done");
  // v1 has no scale subresource.
  const Reply scaled = server_.Do("PATCH", kV2 + "/a/scale", R"({"spec":{"replicas":4}})", kMerge);
  EXPECT_EQ(scaled.status, 200) << scaled.body;
  EXPECT_THAT(At("m").asked, SizeIs(2));
  Ask("Validating", "s", R"("v2")");
  EXPECT_EQ(server_.Do("PATCH", kV2 + "/a/scale", R"({"spec":{"replicas":5}})", kMerge).status,
            200);
  ASSERT_THAT(At("s").asked, SizeIs(1));
  EXPECT_EQ(At("s").asked[0].At("/kind/kind").StringOrEmpty(), "Scale");
  EXPECT_EQ(At("s").asked[0].At("/oldObject/spec/replicas").AsInt64(), 4);
}

TEST_F(AdmissionVersionTest, AVersionThatIsNotServedCanBeAsked) {
  json::Value definition = Definition();
  definition.Ensure("spec", "versions", 1).Set("served", false);
  Redefine(definition);
  Ask("Validating", "v", R"("v2")");
  Make("a", 7);
  ASSERT_THAT(At("v").asked, SizeIs(1));
  EXPECT_EQ(At("v").asked[0].At("/object/spec/length").StringOrEmpty(), "7");
}

TEST_F(AdmissionVersionTest, DeleteCollection_WebhookSeesEachObjectInItsVersion) {
  Make("a", 1);
  Make("b", 2);
  Ask("Validating", "v", R"("v2")");
  At("v").answer = [](const json::Value& request) {
    return request.At("/oldObject/spec/length").StringOrEmpty() == "2" ? Deny("null") : Allow();
  };
  EXPECT_EQ(server_.Do("DELETE", kV1).status, 400);
  EXPECT_EQ(server_.Get(kV1 + "/b").status, 200);
  At("v").answer = [](const json::Value&) { return Allow(); };
  EXPECT_EQ(server_.Do("DELETE", kV1).status, 200);
  EXPECT_EQ(server_.Get(kV1 + "/b").status, 404);
}

// A failed conversion is no failure of the webhook, so the failure policy does not apply.
TEST_F(AdmissionVersionTest, FailedConversion_IgnoresTheFailurePolicy) {
  const std::string ignore = R"({"failurePolicy":"Ignore"})";
  Ask("Validating", "v", R"("v2")", ignore);
  hook_.fails = true;
  const Reply validated = Post(kV1, R"({"metadata":{"name":"a"},"spec":{"size":7}})");
  EXPECT_EQ(Message(validated),
            "500 InternalError Internal error occurred: conversion webhook for example.com/v1, "
            "Kind=Widget failed: cannot");
  Ask("Mutating", "m", R"("v2")", ignore);
  hook_.fails = true;
  EXPECT_EQ(Message(Post(kV1, R"({"metadata":{"name":"a"},"spec":{"size":7}})")),
            "500 InternalError Internal error occurred: Internal error occurred: conversion "
            "webhook for example.com/v1, Kind=Widget failed: cannot");
  EXPECT_THAT(At("m").asked, IsEmpty());
  // The conversion back fails.
  hook_.fails = false;
  At("m").answer = [this](const json::Value&) {
    hook_.fails = true;
    return PatchWith(R"([{"op":"replace","path":"/spec/length","value":"8"}])");
  };
  EXPECT_EQ(Message(Post(kV1, R"({"metadata":{"name":"a"},"spec":{"size":7}})")),
            "500  conversion webhook for example.com/v2, Kind=Widget failed: cannot");
  hook_.silent = true;
  EXPECT_THAT(Message(Post(kV1, R"({"metadata":{"name":"a"},"spec":{"size":7}})")),
              HasSubstr("context deadline exceeded"));
  EXPECT_EQ(server_.Get(kV1 + "/a").status, 404);
}

TEST_F(AdmissionVersionTest, ClientLeavesDuringConversion_WebhookIsNotAsked) {
  Ask("Validating", "v", R"("v2")");
  hook_.silent = true;
  HttpRequest request{.method = "POST", .target = kV1, .body = R"({"apiVersion":"example.com/v1",
    "kind":"Widget","metadata":{"name":"a"},"spec":{"size":7}})"};
  OpenReply open(server_.sim(), server_.server().Handle(std::move(request)));
  server_.sim().RunFor(std::chrono::seconds(1));
  EXPECT_THAT(hook_.asked, SizeIs(1));
  {
    const OpenReply gone = std::move(open);
  }
  server_.sim().RunFor(std::chrono::minutes(1));
  EXPECT_THAT(At("v").asked, IsEmpty());
}

}  // namespace
}  // namespace kinformer::apiserver::testing
