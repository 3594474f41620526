#include "kinformer/client/rest_request.h"

#include <chrono>
#include <cstddef>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/metav1_mutable.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/json/json.h"

#include "client/testing/config_map_client.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ConfigMapJson;
using testing::Json;
using testing::StatusFailure;

class RestRequestTest : public testing::ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    server_.fallback = [](const HttpRequest&) { return Json(ConfigMapJson("a", "5")); };
    core_.emplace(*client_, GroupVersion{.version = "v1"});
  }
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), minutes(30)));
  }
  Result<RestResponse> Do(const RestRequest& request) {
    Result<RestResponse> response = Error(Reason::kUnknown, "not run");
    EXPECT_TRUE(sim_.RunBlocking([&] { response = request.Do(); }, minutes(30)));
    return response;
  }
  // The error of a request that must not reach the server.
  std::string Mistake(const RestRequest& request) {
    const std::size_t before = server_.requests.size();
    const Result<RestResponse> response = Do(request);
    EXPECT_FALSE(response.ok());
    EXPECT_EQ(server_.requests.size(), before) << "it was sent";
    if (response.ok()) return "";
    EXPECT_EQ(response.error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(request.URL().error().message(), response.error().message());
    return response.error().message();
  }
  [[nodiscard]] RestRequest Maps() const {
    return core_->Get().Namespace("default").Resource("cm");
  }
  [[nodiscard]] const HttpRequest& Sent() const { return server_.requests.back(); }

  std::optional<RestClient> core_;
};

// ---- The path

TEST_F(RestRequestTest, PartsStandInTheApisOrderWhateverTheOrderOfTheCalls_RB04) {
  EXPECT_EQ(
      *core_->Get().SubResource("status").Name("a").Resource("ConfigMaps").Namespace("d").URL(),
      "/api/v1/namespaces/d/configmaps/a/status");
  const RestClient apps(*client_, {.group = "apps", .version = "v1"});
  EXPECT_EQ(*apps.Get().Resource("deployments").URL(), "/apis/apps/v1/deployments");
  EXPECT_EQ(*core_->Get().NamespaceIfScoped("d", false).Resource("nodes").Name("n").URL(),
            "/api/v1/nodes/n");
  EXPECT_EQ(*core_->Get().NamespaceIfScoped("d", true).Resource("pods").URL(),
            "/api/v1/namespaces/d/pods");
}

TEST_F(RestRequestTest, PathsAreJoinedAndASlashAtTheEndIsKeptWhereNothingFollows_RB03) {
  const RestClient any(*client_);
  EXPECT_EQ(*any.Get().AbsPath("/foo/").URL(), "/foo/");
  EXPECT_EQ(*any.Get().AbsPath("foo//bar").URL(), "/foo/bar");
  EXPECT_EQ(*any.Get().AbsPath("/foo/").Suffix("bar/baz").URL(), "/foo/bar/baz");
  EXPECT_EQ(*any.Get().AbsPath("/foo/").Prefix("bar").Resource("r").URL(), "/foo/bar/r");
  EXPECT_EQ(*core_->Get().Prefix("proxy").Resource("r").Name("n").Suffix("a b").URL(),
            "/api/v1/proxy/r/n/a%20b");
  EXPECT_EQ(*any.Get().URL(), "/");
}

TEST_F(RestRequestTest, APartThatIsGivenTwiceIsAnError_RB05) {
  const auto expect = [&](const RestRequest& request, const std::string& words) {
    EXPECT_NE(Mistake(request).find(words), std::string::npos) << Mistake(request);
  };
  expect(core_->Get().Namespace("a").Namespace("b"), R"(namespace of a request is already "a")");
  expect(core_->Get().Resource("a").Resource("b"), R"(resource of a request is already "a")");
  expect(core_->Get().Name("a").Name("b"), R"(name of a request is already "a")");
  expect(core_->Get().SubResource("a").SubResource("b"),
         R"(subresource of a request is already "a")");
}

