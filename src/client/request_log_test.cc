#include "client/request_log.h"

#include <chrono>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"
#include "client/engine.h"
#include "client/testing/engine_scene.h"
#include "client/testing/scripted_server.h"

namespace kinformer::internal::client {
namespace {

using ::kinformer::testing::Json;
using ::kinformer::testing::Protobuf;
using ::kinformer::testing::ScriptedResponse;
using ::kinformer::testing::ScriptedServer;
using ::kinformer::testing::StatusFailure;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(MaskedHeader, CredentialsAreMaskedAndTheirKnownKindStays_TR16) {
  const struct {
    const char* name;
    const char* value;
    const char* masked;
  } rows[] = {
      {"Authorization", "Bearer abc", "Bearer <masked>"},
      {"authorization", "bearer abc def", "bearer <masked>"},
      {"AUTHORIZATION", "Basic YTpi", "Basic <masked>"},
      {"Authorization", "Negotiate x", "Negotiate <masked>"},
      {"Proxy-Authorization", "Basic YTpi", "Basic <masked>"},
      {"Authorization", "Bearer", "Bearer"},
      {"Authorization", "Bearer ", "Bearer"},
      {"Authorization", "Digest abc", "<masked>"},
      {"Authorization", "abc", "<masked>"},
      {"Authorization", "", ""},
      {"Cookie", "session=1", "<masked>"},
      {"Set-Cookie", "session=1", "<masked>"},
      {"X-Auth-Token", "abc", "<masked>"},
      {"X-Api-Key", "abc", "<masked>"},
      {"Sec-WebSocket-Protocol", "base64url.bearer.authorization.k8s.io.abc", "<masked>"},
      {"Cookie", "", ""},
      {"Accept", "application/json", "application/json"},
      {"X-Authorization-Kind", "Bearer abc", "Bearer abc"},
  };
  for (const auto& row : rows) EXPECT_EQ(MaskedHeader(row.name, row.value), row.masked) << row.name;
}

TEST(TruncatedBody, HasAsManyCharactersAsTheLevelAllows_RS11) {
  const std::string thousands(20000, 'x');
  EXPECT_EQ(TruncatedBody("twenty-eight characters long", 28, 0), " [truncated 28 chars]");
  EXPECT_EQ(TruncatedBody("twenty-eight characters long", 28, 7), " [truncated 28 chars]");
  EXPECT_EQ(TruncatedBody("short", 5, 8), "short");
  EXPECT_EQ(TruncatedBody("short", 5, 10), "short");
  EXPECT_EQ(TruncatedBody(thousands, 1024, 8), thousands.substr(0, 1024));
  EXPECT_EQ(TruncatedBody(thousands, 2000, 8),
            thousands.substr(0, 1024) + " [truncated 976 chars]");
  EXPECT_EQ(TruncatedBody(thousands, 20000, 9),
            thousands.substr(0, 10240) + " [truncated 9760 chars]");
  EXPECT_EQ(TruncatedBody(thousands, 20000, 10), thousands);
  EXPECT_EQ(TruncatedBody(thousands, 20000, 11), thousands);
}

TEST(HoldsSecrets, PathsOfSecretsAndTokensDo) {
  for (const char* target :
       {"/api/v1/secrets", "/api/v1/secrets?limit=1", "/api/v1/namespaces/a/secrets/s",
        "/api/v1/namespaces/a/serviceaccounts/s/token", "/api/v1/namespaces/a/%73ecrets/s",
        "/apis/authentication.k8s.io/v1/tokenreviews", "//api//v1//secrets/"}) {
    EXPECT_TRUE(HoldsSecrets(target)) << target;
  }
  for (const char* target :
       {"/api/v1/pods", "/api/v1/namespaces/a/configmaps/secrets-of-a", "/api/v1/pods?a=/secrets/",
        "/api/v1/namespaces/a/serviceaccounts/s", "/version", "/a%2", "/a%zz"}) {
    EXPECT_FALSE(HoldsSecrets(target)) << target;
  }
}

TEST(IsDiscovery, PathsWithoutAResourceAre) {
  for (const char* target : {"/api", "/apis", "/api/v1", "/apis/apps/v1?timeout=32s", "/apis/apps",
                             "/openapi/v2", "/openapi/v3/apis/apps/v1"}) {
    EXPECT_TRUE(IsDiscovery(target)) << target;
  }
  for (const char* target : {"/api/v1/pods", "/apis/apps/v1/deployments", "/version", "/", "",
                             "/api/v1%2fsecrets", "/apis2", "/openapis"}) {
    EXPECT_FALSE(IsDiscovery(target)) << target;
  }
}

bool Found(std::initializer_list<std::string_view> pieces) {
  SecretKinds kinds;
  for (const std::string_view piece : pieces) kinds.Read(piece);
  return kinds.found();
}

TEST(SecretKinds, KindsAreFoundWhereTheyAreValues) {
  for (const std::string_view text :
       {R"({"kind":"Secret"})", R"({"kind": "SecretList"})", R"({"kind":"TokenRequest"})",
        R"("kind":"TokenReview")", R"({"a":"{\"kind\":\"Secret\"}"})", "kind: Secret\n",
        "kind:  'Secret'", "a: b\nkind: Secret"}) {
    EXPECT_TRUE(Found({text})) << text;
  }
  for (const std::string_view text :
       {R"({"kind":"Pod"})", R"("secretName":"a")", R"("kind":"SecretStore")",
        R"("message":"no Secret of this name")", R"("ClusterSecret")", "Secret", "kind:Secret",
        ""}) {
    EXPECT_FALSE(Found({text})) << text;
  }
}

TEST(SecretKinds, KindsInTwoPiecesAreFound) {
  const std::string text = std::string(100, ' ') + R"("kind":"Secret",)" + std::string(100, ' ');
  for (std::size_t at = 0; at <= text.size(); ++at) {
    EXPECT_TRUE(Found({text.substr(0, at), text.substr(at)})) << at;
  }
  SecretKinds kinds;
  for (const char& c : text) kinds.Read(std::string_view(&c, 1));
  EXPECT_TRUE(kinds.found());
}

// An answer begins two seconds after its request was sent, and ends a second later.
class RequestLogTest : public ::kinformer::testing::EngineScene {
 protected:
  RequestLogTest() : EngineScene(LogLevel::kInfo, seconds(1)) {}

