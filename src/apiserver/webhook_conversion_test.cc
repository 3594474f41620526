// Custom resources whose versions a webhook converts. What the server says is what a real one says:
// test/realserver/webhook_test.cc.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/request/responses.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string kV1 = "/apis/example.com/v1/namespaces/default/widgets";
const std::string kV2 = "/apis/example.com/v2/namespaces/default/widgets";
const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
const HeaderList kApply = {{"Content-Type", "application/apply-patch+yaml"}};

json::Value Json(std::string_view text) { return json::Parse(text).OrExit(); }

// spec.size, a number, of v1 is spec.length, a text, of v2; status.done is status.phase.
json::Value Converted(const json::Value& object, const std::string& version) {
  json::Value out = object;
  out.Set("apiVersion", version);
  const bool old = version.ends_with("/v1");
  const json::Value& spec = object["spec"];
  if (const json::Value& size = spec["size"]; !old && !size.is_null()) {
    out["spec"].Erase("size");
    out["spec"].Set("length", size.NumberText());
  }
  if (const json::Value& length = spec["length"]; old && !length.is_null()) {
    out["spec"].Erase("length");
    out["spec"].Set("size", std::stoi(length.StringOrEmpty()));
  }
  const json::Value& status = object["status"][old ? "phase" : "done"];
  if (!status.is_null()) {
    out.Set("status", json::Value::MakeObject({{old ? "done" : "phase", status}}));
  }
  return out;
}

class Hook final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    const json::Value review = json::Parse(request.body).OrExit();
    targets.push_back(request.target);
    asked.push_back(review["request"]);
    objects += review.At("/request/objects").size();
    if (silent) return std::make_unique<Silence>();
    if (status != 200) return WholeResponse(status, "text/plain", "broken");
    json::Value made = json::Value::MakeArray();
    for (const json::Value& object : review.At("/request/objects").items()) {
      made.Append(Converted(object, review.At("/request/desiredAPIVersion").StringOrEmpty()));
      if (object.At("/metadata/name").StringOrEmpty() == bad) fails = true;
    }
    json::Value answer = json::Value::MakeObject(
        {{"kind", "ConversionReview"},
         {"apiVersion", review["apiVersion"]},
         {"response", json::Value::MakeObject(
                          {{"uid", review.At("/request/uid")},
                           {"convertedObjects", std::move(made)},
                           {"result", json::Value::MakeObject({{"status", "Success"}})}})}});
    if (std::exchange(fails, bad.empty() && fails)) {
      answer["response"].Set("result", Json(R"({"status":"Failure","message":"cannot"})"));
    }
    if (change) change(answer);
    return WholeResponse(200, "application/json", answer.Dump());
  }

  std::vector<json::Value> asked{};
  std::vector<std::string> targets{};
  std::size_t objects = 0;
  int status = 200;
  bool silent = false;
  bool fails = false;
  std::string bad{};  // the name of one that cannot be converted
  std::function<void(json::Value& answer)> change{};

 private:
  class Silence final : public Deferred {};
};

json::Value Definition(const std::string& storage = "v1") {
  json::Value definition = Json(R"({"metadata":{"name":"widgets.example.com"},"spec":{
    "group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
    "versions":[{"name":"v1","served":true,"schema":{"openAPIV3Schema":{"type":"object",
      "properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"},
        "replicas":{"type":"integer"},"kept":{"type":"string"},
        "color":{"type":"string","default":"red"}}},
        "status":{"type":"object","properties":{"done":{"type":"string"}}}}}},
      "subresources":{"status":{}}},
    {"name":"v2","served":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
        "spec":{"type":"object","properties":{"length":{"type":"string","maxLength":3},
        "replicas":{"type":"integer"},"kept":{"type":"string"},"color":{"type":"string"},
        "added":{"type":"string","default":"by v2"}}},
        "status":{"type":"object","properties":{"phase":{"type":"string"},
        "replicas":{"type":"integer"}}}}}},
      "selectableFields":[{"jsonPath":".spec.length"}],
      "additionalPrinterColumns":[{"name":"Length","type":"string","jsonPath":".spec.length"}],
      "subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas",
        "statusReplicasPath":".status.replicas"}}}],
    "conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v9","v1"],
      "clientConfig":{"url":"https://convert/way"}}}}})");
  for (json::Value& version : definition["spec"]["versions"].EnsureArray()) {
    version.Set("storage", std::as_const(version)["name"].StringOrEmpty() == storage);
  }
  return definition;
}

class WebhookConversion : public ::testing::Test {
 protected:
  void SetUp() override { Define(Definition()); }

