#include "client/engine.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"
#include "client/testing/scripted_server.h"

namespace kinformer::internal::client {
namespace {

using ::kinformer::testing::Json;
using ::kinformer::testing::ScriptedResponse;
using ::kinformer::testing::ScriptedServer;
using ::kinformer::testing::StatusFailure;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class Recorder final : public ResponseReceiver {
 public:
  int status = 0;
  std::string body{};
  std::optional<Result<void>> done{};
  void OnHeaders(int s, const HttpHeaders&) override { status = s; }
  void OnData(std::string_view data) override { body += data; }
  void OnDone(Result<void> result) override {
    ++ends;
    done = std::move(result);
  }
  int ends = 0;
};

class EngineTest : public ::testing::Test {
 protected:
  void Make(ClientOptions options = {}) {
    if (options.qps == 0) options.qps = -1;
    options.user_agent = "test/1";
    engine_ = std::make_shared<Engine>(
        sim_.env(), std::shared_ptr<Transport>(NewInMemoryTransport(sim_.env(), server_)), options);
  }
  void Run(ExchangeRequest request, Duration limit = std::chrono::minutes(5)) {
    recorder_ = Recorder();
    began_ = sim_.env().Now();
    sim_.env().loop().Post([&] {
      exchange_ = std::make_unique<Exchange>(engine_, std::move(request), recorder_);
      exchange_->Start();
    });
    sim_.RunUntil([&] { return recorder_.done.has_value(); }, limit);
    sim_.env().loop().Post([&] { exchange_.reset(); });
    sim_.RunReady();
  }
  Duration Took() { return sim_.env().Now() - began_; }
  void TearDown() override {
    sim_.env().loop().Post([&] { engine_->ShutDown(); });
    sim_.RunReady();
  }
  static ScriptedResponse WithRetryAfter(int status, const std::string& value) {
    ScriptedResponse response = StatusFailure(status, "", "busy");
    response.headers.emplace_back("Retry-After", value);
    return response;
  }

  const std::shared_ptr<base::FieldsLog> log_ =
      std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.seed = 7, .log = log_, .metrics = metrics_}};
  ScriptedServer server_;
  std::shared_ptr<Engine> engine_;
  Recorder recorder_;
  std::unique_ptr<Exchange> exchange_;
  SteadyTime began_{};
};

TEST_F(EngineTest, AnAnswerArrives) {
  Make();
  server_.script = {Json("{}")};
  Run({.target = "/api/v1/pods"});
  ASSERT_TRUE(recorder_.done && recorder_.done->ok());
  EXPECT_EQ(recorder_.body, "{}");
  EXPECT_EQ(server_.requests.at(0).headers.Get("User-Agent"), "test/1");
  EXPECT_EQ(server_.requests.at(0).headers.Get("Accept"), "application/json");
}

TEST_F(EngineTest, RetriesWithRetryAfterOnEveryMethod_RR11) {
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    for (const int status : {429, 503}) {
      Make({.max_retries = 2});
      server_.requests.clear();
      server_.script = {WithRetryAfter(status, "0"), WithRetryAfter(status, "0"),
                        WithRetryAfter(status, "0")};
      Run({.method = method, .target = "/x"});
      EXPECT_EQ(server_.requests.size(), 3u) << method << status;
      ASSERT_FALSE(recorder_.done->ok());
      EXPECT_EQ(recorder_.done->error().http_status(), status);
    }
  }
}

TEST_F(EngineTest, WithoutRetryAfter_IsOneAttempt_RR06_RR12) {
  Make();
  for (ScriptedResponse response :
       {StatusFailure(500, "InternalError", "x"), StatusFailure(429, "TooManyRequests", "x"),
        WithRetryAfter(301, "1"), WithRetryAfter(503, "Sat, 21 Nov 2026 00:00:00 GMT"),
        WithRetryAfter(503, "-1"), WithRetryAfter(503, "5x"), WithRetryAfter(503, "1.5")}) {
    server_.requests.clear();
    server_.script = {response};
    Run({.target = "/x"});
    EXPECT_EQ(server_.requests.size(), 1u);
    EXPECT_FALSE(recorder_.done->ok());
  }
}