TEST_F(RestRequestTest, PartsThatWouldNameSomethingElseAreRefused_RB06) {
  for (const std::string bad : {".", "..", "a/b", "/foo", "a%2f"}) {
    EXPECT_NE(Mistake(core_->Get().Namespace(bad)).find('"' + bad + '"'), std::string::npos);
    EXPECT_NE(Mistake(core_->Get().Resource(bad)).find('"' + bad + '"'), std::string::npos);
    EXPECT_NE(Mistake(core_->Get().Name(bad)).find('"' + bad + '"'), std::string::npos);
    EXPECT_NE(Mistake(core_->Get().SubResource("proxy", bad)).find('"' + bad + '"'),
              std::string::npos);
  }
  EXPECT_EQ(Mistake(core_->Get().Resource("pods").Name("")),
            "the name of a request must not be empty");
  EXPECT_NE(Mistake(RestClient(*client_).Get().AbsPath("/a/../b")), "");
}

TEST_F(RestRequestTest, TheFirstMistakeStays_RB02) {
  const RestRequest request = core_->Get().Name("").Namespace("..").Resource("a").Resource("b");
  EXPECT_EQ(Mistake(request), "the name of a request must not be empty");
}

TEST_F(RestRequestTest, WithoutAVersionAResourceNeedsAPath_RC04) {
  EXPECT_NE(Mistake(RestClient(*client_).Get().Resource("pods")).find("pods needs the version"),
            std::string::npos);
  EXPECT_EQ(*RestClient(*client_).Get().AbsPath("/api/v1").Resource("pods").URL(), "/api/v1/pods");
}

TEST_F(RestRequestTest, AnEmptyNamespaceIsRefusedWhereItWouldNameAnotherObject_RB11) {
  const auto request = [&](std::string_view method, bool named) {
    RestRequest made = core_->Verb(method).Namespace("").Resource("pods");
    if (named) made.Name("a");
    return made;
  };
  for (const bool named : {false, true}) {
    EXPECT_NE(Mistake(request("POST", named)).find("during creation"), std::string::npos);
  }
  for (const char* method : {"GET", "PUT", "DELETE"}) {
    EXPECT_NE(Mistake(request(method, true)).find("when an object is named"), std::string::npos);
    EXPECT_EQ(*request(method, false).URL(), "/api/v1/pods") << method;
  }
  EXPECT_EQ(*request("PATCH", true).URL(), "/api/v1/pods/a");
}

// ---- The query

TEST_F(RestRequestTest, ParametersAreAddedAndKeepTheirOrder_RB07) {
  EXPECT_EQ(*Maps().Param("command", "sh").Param("command", "-c").Param("a", "1 2").URL(),
            "/api/v1/namespaces/default/cm?a=1%202&command=sh&command=-c");
  const ListOptions list{.labelSelector = "a=b", .limit = 5};
  EXPECT_EQ(*Maps().VersionedParams(list).URL(),
            "/api/v1/namespaces/default/cm?labelSelector=a%3Db&limit=5");
  EXPECT_EQ(*Maps().VersionedParams(GetOptions{.resourceVersion = "0"}).URL(),
            "/api/v1/namespaces/default/cm?resourceVersion=0");
  EXPECT_EQ(*Maps().VersionedParams(CreateOptions{.dryRun = {"All"}, .fieldManager = "me"}).URL(),
            "/api/v1/namespaces/default/cm?dryRun=All&fieldManager=me");
  EXPECT_EQ(*Maps().VersionedParams(PatchOptions{.force = true, .fieldValidation = "Warn"}).URL(),
            "/api/v1/namespaces/default/cm?fieldValidation=Warn&force=true");
}

TEST_F(RestRequestTest, OptionsOfTheApiAreParameters_RB07) {
  corev1::PodLogOptions::Mutable log;
  log.container = "app";
  log.follow = true;
  log.tailLines = 0;
  EXPECT_EQ(*Maps().VersionedParams(log).URL(),
            "/api/v1/namespaces/default/cm?container=app&follow=true&tailLines=0");
  corev1::PodExecOptions::Mutable exec;
  exec.command = {"sh", "-c", "a b"};
  exec.stdin = true;
  EXPECT_EQ(*Maps().VersionedParams(exec).URL(),
            "/api/v1/namespaces/default/cm?command=sh&command=-c&command=a%20b&stdin=true");
}