  // Returns the lines about the request.
  std::vector<std::string> Run(int verbosity, ExchangeRequest request) {
    Prepare(verbosity, request);
    static_cast<void>(EngineScene::Run(std::move(request)));
    return log_->lines;
  }
  void Begin(int verbosity, ExchangeRequest request) {
    Prepare(verbosity, request);
    EngineScene::Begin(std::move(request));
  }
  std::vector<std::string> End() {
    EngineScene::End();
    return log_->lines;
  }
  // Returns the lines that do not begin with the word.
  static std::vector<std::string> Without(const std::string& word, std::vector<std::string> lines) {
    std::erase_if(lines, [&](const std::string& line) { return line.starts_with(word + " "); });
    return lines;
  }
  static ExchangeRequest Post(const std::string& body, const std::string& target = "/api/v1/x") {
    return {.method = "POST", .target = target, .content_type = "application/json", .body = [=] {
              return body;
            }};
  }

  std::string url_;

 private:
  void Prepare(int verbosity, const ExchangeRequest& request) {
    if (engine_ != nullptr) TearDown();
    log_->lines.clear();
    Make({.qps = -1, .user_agent = "me", .verbosity = verbosity});
    url_ = engine_->Describe() + request.target;
  }
};

TEST_F(RequestLogTest, BelowSixNothingIsLogged_TR16) {
  for (const int verbosity : {0, 5}) {
    server_.script = {Json("{}")};
    EXPECT_THAT(Run(verbosity, {.target = "/x"}), IsEmpty());
  }
}

TEST_F(RequestLogTest, AtSixEachAttemptIsALine_TR16) {
  ScriptedResponse busy = StatusFailure(503, "", "busy");
  busy.headers.emplace_back("Retry-After", "0");
  server_.script = {busy, ScriptedResponse{.cut_before_answer = true}, Json("{}")};
  const std::vector<std::string> lines = Run(6, {.target = "/x?a=b"});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "response verb=GET url=" + url_ + " status=503 milliseconds=2000");
  EXPECT_THAT(lines[1], StartsWith("the server asks to wait"));
  EXPECT_THAT(lines[2], StartsWith("no response verb=GET url=" + url_ + " milliseconds=1000 err="));
  EXPECT_EQ(lines[3], "response verb=GET url=" + url_ + " status=200 milliseconds=2000");
}