TEST_F(EngineTest, TenRetriesByDefaultAndTheServersPause_RR17) {
  Make();
  server_.fallback = [](const HttpRequest&) { return WithRetryAfter(429, "1"); };
  Run({.target = "/x"});
  EXPECT_EQ(server_.requests.size(), 11u);
  EXPECT_EQ(Took(), seconds(10));
}

TEST_F(EngineTest, ReadsWhoseConnectionBreaksAreRepeated_RR13) {
  Make({.max_retries = 2});
  server_.script = {ScriptedResponse{.body = "{", .cut = true}};
  // If the response body breaks off, the caller decides what to do.
  Run({.target = "/x"});
  EXPECT_EQ(server_.requests.size(), 1u);
  EXPECT_EQ(recorder_.done->error().reason(), Reason::kUnexpectedEof);
}

TEST_F(EngineTest, ResetsBeforeTheAnswerAreRepeatedForReads_RR24) {
  Make();
  server_.script = {Json("{}")};
  Run({.target = "/x"});
  const ScriptedResponse reset{.cut = true, .cut_before_answer = true};
  server_.script = {reset, reset, Json("{}")};
  Run({.target = "/x"});
  EXPECT_TRUE(recorder_.done->ok());
  EXPECT_EQ(server_.requests.size(), 4u);
  EXPECT_EQ(Took(), seconds(2));
  server_.script = {reset, Json("{}")};
  Run({.method = "POST", .target = "/x"});
  EXPECT_EQ(recorder_.done->error().reason(), Reason::kTransport);
  // A watch that never gets through is an empty watch.
  server_.script.clear();
  server_.fallback = [&](const HttpRequest&) { return reset; };
  Run({.target = "/x", .watch = true});
  EXPECT_TRUE(recorder_.done->ok());
  EXPECT_EQ(recorder_.status, 0);
}

TEST_F(EngineTest, AServerThatNeverAnsweredIsNotAskedAgain) {
  Make();
  server_.fallback = [](const HttpRequest&) {
    return ScriptedResponse{.cut = true, .cut_before_answer = true};
  };
  Run({.target = "/x"});
  EXPECT_EQ(recorder_.done->error().reason(), Reason::kTransport);
  EXPECT_EQ(server_.requests.size(), 1u);
}

TEST_F(EngineTest, RefusedConnectionsAreNotRepeated_RR14) {
  std::shared_ptr<InMemoryTransport> transport(NewInMemoryTransport(sim_.env(), server_));
  engine_ = std::make_shared<Engine>(sim_.env(), transport, ClientOptions{.qps = -1});
  transport->Down();
  Run({.target = "/x"});
  EXPECT_TRUE(IsConnectionRefused(recorder_.done->error()));
  EXPECT_LT(Took(), seconds(1));
}

TEST_F(EngineTest, Status401_RefreshesTheCredentialOnce) {
  int refreshed = 0;
  Make({.refresh_credentials = [&] {
    ++refreshed;
    return true;
  }});
  server_.script = {StatusFailure(401, "Unauthorized", "Unauthorized"), Json("{}")};
  Run({.target = "/x"});
  EXPECT_TRUE(recorder_.done->ok());
  EXPECT_EQ(refreshed, 1);

  server_.fallback = [](const HttpRequest&) {
    return StatusFailure(401, "Unauthorized", "Unauthorized");
  };
  server_.requests.clear();
  Run({.target = "/x"});
  EXPECT_TRUE(IsUnauthorized(recorder_.done->error()));
  EXPECT_EQ(server_.requests.size(), 2u);
}