  void Define(const json::Value& definition) {
    const Reply made = server_.Do("POST", kDefinitions, definition.Dump());
    ASSERT_EQ(made.status, 201) << made.body;
  }
  void Redefine(json::Value definition) {
    const std::string path = std::string(kDefinitions) + "/widgets.example.com";
    definition["metadata"].Set("resourceVersion",
                               server_.Get(path).Json().At("/metadata/resourceVersion"));
    const Reply made = server_.Do("PUT", path, definition.Dump());
    ASSERT_EQ(made.status, 200) << made.body;
  }
  // A Widget of that version.
  Reply Post(const std::string& path, std::string_view body) {
    json::Value object = Json(body);
    object.Set("kind", "Widget");
    object.Set("apiVersion", path == kV1 ? "example.com/v1" : "example.com/v2");
    return server_.Do("POST", path, object.Dump());
  }
  static std::string Widget(const std::string& name, int size) {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"size":)" + std::to_string(size) +
           "}}";
  }
  void Make(const std::string& name, int size) {
    const Reply made = Post(kV1, Widget(name, size));
    ASSERT_EQ(made.status, 201) << made.body;
  }
  void Resize(const std::string& name, int size) {
    const Reply made = server_.Do("PATCH", kV1 + "/" + name,
                                  R"({"spec":{"size":)" + std::to_string(size) + "}}", kMerge);
    ASSERT_EQ(made.status, 200) << made.body;
  }
  // spec.length of an object of v2.
  std::string Length(const std::string& name) {
    return server_.Get(kV2 + "/" + name).Json().At("/spec/length").StringOrEmpty();
  }
  std::int64_t Size(const std::string& name) {
    return server_.Get(kV1 + "/" + name).Json().At("/spec/size").AsInt64().value_or(-1);
  }
  // "a=7" for each object of a list.
  static std::vector<std::string> Lengths(const Reply& list) {
    std::vector<std::string> out;
    const json::Value read = list.Json();
    for (const json::Value& item : read["items"].items()) {
      out.push_back(item.At("/metadata/name").StringOrEmpty() + "=" +
                    item.At("/spec/length").StringOrEmpty());
    }
    return out;
  }
  // Lets time go by, and gives what has come, as "ADDED a=7".
  std::vector<std::string> Seen(OpenReply& watch, Duration after = std::chrono::milliseconds(10)) {
    server_.sim().RunFor(after);
    watch.Pull();
    std::vector<std::string> out;
    for (const json::Value& frame : watch.Frames()) {
      const json::Value& object = frame["object"];
      out.push_back(frame["type"].StringOrEmpty() + " " +
                    (frame["type"].StringOrEmpty() == "ERROR"
                         ? object["message"].StringOrEmpty()
                         : object.At("/metadata/name").StringOrEmpty() + "=" +
                               object.At("/spec/length").StringOrEmpty()));
    }
    return out;
  }
  static std::string Message(const Reply& reply) {
    return std::to_string(reply.status) + " " + reply.Json()["reason"].StringOrEmpty() + " " +
           reply.Json()["message"].StringOrEmpty();
  }

  Hook hook_{};
  std::shared_ptr<InMemoryTransport> transport_{};
  TestServer server_{
      {.webhook_transport = [this](const WebhookAddress& address) -> std::shared_ptr<Transport> {
        if (address.base_url != "https://convert") return nullptr;
        if (transport_ == nullptr) {
          transport_ = NewInMemoryTransport(server_.sim().env(), hook_);
        }
        return transport_;
      }}};
};

const std::string kFailed =
    "500  conversion webhook for example.com/v1, Kind=Widget failed: cannot";

TEST_F(WebhookConversion, AnObjectIsReadInBothVersions) {
  Make("a", 7);
  EXPECT_THAT(hook_.asked, IsEmpty());
  const Reply got = server_.Get(kV2 + "/a");
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.Json()["apiVersion"].StringOrEmpty(), "example.com/v2");
  // Defaults are those of the version that is stored.
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
  // The default of the version in which it was sent does not fit the one that is stored.
  EXPECT_TRUE(made.Json().At("/spec/added").is_null());

  const Reply patched =
      server_.Do("PATCH", kV2 + "/a", R"({"spec":{"length":"8","kept":"k"}})", kMerge);
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(patched.Json().At("/spec/kept").StringOrEmpty(), "k");
  EXPECT_EQ(patched.Json().At("/metadata/generation").AsInt64(), 2);
  EXPECT_EQ(Size("a"), 8);

  json::Value object = patched.Json();
  object["spec"].Set("length", "9");
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

