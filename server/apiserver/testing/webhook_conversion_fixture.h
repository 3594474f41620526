// apiserver/testing/webhook_conversion_fixture.h
//
// WebhookConversion: a server with widgets of two versions and their conversion webhook, in
// simulated time.

#ifndef KINFORMER_APISERVER_TESTING_WEBHOOK_CONVERSION_FIXTURE_H_
#define KINFORMER_APISERVER_TESTING_WEBHOOK_CONVERSION_FIXTURE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
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

inline constexpr std::string_view kDefinitions =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
inline const std::string kV1 = "/apis/example.com/v1/namespaces/default/widgets";
inline const std::string kV2 = "/apis/example.com/v2/namespaces/default/widgets";
inline const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
inline const HeaderList kApply = {{"Content-Type", "application/apply-patch+yaml"}};

// spec.size, a number, in v1 is spec.length, a string, in v2; status.done is status.phase.
inline json::Value Converted(const json::Value& object, const std::string& version) {
  json::Value out = object;
  out.Set("apiVersion", version);
  const bool old = version.ends_with("/v1");
  const json::Value& spec = object["spec"];
  if (const json::Value& size = spec["size"]; !old && !size.is_null()) {
    out.Ensure("spec").Erase("size");
    out.Ensure("spec").Set("length", size.NumberText());
  }
  if (const json::Value& length = spec["length"]; old && !length.is_null()) {
    out.Ensure("spec").Erase("length");
    out.Ensure("spec").Set("size", std::stoi(length.StringOrEmpty()));
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
      EXPECT_THAT(object["apiVersion"].StringOrEmpty(), ::testing::StartsWith("example.com"));
      EXPECT_EQ(object["kind"].StringOrEmpty(), "Widget");
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
      answer.Ensure("response").Set("result", Json(R"({"status":"Failure","message":"cannot"})"));
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
  std::string bad{};  // name of an object that cannot be converted
  std::function<void(json::Value& answer)> change{};

 private:
  class Silence final : public Deferred {};
};

inline json::Value Definition(const std::string& storage = "v1") {
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
  for (json::Value& version : definition.Ensure("spec", "versions").EnsureArray()) {
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
    definition.Ensure("metadata")
        .Set("resourceVersion", server_.Get(path).Json().At("/metadata/resourceVersion"));
    const Reply made = server_.Do("PUT", path, definition.Dump());
    ASSERT_EQ(made.status, 200) << made.body;
  }
  // Creates a Widget of that version.
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
  // Returns spec.length of an object of v2.
  std::string Length(const std::string& name) {
    return server_.Get(kV2 + "/" + name).Json().At("/spec/length").StringOrEmpty();
  }
  std::int64_t Size(const std::string& name) {
    return server_.Get(kV1 + "/" + name).Json().At("/spec/size").AsInt64().value_or(-1);
  }
  // Returns "a=7" for each object of a list.
  static std::vector<std::string> Lengths(const Reply& list) {
    std::vector<std::string> out;
    const json::Value read = list.Json();
    for (const json::Value& item : read["items"].items()) {
      out.push_back(item.At("/metadata/name").StringOrEmpty() + "=" +
                    item.At("/spec/length").StringOrEmpty());
    }
    return out;
  }
  // Advances time, and returns the events received, as "ADDED a=7".
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
  // Returns the number of objects in each call of the webhook since the last one.
  std::vector<std::size_t> TakeAsked() {
    std::vector<std::size_t> out;
    for (const json::Value& request : hook_.asked) out.push_back(request["objects"].size());
    hook_.asked.clear();
    return out;
  }
  static std::string Message(const Reply& reply) {
    return std::to_string(reply.status) + " " + reply.Json()["reason"].StringOrEmpty() + " " +
           reply.Json()["message"].StringOrEmpty();
  }

  Hook hook_{};
  std::shared_ptr<InMemoryTransport> transport_{};
  std::function<std::shared_ptr<Transport>(const WebhookAddress& address)> others_{};
  TestServer server_{
      {.webhook_transport = [this](const WebhookAddress& address) -> std::shared_ptr<Transport> {
        if (address.base_url != "https://convert") {
          return others_ ? others_(address) : nullptr;
        }
        if (transport_ == nullptr) {
          transport_ = NewInMemoryTransport(server_.sim().env(), hook_);
        }
        return transport_;
      }}};
};

inline const std::string kFailed =
    "500  conversion webhook for example.com/v1, Kind=Widget failed: cannot";

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_TESTING_WEBHOOK_CONVERSION_FIXTURE_H_
