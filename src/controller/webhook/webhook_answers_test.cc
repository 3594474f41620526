// Answers of a webhook server on the wire: status, headers, pieces, metrics and refused heads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/until.h"

#include "base/core/testing/fields_log.h"
#include "controller/webhook/asked_for_test.h"
#include "controller/webhook/pending_answer.h"
#include "controller/webhook/webhook_heads.h"

namespace kinformer::testing {
namespace {

using internal::webhook::HeadsOf;
using internal::webhook::PendingAnswer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using State = ResponseStream::State;

TEST(PendingAnswers, Body_IsReadInPieces) {
  PendingAnswer stream;
  int woken = 0;
  stream.SetWake([&] { ++woken; });
  EXPECT_FALSE(stream.ready());
  std::vector<BodyChunk> chunks;
  EXPECT_EQ(stream.Read(10, chunks), State::kWait);
  EXPECT_TRUE(chunks.empty());
  stream.place()->Put({.status = 418, .content_type = "text/tea", .body = "abcde"});
  EXPECT_EQ(woken, 1);
  EXPECT_TRUE(stream.ready());
  EXPECT_EQ(stream.status(), 418);
  EXPECT_EQ(stream.headers().Get("Content-Type"), "text/tea");
  EXPECT_EQ(stream.headers().Get("Content-Length"), "5");
  EXPECT_EQ(stream.Read(2, chunks), State::kMore);
  EXPECT_EQ(stream.Read(2, chunks), State::kMore);
  EXPECT_EQ(stream.Read(2, chunks), State::kEnd);
  std::vector<std::string> pieces;
  for (const BodyChunk& chunk : chunks) pieces.emplace_back(chunk.bytes);
  EXPECT_THAT(pieces, ElementsAre("ab", "cd", "e"));
  const std::stop_token gone = stream.gone();
  EXPECT_FALSE(gone.stop_requested());
}

TEST(PendingAnswers, EmptyBody_EndsAtOnceWithoutPiece) {
  std::stop_token gone;
  {
    PendingAnswer stream;
    gone = stream.gone();
    stream.place()->Put({});
    EXPECT_EQ(stream.status(), 200);
    EXPECT_EQ(stream.headers().Get("Content-Type"), "application/json");
    std::vector<BodyChunk> chunks;
    EXPECT_EQ(stream.Read(10, chunks), State::kEnd);
    EXPECT_TRUE(chunks.empty());
  }
  EXPECT_TRUE(gone.stop_requested());
}

class WebhookAnswers : public WebhookTest {
 protected:
  WebhookAnswers() {
    server_.Register("/admit", [](const admission::Request&) { return admission::Allowed(); })
        .OrExit();
    server_
        .RegisterAuthentication(
            "/who",
            [](const authentication::Request&) { return authentication::Authenticated("", {}); })
        .OrExit();
    server_.RegisterConversions({}, "/convert").OrExit();
  }
  // Returns the status and the body of the refusal of a head; "" if the body may come.
  std::string Judge(const std::string& target, const std::string& content_type) {
    HttpRequest head{.method = "POST", .target = target};
    if (!content_type.empty()) head.headers.Add("Content-Type", content_type);
    const auto refusal = HeadsOf(server_).JudgeHead(head);
    if (refusal == nullptr) return "";
    EXPECT_TRUE(refusal->ready());
    std::vector<BodyChunk> chunks;
    EXPECT_EQ(refusal->Read(10000, chunks), State::kEnd);
    return std::to_string(refusal->status()) + " " + std::string(chunks.at(0).bytes);
  }
  bool Counts(const std::string& path, const std::string& code, int count) {
    return metrics_->Text().find("controller_runtime_webhook_requests_total{webhook=\"" + path +
                                 "\",code=\"" + code + "\"} " + std::to_string(count) + "\n") !=
           std::string::npos;
  }
};

TEST_F(WebhookAnswers, Heads_AreRefusedForPathAndType) {
  const std::string json = "application/json";
  EXPECT_EQ(Judge("/nowhere", json), "404 404 page not found\n");
  for (const char* target : {"/admit", "/admit?timeout=10s", "/who", "/convert"}) {
    EXPECT_EQ(Judge(target, json), "") << target;
  }
  EXPECT_TRUE(Counts("/admit", "200", 0)) << "a head that may go on is no answer";
  EXPECT_EQ(Judge("/convert", "text/plain"), "") << "its body is what counts";
  EXPECT_EQ(Judge("/admit", "text/plain"),
            R"(200 {"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":)"
            R"({"uid":"","allowed":false,"status":{"metadata":{},"message":)"
            R"("contentType=text/plain, expected application/json","code":400}}})");
  EXPECT_EQ(Judge("/who", ""),
            R"(200 {"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{},)"
            R"("spec":{},"status":{"user":{},"error":"contentType=, expected application/json"}})");
  EXPECT_TRUE(Counts("/admit", "200", 1));
  EXPECT_TRUE(Counts("/who", "200", 1));
  EXPECT_THAT(metrics_->Text(),
              HasSubstr(R"(controller_runtime_webhook_latency_seconds_count{webhook="/who"} 1)"));
}

TEST_F(WebhookAnswers, UnknownPath_IsPlainText404) {
  const WebhookReply reply = Ask("/nowhere", "{}");
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.text, "404 page not found\n");
  const auto stream = server_.Handle({.method = "POST", .target = "/nowhere"});
  EXPECT_EQ(stream->headers().Get("Content-Type"), "text/plain");
}

