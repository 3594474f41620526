// Answers that a fault rule gives in place of the server's.

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;

constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";

Reply Under(TestServer& server, FaultRule rule, const std::string& query = "") {
  server.server().faults().Clear();
  server.server().faults().Add(std::move(rule));
  return server.Get(kMaps + query);
}

TEST(FaultResponses, Status_HasTheReasonOfItsCode) {
  TestServer server;
  for (const auto& [status, reason] : std::vector<std::pair<int, const char*>>{
           {400, "BadRequest"},
           {401, "Unauthorized"},
           {403, "Forbidden"},
           {404, "NotFound"},
           {405, "MethodNotAllowed"},
           {406, "NotAcceptable"},
           {409, "Conflict"},
           {410, "Expired"},
           {415, "UnsupportedMediaType"},
           {418, "InternalError"},
           {422, "Invalid"},
           {429, "TooManyRequests"},
           {500, "InternalError"},
           {503, "ServiceUnavailable"},
           {504, "Timeout"},
       }) {
    const Reply reply = Under(server, {.action = FaultAction::kRespond, .status = status});
    EXPECT_EQ(reply.status, status);
    EXPECT_EQ(reply.Json()["reason"].StringOrEmpty(), reason);
    EXPECT_EQ(reply.Json()["code"].AsInt64(), status);
    EXPECT_EQ(reply.Json()["message"].StringOrEmpty(), "injected fault");
  }
}

TEST(FaultResponses, TextAndRetryAfter_AreThoseOfTheRule) {
  TestServer server;
  using Action = FaultAction;
  const Reply text = Under(server, {.action = Action::kRespond, .status = 502, .text = "down"});
  EXPECT_EQ(text.status, 502);
  EXPECT_EQ(text.body, "down");
  EXPECT_EQ(text.headers.Get("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_FALSE(text.headers.Has("Retry-After"));
  const Reply page = Under(server, {.action = Action::kRespond,
                                    .status = 429,
                                    .text = "<p>",
                                    .content_type = "text/html",
                                    .retry_after = seconds(7)});
  EXPECT_EQ(page.headers.Get("Content-Type"), "text/html");
  EXPECT_EQ(page.headers.Get("Retry-After"), "7");
  const Reply status =
      Under(server, {.action = Action::kRespond, .status = 429, .retry_after = seconds(3)});
  EXPECT_EQ(status.headers.Get("Retry-After"), "3");
  EXPECT_EQ(status.Json().At("/details/retryAfterSeconds").AsInt64(), 3);
}

TEST(FaultResponses, OldVersion_IsExpiredWhateverItIs) {
  TestServer server;
  const std::string version = server.MakeConfigMap("default", "a");
  const FaultRule rule = {.action = FaultAction::kOldResourceVersion};
  EXPECT_EQ(Under(server, rule, "?resourceVersion=" + version).status, 410);
  EXPECT_EQ(Under(server, rule).status, 200) << "the latest state has no version to be too old";
}

}  // namespace
}  // namespace kinformer::apiserver::testing
