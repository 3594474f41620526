// Responses that no API server sends, but proxies and broken networks do: the errors of informers
// and requests, and the recovery of an informer afterwards.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/json/json.h"

#include "client/testing/scripted_server.h"
#include "integration/believer.h"
#include "integration/embedded_server.h"
#include "wire/envelope.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using ::testing::HasSubstr;

constexpr char kHtml[] = "<html><body><h1>502 Bad Gateway</h1></body></html>";

std::string JsonList(const std::string& items, const std::string& resource_version = "1") {
  return R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":")" +
         resource_version + R"("},"items":[)" + items + "]}";
}

std::string JsonMap(const std::string& name) {
  return R"({"metadata":{"name":")" + name +
         R"(","namespace":"default","uid":"u","resourceVersion":"1"},"data":{"value":"1"}})";
}

ScriptedResponse Html(int status) {
  return {.status = status, .headers = {{"Content-Type", "text/html"}}, .body = kHtml};
}

// A ConfigMapList with one item: ListMeta.resourceVersion "1"; ObjectMeta.name "m", namespace
// "default".
const std::string kProtobufList = wire::SealEnvelope("v1", "ConfigMapList",
                                                     std::string("\x0a\x03\x12\x01"
                                                                 "1"
                                                                 "\x12\x0e\x0a\x0c\x0a\x01m\x1a\x07"
                                                                 "default",
                                                                 21));

std::string LengthFrame(const std::string& bytes) {
  const auto size = static_cast<unsigned>(bytes.size());
  std::string frame(3, '\0');
  frame += static_cast<char>(size);
  return frame + bytes;
}

bool IsCollection(const HttpRequest& request) {
  return request.target.find("/configmaps?") != std::string::npos ||
         request.target.ends_with("/configmaps");
}
bool IsWatch(const HttpRequest& request) {
  return request.target.find("watch=") != std::string::npos;
}

struct Case {
  std::string name{};
  bool protobuf = false;
  bool watch = false;  // answers the first watch; otherwise the first list
  ScriptedResponse response{};
  std::vector<std::string> says{};
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class MalformedResponse : public ::testing::TestWithParam<Case> {
 protected:
  void IsReportedAndSurvived(bool http2);
  // Answers the first request of that kind with the case's response.
  static void Spoil(EmbeddedServer& server) {
    const Case& c = GetParam();
    server.AnswerWith(
        [&c, used = false](const HttpRequest& request) mutable -> std::optional<ScriptedResponse> {
          if (used || !IsCollection(request) || IsWatch(request) != c.watch) return std::nullopt;
          used = true;
          return c.response;
        });
  }
};

TEST_P(MalformedResponse, IsReportedAndSurvived) { IsReportedAndSurvived(/*http2=*/false); }
TEST_P(MalformedResponse, IsReportedAndSurvivedOverHttp2) { IsReportedAndSurvived(/*http2=*/true); }

void MalformedResponse::IsReportedAndSurvived(bool http2) {
  const Case& c = GetParam();
  EmbeddedServer server({.http2 = http2});
  server.Put("one", "1");
  server.Put("two", "1");
  Spoil(server);
  std::mutex mutex;
  std::vector<std::string> errors;
  auto client = Client::NewForConfig(server.ClientConfig(), {.prefer_json = !c.protobuf}).OrExit();
  SharedInformer<ConfigMap> informer(client.env(), NewFilteredListWatch<ConfigMap>(client),
                                     {.initial_list = InitialList::kList});
  ASSERT_TRUE(informer
                  .SetWatchErrorHandler([&](const Error& error) {
                    const std::lock_guard<std::mutex> lock(mutex);
                    errors.push_back(error.ToString());
                  })
                  .ok());
  const auto believer = std::make_shared<Believer<ConfigMap>>();
  ASSERT_TRUE(
      informer.AddEventHandler(std::static_pointer_cast<ResourceEventHandler<ConfigMap>>(believer))
          .ok());
  informer.Start();
  ASSERT_TRUE(Eventually([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return !errors.empty();
  }));
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (http2 && c.response.cut) {
      // libcurl drops the data of a stream that was reset.
      EXPECT_THAT(errors.front(), HasSubstr("was not closed cleanly"));
    } else {
      for (const std::string& text : c.says) EXPECT_THAT(errors.front(), HasSubstr(text));
    }
  }
  // No part of the response was stored.
  if (!c.watch) {
    EXPECT_EQ(CacheState(informer).size() % 2, 0U) << "neither nothing nor everything";
  }
  const Result<void> synced = informer.WaitForCacheSync({}, {.timeout = 60s});
  ASSERT_TRUE(synced.ok()) << synced.error();
  server.Put("three", "1");
  const State wanted = server.ServerState();
  EXPECT_TRUE(
      Eventually([&] { return CacheState(informer) == wanted && believer->believed() == wanted; }));
  EXPECT_THAT(believer->breaches(), ::testing::IsEmpty());
  EXPECT_EQ(informer.Status().ErrorText(), "");
}