TEST_F(RestRequestTest, AUriReplacesPathAndParameters_RB08) {
  EXPECT_EQ(*Maps().Param("a", "b").RequestURI("/apis/x%2Fy/?q=%2C&watch").URL(),
            "/apis/x%2Fy/?q=%2C&watch=");
  EXPECT_EQ(*Maps().RequestURI("/a?b=c").Param("d", "e").URL(), "/a?b=c&d=e");
  EXPECT_NE(Mistake(Maps().RequestURI("https://other/a")), "");
  EXPECT_NE(Mistake(Maps().RequestURI("/a?b=%zz")), "");
}

TEST_F(RestRequestTest, TheTimeoutIsAParameterAndLimitsTheRequest_RB13_RC17) {
  EXPECT_EQ(*Maps().Timeout(seconds(1)).URL(), "/api/v1/namespaces/default/cm?timeout=1s");
  EXPECT_EQ(*Maps().Timeout(milliseconds(1500)).URL(),
            "/api/v1/namespaces/default/cm?timeout=1.5s");
  EXPECT_EQ(*Maps().Timeout(seconds(0)).URL(), "/api/v1/namespaces/default/cm");
  server_.script.push_back({.body = "{", .hang = true});
  const auto before = sim_.env().Now();
  const Result<RestResponse> late = Do(Maps().Timeout(seconds(1)));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(sim_.env().Now() - before, seconds(1));
}

// ---- Header and body

TEST_F(RestRequestTest, AcceptAndOtherHeadersCanBeReplaced_RB01) {
  ASSERT_TRUE(Do(Maps()).ok());
  EXPECT_EQ(Sent().headers.Get("Accept"), "application/json, */*");
  ASSERT_TRUE(Do(Maps().SetHeader("accept", "text/plain").SetHeader("X-A", "1", "2")).ok());
  EXPECT_EQ(Sent().headers.Get("Accept"), "text/plain");
  std::vector<std::string> values;
  for (const auto& [name, value] : Sent().headers) {
    if (name == "X-A") values.emplace_back(value);
  }
  EXPECT_EQ(values, (std::vector<std::string>{"1", "2"}));
  ASSERT_TRUE(Do(Maps().SetHeader("X-A", "1").SetHeader("x-a", "3")).ok());
  EXPECT_EQ(Sent().headers.Get("X-A"), "3");
}

TEST_F(RestRequestTest, VerbsHaveTheirMethodAndPatchItsType_RB12) {
  const auto method_of = [&](const RestRequest& request) {
    EXPECT_TRUE(Do(request).ok());
    return Sent().method;
  };
  const auto maps = [](RestRequest request) {
    return request.Namespace("d").Resource("cm").Name("a");
  };
  EXPECT_EQ(method_of(maps(core_->Get())), "GET");
  EXPECT_EQ(method_of(maps(core_->Post())), "POST");
  EXPECT_EQ(method_of(maps(core_->Put())), "PUT");
  EXPECT_EQ(method_of(maps(core_->Delete())), "DELETE");
  EXPECT_EQ(method_of(maps(core_->Verb("OPTIONS"))), "OPTIONS");
  EXPECT_EQ(method_of(maps(core_->Patch(PatchType::kMergePatch)).Body("{}")), "PATCH");
  EXPECT_EQ(Sent().headers.Get("Content-Type"), "application/merge-patch+json");
  EXPECT_NE(Mistake(core_->Verb("GET /x\r\n")), "");
  EXPECT_NE(Mistake(core_->Verb("")), "");
}