TEST_F(RequestLogTest, AtSevenRequestsHaveHeaders_TR16) {
  server_.script = {Json("{}")};
  const std::vector<std::string> lines = Run(7, Post("{}"));
  EXPECT_THAT(lines,
              ElementsAre("request verb=POST url=" + url_ +
                              " headers=Accept: application/json\nContent-Type: application/json\n"
                              "User-Agent: me",
                          "response verb=POST url=" + url_ + " status=200 milliseconds=2000"));
}

TEST_F(RequestLogTest, AtEightThereAreHeadersOfAnswersAndBodies_TR16) {
  ScriptedResponse answer = Json(R"({"b":2})", 201);
  answer.headers.emplace_back("Set-Cookie", "session=1");
  server_.script = {answer};
  const std::vector<std::string> lines = Run(8, Post(R"({"a":1})"));
  EXPECT_THAT(lines, ElementsAre(StartsWith("request verb=POST url=" + url_ + " headers="),
                                 "request body verb=POST url=" + url_ + R"( body={"a":1})",
                                 "response verb=POST url=" + url_ +
                                     " status=201 milliseconds=2000 headers=Content-Type: "
                                     "application/json\nSet-Cookie: <masked>",
                                 "response body verb=POST url=" + url_ + R"( body={"b":2})"));
}

TEST_F(RequestLogTest, AtNineARequestIsACommandOfCurl) {
  HttpHeaders headers;
  headers.Add("Authorization", "Bearer hunter2");
  headers.Add("X-Text", "it's $HOME");
  server_.script = {Json("{}")};
  const std::vector<std::string> lines =
      Run(9, {.method = "DELETE", .target = "/x?a='b", .headers = headers});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1],
            "curl command=curl -v -XDELETE -H 'Authorization: Bearer <masked>' "
            "-H 'X-Text: it'\\''s $HOME' -H 'Accept: application/json' -H 'User-Agent: me' '" +
                engine_->Describe() + "/x?a='\\''b'");
  server_.script = {Json("{}")};
  for (const std::string& line : Run(8, {.target = "/x"})) {
    EXPECT_THAT(line, Not(HasSubstr("curl -v")));
  }
}

TEST_F(RequestLogTest, LongBodiesAreTruncated_RS11) {
  const std::string body(50000, 'x');
  const std::string more(60000, 'y');
  for (const auto& [verbosity, shown] : {std::pair<int, std::size_t>(8, 1024), {9, 10240}}) {
    server_.script = {Json(more)};
    const std::vector<std::string> lines = Without("curl", Run(verbosity, Post(body)));
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[1], "request body verb=POST url=" + url_ + " body=" + body.substr(0, shown) +
                            " [truncated " + std::to_string(body.size() - shown) + " chars]");
    EXPECT_EQ(lines[3], "response body verb=POST url=" + url_ + " body=" + more.substr(0, shown) +
                            " [truncated " + std::to_string(more.size() - shown) + " chars]");
  }
  server_.script = {Json(more)};
  const std::vector<std::string> lines = Without("curl", Run(10, Post(body)));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[1], HasSubstr(" body=" + body));
  EXPECT_THAT(lines[3], HasSubstr(" body=" + more));
}

TEST_F(RequestLogTest, BodiesOfRefusalsAreLogged) {
  const ScriptedResponse refusal = StatusFailure(404, "NotFound", "no such thing");
  server_.script = {refusal, refusal};
  EXPECT_THAT(Run(8, {.target = "/x"}).back(), HasSubstr(" body=" + refusal.body));
  EXPECT_THAT(Run(8, {.target = "/x", .watch = true}).back(), HasSubstr(" body=" + refusal.body));
}

