// Headers of requests, state passed from one attempt to the next, and the effects of waiting for
// the rate limiter. More in engine_test.cc.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"
#include "client/engine.h"
#include "client/testing/engine_scene.h"
#include "client/testing/scripted_server.h"

namespace kinformer::internal::client {
namespace {

using ::kinformer::testing::Json;
using ::kinformer::testing::ScriptedResponse;
using ::kinformer::testing::ScriptedServer;
using ::kinformer::testing::StatusFailure;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class EngineAttemptsTest : public ::kinformer::testing::EngineScene {
 protected:
  static ScriptedResponse Busy(int status, const std::string& message) {
    return ::kinformer::testing::Busy(status, "0", message);
  }
};

TEST_F(EngineAttemptsTest, RetriesFail_LastErrorNamesThePreviousOne) {
  Make({.qps = -1});
  server_.script = {Busy(503, "first"), Busy(429, "second"),
                    ScriptedResponse{.cut = true, .cut_before_answer = true}};
  const Error error = Run({.method = "POST", .target = "/x"}).error();
  EXPECT_EQ(error.reason(), Reason::kTransport) << "nobody has answered the third";
  EXPECT_THAT(error.message(), HasSubstr("error from a previous attempt: second"));
  EXPECT_THAT(error.message(), Not(HasSubstr("first")));
}

TEST_F(EngineAttemptsTest, Forbidden_DoesNotRefreshCredentials) {
  int refreshed = 0;
  Make({.qps = -1, .refresh_credentials = [&] {
          ++refreshed;
          return true;
        }});
  server_.script = {StatusFailure(403, "Forbidden", "no")};
  EXPECT_EQ(Run({.target = "/x"}).error().reason(), Reason::kForbidden);
  EXPECT_EQ(refreshed, 0);
}

TEST_F(EngineAttemptsTest, PreferJson_SendsAndAcceptsOnlyJson) {
  for (const bool prefer_json : {false, true}) {
    Make({.qps = -1, .prefer_json = prefer_json});
    server_.script = {Json("{}")};
    EXPECT_TRUE(Run({.method = "POST",
                     .target = "/x",
                     .accept = "application/json",
                     .accept_protobuf = "application/vnd.kubernetes.protobuf",
                     .resource_key = "widgets",
                     .content_type = "application/json",
                     .body = [] { return std::string("json"); },
                     .protobuf_body = [] { return std::string("protobuf"); }})
                    .ok());
    const HttpRequest& request = server_.requests.back();
    EXPECT_EQ(request.body, prefer_json ? "json" : "protobuf");
    for (const char* header : {"Accept", "Content-Type"}) {
      EXPECT_EQ(request.headers.Get(header),
                prefer_json ? "application/json" : "application/vnd.kubernetes.protobuf");
    }
  }
}

TEST_F(EngineAttemptsTest, AcceptGzip_SendsAcceptEncoding) {
  for (const bool wanted : {false, true}) {
    Make({.qps = -1, .accept_gzip = wanted});
    server_.script = {Json("{}")};
    EXPECT_TRUE(Run({.target = "/x"}).ok());
    EXPECT_EQ(server_.requests.back().headers.Get("Accept-Encoding"), wanted ? "gzip" : "");
  }
}

TEST_F(EngineAttemptsTest, WithoutAHandlerAWarningIsLogged_RC09) {
  Make({.qps = -1});
  ScriptedResponse response = Json("{}");
  response.headers.emplace_back("Warning", R"(299 - "deprecated")");
  response.headers.emplace_back("X-Warning", R"(299 - "of somebody else")");
  server_.script = {response, response};
  EXPECT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_TRUE(Run({.target = "/y"}).ok());
  EXPECT_THAT(log_->lines, ElementsAre("the server warns warning=deprecated"));
}

TEST_F(EngineAttemptsTest, ThousandsOfWarnings_FirstAreLoggedOthersCounted) {
  Make({.qps = -1});
  ScriptedResponse response = Json("{}");
  for (int i = 0; i < 3000; ++i) {
    response.headers.emplace_back("Warning", "299 - \"number " + std::to_string(i) + '"');
  }
  server_.script = {response, response};
  EXPECT_TRUE(Run({.target = "/x"}).ok());
  ASSERT_EQ(log_->lines.size(), 21U);
  EXPECT_EQ(log_->lines.front(), "the server warns warning=number 0");
  EXPECT_EQ(log_->lines.back(), "the server warns of more than is told here times=2980");
  EXPECT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_EQ(log_->lines.size(), 21U);
}

// The request may still be in time: only requests that certainly cannot be are refused at once.
TEST_F(EngineAttemptsTest, LimiterWaitEqualToTheTimeout_IsWaited) {
  Make({.qps = 1, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  EXPECT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_EQ(Run({.target = "/x", .timeout = seconds(1)}).error().reason(),
            Reason::kDeadlineExceeded);
  EXPECT_EQ(took_, seconds(1));
}

TEST_F(EngineAttemptsTest, RequestWithoutWait_LogsNothing) {
  Make({.qps = 1, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  // Some requests have waited since the last log line.
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_EQ(log_->lines.size(), 1U);
  sim_.RunFor(seconds(20));
  EXPECT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_EQ(took_, Duration(0));
  EXPECT_EQ(log_->lines.size(), 1U);
}

}  // namespace
}  // namespace kinformer::internal::client
