// Custom resources with a conversion webhook: reads, watches and writes.
// test/realserver/webhook_test.cc compares the server's messages with those of a real one.

#include <chrono>
#include <cstdint>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/testing/webhook_conversion_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(WebhookConversion, AnObjectIsReadInBothVersions) {
  Make("a", 7);
  EXPECT_THAT(hook_.asked, IsEmpty());
  const Reply got = server_.Get(kV2 + "/a");
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.Json()["apiVersion"].StringOrEmpty(), "example.com/v2");
  // Defaults are those of the storage version.
  EXPECT_EQ(got.Json()["spec"], Json(R"({"color":"red","length":"7"})"));
  EXPECT_EQ(got.Json()["metadata"], server_.Get(kV1 + "/a").Json()["metadata"]);
  ASSERT_THAT(hook_.asked, SizeIs(1));
  EXPECT_THAT(hook_.targets, ElementsAre("/way?timeout=30s"));
  EXPECT_EQ(hook_.asked[0]["desiredAPIVersion"].StringOrEmpty(), "example.com/v2");
  const json::Value& object = hook_.asked[0]["objects"][0];
  EXPECT_EQ(object["apiVersion"].StringOrEmpty(), "example.com/v1");
  EXPECT_EQ(object["kind"].StringOrEmpty(), "Widget");
  EXPECT_EQ(object.At("/metadata/name").StringOrEmpty(), "a");
  EXPECT_TRUE(object.At("/metadata/resourceVersion").is_null());
}

TEST_F(WebhookConversion, AWriteInAnotherVersionIsConvertedAndShownAsItWasStored) {
  const Reply made = Post(kV2, R"({"metadata":{"name":"a"},"spec":{"length":"7"}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Json()["apiVersion"].StringOrEmpty(), "example.com/v2");
  EXPECT_EQ(made.Json().At("/spec/length").StringOrEmpty(), "7");
  EXPECT_EQ(made.Json().At("/metadata/generation").AsInt64(), 1);
  EXPECT_EQ(Size("a"), 7);
  // The default of the version that was sent does not apply to the storage version.
  EXPECT_TRUE(made.Json().At("/spec/added").is_null());

  const Reply patched =
      server_.Do("PATCH", kV2 + "/a", R"({"spec":{"length":"8","kept":"k"}})", kMerge);
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(patched.Json().At("/spec/kept").StringOrEmpty(), "k");
  EXPECT_EQ(patched.Json().At("/metadata/generation").AsInt64(), 2);
  EXPECT_EQ(Size("a"), 8);

  json::Value object = patched.Json();
  object.Ensure("spec").Set("length", "9");
  object.Set("status", Json(R"({"phase":"not here"})"));
  const Reply put = server_.Do("PUT", kV2 + "/a", object.Dump());
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_TRUE(put.Json()["status"].is_null());
  EXPECT_EQ(Size("a"), 9);

  const Reply applied = server_.Do("PATCH", kV2 + "/a?fieldManager=m", R"({"kind":"Widget",
    "apiVersion":"example.com/v2","metadata":{"name":"a"},"spec":{"length":"10"}})",
                                   kApply);
  EXPECT_EQ(applied.status, 200) << applied.body;
  EXPECT_EQ(Size("a"), 10);
  const Reply conflict = server_.Do("PUT", kV2 + "/a", object.Dump());
  EXPECT_EQ(conflict.status, 409) << conflict.body;
}

TEST_F(WebhookConversion, NoOpWrite_KeepsTheResourceVersion) {
  // A default that exists in only one version makes each write a change.
  json::Value definition = Definition();
  definition
      .Ensure("spec", "versions", 1, "schema", "openAPIV3Schema", "properties", "spec",
              "properties", "added")
      .Erase("default");
  Redefine(definition);
  Make("a", 7);
  const std::int64_t before = server_.server().current_resource_version();
  EXPECT_EQ(server_.Do("PATCH", kV2 + "/a", R"({"spec":{"length":"7"}})", kMerge).status, 200);
  EXPECT_EQ(server_.server().current_resource_version(), before);
  EXPECT_EQ(server_.Do("PATCH", kV2 + "/a?dryRun=All", R"({"spec":{"length":"8"}})", kMerge)
                .Json()
                .At("/spec/length")
                .StringOrEmpty(),
            "8");
  EXPECT_EQ(server_.server().current_resource_version(), before);
  EXPECT_EQ(Size("a"), 7);
}

