// Definitions with a conversion webhook: validation, and the fate of stored objects when the
// definition changes.

#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/testing/webhook_conversion_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(WebhookConversion, StrategyChange_EndsWatchesAndConverts) {
  json::Value none = Definition();
  none.Ensure("spec").Set("conversion", Json(R"({"strategy":"None"})"));
  Redefine(none);
  Make("a", 7);
  EXPECT_EQ(Length("a"), "");
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a="));
  Redefine(Definition());
  Seen(*watch);
  EXPECT_TRUE(watch->ended());
  EXPECT_EQ(Length("a"), "7");
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=7"));
  const auto again = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*again), ElementsAre("ADDED a=7"));
  Redefine(none);
  Seen(*again);
  EXPECT_TRUE(again->ended());
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a="));
}

TEST_F(WebhookConversion, StorageVersionChange_LeavesStoredObjects) {
  Make("a", 1);
  Make("b", 2);
  Redefine(Definition("v2"));
  hook_.asked.clear();
  // As on real servers, stored objects are treated as v1 until they are written again.
  EXPECT_EQ(Size("a"), 1);
  EXPECT_THAT(hook_.asked, IsEmpty());
  EXPECT_EQ(Length("a"), "1");
  EXPECT_THAT(hook_.asked, SizeIs(1));
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=1", "b=2"));
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a=1", "ADDED b=2"));
  Resize("a", 3);
  EXPECT_THAT(Seen(*watch), ElementsAre("MODIFIED a=3"));
  // A write that changes only the stored version is not a no-op.
  const std::int64_t before = server_.server().current_resource_version();
  ASSERT_EQ(server_.Do("PATCH", kV2 + "/b", "{}", kMerge).status, 200);
  EXPECT_EQ(server_.server().current_resource_version(), before + 1);
  hook_.fails = true;
  EXPECT_EQ(Length("a"), "3");
  EXPECT_EQ(Length("b"), "2");
  EXPECT_EQ(Message(server_.Get(kV1 + "/a")),
            "500  conversion webhook for example.com/v2, Kind=Widget failed: cannot");
}

TEST_F(WebhookConversion, ObjectsOfAVersionThatIsGone_AreNotConverted) {
  Make("a", 1);
  Redefine(Definition("v2"));
  const std::string path = std::string(kDefinitions) + "/widgets.example.com/status";
  ASSERT_EQ(server_.Do("PATCH", path, R"({"status":{"storedVersions":["v2"]}})", kMerge).status,
            200);
  json::Value without = Definition("v2");
  json::Array& versions = without.Ensure("spec", "versions").EnsureArray();
  versions.erase(versions.begin());
  Redefine(without);
  const std::string gone =
      "500  request to convert CR from an invalid group/version: example.com/v1";
  EXPECT_EQ(Message(server_.Get(kV2 + "/a")), gone);
  EXPECT_EQ(Message(server_.Get(kV2)), gone);
  EXPECT_THAT(hook_.asked, IsEmpty());
  EXPECT_EQ(Post(kV2, R"({"metadata":{"name":"b"},"spec":{"length":"2"}})").status, 201);
  EXPECT_EQ(Length("b"), "2");
}

TEST_F(WebhookConversion, ADefinitionThatGoesTakesItsObjectsAndWatchesWithIt) {
  Make("a", 1);
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a=1"));
  const auto waits = server_.Open(kV2 + "/a");
  ASSERT_EQ(server_.Do("DELETE", std::string(kDefinitions) + "/widgets.example.com").status, 200);
  server_.sim().RunFor(seconds(1));
  watch->Pull();
  EXPECT_TRUE(watch->ended());
  EXPECT_EQ(server_.Get(kV2).status, 404);
  Define(Definition());
  EXPECT_THAT(Lengths(server_.Get(kV2)), IsEmpty());
}

