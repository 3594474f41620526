#include "kinformer/client/resource_client.h"

#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/object/custom_resource.h"

#include "client/testing/config_map_client.h"
#include "client/testing/scripted_server.h"
#include "wire/envelope.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using testing::ConfigMapJson;
using testing::Json;
using testing::Protobuf;
using testing::ScriptedResponse;
using testing::ScriptedServer;
using testing::StatusFailure;

class ResourceClientTest : public testing::ClientTest {
 protected:
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(5)));
  }
  ResourceClient<corev1::ConfigMap> ConfigMaps(const std::string& ns = "default") {
    return client_->For<corev1::ConfigMap>(ns);
  }
};

TEST_F(ResourceClientTest, GetInJsonAndInProtobuf) {
  server_.script = {Json(ConfigMapJson("a", "5"))};
  Block([&] {
    const auto got = ConfigMaps().Get("a", {.resourceVersion = "0"});
    ASSERT_TRUE(got.ok()) << got.error();
    const Ref<corev1::ConfigMap> object = *got;
    EXPECT_EQ(object->metadata().name(), "a");
    EXPECT_EQ(object->metadata().resourceVersion(), "5");

    corev1::ConfigMap::Mutable sent;
    sent.metadata.name = "b";
    sent.metadata.namespace_ = "default";
    server_.script = {
        Protobuf(wire::SealEnvelope("v1", "ConfigMap", internal::EncodeProtobuf(sent)))};
    const auto second = ConfigMaps().Get("b");
    ASSERT_TRUE(second.ok()) << second.error();
    const Ref<corev1::ConfigMap> b = *second;
    EXPECT_EQ(b->metadata().name(), "b");
  });
  EXPECT_EQ(server_.requests.at(0).target,
            "/api/v1/namespaces/default/configmaps/a?resourceVersion=0");
  EXPECT_EQ(server_.requests.at(0).headers.Get("Accept"),
            "application/vnd.kubernetes.protobuf,application/json");
}

TEST_F(ResourceClientTest, CreateSendsProtobufAndFallsBackToJson) {
  server_.script = {StatusFailure(415, "UnsupportedMediaType", "json"),
                    Json(ConfigMapJson("a", "5"), 201)};
  Block([&] {
    corev1::ConfigMap::Mutable object;
    object.metadata.name = "a";
    object.data["k"] = "v";
    const auto created = ConfigMaps().Create(object, {.dryRun = {"All"}, .fieldManager = "me"});
    ASSERT_TRUE(created.ok()) << created.error();
  });
  ASSERT_EQ(server_.requests.size(), 2u);
  EXPECT_EQ(server_.requests[0].method, "POST");
  EXPECT_EQ(server_.requests[0].target,
            "/api/v1/namespaces/default/configmaps?dryRun=All&fieldManager=me");
  const auto envelope = wire::OpenEnvelope(server_.requests[0].body);
  ASSERT_TRUE(envelope.ok());
  EXPECT_EQ(envelope->kind, "ConfigMap");
  EXPECT_EQ(envelope->apiVersion, "v1");
  EXPECT_NE(server_.requests[1].body.find(R"("data":{"k":"v"})"), std::string::npos);
  EXPECT_NE(server_.requests[1].body.find(R"("kind":"ConfigMap")"), std::string::npos);
}

TEST_F(ResourceClientTest, ObjectsRetainedFromAList_OutliveIt) {
  std::optional<Ref<corev1::ConfigMap>> by_view;
  std::optional<Ref<corev1::ConfigMap>> by_position;
  server_.script = {Json(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":)"
                         R"({"resourceVersion":"7"},"items":[)" +
                         ConfigMapJson("a", "5") + "," + ConfigMapJson("b", "6") + "]}")};
  Block([&] {
    const auto all = ConfigMaps().List();
    ASSERT_TRUE(all.ok()) << all.error();
    for (const corev1::ConfigMap map : *all) {
      if (map.metadata().name() == "b") by_view = all->Retain(map);
    }
    by_position = all->Retain(0);
    ASSERT_TRUE(by_view);
    EXPECT_EQ((*by_view).object(), all->Retain(1).object()) << "the same object, no copy";
  });
  ASSERT_TRUE(by_view && by_position);
  EXPECT_EQ((*by_view)->metadata().name(), "b");
  EXPECT_EQ((*by_view)->metadata().resourceVersion(), "6");
  EXPECT_EQ((*by_position)->metadata().name(), "a");
}