TEST_F(RestRequestTest, ABodyIsBytesJsonAnObjectOrAFile_RB09) {
  const auto post = [&] { return core_->Post().Namespace("d").Resource("configmaps"); };
  ASSERT_TRUE(Do(post().Body("text")).ok());
  EXPECT_EQ(Sent().body, "text");
  EXPECT_EQ(Sent().headers.Get("Content-Type"), "application/json");
  ASSERT_TRUE(Do(post().SetHeader("Content-Type", "text/x").Body("text")).ok());
  EXPECT_EQ(Sent().headers.Get("Content-Type"), "text/x");

  json::Value value;
  value.Set("a", 1);
  ASSERT_TRUE(Do(post().Body(value)).ok());
  EXPECT_EQ(Sent().body, R"({"a":1})");

  corev1::ConfigMap::Mutable map;
  map.metadata.name = "a";
  const RestRequest object = post().Body(map);
  map.metadata.name = "b";  // the request has a copy
  ASSERT_TRUE(Do(object).ok());
  EXPECT_EQ(Sent().headers.Get("Content-Type"), "application/vnd.kubernetes.protobuf");
  server_.script.push_back({.status = 415});
  ASSERT_TRUE(Do(object).ok());
  EXPECT_EQ(Sent().headers.Get("Content-Type"), "application/json") << "falls back";
  EXPECT_NE(Sent().body.find(R"("name":"a")"), std::string::npos) << Sent().body;

  const std::string path = ::testing::TempDir() + "kinformer-request-body";
  std::ofstream(path) << "from a file";
  ASSERT_TRUE(Do(post().BodyFile(path)).ok());
  EXPECT_EQ(Sent().body, "from a file");
  std::ofstream(path, std::ios::trunc).flush();
  ASSERT_TRUE(Do(post().BodyFile(path)).ok());
  EXPECT_EQ(Sent().body, "");
  EXPECT_NE(Mistake(post().BodyFile("/no/such/file")).find("\"/no/such/file\": No such file"),
            std::string::npos);
}

TEST_F(RestRequestTest, ASecondSendingIsTheSameRequest_RB14) {
  const RestRequest request =
      core_->Post().Namespace("d").Resource("cm").Body("x").SetHeader("X", "1");
  Block([&] {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(request.Do().ok());
  });
  int done = 0;
  for (int i = 0; i < 3; ++i) request.AsyncDo().Start([&](const auto& got) { done += got.ok(); });
  sim_.RunFor(seconds(1));
  EXPECT_EQ(done, 3);
  ASSERT_EQ(server_.requests.size(), 6U);
  for (const HttpRequest& sent : server_.requests) {
    EXPECT_EQ(sent.body, "x");
    EXPECT_EQ(sent.target, server_.requests[0].target);
    EXPECT_EQ(sent.headers.size(), server_.requests[0].headers.size());
  }
}

// ---- Answers

TEST_F(RestRequestTest, TheAnswerHasStatusHeadersAndBody_RS10) {
  server_.script.push_back(Json("{}", 201));
  server_.script.push_back({.status = 200, .headers = {{"X-A", "b"}}, .body = "text"});
  EXPECT_TRUE(Do(Maps())->WasCreated());
  const Result<RestResponse> text = Do(Maps());
  EXPECT_FALSE(text->WasCreated());
  EXPECT_EQ(text->status, 200);
  EXPECT_EQ(text->headers.Get("x-a"), "b");
  EXPECT_EQ(text->body, "text");
  EXPECT_FALSE(text->Json().ok());
  EXPECT_EQ(Do(Maps())->Json().value()["kind"].StringOrEmpty(), "ConfigMap");
}

TEST_F(RestRequestTest, AnObjectIsReadFromTheAnswer_RS09) {
  const Result<Ref<corev1::ConfigMap>> into = Do(Maps())->Into<corev1::ConfigMap>();
  ASSERT_TRUE(into.ok()) << into.error();
  EXPECT_EQ((*into)->metadata().resourceVersion(), "5");
  Block([&] {
    const auto map = Maps().Name("a").DoInto<corev1::ConfigMap>();
    ASSERT_TRUE(map.ok()) << map.error();
    EXPECT_EQ((*map)->metadata().name(), "a");
  });
  EXPECT_EQ(Sent().headers.Get("Accept"), "application/vnd.kubernetes.protobuf,application/json");
  server_.script.push_back(Json(""));
  const auto empty = Do(Maps())->Into<corev1::ConfigMap>();
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.error().message().find("an empty body"), std::string::npos);
  server_.script.push_back(Json(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})"));
  EXPECT_EQ(Do(Maps())->Into<corev1::ConfigMap>().error().reason(), Reason::kDecode);
}

