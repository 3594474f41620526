// /debug/...: its methods, answers and errors.

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

constexpr std::string_view kRule = R"({"verb":"get","action":"respond","status":500})";

struct Row {
  std::string_view method;
  std::string_view target;
  std::string_view body;
  int status;
  std::string_view contains;
  HeaderList headers{};
};

void Expect(TestServer& server, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const Reply reply = server.Do(row.method, row.target, row.body, row.headers);
    EXPECT_EQ(reply.status, row.status) << row.method << " " << row.target << " " << reply.body;
    EXPECT_NE(reply.body.find(row.contains), std::string::npos)
        << row.method << " " << row.target << " " << reply.body;
  }
}

constexpr std::string_view kDone = "{\"status\":\"Success\"}\n";

TEST(DebugEndpointsTable, Faults_AreListedAddedAndRemoved) {
  TestServer server({.debug_endpoints = true});
  Expect(server,
         {
             {"GET", "/debug/faults", "", 200, "{\"hits\":0,\"rules\":[]}\n"},
             {"POST", "/debug/faults", kRule, 201, "{\"id\":1}\n"},
             {"POST", "/debug/faults", kRule, 201, "{\"id\":2}\n"},
             {"GET", "/debug/faults", "", 200, R"({"hits":0,"rules":[{"id":1,"hits":0,"rule":{)"},
             {"GET", "/debug/faults", "", 200, R"({"id":2,"hits":0,"rule":{)"},
             {"DELETE", "/debug/faults/1", "", 200, kDone},
             {"DELETE", "/debug/faults/1", "", 404, R"(there is no fault rule \"1\")"},
             {"DELETE", "/debug/faults/x", "", 404, R"(there is no fault rule \"x\")"},
             {"GET", "/debug/faults", "", 200, R"({"hits":0,"rules":[{"id":2,)"},
             {"DELETE", "/debug/faults", "", 200, kDone},
             {"GET", "/debug/faults", "", 200, "{\"hits\":0,\"rules\":[]}\n"},
             {"PUT", "/debug/faults/seed", R"({"seed":42})", 200, kDone},
             {"PUT", "/debug/faults/seed", R"({"seed":0})", 200, kDone},
         });
}

TEST(DebugEndpointsTable, FaultyRequests_AreRefused) {
  TestServer server({.debug_endpoints = true});
  constexpr std::string_view kSeed = R"(field \"seed\" must be an integer that is not negative)";
  const HeaderList json = {{"Content-Type", "application/json; charset=utf-8"}};
  const HeaderList yaml = {{"Content-Type", "application/yaml"}};
  Expect(server, {
                     {"PUT", "/debug/faults/seed", R"({"seed":-1})", 400, kSeed},
                     {"PUT", "/debug/faults/seed", R"({})", 400, kSeed},
                     {"PUT", "/debug/faults/seed", "{", 400, "the body is no JSON: "},
                     {"PUT", "/debug/faults/seed", R"({"seed":1})", 415, "application/json", yaml},
                     {"PUT", "/debug/faults/seed", R"({"seed":1})", 200, kDone, json},
                     {"POST", "/debug/faults", kRule, 415, "application/json", yaml},
                     {"POST", "/debug/faults", kRule, 201, "{\"id\":1}\n", json},
                     {"POST", "/debug/faults", "{", 400, "the body is no JSON: "},
                     {"POST", "/debug/faults", R"({"what":1})", 400, "what"},
                     {"PUT", "/debug/faults", "", 405, "MethodNotAllowed"},
                     {"GET", "/debug/faults/seed", "", 405, "MethodNotAllowed"},
                     {"DELETE", "/debug/faults/seed", "", 405, "MethodNotAllowed"},
                     {"GET", "/debug/faults/1", "", 405, "MethodNotAllowed"},
                     {"PUT", "/debug/faults/1", R"({"seed":1})", 405, "MethodNotAllowed"},
                     {"DELETE", "/debug/faults/1/2", "", 405, "MethodNotAllowed"},
                     {"PUT", "/debug/faults/1/seed", R"({"seed":1})", 405, "MethodNotAllowed"},
                     {"GET", "/debug/compact", "", 405, "MethodNotAllowed"},
                     {"GET", "/debug/restore", "", 405, "MethodNotAllowed"},
                     {"GET", "/debug/close-watches", "", 405, "MethodNotAllowed"},
                     {"POST", "/debug", "", 404, "404 page not found"},
                     {"POST", "/debug/other", "", 404, "404 page not found"},
                     {"POST", "/debug/compact/x", "", 404, "404 page not found"},
                     {"POST", "/bug/compact", "", 404, "404 page not found"},
                     {"POST", "/debug/compact?resourceVersion=x", "", 400, "BadRequest"},
                     {"POST", "/debug/restore?resourceVersion=x", "", 400, "BadRequest"},
                 });
}

TEST(DebugEndpointsTable, WithoutTheOption_NothingIsThere) {
  TestServer server;
  Expect(server, {{"GET", "/debug/faults", "", 404, "404 page not found"},
                  {"POST", "/debug/close-watches", "", 404, "404 page not found"}});
}

TEST(DebugEndpointsTable, Compact_ForgetsHistoryUpToAVersion) {
  TestServer server({.debug_endpoints = true});
  server.MakeConfigMap("default", "a");
  const std::string b = server.MakeConfigMap("default", "b");
  server.MakeConfigMap("default", "c");
  const auto status = [&](const std::string& version) {
    return server.Open("/api/v1/configmaps?watch=1&timeoutSeconds=1&resourceVersion=" + version)
        ->reply()
        .status;
  };
  const std::string before = std::to_string(std::stoll(b) - 1);
  EXPECT_EQ(status(before), 200);
  Expect(server, {{"POST", "/debug/compact?resourceVersion=" + b, "", 200, kDone}});
  const auto open = server.Open("/api/v1/configmaps?watch=1&resourceVersion=" + before);
  EXPECT_NE(open->reply().body.find("\"code\":410"), std::string::npos) << open->reply().body;
  const auto fits = server.Open("/api/v1/configmaps?watch=1&resourceVersion=" + b);
  EXPECT_EQ(fits->Events().size(), 1U);
  Expect(server, {{"POST", "/debug/compact", "", 200, kDone}});
  const auto late = server.Open("/api/v1/configmaps?watch=1&resourceVersion=" + b);
  EXPECT_NE(late->reply().body.find("\"code\":410"), std::string::npos) << late->reply().body;
}

TEST(DebugEndpointsTable, Restore_GoesBackAndCloseWatchesEndsThem) {
  TestServer server({.debug_endpoints = true});
  const std::string a = server.MakeConfigMap("default", "a");
  server.MakeConfigMap("default", "b");
  const auto open = server.Open("/api/v1/configmaps?watch=1&resourceVersion=" + a);
  EXPECT_FALSE(open->ended());
  Expect(server, {{"POST", "/debug/close-watches", "", 200, kDone}});
  open->Pull();
  EXPECT_TRUE(open->ended());
  Expect(server, {{"POST", "/debug/restore?resourceVersion=" + a, "", 200, kDone}});
  EXPECT_EQ(server.Get("/api/v1/namespaces/default/configmaps/a").status, 200);
  EXPECT_EQ(server.Get("/api/v1/namespaces/default/configmaps/b").status, 404);
  Expect(server, {{"POST", "/debug/restore", "", 400, "BadRequest"},
                  {"POST", "/debug/restore?resourceVersion=99999999", "", 400, "BadRequest"}});
}

}  // namespace
}  // namespace kinformer::apiserver::testing