TEST_F(ResourceClientTest, UpdateAndUpdateStatus) {
  server_.fallback = [](const HttpRequest&) {
    return StatusFailure(409, "Conflict", "the object has been modified");
  };
  Block([&] {
    corev1::Pod::Mutable pod;
    pod.metadata.name = "web-0";
    pod.metadata.namespace_ = "shop";
    const auto pods = client_->For<corev1::Pod>();
    EXPECT_TRUE(IsConflict(pods.Update(pod).error()));
    EXPECT_TRUE(IsConflict(pods.UpdateStatus(pod).error()));
  });
  EXPECT_EQ(server_.requests.at(0).method, "PUT");
  EXPECT_EQ(server_.requests.at(0).target, "/api/v1/namespaces/shop/pods/web-0");
  EXPECT_EQ(server_.requests.at(1).target, "/api/v1/namespaces/shop/pods/web-0/status");
}

TEST_F(ResourceClientTest, CopiesOfPartialObjectsAreNotPut) {
  const Projection projection = Projection::Keep({"spec.nodeName"}).OrExit();
  constexpr std::string_view kPod =
      R"({"metadata":{"name":"web-0","namespace":"shop"},"spec":{"nodeName":"n","hostname":"h"}})";
  const Ref<corev1::Pod> typed(
      internal::BuildFromJson(corev1::Pod::kind_info(), kPod, {.projection = projection.tree()})
          .OrExit());
  const KindInfo& dynamic =
      *internal::DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
  const Ref<Unstructured> loose(
      internal::BuildFromJson(dynamic, kPod, {.projection = projection.tree()}).OrExit());
  server_.fallback = [](const HttpRequest&) { return Json(ConfigMapJson("a", "6")); };
  Block([&] {
    const auto pods = client_->For<corev1::Pod>();
    const corev1::Pod::Mutable copy = typed->DeepCopy();
    for (const auto& refused : {pods.Update(copy), pods.UpdateStatus(copy)}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().reason(), Reason::kInvalidArgument);
      EXPECT_EQ(
          refused.error().message(),
          "updating web-0 of the pods: it is a copy of a partial object (one that a projection "
          "cut, "
          "that has only its metadata, or that has members which the program's struct has no place "
          "for), and the server would delete the fields that it lacks; change a whole one (Get), "
          "or "
          "send a Patch");
    }
  });
  EXPECT_TRUE(server_.requests.empty());
  const json::Value copy = loose->DeepCopy();
  EXPECT_TRUE(internal::ToRequestObject<Unstructured>(copy).is_partial);
}

struct Gadget {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  std::string size{};
};

// Copies and assignments keep the mark of a partial object.
TEST_F(ResourceClientTest, CopiesThatTheStructHasNoPlaceForAreNotPut) {
  using Gadgets = CustomResource<Gadget>;
  const Ref<Gadgets> gadget(
      internal::BuildFromJson(
          Gadgets::kind_info(),
          R"({"metadata":{"name":"g","namespace":"default"},"size":"1","more":2})")
          .OrExit());
  Block([&] {
    Gadgets::Mutable wanted;
    wanted = gadget->DeepCopy();
    wanted.size = "2";
    const auto refused = client_->For<Gadgets>("default").Update(wanted);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason(), Reason::kInvalidArgument);
    EXPECT_NE(refused.error().message().find("has members which the program's struct"),
              std::string::npos)
        << refused.error();
  });
  EXPECT_TRUE(server_.requests.empty());
}

// Fields of newer servers that the schema lacks are sent back with an update, or the update is
// refused.
class NewerObjects : public ResourceClientTest {
 protected:
  static corev1::ConfigMap::Mutable FromJson(const std::string& json) {
    const Ref<corev1::ConfigMap> object(
        internal::BuildFromJson(corev1::ConfigMap::kind_info(), json).OrExit());
    return object->DeepCopy();
  }
  static std::string WithNewMembers() {
    return R"({"metadata":{"name":"a","namespace":"default","newMeta":[1]},"data":{"k":"v"},)"
           R"("added":{"x":1}})";
  }
  static constexpr std::string_view kNewField = "\xfa\x3e\x01x";  // field 1007, a string
};