TEST_F(WebhookConversion, DefinitionChangesDuringConversion_RequestGets503) {
  Make("a", 1);
  hook_.silent = true;
  const auto list = server_.Open(kV2);
  server_.sim().RunFor(seconds(1));
  json::Value none = Definition();
  none.Ensure("spec").Set("conversion", Json(R"({"strategy":"None"})"));
  Redefine(none);
  server_.sim().RunFor(seconds(1));
  list->Pull();
  EXPECT_THAT(Message(list->reply()), HasSubstr("503 ServiceUnavailable the definition"));
}

TEST_F(WebhookConversion, InProcessCalls_NeedingConversionAreRefused) {
  Make("a", 7);
  const GroupVersionResource v1{.group = "example.com", .version = "v1", .resource = "widgets"};
  const GroupVersionResource v2{.group = "example.com", .version = "v2", .resource = "widgets"};
  ApiServer& server = server_.server();
  const ObjectName name{"default", "a"};
  EXPECT_TRUE(server.Get(v1, name).ok());
  EXPECT_TRUE(server.Patch(v1, name, Json(R"({"spec":{"size":8}})")).ok());
  const std::string why = "a webhook converts widgets.example.com to v2";
  EXPECT_THAT(server.Get(v2, name).error().message(), HasSubstr(why));
  EXPECT_THAT(server.List(v2, "").error().message(), HasSubstr(why));
  EXPECT_THAT(server.Patch(v2, name, Json("{}")).error().message(), HasSubstr(why));
  EXPECT_THAT(server.Create(v2, Json(R"({"metadata":{"namespace":"default","name":"b"}})"))
                  .error()
                  .message(),
              HasSubstr(why));
  EXPECT_TRUE(server.Delete(v2, name).ok());
}

TEST_F(WebhookConversion, AStateThatIsRestoredIsConvertedAnew) {
  Make("a", 1);
  const std::int64_t before = server_.server().current_resource_version();
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=1"));
  Resize("a", 2);
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=2"));
  ASSERT_TRUE(server_.server().Restore(before).ok());
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=1"));
}