TEST_F(RequestLogTest, SecretsAreNeverLogged) {
  const std::string at_path = R"({"data":{"password":"hunter2"}})";
  const std::string of_kind = R"({"data":{"password":"hunter2"},"kind":"Secret"})";
  const std::pair<std::string, std::string> rows[] = {
      {"/api/v1/namespaces/a/secrets", at_path},
      {"/api/v1/namespaces/a/serviceaccounts/s/token", R"({"status":{"token":"hunter2"}})"},
      {"/apis/authentication.k8s.io/v1/tokenreviews", R"({"spec":{"token":"hunter2"}})"},
      {"/apis/e.com/v1/things", of_kind},
      {"/apis/e.com/v1/things", of_kind + std::string(100, ' ')},
  };
  for (const auto& [target, body] : rows) {
    server_.script = {Json(body)};
    const std::vector<std::string> lines = Without("curl", Run(10, Post(body, target)));
    ASSERT_EQ(lines.size(), 4U);
    const std::string withheld =
        " body=[" + std::to_string(body.size()) + " bytes that may hold secrets]";
    EXPECT_THAT(lines[1], HasSubstr(withheld));
    EXPECT_THAT(lines[3], HasSubstr(withheld));
    for (const std::string& line : lines) EXPECT_THAT(line, Not(HasSubstr("hunter2")));
  }
  server_.script = {Json(at_path)};
  EXPECT_THAT(Run(10, {.target = "/x"}).back(), HasSubstr("hunter2"))
      << "neither the path nor a kind says that this is a secret";
}

TEST_F(RequestLogTest, DiscoveryMayNameTheKindsOfSecrets) {
  const std::string kinds = R"({"resources":[{"name":"secrets","kind":"Secret"}]})";
  server_.script = {Json(kinds)};
  EXPECT_THAT(Run(8, {.target = "/api/v1"}).back(), HasSubstr(" body=" + kinds));
}

TEST_F(RequestLogTest, BinaryBodiesAreNotPrinted) {
  const std::string bytes("k8s\0\n\x02v1", 8);
  server_.script = {Protobuf(bytes)};
  EXPECT_THAT(Run(9, {.target = "/x"}).back(),
              HasSubstr(" body=[8 bytes of application/vnd.kubernetes.protobuf]"));
}

TEST_F(RequestLogTest, AWatchHasItsLineWhenItBegins) {
  ScriptedResponse endless = Json(R"({"type":"ADDED"})");
  endless.hang = true;
  server_.script = {endless};
  Begin(8, {.target = "/x", .watch = true});
  sim_.RunFor(seconds(10));
  ASSERT_EQ(log_->lines.size(), 2U);
  EXPECT_THAT(log_->lines[1], StartsWith("response verb=GET"));
  EXPECT_EQ(End().size(), 2U) << "the events of watches are not logged";
}

TEST_F(RequestLogTest, AnAbandonedAttemptIsLogged) {
  ScriptedResponse endless = Json("half");
  endless.hang = true;
  server_.script = {endless};
  Begin(6, {.target = "/x"});
  sim_.RunFor(std::chrono::milliseconds(300));
  EXPECT_THAT(End(), ElementsAre(StartsWith("no response verb=GET url=" + url_ +
                                            " milliseconds=300 err=")));
  server_.script = {endless};
  Begin(8, {.target = "/x"});
  sim_.RunFor(seconds(10));
  EXPECT_THAT(End().back(), HasSubstr(" body=half"));
}

TEST_F(RequestLogTest, ALogThatTakesNoSuchLinesCostsNothing) {
  EXPECT_EQ(RequestLog::New(sim_.env(), 5, url_, false), nullptr);
  EXPECT_NE(RequestLog::New(sim_.env(), 6, url_, false), nullptr);
  Simulation warnings({.seed = 1, .log = std::make_shared<base::FieldsLog>(LogLevel::kWarning)});
  EXPECT_EQ(RequestLog::New(warnings.env(), 9, url_, false), nullptr);
}

}  // namespace
}  // namespace kinformer::internal::client