TEST_F(EngineTest, RefusedProtobufIsRememberedPerResource) {
  Make();
  server_.script = {StatusFailure(406, "NotAcceptable", "json only"), Json("{}")};
  const ExchangeRequest request{.target = "/x",
                                .accept = "application/json",
                                .accept_protobuf = "application/vnd.kubernetes.protobuf",
                                .resource_key = "widgets"};
  Run(request);
  EXPECT_TRUE(recorder_.done->ok());
  ASSERT_EQ(server_.requests.size(), 2u);
  EXPECT_EQ(server_.requests[0].headers.Get("Accept"), "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(server_.requests[1].headers.Get("Accept"), "application/json");

  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  Run(request);
  EXPECT_EQ(server_.requests.size(), 3u);
  EXPECT_EQ(server_.requests[2].headers.Get("Accept"), "application/json");
  ExchangeRequest other = request;
  other.resource_key = "gadgets";
  Run(other);
  EXPECT_EQ(server_.requests[3].headers.Get("Accept"), "application/vnd.kubernetes.protobuf");
}

TEST_F(EngineTest, Status415_SendsTheBodyAgainAsJson) {
  Make();
  server_.script = {StatusFailure(415, "UnsupportedMediaType", "json only"), Json("{}", 201)};
  Run({.method = "POST",
       .target = "/x",
       .resource_key = "widgets",
       .content_type = "application/json",
       .body = [] { return std::string("{\"a\":1}"); },
       .protobuf_body = [] { return std::string("pb"); }});
  EXPECT_TRUE(recorder_.done->ok());
  EXPECT_EQ(recorder_.status, 201);
  EXPECT_EQ(server_.requests.at(0).body, "pb");
  EXPECT_EQ(server_.requests.at(0).headers.Get("Content-Type"),
            "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(server_.requests.at(0).headers.Get("Accept"), "application/json") << "of the answer";
  EXPECT_EQ(server_.requests.at(1).body, "{\"a\":1}");
}

TEST_F(EngineTest, JsonOnly_Statuses406And415AreNotRetried) {
  Make();
  for (const int status : {406, 415}) {
    server_.requests.clear();
    server_.script = {StatusFailure(status, "", "no"), Json("{}")};
    Run({.target = "/x"});
    EXPECT_EQ(recorder_.done->error().http_status(), status);
    EXPECT_EQ(server_.requests.size(), 1U) << status;
  }
}

TEST_F(EngineTest, TheRateLimiterHoldsRequestsButNotWatches_RC05) {
  Make({.qps = 5, .burst = 2});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  Run({.target = "/x"});
  Run({.target = "/x"});
  EXPECT_EQ(Took(), Duration{0});
  Run({.target = "/x"});
  EXPECT_EQ(Took(), milliseconds(200));
  Run({.target = "/x", .watch = true});
  EXPECT_EQ(Took(), Duration{0});
}

TEST_F(EngineTest, RequestsBeyondTheBurst_Wait_FC12) {
  Make({.qps = 10, .burst = 5});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  Duration took{0};
  for (int i = 0; i < 16; ++i) {
    Run({.target = "/x"});
    took += Took();
  }
  EXPECT_GE(took, seconds(1));
  EXPECT_LE(took, milliseconds(1101));
}

TEST_F(EngineTest, AWaitPastTheTimeoutIsRefusedAtOnce_FC14) {
  Make({.qps = 0.0001, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  Run({.target = "/x", .timeout = seconds(1)});
  EXPECT_TRUE(recorder_.done->ok());
  Run({.target = "/x", .timeout = seconds(1)});
  EXPECT_EQ(recorder_.done->error().reason(), Reason::kDeadlineExceeded);
  EXPECT_THAT(recorder_.done->error().message(), HasSubstr("raise ClientOptions::qps and burst"));
  EXPECT_EQ(Took(), Duration{0});
  EXPECT_EQ(server_.requests.size(), 1U);
}

TEST_F(EngineTest, ATimeoutCoversAllAttempts_RC17) {
  Make();
  server_.fallback = [](const HttpRequest&) { return WithRetryAfter(503, "1"); };
  Run({.target = "/x", .timeout = milliseconds(2500)});
  EXPECT_EQ(recorder_.done->error().reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(Took(), milliseconds(2500));
  EXPECT_NE(recorder_.done->error().message().find("busy"), std::string::npos)
      << recorder_.done->error();
}

TEST_F(EngineTest, TheClientsTimeoutHoldsWhereTheRequestHasNoneAndNotForWatches) {
  Make({.qps = -1, .timeout = milliseconds(1500)});
  server_.fallback = [](const HttpRequest&) { return WithRetryAfter(503, "1"); };
  Run({.target = "/x"});
  EXPECT_EQ(recorder_.done->error().reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(Took(), milliseconds(1500));
  Run({.target = "/x", .timeout = milliseconds(500)});
  EXPECT_EQ(Took(), milliseconds(500));
  Run({.target = "/w", .watch = true});
  EXPECT_NE(recorder_.done->error().reason(), Reason::kDeadlineExceeded);
}

TEST_F(EngineTest, EachWarningOnce_RW02) {
  std::vector<std::string> warnings;
  Make({.warning_handler = [&](std::string_view text) { warnings.emplace_back(text); }});
  server_.fallback = [](const HttpRequest&) {
    ScriptedResponse response = Json("{}");
    response.headers.emplace_back("warning", R"(299 - "deprecated")");
    response.headers.emplace_back("Warning", R"(299 - "unknown field", 199 - "not this")");
    return response;
  };
  Run({.target = "/x"});
  Run({.target = "/y"});
  EXPECT_EQ(warnings, (std::vector<std::string>{"deprecated", "unknown field"}));
}

TEST_F(EngineTest, AThousandWarningsAreRemembered) {
  std::vector<std::string> warnings;
  Make({.warning_handler = [&](std::string_view text) { warnings.emplace_back(text); }});
  const auto warn = [&](int from, int to) {
    ScriptedResponse response = Json("{}");
    for (int i = from; i < to; ++i) {
      response.headers.emplace_back("Warning", "299 - \"warning " + std::to_string(i) + "\"");
    }
    server_.script = {response};
    warnings.clear();
    Run({.target = "/x"});
    return warnings.size();
  };
  EXPECT_EQ(warn(0, 999), 999U);
  EXPECT_EQ(warn(0, 999), 0U);
  EXPECT_EQ(warn(999, 1000), 1U);
  EXPECT_EQ(warn(1000, 1001), 1U) << "begins anew";
  EXPECT_EQ(warn(1000, 1001), 0U);
  EXPECT_EQ(warn(0, 1), 1U);
}

TEST_F(EngineTest, UserFunctionThrows_LaterRequestsPass_H5) {
  Make({.warning_handler = [](std::string_view) { throw std::runtime_error("warned"); },
        .refresh_credentials = []() -> bool { throw std::runtime_error("refreshed"); }});
  ScriptedResponse warning = Json("{}");
  warning.headers.emplace_back("Warning", R"(299 - "deprecated")");
  server_.script = {warning, StatusFailure(401, "Unauthorized", "Unauthorized"), Json("{}")};
  Run({.target = "/x"});
  EXPECT_TRUE(recorder_.done && recorder_.done->ok());
  Run({.target = "/x"});
  EXPECT_TRUE(IsUnauthorized(recorder_.done->error()));
  Run({.method = "POST", .target = "/x", .body = []() -> std::string {
         throw std::runtime_error("bodied");
       }});
  EXPECT_THAT(recorder_.done->error().message(), HasSubstr("bodied"));
  Run({.target = "/x"});
  EXPECT_TRUE(recorder_.done->ok());
  for (const char* line : {"function=the warning handler of= err=warned",
                           "function=refresh_credentials of= err=refreshed", "err=bodied"}) {
    EXPECT_THAT(log_->text(), HasSubstr(line));
  }
}

TEST_F(EngineTest, MaximumTimeout_CallsSucceed) {
  Make({.timeout = Duration::max()});
  server_.script = {Json("{}"), Json("{}")};
  Run({.target = "/x"});
  EXPECT_TRUE(recorder_.done->ok()) << recorder_.done->error();
  Run({.target = "/x", .timeout = Duration::max() - seconds(1)});
  EXPECT_TRUE(recorder_.done->ok()) << recorder_.done->error();
}

TEST_F(EngineTest, ALongRetryAfterIsCappedAndSaid) {
  Make();
  for (const char* asked : {"86400", "999999999999999"}) {
    server_.script = {WithRetryAfter(503, asked), Json("{}")};
    Run({.target = "/x"});
    EXPECT_TRUE(recorder_.done->ok()) << recorder_.done->error();
    EXPECT_EQ(Took(), std::chrono::minutes(2));
  }
  EXPECT_THAT(log_->text(), HasSubstr("the server asks to wait"));
  EXPECT_THAT(log_->text(), HasSubstr("asked_seconds=86400 seconds=120"));
}

TEST_F(EngineTest, WaitingForOurOwnLimitIsSaid_Item13) {
  Make({.qps = 5, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  for (int i = 0; i < 6; ++i) Run({.target = "/x"});
  EXPECT_EQ(log_->text(), "") << "a second in all";
  for (int i = 0; i < 40; ++i) Run({.target = "/x"});
  EXPECT_THAT(log_->text(), HasSubstr("not for the server; raise ClientOptions::qps and burst"));
  EXPECT_EQ(log_->lines.size(), 1U) << log_->text();
  log_->lines.clear();
  Run({.target = "/x", .throttled = false});
  EXPECT_EQ(Took(), Duration{0});
}

TEST_F(EngineTest, LateBreak_IsNotRetried_H7) {
  engine_ = std::make_shared<Engine>(
      sim_.env(),
      std::shared_ptr<Transport>(NewInMemoryTransport(
          sim_.env(), server_, {.min_latency = seconds(25), .max_latency = seconds(25)})),
      ClientOptions{.qps = -1});
  server_.script = {Json("{}"), ScriptedResponse{.cut = true, .cut_before_answer = true}};
  Run({.target = "/x"});
  ASSERT_TRUE(recorder_.done->ok());
  Run({.target = "/x"});
  EXPECT_EQ(recorder_.done->error().reason(), Reason::kTransport);
  EXPECT_EQ(server_.requests.size(), 2u);
}

TEST_F(EngineTest, FinishedExchange_EndsOnceAndLeavesNoTimer) {
  Make({.timeout = std::chrono::minutes(1)});
  server_.script = {Json("{}")};
  sim_.env().loop().Post([&] {
    exchange_ = std::make_unique<Exchange>(engine_, ExchangeRequest{.target = "/x"}, recorder_);
    exchange_->Start();
  });
  EXPECT_TRUE(sim_.RunUntil([&] { return recorder_.done.has_value(); }, seconds(1)));
  const SteadyTime before = sim_.env().Now();
  EXPECT_FALSE(sim_.RunUntil([] { return false; }, std::chrono::minutes(5)));
  EXPECT_EQ(sim_.env().Now(), before) << "its deadline is forgotten";
  sim_.env().loop().Post([&] { exchange_->Abort(Error(Reason::kCanceled, "too late")); });
  sim_.RunReady();
  EXPECT_TRUE(recorder_.done->ok());
  EXPECT_EQ(recorder_.ends, 1);
}

TEST_F(EngineTest, AnswersAreCounted) {
  Make();
  server_.script = {Json("{}"), StatusFailure(404, "NotFound", "no"),
                    ScriptedResponse{.cut_before_answer = true}, Json("{}", 201)};
  Run({.target = "/x"});
  Run({.target = "/x"});
  Run({.method = "POST", .target = "/x"});
  Run({.method = "POST", .target = "/x"});
  const std::string text = metrics_->Text();
  for (const char* line : {"code=\"200\",method=\"GET\"", "code=\"404\",method=\"GET\"",
                           "code=\"<error>\",method=\"POST\"", "code=\"201\",method=\"POST\""}) {
    const std::size_t at = text.find(std::string("rest_client_requests_total{") + line);
    ASSERT_NE(at, std::string::npos) << line << " in\n" << text;
    EXPECT_EQ(text.substr(text.find("} ", at), 4), "} 1\n");
  }
}

// HTTP has no other statuses than these.
TEST_F(EngineTest, EachStatusHasOneCount) {
  Make({.qps = -1, .max_retries = 0});
  for (int round = 0; round < 2; ++round) {
    for (int status = 200; status <= 999; ++status) {
      server_.script = {Json("{}", status)};
      Run({.target = "/x"});
    }
  }
  const std::string text = metrics_->Text();
  int counts = 0;
  for (std::size_t at = 0; (at = text.find("rest_client_requests_total{", at)) != text.npos; ++at) {
    EXPECT_EQ(text.substr(text.find("} ", at), 4), "} 2\n");
    ++counts;
  }
  EXPECT_EQ(counts, 800);
}

TEST_F(EngineTest, Statuses200To206_AreSuccess) {
  Make();
  for (const auto& [status, good] : std::initializer_list<std::pair<int, bool>>{
           {199, false}, {200, true}, {201, true}, {206, true}, {207, false}, {300, false}}) {
    server_.script = {Json("{}", status)};
    Run({.target = "/x"});
    EXPECT_EQ(recorder_.done->ok(), good) << status;
    EXPECT_EQ(recorder_.body, good ? "{}" : "") << status;
    EXPECT_EQ(recorder_.status, good ? status : 0);
  }
}

TEST_F(EngineTest, RetryAfter_IsFollowedOn429And500) {
  Make();
  for (const auto& [status, again] : std::initializer_list<std::pair<int, bool>>{
           {400, false}, {428, false}, {429, true}, {430, false}, {499, false}, {500, true}}) {
    server_.requests.clear();
    server_.script = {WithRetryAfter(status, "1"), Json("{}")};
    log_->lines.clear();
    Run({.target = "/x"});
    EXPECT_EQ(recorder_.done->ok(), again) << status;
    EXPECT_EQ(server_.requests.size(), again ? 2U : 1U) << status;
    EXPECT_EQ(log_->text(), "") << "a second is nothing to warn of";
  }
  server_.script = {WithRetryAfter(429, "2"), Json("{}")};
  Run({.target = "/x"});
  EXPECT_THAT(log_->text(), HasSubstr("the server asks to wait"));
}

// The client reads 256 KiB of an error's body.
TEST_F(EngineTest, LongErrorsAreCutOff) {
  Make();
  constexpr std::size_t kMost = std::size_t{256} << 10;
  const auto with_size = [](std::size_t size) {
    ScriptedResponse response = StatusFailure(404, "NotFound", "");
    response.body.insert(response.body.find("\"message\":\"") + 11,
                         std::string(size - response.body.size(), 'x'));
    return response;
  };
  server_.script = {with_size(kMost), with_size(kMost + 1)};
  Run({.target = "/x"});
  EXPECT_THAT(recorder_.done->error().message(), HasSubstr("xxxx"));
  Run({.target = "/x"});
  EXPECT_EQ(recorder_.done->error().message(), "the server could not find the requested resource");
}

TEST_F(EngineTest, TheLimitIsNamedAtMostEveryTenSeconds_RR27) {
  Make({.qps = 1, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  const auto lines = [this] { return log_->lines.size(); };
  // One request each second: the third has waited for two seconds in total.
  for (int i = 0; i < 3; ++i) Run({.target = "/x"});
  EXPECT_EQ(lines(), 1U);
  for (int i = 0; i < 9; ++i) Run({.target = "/x"});
  EXPECT_EQ(lines(), 1U) << log_->text();
  for (int i = 0; i < 3; ++i) Run({.target = "/x"});
  EXPECT_EQ(lines(), 2U) << log_->text();
  EXPECT_THAT(log_->text(), HasSubstr("seconds=1 seconds_of_all=2"));
  EXPECT_THAT(log_->text(), HasSubstr("seconds=1 seconds_of_all=10"));
}

TEST_F(EngineTest, AWatchWantsExactly200_RS01) {
  Make();
  server_.script = {Json("{}", 202)};
  Run({.target = "/x", .watch = true});
  EXPECT_FALSE(recorder_.done->ok());
  EXPECT_EQ(recorder_.status, 0);
}

TEST_F(EngineTest, ShutDownEndsWhatIsUnderWay) {
  Make();
  server_.script = {{.body = "{", .hang = true}};
  sim_.env().loop().Post([&] {
    exchange_ = std::make_unique<Exchange>(engine_, ExchangeRequest{.target = "/x"}, recorder_);
    exchange_->Start();
  });
  sim_.RunFor(seconds(1));
  EXPECT_EQ(recorder_.body, "{");
  EXPECT_FALSE(recorder_.done);
  sim_.env().loop().Post([&] { engine_->ShutDown(); });
  sim_.RunReady();
  ASSERT_TRUE(recorder_.done);
  EXPECT_EQ(recorder_.done->error().reason(), Reason::kStopped);
  Run({.target = "/x"});
  EXPECT_EQ(recorder_.done->error().reason(), Reason::kStopped);
}

}  // namespace
}  // namespace kinformer::internal::client