INSTANTIATE_TEST_SUITE_P(
    Lists, MalformedResponse,
    ::testing::Values(
        Case{"JsonEndsEarly",
             false,
             false,
             Json(JsonList(JsonMap("x")).substr(0, 150)),
             {"/api/v1/configmaps", "ends in the middle, after 150 bytes"}},
        Case{"JsonCut",
             false,
             false,
             {.body = JsonList(JsonMap("x")).substr(0, 150), .cut = true},
             {"UnexpectedEof", "ended in the middle"}},
        Case{"Empty", false, false, Json(""), {"/api/v1/configmaps", "ends in the middle"}},
        Case{"JsonGarbage",
             false,
             false,
             Json("this is not JSON"),
             {"Decode", "/api/v1/configmaps", "JSON, byte 0"}},
        Case{"JsonNoList", false, false, Json("[1,2,3]"), {"Decode", "/api/v1/configmaps"}},
        Case{"HtmlWithStatus200",
             false,
             false,
             Html(200),
             {"Decode", "/api/v1/configmaps", "media type \"text/html\""}},
        Case{"Html502", false, false, Html(502), {"an error on the server", "502 Bad Gateway"}},
        Case{"Html503", false, false, Html(503), {"ServiceUnavailable"}},
        Case{"ProtobufWithoutMagic",
             true,
             false,
             Protobuf("not protobuf at all"),
             {"Decode", "/api/v1/configmaps", "magic"}},
        Case{"ProtobufBadEnvelope",
             true,
             false,
             Protobuf(std::string("k8s\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16)),
             {"Decode", "/api/v1/configmaps", "protobuf, byte"}},
        Case{"ProtobufEndsEarly",
             true,
             false,
             Protobuf(kProtobufList.substr(0, kProtobufList.size() - 9)),
             {"/api/v1/configmaps", "ends in the middle"}},
        Case{"ProtobufCut",
             true,
             false,
             {.headers = {{"Content-Type", "application/vnd.kubernetes.protobuf"}},
              .body = kProtobufList.substr(0, kProtobufList.size() - 9),
              .cut = true},
             {"UnexpectedEof", "ended in the middle"}}),
    [](const auto& param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Watches, MalformedResponse,
    ::testing::Values(
        Case{"JsonGarbage", false, true, Json("this is not JSON\n"), {"Decode", "byte 0"}},
        Case{"JsonUnknownType",
             false,
             true,
             Json(R"({"type":"RENAMED","object":{"metadata":{"name":"x"}}})"
                  "\n"),
             {"/api/v1/configmaps", "unknown type \"RENAMED\""}},
        Case{"JsonErrorWithoutStatus",
             false,
             true,
             Json(R"({"type":"ERROR","object":{"message":"nothing"}})"
                  "\n"),
             {"InternalError", "/api/v1/configmaps", "holds no Status"}},
        Case{"JsonObjectWithoutName",
             false,
             true,
             Json(R"({"type":"ADDED","object":{"data":7}})"
                  "\n"),
             {"Decode", "/api/v1/configmaps"}},
        Case{"HtmlWithStatus200", false, true, Html(200), {"Decode", "media type \"text/html\""}},
        Case{"Html502", false, true, Html(502), {"an error on the server", "502 Bad Gateway"}},
        Case{"ProtobufGarbage",
             true,
             true,
             {.headers = {{"Content-Type", "application/vnd.kubernetes.protobuf;stream=watch"}},
              .body = LengthFrame("not protobuf at all")},
             {"Decode", "frame at byte 0"}},
        Case{"ProtobufHugeFrame",
             true,
             true,
             {.headers = {{"Content-Type", "application/vnd.kubernetes.protobuf;stream=watch"}},
              .body = std::string("\xff\xff\xff\xff", 4)},
             {"frame at byte 0", "the limit is"}}),
    [](const auto& param) { return param.param.name; });

class MalformedObject : public ::testing::Test {
 protected:
  void SetUp() override {
    server_.Put("good", "1");
    server_.Put("bad", "1");
    for (const json::Value& object :
         server_.With([](apiserver::ApiServer& api) { return api.List(kConfigMaps, "default"); })
             .OrExit()) {
      json::Value item = object;
      if (item["metadata"]["name"].StringOrEmpty() == "bad") {
        item.Ensure("data") = 7;  // a map is expected here
        bad_ = item.Dump();
      }
      items_ += (items_.empty() ? "" : ",") + item.Dump();
    }
    version_ = std::to_string(
        server_.With([](apiserver::ApiServer& api) { return api.current_resource_version(); }));
  }
  // Answers the first list or watch once with `answer`.
  void AnswerOnce(bool watch, std::string answer) {
    server_.AnswerWith([watch, answer = std::move(answer), used = false](
                           const HttpRequest& request) mutable -> std::optional<ScriptedResponse> {
      if (used || !IsCollection(request) || IsWatch(request) != watch) return std::nullopt;
      used = true;
      return Json(answer);
    });
  }
  // One object is known to exist and is unreadable; all others are correct; its next version is
  // read normally.
  void ExpectQuarantine() {
    auto client = Client::NewForConfig(server_.ClientConfig(), {.prefer_json = true}).OrExit();
    SharedInformer<ConfigMap> informer(client.env(), NewFilteredListWatch<ConfigMap>(client),
                                       {.initial_list = InitialList::kList});
    informer.Start();
    const Result<void> synced = informer.WaitForCacheSync({}, {.timeout = 20s});
    ASSERT_TRUE(synced.ok()) << synced.error();
    EXPECT_TRUE(Eventually([&] { return informer.Stats().unreadable == 1; }));
    EXPECT_EQ(informer.Status().ErrorText(), "");
    const auto maps = informer.lister().Namespace("default");
    EXPECT_TRUE(maps.Get("good").ok());
    const auto bad = maps.Get("bad");
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().reason(), Reason::kUnreadable) << bad.error();
    EXPECT_THAT(bad.error().message(), HasSubstr("bad"));

    server_.Put("bad", "2");
    const State wanted = server_.ServerState();
    EXPECT_TRUE(Eventually([&] { return CacheState(informer) == wanted; }));
    EXPECT_EQ(informer.Stats().unreadable, 0U);
    EXPECT_TRUE(maps.Get("bad").ok());
  }

  EmbeddedServer server_;
  std::string items_{};
  std::string bad_{};
  std::string version_{};
};

TEST_F(MalformedObject, InAListIsQuarantined) {
  AnswerOnce(false, JsonList(items_, version_));
  ExpectQuarantine();
}

TEST_F(MalformedObject, InAWatchIsQuarantined) {
  AnswerOnce(true, R"({"type":"MODIFIED","object":)" + bad_ + "}\n");
  ExpectQuarantine();
}

TEST(MalformedWatchList, FallsBackToList) {
  EmbeddedServer server;
  server.Put("one", "1");
  server.AnswerWith([](const HttpRequest& request) -> std::optional<ScriptedResponse> {
    if (request.target.find("sendInitialEvents=true") == std::string::npos) return std::nullopt;
    return Json("this is not JSON\n");
  });
  auto client = Client::NewForConfig(server.ClientConfig(), {.prefer_json = true}).OrExit();
  SharedInformer<ConfigMap> informer(client.env(), NewFilteredListWatch<ConfigMap>(client));
  informer.Start();
  const Result<void> synced = informer.WaitForCacheSync({}, {.timeout = 20s});
  ASSERT_TRUE(synced.ok()) << synced.error();
  server.Put("two", "1");
  const State wanted = server.ServerState();
  EXPECT_TRUE(Eventually([&] { return CacheState(informer) == wanted; }));
}

// Errors of a single request.
TEST(MalformedObjectResponse, IsAnErrorThatSaysWhatCame) {
  EmbeddedServer server;
  const std::vector<Case> cases = {
      {"garbage", false, false, Json("this is not JSON"), {"Decode"}},
      {"empty", false, false, Json(""), {"Decode", "empty body", "ConfigMap"}},
      {"truncated", false, false, Json(JsonMap("x").substr(0, 40)), {"Decode"}},
      {"html", false, false, Html(200), {"Decode", "media type \"text/html\""}},
      {"html 502", false, false, Html(502), {"an error on the server", "502 Bad Gateway"}},
      {"no magic", true, false, Protobuf("not protobuf at all"), {"Decode", "magic"}},
  };
  for (const Case& c : cases) {
    auto client =
        Client::NewForConfig(server.ClientConfig(), {.prefer_json = !c.protobuf}).OrExit();
    server.AnswerWith([&](const HttpRequest&) { return std::optional(c.response); });
    const auto got = client.For<ConfigMap>("default").Get("x");
    ASSERT_FALSE(got.ok()) << c.name;
    for (const std::string& text : c.says) {
      EXPECT_THAT(got.error().ToString(), HasSubstr(text)) << c.name;
    }
    server.AnswerWith({});
  }
}

}  // namespace
}  // namespace kinformer::testing
