// Token reviews: answers of a webhook server, and responses of handlers.

#include "kinformer/webhook/authentication.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/until.h"

#include "base/core/testing/fields_log.h"
#include "controller/webhook/asked_for_test.h"

namespace kinformer::testing {
namespace {

using authentication::Authenticated;
using authentication::Errored;
using authentication::ReviewResponse;
using authentication::Unauthenticated;
using authentication::UserInfo;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kV1 = R"("kind":"TokenReview","apiVersion":"authentication.k8s.io/v1")";

class AuthenticationTest : public WebhookTest {
 protected:
  AuthenticationTest() {
    server_
        .RegisterAuthentication("/who",
                                [this](const authentication::Request& request) {
                                  seen_ = request;
                                  return response_;
                                })
        .OrExit();
  }
  // Returns a handler's response as JSON.
  std::string StatusOf(authentication::Response response) {
    response_ = std::move(response);
    return Ask("/who", R"({"spec":{"token":"foobar"}})").body["status"].Dump();
  }

  std::optional<authentication::Request> seen_{};
  authentication::Response response_{.authenticated = true};
};

struct BadReview {
  const char* what;
  std::string body;
  std::string content_type;
  std::string error;
};

TEST_F(AuthenticationTest, BadRequest_ErrorStandsInStatus_WH03) {
  constexpr std::size_t kLimit = std::size_t{1} << 20;
  const std::string good = R"({"spec":{"token":"foobar"}})";
  for (const BadReview& bad : std::vector<BadReview>{
           {"empty", "", "application/json", "request body is empty"},
           {"wrong type", good, "application/foo",
            "contentType=application/foo, expected application/json"},
           {"no JSON", "{", "application/json", ""},
           {"no object", "7", "application/json", "expected kind TokenReview"},
           {"without a token", R"({"spec":{"token":""}})", "application/json", "token is empty"},
           {"another kind", R"({"kind":"Pod","apiVersion":"v1","spec":{"token":"foobar"}})",
            "application/json",
            "expected kind TokenReview of authentication.k8s.io/v1 and got kind Pod of v1"},
           {"another group",
            R"({"kind":"TokenReview","apiVersion":"example.com/v1","spec":{"token":"foobar"}})",
            "application/json", "got kind TokenReview of example.com/v1"},
           {"too large", std::string(kLimit, ' '), "application/json",
            "request entity is too large; limit is 1048576 bytes"}}) {
    const WebhookReply reply = Ask("/who", bad.body, bad.content_type);
    EXPECT_EQ(reply.status, 200) << bad.what;
    EXPECT_THAT(reply.text, HasSubstr(kV1)) << bad.what;
    EXPECT_FALSE(reply.body["status"].contains("authenticated")) << bad.what;
    EXPECT_THAT(reply.body.At("/status/error").StringOrEmpty(), HasSubstr(bad.error)) << bad.what;
    EXPECT_NE(reply.body.At("/status/error").StringOrEmpty(), "") << bad.what;
    EXPECT_THAT(reply.text, Not(HasSubstr("foobar"))) << bad.what;
  }
  EXPECT_FALSE(seen_) << "the handler is not asked";
  EXPECT_EQ(Ask("/who", std::string(kLimit - good.size() - 1, ' ') + good)
                .body.At("/status/authenticated")
                .AsBool(),
            true);
}

TEST_F(AuthenticationTest, AnAnswerHasTheVersionOfTheQuestion_WH03) {
  const std::string rest = R"("spec":{"token":"foobar"}})";
  const std::string answer =
      "{" + std::string(kV1) +
      R"(,"metadata":{},"spec":{},"status":{"authenticated":true,"user":{}}})";
  EXPECT_EQ(Ask("/who", "{" + rest).text, answer) << "v1 where it says nothing";
  EXPECT_EQ(Ask("/who", "{" + std::string(kV1) + "," + rest).text, answer);
  EXPECT_EQ(
      Ask("/who", R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1beta1",)" + rest)
          .body["apiVersion"]
          .StringOrEmpty(),
      "authentication.k8s.io/v1beta1");
}

TEST_F(AuthenticationTest, ReviewFields_ReachHandlerAndReply_WH03) {
  response_ = ReviewResponse(
      true, {.username = "ann", .uid = "7", .groups = {"a", "b"}, .extra = {{"x", {"1", "2"}}}}, "",
      {"https://api"});
  const WebhookReply reply = Ask("/who", R"({"metadata":{"uid":"u-1"},"spec":{"token":"foobar",
            "audiences":["https://api","https://other"]}})");
  ASSERT_TRUE(seen_);
  EXPECT_EQ(seen_->uid, "u-1");
  EXPECT_EQ(seen_->token, "foobar");
  EXPECT_THAT(seen_->audiences, ElementsAre("https://api", "https://other"));
  EXPECT_EQ(reply.text, "{" + std::string(kV1) +
                            R"(,"metadata":{"uid":"u-1"},"spec":{},"status":{"authenticated":true,)"
                            R"("user":{"username":"ann","uid":"7","groups":["a","b"],)"
                            R"("extra":{"x":["1","2"]}},"audiences":["https://api"]}})");
}

TEST_F(AuthenticationTest, HandlerResponses_BecomeStatus_WH03) {
  const UserInfo ann{.username = "ann"};
  EXPECT_EQ(StatusOf(Authenticated("", ann)),
            R"({"authenticated":true,"user":{"username":"ann"}})");
  EXPECT_EQ(StatusOf(Authenticated("acceptable", {})),
            R"({"authenticated":true,"user":{},"error":"acceptable"})");
  EXPECT_EQ(StatusOf(Unauthenticated("")), R"({"user":{}})");
  EXPECT_EQ(StatusOf(Unauthenticated("UNACCEPTABLE!")), R"({"user":{},"error":"UNACCEPTABLE!"})");
  EXPECT_EQ(StatusOf(Errored(Error(Reason::kTimeout, "this is an error"))),
            R"({"user":{},"error":"this is an error"})");
  EXPECT_EQ(StatusOf(ReviewResponse(true, {}, "")), R"({"authenticated":true,"user":{}})");
  EXPECT_EQ(StatusOf(ReviewResponse(true, ann, "acceptable")),
            R"({"authenticated":true,"user":{"username":"ann"},"error":"acceptable"})");
  EXPECT_EQ(StatusOf(ReviewResponse(false, {}, "UNACCEPTABLE!")),
            R"({"user":{},"error":"UNACCEPTABLE!"})");
  EXPECT_EQ(StatusOf({}), R"({"user":{}})");
}

TEST_F(AuthenticationTest, AHandlerSeesTheHttpRequest_WH03) {
  EXPECT_EQ(StatusOf({.authenticated = true}), R"({"authenticated":true,"user":{}})");
  ASSERT_TRUE(seen_);
  EXPECT_EQ(seen_->call.target, "/who");
  EXPECT_EQ(seen_->call.headers.Get("Content-Type"), "application/json");
  EXPECT_TRUE(seen_->call.stop.stop_requested()) << "the answer has been taken";
}

TEST_F(AuthenticationTest, AHandlerNoticesThatNobodyWaitsForIt_WH03) {
  bool given_up = false;
  server_
      .RegisterAuthentication("/slow",
                              [&](const authentication::Request& request) {
                                given_up = !SleepUnlessStopped(sim_.env(), request.call.stop,
                                                               std::chrono::hours(1));
                                return Unauthenticated("too late");
                              })
      .OrExit();
  HttpRequest request{.method = "POST", .target = "/slow"};
  request.headers.Add("Content-Type", "application/json");
  request.body = R"({"spec":{"token":"foobar"}})";
  auto stream = server_.Handle(std::move(request));
  sim_.RunFor(std::chrono::minutes(1));
  EXPECT_FALSE(given_up);
  stream.reset();
  sim_.RunFor(std::chrono::seconds(1));
  EXPECT_TRUE(given_up);
}

TEST_F(AuthenticationTest, Token_IsRedactedInErrorsLogsAndMetrics_WH03) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kDebug);
  Simulation sim({.log = log, .metrics = metrics_});
  WebhookServer server(sim.env());
  const auto fail = [&server](const std::string& path, bool throws) {
    server
        .RegisterAuthentication(path,
                                [throws](const authentication::Request& request) {
                                  const std::string text = "no user has " + request.token +
                                                           ", and not " + request.token + "!";
                                  if (throws) throw std::runtime_error(text);
                                  return Unauthenticated(text);
                                })
        .OrExit();
  };
  fail("/throws", true);
  fail("/refuses", false);
  const auto error = [&](const std::string& path) {
    HttpRequest request{.method = "POST", .target = path};
    request.headers.Add("Content-Type", "application/json");
    request.body = R"({"metadata":{"uid":"u-1"},"spec":{"token":"foobar"}})";
    const auto stream = server.Handle(std::move(request));
    EXPECT_TRUE(sim.RunUntil([&] { return stream->ready(); }, std::chrono::minutes(1)));
    EXPECT_EQ(stream->status(), 200);
    std::vector<BodyChunk> chunks;
    static_cast<void>(stream->Read(10000, chunks));
    const json::Value body = json::Parse(chunks.at(0).bytes).OrExit();
    EXPECT_EQ(body.At("/metadata/uid").StringOrEmpty(), "u-1");
    EXPECT_FALSE(body["status"].contains("authenticated"));
    return body.At("/status/error").StringOrEmpty();
  };
  EXPECT_EQ(error("/throws"), "panic: no user has [...], and not [...]! [recovered]");
  EXPECT_EQ(error("/refuses"), "no user has [...], and not [...]!");
  EXPECT_THAT(log->text(), HasSubstr("no user has [...]"));
  EXPECT_THAT(log->text(), Not(HasSubstr("foobar")));
  EXPECT_THAT(metrics_->Text(), Not(HasSubstr("foobar")));
  EXPECT_THAT(metrics_->Text(), HasSubstr("controller_runtime_webhook_panics_total 1"));
  EXPECT_THAT(metrics_->Text(), HasSubstr(R"({webhook="/throws",code="200"} 1)"));
}

}  // namespace
}  // namespace kinformer::testing