TEST_F(WebhookConversion, AWriteThatChangesNothingOfWhatIsStored) {
  // What a default adds in one version, and the other does not have, is a change each time.
  json::Value definition = Definition();
  definition["spec"]["versions"][1]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
            ["added"]
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

TEST_F(WebhookConversion, TheSchemaOfTheVersionThatIsSentCounts) {
  const Reply refused = Post(kV2, R"({"metadata":{"name":"a"},"spec":{"length":"1234"}})");
  EXPECT_EQ(refused.status, 422) << refused.body;
  EXPECT_THAT(Message(refused), HasSubstr("spec.length"));
  const Reply warned = Post(kV2, R"({"metadata":{"name":"a"},"spec":{"size":1,"length":"2"}})");
  EXPECT_EQ(warned.status, 201) << warned.body;
  EXPECT_EQ(warned.headers.Get("Warning"), "299 - \"unknown field \\\"spec.size\\\"\"");
  // What is stored in another version is not checked against this one.
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

TEST_F(WebhookConversion, EachRuleOfTheAnswer) {
  Make("a", 7);
  const std::string uid = server_.Get(kV1 + "/a").Json().At("/metadata/uid").StringOrEmpty();
  const auto object = [](json::Value& answer) -> json::Value& {
    return answer["response"]["convertedObjects"].EnsureArray().front();
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
           {"uid of the question", [](auto& a) { a["response"].Set("uid", "x"); },
            "failed: expected response.uid="},
           {"failure",
            [](auto& a) { a["response"].Set("result", Json(R"({"status":"Failure"})")); },
            "failed: response.result.status was 'Failure', not 'Success'"},
           {"reason of a failure",
            [](auto& a) { a["response"].Set("result", Json(R"({"message":"why"})")); },
            "failed: why"},
           {"too few", [](auto& a) { a["response"]["convertedObjects"].EnsureArray().clear(); },
            "returned 0 objects, expected 1"},
           {"no object", [&](auto& a) { object(a) = "x"; },
            "returned invalid object at index 0: it is a string, not an object"},
           {"version", [&](auto& a) { object(a).Set("apiVersion", "example.com/v7"); },
            "returned invalid object at index 0: invalid groupVersion (expected example.com/v2, "
            "received example.com/v7)"},
           {"kind", [&](auto& a) { object(a).Set("kind", "Other"); },
            "returned invalid object at index 0: invalid kind (expected Widget, received Other)"},
           {"name", [&](auto& a) { object(a)["metadata"].Set("name", "other"); },
            "returned invalid object: must have the same name: a != other"},
           {"namespace", [&](auto& a) { object(a)["metadata"].Set("namespace", "other"); },
            "returned invalid object: must have the same namespace: default != other"},
           {"uid", [&](auto& a) { object(a)["metadata"].Set("uid", "other"); },
            "returned invalid object: must have the same UID: " + uid + " != other"},
           {"no metadata", [&](auto& a) { object(a).Erase("metadata"); },
            "returned invalid object: must have the same name: a != "},
           {"labels", [&](auto& a) { object(a)["metadata"].Set("labels", "x"); },
            "returned invalid metadata: invalid metadata.labels of type string in converted "
            "object"},
           {"a label's type", [&](auto& a) { object(a)["metadata"]["labels"].Set("n", 1); },
            "returned invalid metadata: metadata.labels[n] must be a string, but is int64 in "
            "converted object"},
           {"a label", [&](auto& a) { object(a)["metadata"]["labels"].Set("-bad-", "x"); },
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

TEST_F(WebhookConversion, OfTheMetadataOnlyLabelsAndAnnotationsMayChange) {
  Make("a", 7);
  hook_.change = [](json::Value& answer) {
    json::Value& object = answer["response"]["convertedObjects"].EnsureArray().front();
    object.Set("unknown", true);
    object["metadata"].MergePatch(Json(R"({"labels":{"l":"1"},"annotations":{"n":"1"},
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
  definition["spec"]["conversion"]["webhook"].Set(
      "clientConfig", Json(R"({"service":{"namespace":"system","name":"hooks"}})"));
  Redefine(definition);
  Make("a", 7);
  EXPECT_THAT(
      Message(server_.Get(kV2 + "/a")),
      HasSubstr("failed: Post \"https://hooks.system.svc:443/?timeout=30s\": no transport"));
}

TEST_F(WebhookConversion, ListsAreAskedForInBatchesAndOnlyWhatIsNew) {
  for (int i = 0; i < 600; ++i) Make("w" + std::to_string(i), i);
  EXPECT_THAT(server_.Get(kV2).Json()["items"].items(), SizeIs(600));
  EXPECT_EQ(hook_.objects, 600U);
  EXPECT_LE(hook_.asked.size(), 4U);
  EXPECT_THAT(server_.Get(kV2 + "?fieldSelector=spec.length%3D77").Json()["items"].items(),
              SizeIs(1));
  Resize("w77", 78);
  const Reply selected = server_.Get(kV2 + "?fieldSelector=spec.length%3D78");
  EXPECT_THAT(Lengths(selected), ElementsAre("w77=78", "w78=78"));
  EXPECT_EQ(hook_.objects, 601U);
  // Pages are those of one state.
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

TEST_F(WebhookConversion, WhatComesBeforeAnObjectThatCannotBeConvertedIsShown) {
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

TEST_F(WebhookConversion, NobodyIsAskedForWhatNobodyReads) {
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

  // The garbage collector asks nobody.
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

TEST_F(WebhookConversion, OtherFormsOfAnAnswer) {
  Make("a", 7);
  const HeaderList table = {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}};
  EXPECT_EQ(server_.Get(kV2 + "/a", table).Json().At("/rows/0/cells/1"), json::Value("7"));
  EXPECT_EQ(server_.Get(kV2, table).Json().At("/rows/0/cells/1"), json::Value("7"));
  const HeaderList metadata = {
      {"Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}};
  EXPECT_EQ(server_.Get(kV2 + "/a", metadata).Json().At("/metadata/name").StringOrEmpty(), "a");
}

TEST_F(WebhookConversion, ADefinitionThatBeginsToConvert) {
  json::Value none = Definition();
  none["spec"].Set("conversion", Json(R"({"strategy":"None"})"));
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

TEST_F(WebhookConversion, WhatIsStoredStaysAsItIsWhenAnotherVersionIsToBeStored) {
  Make("a", 1);
  Make("b", 2);
  Redefine(Definition("v2"));
  hook_.asked.clear();
  // As real servers have it: what is stored is read as v1 until somebody writes it.
  EXPECT_EQ(Size("a"), 1);
  EXPECT_THAT(hook_.asked, IsEmpty());
  EXPECT_EQ(Length("a"), "1");
  EXPECT_THAT(hook_.asked, SizeIs(1));
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=1", "b=2"));
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a=1", "ADDED b=2"));
  Resize("a", 3);
  EXPECT_THAT(Seen(*watch), ElementsAre("MODIFIED a=3"));
  // A write that changes nothing but the form is one.
  const std::int64_t before = server_.server().current_resource_version();
  ASSERT_EQ(server_.Do("PATCH", kV2 + "/b", "{}", kMerge).status, 200);
  EXPECT_EQ(server_.server().current_resource_version(), before + 1);
  hook_.fails = true;
  EXPECT_EQ(Length("a"), "3");
  EXPECT_EQ(Length("b"), "2");
  EXPECT_EQ(Message(server_.Get(kV1 + "/a")),
            "500  conversion webhook for example.com/v2, Kind=Widget failed: cannot");
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

TEST_F(WebhookConversion, WhoWaitsForAnOlderDefinitionIsToldSo) {
  Make("a", 1);
  hook_.silent = true;
  const auto list = server_.Open(kV2);
  server_.sim().RunFor(seconds(1));
  json::Value none = Definition();
  none["spec"].Set("conversion", Json(R"({"strategy":"None"})"));
  Redefine(none);
  server_.sim().RunFor(seconds(1));
  list->Pull();
  EXPECT_THAT(Message(list->reply()), HasSubstr("503 ServiceUnavailable the definition"));
}

TEST_F(WebhookConversion, CallsInThisProcessDoNotWait) {
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

TEST(WebhookConversionDefinition, WhatIsRefused) {
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
    definition["spec"].Set("conversion", Json(one.conversion));
    const Reply reply = server.Do("POST", kDefinitions, definition.Dump());
    EXPECT_EQ(reply.status, 422) << one.conversion << reply.body;
    EXPECT_THAT(reply.Json()["message"].StringOrEmpty(), HasSubstr(one.message));
  }
}

TEST(WebhookConversionDefinition, DefaultsAndCertificates) {
  TestServer server;
  json::Value definition = Definition();
  definition["spec"].Set("conversion", Json(R"({"strategy":"None","webhook":{}})"));
  const std::string dry = std::string(kDefinitions) + "?dryRun=All";
  EXPECT_EQ(server.Do("POST", dry, definition.Dump()).Json().At("/spec/conversion"),
            Json(R"({"strategy":"None"})"));
  definition["spec"].Erase("conversion");
  EXPECT_EQ(server.Do("POST", dry, definition.Dump()).Json().At("/spec/conversion"),
            Json(R"({"strategy":"None"})"));
  definition["spec"].Set("conversion", Json(R"({"strategy":"Webhook","webhook":{
    "conversionReviewVersions":["v1"],"clientConfig":{"caBundle":"bm90IHBlbQ==",
    "service":{"name":"a","namespace":"b"}}}})"));
  // Who brings the certificates comes later, but not too late.
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