TEST_F(RestRequestTest, ARefusalIsAnErrorWithTheServersReason_RS05) {
  server_.script.push_back(StatusFailure(403, "Forbidden", "no"));
  const auto refused = Do(Maps());
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(IsForbidden(refused.error()));
  EXPECT_EQ(refused.error().http_status(), 403);
}

TEST_F(RestRequestTest, RetriesCanBeLimited_RR17) {
  const auto busy = [] {
    auto answer = StatusFailure(429, "TooManyRequests", "later");
    answer.headers.emplace_back("Retry-After", "1");
    return answer;
  };
  server_.script = {busy(), busy()};
  EXPECT_FALSE(Do(Maps().MaxRetries(0)).ok());
  EXPECT_EQ(server_.requests.size(), 1U);
  server_.script = {busy()};
  EXPECT_TRUE(Do(Maps().MaxRetries(1)).ok());
  EXPECT_EQ(server_.requests.size(), 3U);
}

TEST_F(RestRequestTest, CoroutinesAwaitIt) {
  std::string name;
  const auto get = [](RestRequest request, std::string* out) -> Task<Result<void>> {
    const Result<Ref<corev1::ConfigMap>> map = co_await request.AsyncDoInto<corev1::ConfigMap>();
    if (!map) co_return map.error();
    const Result<RestResponse> raw = co_await request.AsyncDo();
    *out = std::string((*map)->metadata().name()) + std::to_string(raw->status);
    co_return Result<void>();
  };
  Spawn(sim_.env(), get(Maps().Name("a"), &name));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(name, "a200");
}

// ---- Streams

std::string Numbered(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST_F(RestRequestTest, AStreamPassesTheWholeBodyInOrder_RS04) {
  const std::string text = Numbered(20000);
  server_.script.push_back({.body = text});
  server_.script.push_back({.status = 204});
  std::string got;
  const auto append = [&](std::string_view data) {
    got += data;
    return true;
  };
  Block([&] { EXPECT_TRUE(Maps().SubResource("log").Stream(append).ok()); });
  EXPECT_EQ(got, text);
  got.clear();
  Block([&] { EXPECT_TRUE(Maps().Stream(append).ok()); });
  EXPECT_EQ(got, "");
}

TEST_F(RestRequestTest, EveryFormOfSendingSendsTheCallsTrace) {
  constexpr char kParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const CallOptions call{.traceparent = kParent, .tracestate = "a=1"};
  const CallOptions malformed{.traceparent = "x"};
  const auto nothing = [](std::string_view) { return true; };
  const auto expect = [&](const Result<void>& sent, const Result<void>& refused) {
    EXPECT_TRUE(sent.ok());
    EXPECT_EQ(Sent().headers.Get("traceparent"), kParent);
    EXPECT_EQ(Sent().headers.Get("tracestate"), "a=1");
    EXPECT_EQ(refused.error().reason(), Reason::kInvalidArgument);
    server_.requests.clear();
  };
  const auto whether = [](const auto& result) {
    return result.ok() ? Result<void>() : Result<void>(result.error());
  };
  Block([&] {
    expect(Maps().Stream(nothing, call), Maps().Stream(nothing, malformed));
    expect(whether(Maps().Do(call)), whether(Maps().Do(malformed)));
    expect(whether(Maps().DoInto<corev1::ConfigMap>(call)),
           whether(Maps().DoInto<corev1::ConfigMap>(malformed)));
    ASSERT_TRUE(Maps().SetHeader("traceparent", "own").Do(call).ok());
    EXPECT_EQ(Sent().headers.Get("traceparent"), "own");
  });
}

TEST_F(RestRequestTest, AStreamThatIsRefusedOrBreaksIsAnError_RS04) {
  server_.script.push_back(StatusFailure(401, "Unauthorized", "who"));
  server_.script.push_back({.body = "half", .cut = true});
  std::string got;
  const auto append = [&](std::string_view data) {
    got += data;
    return true;
  };
  Block([&] {
    const Result<void> refused = Maps().Stream(append);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().http_status(), 401);
    EXPECT_EQ(got, "");
    const Result<void> broken = Maps().Stream(append);
    ASSERT_FALSE(broken.ok());
    EXPECT_EQ(broken.error().reason(), Reason::kUnexpectedEof);
    EXPECT_EQ(got, "half") << "and what came before is not lost";
  });
}

