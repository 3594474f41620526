// Kinds served in two forms and stored in one: tests that test/conformance/server_checks.txt
// (SRV-FORMS) cannot express.

#include "apiserver/registry/conversion.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/internal/registry.h"

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/testing.h"
#include "object/transcode/transcode.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const GroupVersionResource kCoreEvents{.group = "", .version = "v1", .resource = "events"};
const GroupVersionResource kNewEvents{
    .group = "events.k8s.io", .version = "v1", .resource = "events"};
const GroupVersionResource kAutoscalersV1{
    .group = "autoscaling", .version = "v1", .resource = "horizontalpodautoscalers"};
const GroupVersionResource kAutoscalersV2{
    .group = "autoscaling", .version = "v2", .resource = "horizontalpodautoscalers"};
constexpr const char* kNewPath = "/apis/events.k8s.io/v1/namespaces/default/events";
constexpr const char* kCorePath = "/api/v1/namespaces/default/events";
const HeaderList kProtobuf = {{"Accept", "application/vnd.kubernetes.protobuf"}};

json::Value Parsed(std::string_view text) { return json::Parse(text).value(); }

json::Value NewEvent(std::string_view more = "") {
  return Parsed(R"({"metadata":{"name":"e","namespace":"default")" + std::string(more) +
                R"(},"note":"n","regarding":{"kind":"Pod","name":"p"},"reportingController":"c"})");
}

// Returns the object in an envelope, as JSON.
json::Value Decoded(std::string_view envelope_bytes) {
  const auto envelope = ParseEnvelope(envelope_bytes);
  if (!envelope) return {};
  const std::string version(envelope->api_version);
  const std::size_t slash = version.find('/');
  const KindInfo* type =
      slash == std::string::npos
          ? internal::FindType("", version, envelope->kind)
          : internal::FindType(version.substr(0, slash), version.substr(slash + 1), envelope->kind);
  if (type == nullptr) return {};
  std::string json;
  const auto decoded = internal::ProtobufToJson(*type->message, envelope->raw, json,
                                                internal::TypeMetaJson(envelope->kind, version));
  return decoded ? Parsed(json) : json::Value();
}

TEST(Conversion, CallsInThisProcessUseBothForms) {
  TestServer server;
  const json::Value made = server.server().Create(kNewEvents, NewEvent()).value();
  EXPECT_EQ(made["apiVersion"].StringOrEmpty(), "events.k8s.io/v1");
  EXPECT_EQ(made["note"].StringOrEmpty(), "n");
  const ObjectName name{.namespace_ = "default", .name = "e"};
  json::Value core = server.server().Get(kCoreEvents, name).value();
  EXPECT_EQ(core["apiVersion"].StringOrEmpty(), "v1");
  EXPECT_EQ(core["message"].StringOrEmpty(), "n");
  EXPECT_EQ(core.At("/involvedObject/name").StringOrEmpty(), "p");
  EXPECT_FALSE(core.contains("note"));
  EXPECT_EQ(core.At("/metadata/uid"), made.At("/metadata/uid"));

  core.Set("message", "m");
  ASSERT_TRUE(server.server().Update(kCoreEvents, core).ok());
  const auto list = server.server().List(kNewEvents).value();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["note"].StringOrEmpty(), "m");
  const auto patched = server.server().Patch(kNewEvents, name, Parsed(R"({"note":"x"})"));
  EXPECT_EQ(patched.value()["note"].StringOrEmpty(), "x")
      << "calls in this process may change what requests may not";
  EXPECT_EQ(server.server().ObjectCount(kCoreEvents), 1U);
  EXPECT_EQ(server.server().DumpState(kNewEvents), server.server().DumpState(kCoreEvents));
  const std::size_t before = server.server().Stats().objects;
  ASSERT_TRUE(server.server().Delete(kNewEvents, name).ok());
  EXPECT_EQ(server.server().Stats().objects, before - 1) << "counted once";
  EXPECT_EQ(server.server().ObjectCount(kCoreEvents), 0U);

  EXPECT_FALSE(server.server()
                   .Create(kNewEvents, Parsed(R"({"metadata":{"name":"t","namespace":
      "default"},"note":7})"))
                   .ok())
      << "types are those of the form";
  const json::Value other =
      server.server()
          .Create(kNewEvents, Parsed(R"({"metadata":{"name":"u","namespace":"default"},
              "message":"not of this form"})"))
          .value();
  EXPECT_FALSE(other.contains("note"));
  const json::Value empty =
      server.server()
          .Create(kNewEvents, Parsed(R"({"metadata":{"name":"v","namespace":"default"},
              "related":{},"series":{}})"))
          .value();
  EXPECT_EQ(empty["related"].Dump(), "{}");
  EXPECT_EQ(empty["series"]["count"].AsInt64(), 0);
}