TEST_F(NewerObjects, UnknownJsonMembers_AreSentAsJson) {
  server_.script = {Json(ConfigMapJson("a", "6"))};
  Block([&] {
    corev1::ConfigMap::Mutable object = FromJson(WithNewMembers());
    object.data["k"] = "w";
    EXPECT_TRUE(ConfigMaps().Update(object));
  });
  ASSERT_EQ(server_.requests.size(), 1U);
  EXPECT_EQ(server_.requests[0].headers.Get("Content-Type"), "application/json");
  const json::Value sent = json::Parse(server_.requests[0].body).value();
  EXPECT_EQ(sent["added"]["x"].AsInt64(), 1);
  EXPECT_EQ(sent["metadata"]["newMeta"][0].AsInt64(), 1);
  EXPECT_EQ(sent["data"]["k"].StringOrEmpty(), "w");
}

TEST_F(NewerObjects, UnknownProtobufFields_AreSentAsProtobuf) {
  server_.script = {Json(ConfigMapJson("a", "6")), StatusFailure(415, "UnsupportedMediaType", "j")};
  Block([&] {
    corev1::ConfigMap::Mutable object = FromJson(ConfigMapJson("a", "5"));
    object.metadata.unknown_fields = kNewField;
    EXPECT_TRUE(ConfigMaps().Update(object));
    const auto refused = ConfigMaps().Update(object);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason(), Reason::kInvalidArgument);
    EXPECT_NE(refused.error().message().find("since the server does not take protobuf"),
              std::string::npos)
        << refused.error();
    // Once that is known, nothing is sent.
    EXPECT_EQ(ConfigMaps().Update(object).error().reason(), Reason::kInvalidArgument);
  });
  ASSERT_EQ(server_.requests.size(), 2U);
  EXPECT_NE(server_.requests[0].body.find(kNewField), std::string::npos);
}

TEST_F(NewerObjects, UnknownJsonAndProtobufFieldsTogether_AreRefused) {
  // The refusal takes no token of the rate limiter, which has one.
  client_.emplace(Client::ForTransport(sim_.env(), transport_, {.qps = 0.001, .burst = 1}));
  server_.script = {Json("{}")};
  Block([&] {
    corev1::ConfigMap::Mutable object = FromJson(WithNewMembers());
    object.unknown_fields += kNewField;
    const auto refused = ConfigMaps().Update(object);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason(), Reason::kInvalidArgument);
    EXPECT_NE(refused.error().message().find("send a Patch"), std::string::npos);
    EXPECT_TRUE(server_.requests.empty());
    EXPECT_TRUE(client_->GetRaw("/x", {.timeout = seconds(1)}).ok());
  });
}

