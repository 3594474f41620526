// ApiPolicy: who is let in by which name, how answers are compressed and framed, and refusals.

#include "apiserver/http/api_policy.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/http/authentication.h"
#include "apiserver/http/own_names.h"
#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {
namespace {

using internal::http::Compression;
using internal::http::MessageForm;

ApiPolicy Policy(HttpServerOptions options) {
  return {std::move(options), [](const std::string& token) { return token == "account"; }, {}};
}

std::string BodyOf(ResponseStream& response) {
  std::vector<BodyChunk> chunks;
  std::string body;
  EXPECT_EQ(response.Read(1 << 20, chunks), ResponseStream::State::kEnd);
  for (const BodyChunk& chunk : chunks) body += chunk.bytes;
  return body;
}

HttpRequest Request(std::string_view target,
                    const std::vector<std::pair<std::string, std::string>>& headers = {}) {
  HttpRequest request{.method = "GET", .target = std::string(target)};
  for (const auto& [name, value] : headers) request.headers.Add(name, value);
  return request;
}

TEST(ApiPolicyTable, Compression_DependsOnTheWatchParameters) {
  struct Row {
    std::string_view target;
    Compression compression;
  };
  constexpr auto kIfLong = Compression::kIfLong;
  constexpr auto kNone = Compression::kNone;
  constexpr auto kMembers = Compression::kMembers;
  const std::vector<Row> rows = {
      {"/api/v1/pods", kIfLong},
      {"/api/v1/pods?watch=false", kIfLong},
      {"/api/v1/pods?watch=0", kIfLong},
      {"/api/v1/pods?watching=true", kIfLong},
      {"/api/v1/pods?sendInitialEvents=true&allowWatchBookmarks=true", kIfLong},
      {"/api/v1/pods?watch=true", kNone},
      {"/api/v1/pods?watch=1", kNone},
      {"/api/v1/pods?watch", kNone},
      {"/api/v1/pods?watch=", kNone},
      {"/api/v1/pods?limit=1&watch=true", kNone},
      {"/api/v1/pods?watch=true&limit=1", kNone},
      {"/api/v1/watch/pods", kNone},
      {"/api/v1/pods?a=/watch/", kIfLong},
      {"watch=1", kIfLong},
      {"/api/v1/pods?watch=1&sendInitialEvents=1", kNone},
      {"/api/v1/pods?watch=1&allowWatchBookmarks=1", kNone},
      {"/api/v1/pods?watch=1&sendInitialEvents=1&allowWatchBookmarks=1", kMembers},
      {"/api/v1/pods?sendInitialEvents=true&allowWatchBookmarks=true&watch=true", kMembers},
      {"/api/v1/pods?watch=1&sendInitialEvents=false&allowWatchBookmarks=1", kNone},
      {"/api/v1/watch/pods?sendInitialEvents&allowWatchBookmarks", kMembers},
  };
  const ApiPolicy policy = Policy({});
  for (const Row& row : rows) {
    EXPECT_EQ(policy.CompressionOf(Request(row.target)), row.compression) << row.target;
  }
}

TEST(ApiPolicyTable, OnlyWatches_AnswerWithMessages) {
  const ApiPolicy policy = Policy({});
  EXPECT_TRUE(policy.AnswersWithMessages(Request("/api/v1/pods?watch=1")));
  EXPECT_TRUE(policy.AnswersWithMessages(Request("/api/v1/watch/pods")));
  EXPECT_FALSE(policy.AnswersWithMessages(Request("/api/v1/pods")));
  EXPECT_FALSE(policy.AnswersWithMessages(Request("/api/v1/namespaces/a/pods/b")));
  EXPECT_FALSE(policy.AnswersWithMessages(Request("/healthz?watch=1")));
  EXPECT_FALSE(policy.AnswersWithMessages(Request("/api/v1/pods/%zz?watch=1")));
  HttpRequest post = Request("/api/v1/pods?watch=1");
  post.method = "POST";
  EXPECT_FALSE(policy.AnswersWithMessages(post));
  EXPECT_EQ(policy.FormOf("application/json;stream=watch"), MessageForm::kLine);
  EXPECT_EQ(policy.FormOf("application/vnd.kubernetes.protobuf;stream=watch"),
            MessageForm::kLengthBefore);
}

TEST(ApiPolicyTable, Refusal_IsAStatus) {
  struct Row {
    int status;
    std::string_view reason;
  };
  const std::vector<Row> rows = {{400, "BadRequest"}, {401, "Unauthorized"},
                                 {403, "Forbidden"},  {413, "RequestEntityTooLarge"},
                                 {421, "BadRequest"}, {500, "InternalError"}};
  const ApiPolicy policy = Policy({});
  for (const Row& row : rows) {
    const auto response =
        policy.Refuse(row.status, std::string_view("a \"b\" \\ \n\x1f\0!\x7f\xc3\xa4", 15));
    EXPECT_EQ(response->status(), row.status);
    EXPECT_EQ(response->headers().Get("Content-Type"), "application/json");
    EXPECT_EQ(response->headers().Get("Cache-Control"), "no-cache, private");
    EXPECT_EQ(response->headers().Get("WWW-Authenticate"), row.status == 401 ? "Bearer" : "");
    EXPECT_EQ(BodyOf(*response),
              "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
              "\"message\":\"a \\\"b\\\" \\\\    !\x7f\xc3\xa4\",\"reason\":\"" +
                  std::string(row.reason) + "\",\"code\":" + std::to_string(row.status) + "}\n");
  }
}

TEST(ApiPolicyTable, Callers_AreAdmittedOrRefused) {
  struct Row {
    HttpServerOptions options;
    std::string certificate;
    std::string target;
    std::vector<std::pair<std::string, std::string>> headers;
    int status;  // 0: admitted
    std::string user;
  };
  const HttpServerOptions open{};
  const HttpServerOptions token{.bearer_token = "secret"};
  const HttpServerOptions certificate{.require_client_certificate = true};
  const std::pair<std::string, std::string> secret{"Authorization", "Bearer secret"};
  const std::pair<std::string, std::string> account{"Authorization", "Bearer account"};
  const std::pair<std::string, std::string> wrong{"Authorization", "Bearer secreT"};
  const std::vector<Row> rows = {
      {open, "", "/api", {{"Host", "localhost:1"}}, 0, ""},
      {open, "", "/api", {}, 0, ""},
      {open, "", "/api", {{"Host", "evil.example"}}, 421, ""},
      {open, "", "/api", {{"Host", "localhost"}, {"Origin", "https://evil.example"}}, 403, ""},
      {open, "me", "/api", {{"Host", "localhost"}}, 0, "me"},
      {open, "", "/api", {{"Host", "localhost"}, wrong}, 0, ""},
      {token, "", "/api", {{"Host", "evil.example"}, secret}, 0, "kubernetes-admin"},
      {token, "", "/api", {secret, {"Origin", "https://evil.example"}}, 403, ""},
      {token, "", "/api", {account}, 0, ""},
      {token, "", "/api", {wrong}, 401, ""},
      {token, "", "/api", {}, 401, ""},
      {token, "me", "/api", {wrong}, 0, "me"},
      {token, "", "/healthz", {}, 0, ""},
      {token, "", "/healthz", {wrong}, 401, ""},
      {token, "", "/healthz/etcd", {}, 0, ""},
      {token, "", "/healthzz", {}, 401, ""},
      {token, "", "/livez?verbose", {}, 0, ""},
      {token, "", "/readyz", {}, 0, ""},
      {token, "", "/readyz/ping", {}, 0, ""},
      {token, "", "/version", {}, 0, ""},
      {token, "", "/version/", {}, 0, ""},
      {token, "", "/version/x", {}, 401, ""},
      {token, "", "/versions", {}, 401, ""},
      {certificate, "", "/api", {{"Host", "evil.example"}}, 401, ""},
      {certificate, "me", "/api", {{"Host", "evil.example"}}, 0, "me"},
      {certificate, "", "/api", {account}, 0, ""},
      {certificate, "", "/api", {secret}, 401, ""},
      {certificate, "", "/api", {{"Authorization", "Bearer "}}, 401, ""},
      {certificate, "", "/version", {wrong}, 0, ""},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    HttpRequest request = Request(row.target, row.headers);
    const auto refused = Policy(row.options).Admit({.common_name = row.certificate}, request);
    EXPECT_EQ(refused == nullptr ? 0 : refused->status(), row.status) << "row " << i;
    if (refused != nullptr) continue;
    EXPECT_EQ(request.user, row.user) << "row " << i;
  }
  HttpRequest request = Request("/api", {{"Host", "evil.example"}});
  EXPECT_NE(BodyOf(*Policy(open).Admit({}, request))
                .find(R"(the Host \"evil.example\" is no name of this server)"),
            std::string::npos);
  // Groups are those of the certificate, whatever the client sends.
  const auto groups = [](const HttpRequest& admitted) {
    std::vector<std::string> out;
    for (const auto& [name, value] : admitted.headers) {
      if (name == kGroupHeader) out.emplace_back(value);
    }
    return out;
  };
  HttpRequest jane = Request("/api", {{"x-remote-group", "system:masters"}});
  EXPECT_EQ(
      Policy(certificate).Admit({.common_name = "jane", .organizations = {"dev", "ops"}}, jane),
      nullptr);
  EXPECT_EQ(groups(jane), (std::vector<std::string>{"dev", "ops"}));
  HttpRequest nobody = Request("/version", {{"X-Remote-Group", "system:masters"}});
  EXPECT_EQ(Policy(certificate).Admit({}, nobody), nullptr);
  EXPECT_EQ(groups(nobody), std::vector<std::string>{});
  HttpRequest admin = Request("/api", {secret});
  EXPECT_EQ(Policy(token).Admit({}, admin), nullptr);
  EXPECT_EQ(groups(admin), std::vector<std::string>{"system:masters"});
  // The connection says where a client is; a handler may have been told otherwise.
  HttpRequest local = Request("/version", {});
  EXPECT_EQ(Policy(token).Admit({.on_loopback = true}, local), nullptr);
  EXPECT_TRUE(local.on_loopback);
  EXPECT_EQ(Policy(token).Admit({}, local), nullptr);
  EXPECT_FALSE(local.on_loopback);
  EXPECT_TRUE(LetsAnybodyIn(open));
  EXPECT_FALSE(LetsAnybodyIn(token));
  EXPECT_FALSE(LetsAnybodyIn(certificate));
}

TEST(OwnNamesTable, Host_IsANameOfTheServer) {
  struct Row {
    std::string address;
    std::string host;
    bool own;
  };
  const std::vector<Row> rows = {
      {"10.0.0.1", "", true},
      {"10.0.0.1", "localhost", true},
      {"10.0.0.1", "LOCALHOST:80", true},
      {"10.0.0.1", "localhost.", true},
      {"10.0.0.1", "a.localhost", true},
      {"10.0.0.1", "alocalhost", false},
      {"10.0.0.1", "127.0.0.1", true},
      {"10.0.0.1", "127.1.2.3:8080", true},
      {"10.0.0.1", "127.evil.example", false},
      {"10.0.0.1", "128.0.0.1", false},
      {"10.0.0.1", "[::1]:80", true},
      {"10.0.0.1", "[0:0:0:0:0:0:0:1]", true},
      {"10.0.0.1", "[::2]", false},
      {"10.0.0.1", "10.0.0.1", true},
      {"10.0.0.1", "10.0.0.2", false},
      {"10.0.0.1", "Own.Example", true},
      {"10.0.0.1", "own.example.:443", true},
      {"10.0.0.1", "other.example", false},
      {"10.0.0.1", "cert.example", true},
      {"10.0.0.1", "a b", false},
      {"10.0.0.1", ".", false},
      {"10.0.0.1", "o.", true},
      {"0.0.0.0", "10.0.0.2", true},
      {"0.0.0.0", "[fe80::1]", true},
      {"0.0.0.0", "other.example", false},
      {"::", "10.0.0.2", true},
      {"::", "[fe80::1]", true},
      {"fe80::1", "[FE80:0::1]", true},
      {"fe80::1", "[fe80::2]", false},
  };
  for (const Row& row : rows) {
    const OwnNames names({.address = row.address, .host_names = {"OWN.example.", "o"}},
                         [](const std::string& name) { return name == "cert.example"; });
    EXPECT_EQ(names.Include(row.host), row.own) << row.address << " " << row.host;
  }
  EXPECT_FALSE(OwnNames({}, {}).Include("cert.example"));
}

TEST(OwnNamesTable, LoopbackAddresses_AreRecognized) {
  for (const char* address : {"127.0.0.1", "127.9.9.9", "::1", "localhost", "0:0::1"}) {
    EXPECT_TRUE(IsLoopbackAddress(address)) << address;
  }
  for (const char* address : {"0.0.0.0", "10.0.0.1", "::", "example", "127.example", ""}) {
    EXPECT_FALSE(IsLoopbackAddress(address)) << address;
  }
}

TEST(OwnNamesTable, Origin_IsForeignUnlessItIsTheHost) {
  struct Row {
    std::string_view host;
    std::vector<std::string> origins;
    bool foreign;
  };
  const std::vector<Row> rows = {
      {"a.example:8080", {}, false},
      {"", {}, false},
      {"a.example:8080", {"http://a.example:8080"}, false},
      {"a.example:8080", {"https://A.example:8080"}, false},
      {"a.example:8080", {"http://a.example"}, true},
      {"a.example:8080", {"http://b.example:8080"}, true},
      {"a.example:8080", {"http://a.example:8080/"}, true},
      {"a.example:8080", {"http://a.example:8080?x"}, true},
      {"a.example:8080", {"null"}, true},
      {"a.example:8080", {""}, true},
      {"", {"http://a.example"}, true},
      {"", {"http://"}, true},
      {"", {""}, true},
      {"a.example", {"http://a.example", "http://b.example"}, true},
  };
  for (const Row& row : rows) {
    HttpHeaders headers;
    if (!row.host.empty()) headers.Add("Host", std::string(row.host));
    headers.Add("Accept", "http://b.example");
    for (const std::string& origin : row.origins) headers.Add("oRigin", origin);
    EXPECT_EQ(HasForeignOrigin(headers), row.foreign)
        << row.host << " " << (row.origins.empty() ? "" : row.origins[0]);
  }
}

}  // namespace
}  // namespace kinformer::apiserver