TEST(Conversion, ProtobufInBothForms) {
  TestServer server;
  server.server().Create(kNewEvents, NewEvent()).OrExit();
  for (int again = 0; again < 2; ++again) {  // the first read may cache its bytes
    const json::Value core = Decoded(server.Get(std::string(kCorePath) + "/e", kProtobuf).body);
    EXPECT_EQ(core["apiVersion"].StringOrEmpty(), "v1");
    EXPECT_EQ(core["message"].StringOrEmpty(), "n");
    const json::Value event = Decoded(server.Get(std::string(kNewPath) + "/e", kProtobuf).body);
    EXPECT_EQ(event["apiVersion"].StringOrEmpty(), "events.k8s.io/v1");
    EXPECT_EQ(event["note"].StringOrEmpty(), "n");
    EXPECT_EQ(event["reportingController"].StringOrEmpty(), "c");

    const json::Value list = Decoded(server.Get(kNewPath, kProtobuf).body);
    EXPECT_EQ(list["kind"].StringOrEmpty(), "EventList");
    EXPECT_EQ(list.At("/items/0/note").StringOrEmpty(), "n");
    EXPECT_EQ(Decoded(server.Get(kCorePath, kProtobuf).body).At("/items/0/message").StringOrEmpty(),
              "n");
  }
}

TEST(Conversion, WatchesOfBothFormsSeeTheSameWrites) {
  TestServer server;
  auto core = server.Open(std::string(kCorePath) + "?watch=1&resourceVersion=0");
  auto events = server.Open(std::string(kNewPath) + "?watch=1&resourceVersion=0");
  auto twin = server.Open(std::string(kNewPath) + "?watch=1&resourceVersion=0");
  auto binary = server.Open(std::string(kNewPath) + "?watch=1&resourceVersion=0", kProtobuf);
  for (auto* watch : {&core, &events, &twin, &binary}) (*watch)->Pull();
  EXPECT_EQ(server.server().Stats().watches, 4U);
  server.server().Create(kNewEvents, NewEvent()).OrExit();
  const auto seen = core->Frames();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].At("/object/apiVersion").StringOrEmpty(), "v1");
  EXPECT_EQ(seen[0].At("/object/message").StringOrEmpty(), "n");
  for (auto* watch : {&events, &twin}) {
    const auto frames = (*watch)->Frames();
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(frames[0].At("/object/apiVersion").StringOrEmpty(), "events.k8s.io/v1");
    EXPECT_EQ(frames[0].At("/object/note").StringOrEmpty(), "n");
    EXPECT_EQ(frames[0].At("/object/metadata/resourceVersion"),
              seen[0].At("/object/metadata/resourceVersion"));
  }
  binary->Pull();
  EXPECT_THAT(binary->reply().body, HasSubstr("events.k8s.io/v1"));
}

TEST(Conversion, OwnersAndNamespacesMeetAnObjectOnce) {
  TestServer server;
  const json::Value namespace_ = Parsed(R"({"metadata":{"name":"going"}})");
  server.server()
      .Create({.group = "", .version = "v1", .resource = "namespaces"}, namespace_)
      .OrExit();
  const json::Value owner =
      server.server()
          .Create(kConfigMaps, Parsed(R"({"metadata":{"name":"o","namespace":"default"}})"))
          .value();
  server.server()
      .Create(kNewEvents, NewEvent(R"(,"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap",)"
                                   R"("name":"o","uid":")" +
                                   owner.At("/metadata/uid").StringOrEmpty() + R"("}])"))
      .OrExit();
  // A write in the other form does not change the owner.
  EXPECT_EQ(server
                .Do("PATCH", std::string(kCorePath) + "/e", R"({"count":2})",
                    {{"Content-Type", "application/merge-patch+json"}})
                .status,
            200);
  server.Do("DELETE", "/api/v1/namespaces/default/configmaps/o");
  server.sim().RunReady();
  EXPECT_EQ(server.server().ObjectCount(kCoreEvents), 0U);

  server.server()
      .Create(kNewEvents, Parsed(R"({"metadata":{"name":"h","namespace":"going",
          "finalizers":["x.io/hold"]},"note":"n"})"))
      .OrExit();
  server.Do("DELETE", "/api/v1/namespaces/going");
  server.sim().RunReady();
  EXPECT_THAT(server.Get("/api/v1/namespaces/going").Json().At("/status/conditions").Dump(),
              HasSubstr("remaining: events. has 1 resource instances\""));
  EXPECT_EQ(server
                .Do("PATCH", "/apis/events.k8s.io/v1/namespaces/going/events/h",
                    R"({"metadata":{"finalizers":null}})",
                    {{"Content-Type", "application/merge-patch+json"}})
                .status,
            200);
  server.sim().RunReady();
  EXPECT_EQ(server.Get("/api/v1/namespaces/going").status, 404);
}