TEST_F(WebhookConversion, Writes_AreValidatedAgainstTheSchemaOfTheirVersion) {
  const Reply refused = Post(kV2, R"({"metadata":{"name":"a"},"spec":{"length":"1234"}})");
  EXPECT_EQ(refused.status, 422) << refused.body;
  EXPECT_THAT(Message(refused), HasSubstr("spec.length"));
  const Reply warned = Post(kV2, R"({"metadata":{"name":"a"},"spec":{"size":1,"length":"2"}})");
  EXPECT_EQ(warned.status, 201) << warned.body;
  EXPECT_EQ(warned.headers.Get("Warning"), "299 - \"unknown field \\\"spec.size\\\"\"");
  // Objects stored in another version are not validated against this one.
  Make("long", 12345);
  EXPECT_EQ(Length("long"), "12345");
}

TEST_F(WebhookConversion, SubresourcesOfAVersionThatIsNotStored) {
  Make("a", 7);
  const Reply status =
      server_.Do("PATCH", kV2 + "/a/status", R"({"status":{"phase":"done"}})", kMerge);
  EXPECT_EQ(status.status, 200) << status.body;
  EXPECT_EQ(status.Json().At("/status/phase").StringOrEmpty(), "done");
  EXPECT_EQ(server_.Get(kV1 + "/a").Json().At("/status/done").StringOrEmpty(), "done");
  EXPECT_EQ(server_.Get(kV1 + "/a").Json().At("/metadata/generation").AsInt64(), 1);

  const Reply scaled = server_.Do("PATCH", kV2 + "/a/scale", R"({"spec":{"replicas":4}})", kMerge);
  EXPECT_EQ(scaled.status, 200) << scaled.body;
  EXPECT_EQ(scaled.Json().At("/spec/replicas").AsInt64(), 4);
  EXPECT_EQ(server_.Get(kV2 + "/a/scale").Json().At("/spec/replicas").AsInt64(), 4);
  EXPECT_EQ(server_.Get(kV1 + "/a").Json().At("/spec/replicas").AsInt64(), 4);
  EXPECT_EQ(Size("a"), 7);
}