TEST_F(RestRequestTest, AStreamEndsWhenItsFunctionAsksThrowsOrTheCallerStops) {
  for (int i = 0; i < 3; ++i) server_.script.push_back({.body = "x", .hang = true});
  Block([&] {
    EXPECT_TRUE(Maps().Stream([](std::string_view) { return false; }).ok());
    EXPECT_THROW(
        (void)Maps().Stream([](std::string_view) -> bool { throw std::runtime_error("own"); }),
        std::runtime_error);
    std::stop_source stop;
    const Result<void> stopped = Maps().Stream(
        [&](std::string_view) {
          stop.request_stop();
          return true;
        },
        {.stop = stop.get_token()});
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().reason(), Reason::kCanceled);
  });
  sim_.RunFor(seconds(1));
  EXPECT_EQ(server_.open_streams, 0);
}

TEST_F(RestRequestTest, TheClientsTimeoutIsNotForStreams) {
  const Client limited =
      Client::ForTransport(sim_.env(), transport_, {.qps = -1, .timeout = seconds(5)});
  server_.script.push_back({.body = "x", .hang = true});
  bool ended = false;
  std::stop_source stop;
  RestClient(limited)
      .Get()
      .AbsPath("/log")
      .AsyncStream([](std::string_view) { return true; })
      .WithStop(stop.get_token())
      .Start([&](const Result<void>&) { ended = true; });
  sim_.RunFor(minutes(10));
  EXPECT_FALSE(ended);
  stop.request_stop();
  sim_.RunReady();
  EXPECT_TRUE(ended);
}

// A body that counts what was read of it.
class CountedServer final : public Handler {
 public:
  std::size_t sent = 0;

  std::unique_ptr<ResponseStream> Handle(HttpRequest) override {
    return std::make_unique<Stream>(sent);
  }

  static constexpr std::size_t kSize = std::size_t{16} << 20;

 private:
  class Stream final : public ResponseStream {
   public:
    explicit Stream(std::size_t& sent) : sent_(sent) {}
    int status() const override { return 200; }
    const HttpHeaders& headers() const override { return headers_; }
    State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
      const std::size_t size = std::min(max_bytes, kSize - sent_);
      out.push_back(BodyChunk::Of(std::string(size, 'x')));
      sent_ += size;
      return sent_ == kSize ? State::kEnd : State::kMore;
    }
    void SetWake(std::function<void()>) override {}

   private:
    std::size_t& sent_;
    const HttpHeaders headers_;
  };
};

TEST_F(RestRequestTest, AServerIsReadNoFasterThanTheFunctionTakes) {
  CountedServer server;
  const Client client =
      Client::ForTransport(sim_.env(), NewInMemoryTransport(sim_.env(), server), {.qps = -1});
  std::size_t got = 0;
  std::size_t most_ahead = 0;
  Block([&] {
    const Result<void> done =
        RestClient(client).Get().AbsPath("/log").Stream([&](std::string_view data) {
          sim_.env().SleepFor(seconds(1));  // a slow disk, while the loop goes on
          most_ahead = std::max(most_ahead, server.sent - got);
          got += data.size();
          return true;
        });
    EXPECT_TRUE(done.ok());
  });
  EXPECT_EQ(got, CountedServer::kSize);
  EXPECT_LE(most_ahead, std::size_t{3} << 20);
}

}  // namespace
}  // namespace kinformer