TEST(WebhookConversionDefinition, InvalidConversions_AreRefused) {
  TestServer server;
  const std::string url = R"("clientConfig":{"url":"https://a/b"})";
  const std::string versions = R"("conversionReviewVersions":["v1"])";
  const std::string at = "spec.conversion.webhookClientConfig";
  const std::string forbidden = "should not be set when strategy is not set to Webhook";
  struct Case {
    std::string conversion;
    std::string message;
  };
  const auto webhook = [](const std::string& inside) {
    return R"({"strategy":"Webhook","webhook":{)" + inside + "}}";
  };
  const auto client = [&](const std::string& inside) {
    return webhook(R"("clientConfig":{)" + inside + "}," + versions);
  };
  for (const Case& one : std::vector<Case>{
           {R"({"strategy":"Webhook"})",
            "[" + at +
                ": Required value: required when strategy is set to Webhook, "
                "spec.conversion.conversionReviewVersions: Required value]"},
           {webhook(url), "spec.conversion.conversionReviewVersions: Required value"},
           {webhook(url + R"(,"conversionReviewVersions":["v9","v9","V_8"])"),
            "[spec.conversion.conversionReviewVersions[1]: Invalid value: \"v9\": duplicate "
            "version, spec.conversion.conversionReviewVersions[2]: Invalid value: \"V_8\": a "
            "DNS-1035 label must"},
           {webhook(url + R"(,"conversionReviewVersions":["v9"])"),
            R"(conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, )"
            "v1beta1"},
           {client(""), at + ": Required value: exactly one of url or service is required"},
           {client(R"("url":"https://a","service":{"name":"a","namespace":"b"})"),
            at + ": Required value: exactly one of url or service is required"},
           {client(R"("url":"http://user:pw@a/b?x=1#f")"),
            "[" + at +
                ".url: Invalid value: \"http\": 'https' is the only allowed URL scheme; "
                "desired format: https://host[/path], " +
                at +
                ".url: Invalid value: \"user:pw\": user information is not permitted in the URL, " +
                at + ".url: Invalid value: \"f\": fragments are not permitted in the URL, " + at +
                ".url: Invalid value: \"x=1\": query parameters are not permitted in the URL]"},
           {client(R"("url":"https:///b")"), ".url: Invalid value: \"\": host must be specified"},
           {client(R"("url":"https://a b")"),
            ".url: Required value: url must be a valid URL: parse \"https://a b\": invalid "
            "character \" \" in host name; desired format: https://host[/path]"},
           {client(R"("service":{"name":"","namespace":"","port":70000,"path":"/a//b"})"),
            "[" + at + ".service.name: Required value, " + at +
                ".service.namespace: Required value, " + at +
                ".service.port: Invalid value: 70000: port is not valid: must be between 1 and "
                "65535, inclusive, " +
                at + ".service.path: Invalid value: \"/a//b\": segment[1] may not be empty]"},
           {client(R"("service":{"name":"a","namespace":"b","path":"x"})"),
            ".service.path: Invalid value: \"x\": must start with a '/'"},
           {client(R"("service":{"name":"a","namespace":"b","path":"//"})"),
            ".service.path: Invalid value: \"//\": segment[0] may not be empty"},
           {client(R"("service":{"name":"a","namespace":"b","path":"/A_b/c/"})"),
            ".service.path: Invalid value: \"/A_b/c/\": segment[0]: a lowercase RFC 1123"},
           {R"({"strategy":"None","webhook":{)" + url + "," + versions + "}}",
            "[" + at + ": Forbidden: " + forbidden +
                ", spec.conversion.conversionReviewVersions: Forbidden: " + forbidden + "]"},
           {R"({"strategy":"Foo"})",
            R"(strategy: Unsupported value: "Foo": supported values: "None", "Webhook")"},
           {R"({"strategy":""})", "spec.conversion.strategy: Required value"}}) {
    json::Value definition = Definition();
    definition.Ensure("spec").Set("conversion", Json(one.conversion));
    const Reply reply = server.Do("POST", kDefinitions, definition.Dump());
    EXPECT_EQ(reply.status, 422) << one.conversion << reply.body;
    EXPECT_THAT(reply.Json()["message"].StringOrEmpty(), HasSubstr(one.message));
  }
}

TEST(WebhookConversionDefinition, DefaultsAndCertificates) {
  TestServer server;
  json::Value definition = Definition();
  definition.Ensure("spec").Set("conversion", Json(R"({"strategy":"None","webhook":{}})"));
  const std::string dry = std::string(kDefinitions) + "?dryRun=All";
  EXPECT_EQ(server.Do("POST", dry, definition.Dump()).Json().At("/spec/conversion"),
            Json(R"({"strategy":"None"})"));
  definition.Ensure("spec").Erase("conversion");
  EXPECT_EQ(server.Do("POST", dry, definition.Dump()).Json().At("/spec/conversion"),
            Json(R"({"strategy":"None"})"));
  definition.Ensure("spec").Set("conversion", Json(R"({"strategy":"Webhook","webhook":{
    "conversionReviewVersions":["v1"],"clientConfig":{"caBundle":"bm90IHBlbQ==",
    "service":{"name":"a","namespace":"b"}}}})"));
  // A bundle without certificates is accepted at first, and may be changed, but not set later.
  const Reply made = server.Do("POST", kDefinitions, definition.Dump());
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Json().At("/spec/conversion/webhook/clientConfig/service/port").AsInt64(), 443);
  const std::string path = std::string(kDefinitions) + "/widgets.example.com";
  const auto bundle = [&](const std::string& text) {
    return server.Do(
        "PATCH", path,
        R"({"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":)" + text + "}}}}}",
        kMerge);
  };
  EXPECT_EQ(bundle(R"("b3RoZXI=")").status, 200);
  EXPECT_EQ(bundle("null").status, 200);
  EXPECT_THAT(bundle(R"("b3RoZXI=")").Json()["message"].StringOrEmpty(),
              HasSubstr("spec.conversion.webhookClientConfig.caBundle: Invalid value: "
                        "\"b3RoZXI=\": unable to load root certificates: unable to parse bytes as "
                        "PEM block"));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