TEST_F(WebhookConversion, InvalidAnswers_AreErrors) {
  Make("a", 7);
  const std::string uid = server_.Get(kV1 + "/a").Json().At("/metadata/uid").StringOrEmpty();
  const auto object = [](json::Value& answer) -> json::Value& {
    return answer.Ensure("response", "convertedObjects").EnsureArray().front();
  };
  struct Case {
    const char* what;
    std::function<void(json::Value&)> change;
    std::string message;
  };
  for (const Case& one : std::vector<Case>{
           {"kind of the answer", [](auto& a) { a.Set("kind", "Other"); },
            "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, "
            "got apiextensions.k8s.io/v1, Kind=Other"},
           {"no response", [](auto& a) { a.Erase("response"); }, "failed: no response provided"},
           {"uid of the question", [](auto& a) { a.Ensure("response").Set("uid", "x"); },
            "failed: expected response.uid="},
           {"failure",
            [](auto& a) { a.Ensure("response").Set("result", Json(R"({"status":"Failure"})")); },
            "failed: response.result.status was 'Failure', not 'Success'"},
           {"reason of a failure",
            [](auto& a) { a.Ensure("response").Set("result", Json(R"({"message":"why"})")); },
            "failed: why"},
           {"too few",
            [](auto& a) { a.Ensure("response", "convertedObjects").EnsureArray().clear(); },
            "returned 0 objects, expected 1"},
           {"no object", [&](auto& a) { object(a) = "x"; },
            "returned invalid object at index 0: it is a string, not an object"},
           {"version", [&](auto& a) { object(a).Set("apiVersion", "example.com/v7"); },
            "returned invalid object at index 0: invalid groupVersion (expected example.com/v2, "
            "received example.com/v7)"},
           {"kind", [&](auto& a) { object(a).Set("kind", "Other"); },
            "returned invalid object at index 0: invalid kind (expected Widget, received Other)"},
           {"name", [&](auto& a) { object(a).Ensure("metadata").Set("name", "other"); },
            "returned invalid object: must have the same name: a != other"},
           {"namespace", [&](auto& a) { object(a).Ensure("metadata").Set("namespace", "other"); },
            "returned invalid object: must have the same namespace: default != other"},
           {"uid", [&](auto& a) { object(a).Ensure("metadata").Set("uid", "other"); },
            "returned invalid object: must have the same UID: " + uid + " != other"},
           {"no metadata", [&](auto& a) { object(a).Erase("metadata"); },
            "returned invalid object: must have the same name: a != "},
           {"labels", [&](auto& a) { object(a).Ensure("metadata").Set("labels", "x"); },
            "returned invalid metadata: invalid metadata.labels of type string in converted "
            "object"},
           {"a label's type", [&](auto& a) { object(a).Ensure("metadata", "labels").Set("n", 1); },
            "returned invalid metadata: metadata.labels[n] must be a string, but is int64 in "
            "converted object"},
           {"a label", [&](auto& a) { object(a).Ensure("metadata", "labels").Set("-bad-", "x"); },
            "returned invalid metadata: metadata.labels: Invalid value: \"-bad-\": name part must "
            "consist of"}}) {
    hook_.change = one.change;
    const Reply got = server_.Get(kV2 + "/a");
    EXPECT_THAT(Message(got),
                HasSubstr("500  conversion webhook for example.com/v1, Kind=Widget " + one.message))
        << one.what;
  }
  for (const auto& [status, message] :
       {std::pair<int, std::string>(500,
                                    "an error on the server (\"broken\") has prevented the "
                                    "request from succeeding"),
        {404, "the server could not find the requested resource"}}) {
    hook_.status = status;
    EXPECT_EQ(Message(server_.Get(kV2 + "/a")),
              "500  conversion webhook for example.com/v1, Kind=Widget failed: " + message);
  }
}