TEST(Conversion, TimeAndARestoreGoForBothForms) {
  TestServer server;
  const std::int64_t before = server.server().current_resource_version();
  server.server().Create(kNewEvents, NewEvent()).OrExit();
  ASSERT_TRUE(server.server().Restore(before).ok());
  EXPECT_EQ(server.server().ObjectCount(kNewEvents), 0U);
  EXPECT_EQ(server.server().ObjectCount(kCoreEvents), 0U);
  server.server()
      .Create(kCoreEvents, Parsed(R"({"metadata":{"name":"e","namespace":"default"}})"))
      .OrExit();
  EXPECT_EQ(server.server().ObjectCount(kNewEvents), 1U) << "they still share a store";
  server.sim().RunFor(std::chrono::hours(2));
  EXPECT_EQ(server.server().ObjectCount(kNewEvents), 0U) << "event_ttl";
}

// Without defaulting, fields that a form lacks stay absent.
TEST(Conversion, WithoutDefaults) {
  TestServer server({.defaulting = false});
  server.server().Create(kNewEvents, NewEvent()).OrExit();
  const json::Value core =
      server.server().Get(kCoreEvents, {.namespace_ = "default", .name = "e"}).value();
  EXPECT_EQ(core["message"].StringOrEmpty(), "n");
  EXPECT_FALSE(core.contains("source"));
  server.server()
      .Create(kAutoscalersV1, Parsed(R"({"metadata":{"name":"a","namespace":"default"},
          "spec":{"maxReplicas":3}})"))
      .OrExit();
  const ObjectName name{.namespace_ = "default", .name = "a"};
  EXPECT_EQ(server.server().Get(kAutoscalersV2, name).value()["spec"].Dump(),
            R"({"maxReplicas":3})");
  EXPECT_EQ(server.server().Get(kAutoscalersV1, name).value()["spec"].Dump(),
            R"({"maxReplicas":3})");
}

// A client that reads v1 and writes it back changes nothing, whatever v2 contains.
TEST(Conversion, AutoscalersSurviveTheOldForm) {
  TestServer server;
  constexpr const char* kSpec = R"({"scaleTargetRef":{"kind":"Deployment","name":"d",
      "apiVersion":"apps/v1"},"minReplicas":1,"maxReplicas":5,"metrics":[
      {"type":"External","external":{"metric":{"name":"e","selector":{"matchLabels":{"q":"z"}}},
       "target":{"type":"AverageValue","averageValue":"30"}}},
      {"type":"ContainerResource","containerResource":{"name":"cpu","container":"cc",
       "target":{"type":"Utilization","averageUtilization":40}}},
      {"type":"Resource","resource":{"name":"cpu",
       "target":{"type":"Utilization","averageUtilization":66}}}],
      "behavior":{"scaleUp":{"selectPolicy":"Min","tolerance":"100m"}}})";
  const ObjectName name{.namespace_ = "default", .name = "a"};
  json::Value object = Parsed(R"({"metadata":{"name":"a","namespace":"default"}})");
  object.Set("spec", Parsed(kSpec));
  object.Set("status", Parsed(R"({"currentReplicas":2,"desiredReplicas":3,"currentMetrics":[
      {"type":"Pods","pods":{"metric":{"name":"qps"},"current":{"averageValue":"3"}}},
      {"type":"External","external":{"metric":{"name":"e"},
       "current":{"value":"3","averageValue":"1"}}}]})"));
  const json::Value stored = server.server().Create(kAutoscalersV2, object).value();
  const json::Value old = server.server().Get(kAutoscalersV1, name).value();
  EXPECT_EQ(old.At("/spec/targetCPUUtilizationPercentage").AsInt64(), 66);
  EXPECT_THAT(old.At("/metadata/annotations").Dump(), HasSubstr("current-metrics"));

  const json::Value written = server.server().Update(kAutoscalersV1, old).value();
  EXPECT_EQ(written, old) << "the same resourceVersion, too";
  EXPECT_EQ(server.server().Get(kAutoscalersV2, name).value(), stored);

  // The CPU is measured only in the old form.
  json::Value status = Parsed(R"({"metadata":{"name":"a","namespace":"default"},
      "status":{"currentReplicas":1,"desiredReplicas":1,"currentCPUUtilizationPercentage":9}})");
  ASSERT_TRUE(server.server().UpdateStatus(kAutoscalersV1, status).ok());
  EXPECT_EQ(server.server()
                .Get(kAutoscalersV2, name)
                .value()
                .At("/status/currentMetrics/0/resource/current/averageUtilization")
                .AsInt64(),
            9);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