TEST_F(WebhookAnswers, BadConversionReviews_ArePlainText400) {
  for (const auto& [body, text] : std::vector<std::pair<std::string, std::string>>{
           {R"({"kind":"ConversionReview"})", "the ConversionReview has no request\n"},
           {R"({"kind":"ConversionReview","request":[]})", "the ConversionReview has no request\n"},
           {R"({"kind":"Pod","apiVersion":"v1","request":{}})",
            "expected kind ConversionReview of apiextensions.k8s.io/v1 and got kind Pod of "
            "v1\n"}}) {
    const WebhookReply reply = Ask("/convert", body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_EQ(reply.text, text) << body;
  }
  EXPECT_EQ(Ask("/convert", "{").status, 400);
  EXPECT_TRUE(Counts("/convert", "400", 4)) << metrics_->Text();
  EXPECT_TRUE(Counts("/convert", "200", 0));
  EXPECT_TRUE(Counts("/convert", "500", 0));
}

TEST_F(WebhookAnswers, CallsInProgress_AreMeasured) {
  server_
      .Register("/slow",
                [&](const admission::Request&) {
                  sim_.env().SleepFor(std::chrono::milliseconds(2500));
                  return admission::Allowed();
                })
      .OrExit();
  const std::string in_flight = "controller_runtime_webhook_requests_in_flight{webhook=\"/slow\"} ";
  EXPECT_THAT(metrics_->Text(), HasSubstr(in_flight + "0\n"));
  HttpRequest request{.method = "POST", .target = "/slow"};
  request.headers.Add("Content-Type", "application/json");
  request.body = Review(json::Value::MakeObject());
  const auto one = server_.Handle(request);
  sim_.RunFor(std::chrono::seconds(1));
  EXPECT_THAT(metrics_->Text(), HasSubstr(in_flight + "1\n"));
  EXPECT_FALSE(one->ready());
  sim_.RunFor(std::chrono::seconds(2));
  EXPECT_TRUE(one->ready());
  EXPECT_THAT(metrics_->Text(), HasSubstr(in_flight + "0\n"));
  EXPECT_THAT(metrics_->Text(),
              HasSubstr(R"(controller_runtime_webhook_latency_seconds_sum{webhook="/slow"} 2.5)"
                        "\n"));
  EXPECT_TRUE(Counts("/slow", "200", 1));
  EXPECT_TRUE(Counts("/slow", "500", 0)) << "there from the start";
}

TEST_F(WebhookAnswers, Server_WaitsForCallsInProgressAtItsEnd) {
  int ended = 0;
  auto server = std::make_unique<WebhookServer>(sim_.env());
  server
      ->Register("/slow",
                 [&](const admission::Request& request) {
                   sim_.env().SleepFor(std::chrono::seconds(request.name == "long" ? 7 : 5));
                   ++ended;
                   return admission::Allowed();
                 })
      .OrExit();
  HttpRequest request{.method = "POST", .target = "/slow"};
  request.headers.Add("Content-Type", "application/json");
  request.body = Review(json::Value::MakeObject());
  const auto one = server->Handle(request);
  request.body = Review(json::Value::MakeObject({{"name", "long"}}));
  const auto two = server->Handle(request);
  const SteadyTime before = sim_.env().Now();
  int ended_before_server = 0;
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        server.reset();
        ended_before_server = ended;
      },
      std::chrono::minutes(1)));
  EXPECT_EQ(ended_before_server, 2);
  EXPECT_EQ(sim_.env().Now() - before, std::chrono::seconds(7));
}

TEST(WebhookPaths, AnyKind_IsInLowerCaseWithDashes) {
  EXPECT_EQ(GenerateMutatePath({"apps", "v1", "AZaz09.x"}), "/mutate-apps-v1-azaz09.x");
  EXPECT_EQ(GenerateValidatePath({"a.b.C", "v1.2", "K"}), "/validate-a-b-C-v1-2-k");
}

TEST_F(WebhookAnswers, BadPaths_SayWhatToDo) {
  const auto register_at = [&](const char* path) {
    return server_.Register(path, [](const admission::Request&) { return admission::Allowed(); })
        .error()
        .ToString();
  };
  EXPECT_EQ(register_at("admit"),
            "InvalidArgument: a webhook's path begins with a slash, and \"admit\" does not");
  EXPECT_EQ(register_at(""),
            "InvalidArgument: a webhook's path begins with a slash, and \"\" does not");
  EXPECT_EQ(register_at("/admit"),
            "AlreadyExists: there is a webhook at /admit: register several handlers for one kind "
            "as one, by admission::MultiValidatingHandler, or at other paths");
  EXPECT_EQ(server_.StartedChecker()().error().ToString(),
            "ServiceUnavailable: the webhook server has not been started yet");
}

TEST_F(WebhookAnswers, ThrownTexts_AreLoggedWithTheirPath) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim({.log = log, .metrics = metrics_});
  WebhookServer server(sim.env());
  server
      .Register("/throws",
                [](const admission::Request&) -> admission::Response {
                  throw std::runtime_error("no luck");
                })
      .OrExit();
  HttpRequest request{.method = "POST", .target = "/throws"};
  request.headers.Add("Content-Type", "application/json");
  request.body = Review(json::Value::MakeObject());
  const auto stream = server.Handle(std::move(request));
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_TRUE(stream->ready());
  EXPECT_EQ(log->Count("function=admission handler of=/throws"), 1U) << log->text();
  EXPECT_EQ(log->Count("no luck"), 1U) << log->text();
}

}  // namespace
}  // namespace kinformer::testing