// The limit for answers does not depend on the size of the question.
TEST_F(WebhookConversion, AnAnswerThatMultiplies_IsRefusedInWords_AndTheServerGoesOn) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  Make("a", 7);
  Make("b", 8);
  const auto listed = [](std::size_t count, const json::Value& one) {
    json::Array items(count, one);
    return json::Value(std::move(items));
  };
  const auto in_spec = [](const json::Value& value) {
    return [value](json::Value& answer) {
      json::Value& object = answer.Ensure("response", "convertedObjects").EnsureArray().front();
      object.Ensure("spec").Set("l", value);
    };
  };
  const auto deep = [](int levels) {
    json::Value value = 1;
    for (int i = 0; i < levels; ++i) {
      json::Array around;
      around.push_back(std::move(value));
      value = json::Value(std::move(around));
    }
    return value;
  };
  struct Case {
    const char* what;
    std::function<void(json::Value&)> change;
    std::string message;
  };
  for (const Case& one : std::vector<Case>{
           {"many objects",
            [](json::Value& answer) {
              json::Array& made = answer.Ensure("response", "convertedObjects").EnsureArray();
              const json::Value object = made.front();
              for (int i = 1; i < 40'000; ++i) made.push_back(object);
            },
            "returned 40000 objects, expected 1"},
           {"long", in_spec(std::string(17 * kMiB, 'x')),
            "the webhook's answer is longer than 16777216 bytes"},
           {"many values", in_spec(listed(1'200'000, 1)),
            "the webhook's answer has more than 1048576 values"},
           {"many objects within", in_spec(listed(600'000, json::Value::MakeObject())),
            "the webhook's answer has more than 1048576 values"},
           {"much memory", in_spec(listed(400'000, 1)),
            "returned invalid object at index 0: it takes more than 16 MiB of memory"},
           {"deep", in_spec(deep(600)), "failed: "}}) {
    hook_.change = one.change;
    const std::string got = Message(server_.Get(kV2 + "/a"));
    EXPECT_THAT(got, HasSubstr("500  conversion webhook for example.com/v1, Kind=Widget "))
        << one.what;
    EXPECT_THAT(got, HasSubstr(one.message)) << one.what;
    EXPECT_LT(got.size(), 1000U) << one.what;
    // Writes are refused, too.
    const Reply made = Post(kV2, R"({"metadata":{"name":"c"},"spec":{"length":"7"}})");
    EXPECT_EQ(made.status, 500) << one.what;
    EXPECT_THAT(Message(made), HasSubstr(one.message)) << one.what;
    EXPECT_EQ(Size("b"), 8) << one.what;
  }
  // A string is one value, however many commas it has.
  hook_.change = in_spec(std::string(2 * kMiB, ','));
  EXPECT_EQ(server_.Get(kV2 + "/a").status, 200);
  hook_.change = nullptr;
  EXPECT_EQ(Length("a"), "7");
}

TEST_F(WebhookConversion, ConvertedMetadata_OnlyLabelsAndAnnotationsChange) {
  Make("a", 7);
  hook_.change = [](json::Value& answer) {
    json::Value& object = answer.Ensure("response", "convertedObjects").EnsureArray().front();
    object.Set("unknown", true);
    object.Ensure("metadata").MergePatch(Json(R"({"labels":{"l":"1"},"annotations":{"n":"1"},
      "finalizers":["a/b"],"generation":77,"creationTimestamp":null})"));
  };
  const json::Value got = server_.Get(kV2 + "/a").Json();
  json::Value expected = server_.Get(kV1 + "/a").Json()["metadata"];
  expected.Set("labels", Json(R"({"l":"1"})"));
  expected.Set("annotations", Json(R"({"n":"1"})"));
  EXPECT_EQ(got["metadata"], expected);
  EXPECT_TRUE(got["unknown"].is_null());
}

TEST_F(WebhookConversion, WithoutTheWebhookTheVersionThatIsStoredWorks) {
  Make("a", 7);
  hook_.fails = true;
  EXPECT_EQ(Message(server_.Get(kV2 + "/a")), kFailed);
  EXPECT_EQ(Message(server_.Get(kV2)), kFailed);
  EXPECT_EQ(Message(server_.Get(kV2 + "/a/scale")), kFailed);
  EXPECT_EQ(Message(server_.Do("DELETE", kV2 + "/a")), kFailed);
  EXPECT_EQ(Message(server_.Do("DELETE", kV2)), kFailed);
  EXPECT_EQ(Message(server_.Do("PATCH", kV2 + "/a", R"({"spec":{"length":"8"}})", kMerge)),
            kFailed);
  EXPECT_EQ(Message(Post(kV2, R"({"metadata":{"name":"b"}})")),
            "500  conversion webhook for example.com/v2, Kind=Widget failed: cannot");
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), ElementsAre("ERROR " + kFailed.substr(5)));
  EXPECT_TRUE(watch->ended());
  Resize("a", 8);
  EXPECT_EQ(Size("a"), 8);
  hook_.fails = false;
  EXPECT_EQ(Length("a"), "8");
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=8"));
}

TEST_F(WebhookConversion, AWebhookThatCannotBeReachedIsNamed) {
  json::Value definition = Definition();
  definition.Ensure("spec", "conversion", "webhook")
      .Set("clientConfig", Json(R"({"service":{"namespace":"system","name":"hooks"}})"));
  Redefine(definition);
  Make("a", 7);
  EXPECT_THAT(
      Message(server_.Get(kV2 + "/a")),
      HasSubstr("failed: Post \"https://hooks.system.svc:443/?timeout=30s\": no transport"));
}

TEST_F(WebhookConversion, ListsAreAskedForInBatchesAndOnlyWhatIsNew) {
  for (int i = 0; i < 600; ++i) Make("w" + std::to_string(i), i);
  EXPECT_THAT(server_.Get(kV2).Json()["items"].items(), SizeIs(600));
  EXPECT_THAT(TakeAsked(), ElementsAre(256U, 256U, 88U));
  EXPECT_THAT(server_.Get(kV2 + "?fieldSelector=spec.length%3D77").Json()["items"].items(),
              SizeIs(1));
  Resize("w77", 78);
  const Reply selected = server_.Get(kV2 + "?fieldSelector=spec.length%3D78");
  EXPECT_THAT(Lengths(selected), ElementsAre("w77=78", "w78=78"));
  EXPECT_EQ(hook_.objects, 601U);
  // All pages show one state.
  const Reply page = server_.Get(kV2 + "?limit=400");
  Make("last", 1);
  const Reply rest = server_.Get(
      kV2 + "?limit=400&continue=" + page.Json().At("/metadata/continue").StringOrEmpty());
  EXPECT_THAT(page.Json()["items"].items(), SizeIs(400));
  EXPECT_THAT(rest.Json()["items"].items(), SizeIs(200));
  EXPECT_EQ(page.Json().At("/metadata/resourceVersion"),
            rest.Json().At("/metadata/resourceVersion"));
}

TEST_F(WebhookConversion, AWatchShowsEveryEventInItsVersionAndInOrder) {
  Make("a", 1);
  const auto watch =
      server_.Open(kV2 +
                   "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                   "allowWatchBookmarks=true");
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a=1", "BOOKMARK ="));
  Make("b", 2);
  Resize("a", 3);
  Resize("a", 4);
  EXPECT_EQ(server_.Do("DELETE", kV1 + "/b").status, 200);
  EXPECT_THAT(Seen(*watch),
              ElementsAre("ADDED b=2", "MODIFIED a=3", "MODIFIED a=4", "DELETED b=2"));
  const std::string version =
      server_.Get(kV2).Json().At("/metadata/resourceVersion").StringOrEmpty();
  Resize("a", 5);
  const auto later = server_.Open(kV2 + "?watch=1&resourceVersion=" + version);
  EXPECT_THAT(Seen(*later), ElementsAre("MODIFIED a=5"));
  const auto one = server_.Open(kV2 + "?watch=1&fieldSelector=spec.length%3D6");
  EXPECT_THAT(Seen(*one), IsEmpty());
  Resize("a", 6);
  Resize("a", 7);
  EXPECT_THAT(Seen(*one), ElementsAre("ADDED a=6", "DELETED a=6"));
}

TEST_F(WebhookConversion, AWatchWaitsForAWebhookThatIsDown) {
  Make("a", 1);
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a=1"));
  hook_.fails = true;
  Resize("a", 2);
  Resize("a", 3);
  EXPECT_THAT(Seen(*watch, seconds(20)), IsEmpty());
  EXPECT_FALSE(watch->ended());
  EXPECT_EQ(Message(server_.Get(kV2)), kFailed);
  hook_.fails = false;
  EXPECT_THAT(Seen(*watch, seconds(2)), ElementsAre("MODIFIED a=2", "MODIFIED a=3"));
}

TEST_F(WebhookConversion, WatchEventsBeforeAnUnconvertibleObject_AreSent) {
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), IsEmpty());
  hook_.bad = "bad";
  Make("a", 1);
  Make("b", 2);
  Make("bad", 3);
  Make("c", 4);
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a=1", "ADDED b=2"));
  EXPECT_EQ(Message(server_.Get(kV2)), kFailed);
  hook_.bad.clear();
  EXPECT_THAT(Seen(*watch, seconds(2)), ElementsAre("ADDED bad=3", "ADDED c=4"));
}

TEST_F(WebhookConversion, UnreadVersions_AreNotConverted) {
  {
    const auto watch = server_.Open(kV2 + "?watch=1");
    EXPECT_THAT(Seen(*watch), IsEmpty());
  }
  Make("a", 1);
  Resize("a", 2);
  server_.sim().RunFor(seconds(10));
  EXPECT_THAT(hook_.asked, IsEmpty());
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=2"));
}

TEST_F(WebhookConversion, ASlowWebhookHoldsUpNobodyElse) {
  Make("a", 7);
  hook_.silent = true;
  const SteadyTime begin = server_.sim().env().Now();
  const auto slow = server_.Open(kV2 + "/a");
  server_.sim().RunFor(seconds(1));
  EXPECT_EQ(Size("a"), 7);
  EXPECT_EQ(server_.sim().env().Now() - begin, seconds(1));
  ASSERT_TRUE(server_.sim().RunUntil(
      [&] {
        slow->Pull();
        return slow->ended();
      },
      seconds(60)));
  EXPECT_EQ(server_.sim().env().Now() - begin, seconds(30));
  EXPECT_THAT(Message(slow->reply()),
              HasSubstr("failed: Post \"https://convert/way?timeout=30s\": context deadline"));
}

TEST_F(WebhookConversion, AnObjectThatChangesMeanwhileIsConvertedAnew) {
  Make("a", 1);
  hook_.change = [&, done = false](json::Value&) mutable {
    if (!std::exchange(done, true)) Resize("a", 5);
  };
  const Reply patched = server_.Do("PATCH", kV2 + "/a", R"({"spec":{"kept":"k"}})", kMerge);
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(Size("a"), 5);
  EXPECT_EQ(server_.Get(kV1 + "/a").Json().At("/spec/kept").StringOrEmpty(), "k");
}

TEST_F(WebhookConversion, DeletionFinalizersAndDependents) {
  Make("a", 1);
  Make("b", 2);
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a=1", "ADDED b=2"));
  ASSERT_EQ(
      server_.Do("PATCH", kV2 + "/a", R"({"metadata":{"finalizers":["x.y/z"]}})", kMerge).status,
      200);
  const Reply marked = server_.Do("DELETE", kV2 + "/a");
  EXPECT_EQ(marked.status, 200) << marked.body;
  EXPECT_EQ(marked.Json()["apiVersion"].StringOrEmpty(), "example.com/v2");
  EXPECT_EQ(marked.Json().At("/spec/length").StringOrEmpty(), "1");
  const Reply gone = server_.Do("PATCH", kV2 + "/a", R"({"metadata":{"finalizers":null}})", kMerge);
  EXPECT_EQ(gone.status, 200) << gone.body;
  EXPECT_EQ(server_.Get(kV2 + "/a").status, 404);
  EXPECT_THAT(Seen(*watch), ElementsAre("MODIFIED a=1", "MODIFIED a=1", "DELETED a=1"));

  // The garbage collector needs no conversion.
  const std::string uid = server_.Get(kV1 + "/b").Json().At("/metadata/uid").StringOrEmpty();
  Make("child", 3);
  ASSERT_EQ(server_
                .Do("PATCH", kV1 + "/child",
                    R"({"metadata":{"ownerReferences":[{"apiVersion":"example.com/v2",
      "kind":"Widget","name":"b","uid":")" +
                        uid + R"("}]}})",
                    kMerge)
                .status,
            200);
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED child=3", "MODIFIED child=3"));
  ASSERT_EQ(server_.Do("DELETE", kV1 + "/b").status, 200);
  EXPECT_THAT(Seen(*watch, seconds(1)), ElementsAre("DELETED b=2", "DELETED child=3"));
}

TEST_F(WebhookConversion, ACollectionIsDeletedAsItsVersionShowsIt) {
  for (int i = 0; i < 4; ++i) Make("w" + std::to_string(i), i);
  const Reply deleted = server_.Do("DELETE", kV2 + "?fieldSelector=spec.length%3D2");
  EXPECT_EQ(deleted.status, 200) << deleted.body;
  EXPECT_THAT(Lengths(deleted), ElementsAre("w2=2"));
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("w0=0", "w1=1", "w3=3"));
  EXPECT_EQ(server_.Do("DELETE", kV2).status, 200);
  EXPECT_THAT(Lengths(server_.Get(kV2)), IsEmpty());
}

TEST_F(WebhookConversion, TablesAndMetadata_AreConverted) {
  Make("a", 7);
  const HeaderList table = {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}};
  EXPECT_EQ(server_.Get(kV2 + "/a", table).Json().At("/rows/0/cells/1"), json::Value("7"));
  EXPECT_EQ(server_.Get(kV2, table).Json().At("/rows/0/cells/1"), json::Value("7"));
  const HeaderList metadata = {
      {"Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}};
  EXPECT_EQ(server_.Get(kV2 + "/a", metadata).Json().At("/metadata/name").StringOrEmpty(), "a");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