TEST_F(ResourceClientTest, PatchAndDelete) {
  server_.script = {Json(ConfigMapJson("a", "6")), Json(R"({"kind":"Status","status":"Success"})")};
  Block([&] {
    const auto maps = ConfigMaps();
    EXPECT_TRUE(maps.Patch("a", {PatchType::kMergePatch, R"({"data":{"k":"w"}})"}).ok());
    EXPECT_TRUE(
        maps.Delete("a", {.gracePeriodSeconds = 0, .uid = "u", .propagationPolicy = "Foreground"})
            .ok());
    EXPECT_EQ(maps.Patch("a", {PatchType::kApply, "{}"}).error().reason(),
              Reason::kInvalidArgument);
  });
  ASSERT_EQ(server_.requests.size(), 2u);
  EXPECT_EQ(server_.requests[0].method, "PATCH");
  EXPECT_EQ(server_.requests[0].headers.Get("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(server_.requests[0].body, R"({"data":{"k":"w"}})");
  EXPECT_EQ(server_.requests[1].method, "DELETE");
  EXPECT_EQ(server_.requests[1].headers.Get("Accept"), "application/json");
  EXPECT_EQ(server_.requests[1].body,
            R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,)"
            R"("preconditions":{"uid":"u"},"propagationPolicy":"Foreground"})");
}

TEST_F(ResourceClientTest, Apply_SendsTheFieldsThatAreSet) {
  server_.script = {Json(ConfigMapJson("a", "6")), Json(ConfigMapJson("a", "7"))};
  Block([&] {
    corev1::ConfigMap::Mutable map;
    map.metadata.namespace_ = "default";
    map.metadata.name = "a";
    map.data["k"] = "w";
    EXPECT_TRUE(ConfigMaps("").Apply(map, {.fieldManager = "me"}).ok()) << "in the object's own";
    EXPECT_TRUE(ConfigMaps()
                    .ApplyStatus(map, {.fieldManager = "me", .force = true, .dryRun = {"All"}})
                    .ok());
    EXPECT_EQ(ConfigMaps().Apply(map, {}).error().reason(), Reason::kInvalidArgument);
    map.metadata.name.clear();
    EXPECT_EQ(ConfigMaps().Apply(map, {.fieldManager = "me"}).error().reason(),
              Reason::kInvalidArgument);
  });
  ASSERT_EQ(server_.requests.size(), 2u);
  const HttpRequest& first = server_.requests[0];
  EXPECT_EQ(first.method, "PATCH");
  EXPECT_EQ(first.headers.Get("Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(first.target, "/api/v1/namespaces/default/configmaps/a?fieldManager=me&force=false");
  EXPECT_EQ(first.body, R"({"kind":"ConfigMap","apiVersion":"v1",)"
                        R"("metadata":{"name":"a","namespace":"default"},"data":{"k":"w"}})");
  EXPECT_EQ(server_.requests[1].target,
            "/api/v1/namespaces/default/configmaps/a/status?dryRun=All&fieldManager=me&force=true");
}

TEST_F(ResourceClientTest, RequestsThatNameNothingAreNotSent_RB11) {
  Block([&] {
    EXPECT_EQ(ConfigMaps("").Get("a").error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(ConfigMaps().Get("").error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(ConfigMaps().Delete("a/b").error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(ConfigMaps("").Create(corev1::ConfigMap::Mutable()).error().reason(),
              Reason::kInvalidArgument);
    EXPECT_EQ(ConfigMaps("").DeleteCollection().error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(ConfigMaps().Update(corev1::ConfigMap::Mutable()).error().reason(),
              Reason::kInvalidArgument);
    EXPECT_EQ(ConfigMaps().Patch("", {PatchType::kMergePatch, "{}"}).error().reason(),
              Reason::kInvalidArgument);
    EXPECT_EQ(ConfigMaps("a/b").Get("a").error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(ConfigMaps("a/b").List().error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(ConfigMaps("a/b").DeleteCollection().error().reason(), Reason::kInvalidArgument);
  });
  EXPECT_TRUE(server_.requests.empty());
}

std::string Page(const std::string& names, const std::string& next) {
  std::string items;
  for (const char name : names) {
    if (!items.empty()) items += ",";
    items += ConfigMapJson(std::string(1, name), "1");
  }
  return R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7",)"
         R"("continue":")" +
         next + R"("},"items":[)" + items + "]}";
}

TEST_F(ResourceClientTest, ListTakesAllPages) {
  server_.script = {Json(Page("ab", "next")), Json(Page("c", ""))};
  Block([&] {
    const auto list = ConfigMaps().List({.resourceVersion = "5", .limit = 2});
    ASSERT_TRUE(list.ok()) << list.error();
    std::vector<std::string> names;
    for (const corev1::ConfigMap object : *list) names.emplace_back(object.metadata().name());
    EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(list->metadata().resourceVersion, "7");
  });
  EXPECT_EQ(server_.requests.at(1).target,
            "/api/v1/namespaces/default/configmaps?continue=next&limit=2");
}

TEST_F(ResourceClientTest, ListPage_ReadsOnePage) {
  server_.script = {Json(Page("ab", "next")), StatusFailure(410, "Expired", "too old")};
  Block([&] {
    const auto page = ConfigMaps().ListPage({.limit = 2});
    ASSERT_TRUE(page.ok()) << page.error();
    EXPECT_EQ(page->size(), 2u);
    EXPECT_EQ(page->metadata().continue_, "next");
    const auto second = ConfigMaps().ListPage({.limit = 2, .continue_ = "next"});
    ASSERT_FALSE(second.ok());
    EXPECT_TRUE(IsResourceExpired(second.error()));
  });
  EXPECT_EQ(server_.requests.size(), 2u);
}

TEST_F(ResourceClientTest, TheTimeoutOfAListIsForAllItsPages) {
  // One request in five seconds.
  client_.emplace(Client::ForTransport(sim_.env(), transport_, {.qps = 0.2, .burst = 1}));
  server_.script = {Json(Page("ab", "next")), Json(Page("cd", "more")), Json(Page("e", ""))};
  Block([&] {
    const auto list = ConfigMaps().List({.limit = 2}, {.timeout = seconds(8)});
    ASSERT_FALSE(list.ok());
    EXPECT_EQ(list.error().reason(), Reason::kDeadlineExceeded);
  });
  EXPECT_EQ(server_.requests.size(), 2u);
}

TEST_F(ResourceClientTest, AListThatExpiresBetweenPagesBeginsAgainWhole) {
  server_.script = {Json(Page("ab", "next")), StatusFailure(410, "Expired", "too old"),
                    Json(Page("xyz", ""))};
  Block([&] {
    const auto list = ConfigMaps().List({.resourceVersion = "5", .limit = 2});
    ASSERT_TRUE(list.ok()) << list.error();
    EXPECT_EQ(list->size(), 3u);
    EXPECT_EQ((*list)[0].metadata().name(), "x");
  });
  EXPECT_EQ(server_.requests.at(2).target,
            "/api/v1/namespaces/default/configmaps?resourceVersion=5");
}

TEST_F(ResourceClientTest, WatchEndsWhenTheCallbackSaysSo) {
  server_.script = {{.body = R"({"type":"ADDED","object":)" + ConfigMapJson("a", "1") +
                             "}\n"
                             R"({"type":"DELETED","object":)" +
                             ConfigMapJson("a", "2") + "}\n",
                     .hang = true}};
  Block([&] {
    std::vector<std::string> seen;
    const auto done =
        ConfigMaps().Watch({}, [&](const ResourceWatchEvent<corev1::ConfigMap>& event) {
          seen.push_back(event.resourceVersion);
          return event.type != WatchEventType::kDeleted;
        });
    EXPECT_TRUE(done.ok());
    EXPECT_EQ(seen, (std::vector<std::string>{"1", "2"}));
  });
}

// Ends on the caller's thread, and at once, though the server would continue.
TEST_F(ResourceClientTest, WatchCallbackThrows_WatchEnds) {
  server_.script = {
      {.body = R"({"type":"ADDED","object":)" + ConfigMapJson("a", "1") + "}\n", .hang = true}};
  int calls = 0;
  Block([&] {
    const auto watch = [&] {
      return ConfigMaps().Watch({}, [&](const ResourceWatchEvent<corev1::ConfigMap>&) -> bool {
        ++calls;
        throw std::runtime_error("enough");
      });
    };
    EXPECT_THROW((void)watch(), std::runtime_error);
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(server_.open_streams, 0);
}

TEST_F(ResourceClientTest, StopAndTimeoutEndACall) {
  server_.fallback = [](const HttpRequest&) { return ScriptedResponse{.body = "{", .hang = true}; };
  std::stop_source stop;
  const Timer timer =
      sim_.env().loop().RunAt(sim_.env().Now() + seconds(3), [&] { stop.request_stop(); });
  Block([&] {
    const SteadyTime began = sim_.env().Now();
    EXPECT_EQ(ConfigMaps().Get("a", {}, {.stop = stop.get_token()}).error().reason(),
              Reason::kCanceled);
    EXPECT_EQ(sim_.env().Now() - began, seconds(3));
    EXPECT_EQ(ConfigMaps().Get("a", {}, {.timeout = seconds(4)}).error().reason(),
              Reason::kDeadlineExceeded);
    EXPECT_EQ(sim_.env().Now() - began, seconds(7));
    EXPECT_EQ(ConfigMaps().List({}, {.timeout = seconds(4)}).error().reason(),
              Reason::kDeadlineExceeded);
  });
}

TEST_F(ResourceClientTest, CallOnTheLoop_IsWouldDeadlock) {
  sim_.env().loop().Post([&] {
    EXPECT_EQ(ConfigMaps().Get("a").error().reason(), Reason::kWouldDeadlock);
    EXPECT_EQ(ConfigMaps().List().error().reason(), Reason::kWouldDeadlock);
  });
  sim_.RunReady();
  EXPECT_TRUE(server_.requests.empty());
}

TEST_F(ResourceClientTest, AnAnswerThatIsNoObjectIsAnErrorThatSaysWhere) {
  server_.script = {Json(""), Json("{\"metadata\":"), {.headers = {}, .body = "x"}};
  Block([&] {
    for (int i = 0; i < 3; ++i) {
      const auto got = ConfigMaps().Get("a");
      ASSERT_FALSE(got.ok());
      EXPECT_EQ(got.error().reason(), Reason::kDecode) << got.error();
      EXPECT_NE(got.error().message().find("/configmaps/a"), std::string::npos) << got.error();
    }
  });
}

TEST_F(ResourceClientTest, AnAnswerOfAnotherKindIsAnErrorThatNamesBoth) {
  const std::string pod = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})";
  const auto error = [&](const ScriptedResponse& answer) {
    server_.script = {answer};
    const auto got = ConfigMaps().Get("a");
    return got.ok() ? "ok" : got.error().ToString();
  };
  Block([&] {
    for (const ScriptedResponse& answer :
         {Json(pod), Protobuf(wire::SealEnvelope("v1", "Pod", "")),
          Json(R"({"metadata":{"name":"a"},"apiVersion":"v1","kind":"Pod"})")}) {
      const std::string said = error(answer);
      for (const char* part : {"Decode", "GET /api/v1/namespaces/default/configmaps/a",
                               "expected a ConfigMap of v1", "a Pod of v1"}) {
        EXPECT_NE(said.find(part), std::string::npos) << said;
      }
    }
    EXPECT_NE(error(Json(R"({"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"a"}})"))
                  .find("a ConfigMap of v2"),
              std::string::npos);
    EXPECT_NE(error(Json(R"({"kind":"Status","apiVersion":"v1","status":"Success"})"))
                  .find("a Status of v1"),
              std::string::npos);
    // An object without kind is accepted.
    EXPECT_EQ(error(Json(R"({"metadata":{"name":"a"}})")), "ok");
    EXPECT_EQ(error(Protobuf(wire::SealEnvelope("", "",
                                                std::string("\x0a\x03\x0a\x01"
                                                            "a",
                                                            5)))),
              "ok");
    // Writes return the object, too.
    server_.script = {Json(pod), Json(pod), Json(pod)};
    corev1::ConfigMap::Mutable object;
    object.metadata.name = "a";
    EXPECT_EQ(ConfigMaps().Create(object).error().reason(), Reason::kDecode);
    EXPECT_EQ(ConfigMaps().Update(object).error().reason(), Reason::kDecode);
    EXPECT_EQ(ConfigMaps().Patch("a", {PatchType::kMergePatch, "{}"}).error().reason(),
              Reason::kDecode);
    // Some subresources have a kind of their own.
    const std::string scale = R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{}})";
    server_.script = {Json(scale), Json(scale)};
    EXPECT_TRUE(ConfigMaps().Patch("a", {PatchType::kMergePatch, "{}"}, {}, "scale").ok());
    EXPECT_FALSE(ConfigMaps().Patch("a", {PatchType::kMergePatch, "{}"}, {}, "status").ok());
  });
}

TEST_F(ResourceClientTest, AListOfAnotherKindIsAnErrorThatNamesBoth) {
  const auto list = [&](const std::string& kind) {
    server_.script = {Json(R"({"kind":")" + kind + R"(","apiVersion":"v1","metadata":{},)" +
                           R"("items":[{"metadata":{"name":"a","namespace":"default"}}]})")};
    const auto got = ConfigMaps().List();
    return got.ok() ? "ok" : got.error().ToString();
  };
  Block([&] {
    EXPECT_EQ(list("ConfigMapList"), "ok");
    const std::string said = list("PodList");
    EXPECT_NE(said.find("expected a ConfigMapList of v1"), std::string::npos) << said;
    EXPECT_NE(said.find("a PodList of v1"), std::string::npos) << said;
    server_.script = {Json(R"({"items":[]})")};
    EXPECT_TRUE(ConfigMaps().List().ok());
    // Lists of custom resources may have any kind.
    server_.script = {
        Json(R"({"kind":"Heap","apiVersion":"example.com/v1","metadata":{},"items":[]})")};
    RestMapping widgets;
    widgets.resource = {"example.com", "v1", "widgets"};
    widgets.kind = {"example.com", "v1", "Widget"};
    EXPECT_TRUE(client_->Dynamic(widgets).List().ok());
  });
}

TEST_F(ResourceClientTest, DynamicObjectsAreJson) {
  RestMapping mapping;
  mapping.resource = {"example.com", "v1", "widgets"};
  mapping.kind = {"example.com", "v1", "Widget"};
  mapping.namespaced = true;
  const std::string widget =
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"blue",)"
      R"("namespace":"default"},"spec":{"size":3}})";
  server_.fallback = [&](const HttpRequest&) { return Json(widget); };
  Block([&] {
    const DynamicResourceClient widgets = client_->Dynamic(mapping, "default");
    const auto got = widgets.Get("blue");
    ASSERT_TRUE(got.ok()) << got.error();
    const Ref<Unstructured> object = *got;
    EXPECT_EQ(object->root()["spec"]["size"].AsInt64(), 3);
    json::Value changed = object->DeepCopy();
    changed.Ensure("spec", "size") = 4;
    EXPECT_TRUE(widgets.Update(changed).ok());
  });
  ASSERT_EQ(server_.requests.size(), 2u);
  EXPECT_EQ(server_.requests[0].headers.Get("Accept"), "application/json");
  EXPECT_EQ(server_.requests[1].target, "/apis/example.com/v1/namespaces/default/widgets/blue");
  EXPECT_EQ(server_.requests[1].headers.Get("Content-Type"), "application/json");
  EXPECT_NE(server_.requests[1].body.find(R"("size":4)"), std::string::npos);
  EXPECT_NE(server_.requests[1].body.find(R"("kind":"Widget")"), std::string::npos);
}

TEST_F(ResourceClientTest, GetRaw_AnswerAbove128MiBIsRefused) {
  constexpr std::size_t kMost = std::size_t{128} << 20;
  server_.script = {Json(std::string(kMost, ' ')), Json(std::string(kMost + 1, ' ')), Json("{}")};
  Block([&] {
    EXPECT_EQ(client_->GetRaw("/large").value_or("").size(), kMost);
    const Result<std::string> larger = client_->GetRaw("/larger");
    ASSERT_FALSE(larger.ok());
    EXPECT_EQ(larger.error().reason(), Reason::kOverLimit);
    EXPECT_NE(larger.error().message().find("GET /larger: the answer is larger than 128 MiB"),
              std::string::npos)
        << larger.error();
    EXPECT_EQ(client_->GetRaw("/small").value_or(""), "{}");
    // The response to a delete is not kept.
    server_.script = {Json(std::string(kMost + 1, ' '))};
    EXPECT_TRUE(ConfigMaps().Delete("a").ok());
  });
  EXPECT_EQ(server_.open_streams, 0);
}

TEST_F(ResourceClientTest, GetRaw) {
  server_.script = {Json(R"({"gitVersion":"v1.36.0"})"), Json(R"({"gitVersion":"v1.36.0"})")};
  Block([&] {
    EXPECT_EQ(client_->GetRaw("/version").value_or(""), R"({"gitVersion":"v1.36.0"})");
    EXPECT_EQ(client_->Discovery().ServerVersion().value_or(""), "v1.36.0");
    EXPECT_FALSE(client_->GetRaw("version").ok());
    EXPECT_EQ(client_->Stats().requests, 2u);
  });
}

}  // namespace
}  // namespace kinformer
