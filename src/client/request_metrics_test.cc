#include "client/request_metrics.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"

#include "client/engine.h"
#include "client/testing/engine_scene.h"
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
using ::testing::Not;

// An answer begins two seconds after its request was sent, and ends a second later.
class RequestMetricsTest : public ::kinformer::testing::EngineScene {
 protected:
  RequestMetricsTest() : EngineScene(LogLevel::kWarning, seconds(1)) {}

  // Returns the value of a series of this client: Value("..._sum", R"(verb="GET")"). Empty: none.
  std::string Value(const std::string& name, const std::string& labels) const {
    const std::string text = metrics_->Text();
    std::string series = name;
    series.append("{").append(labels).append(",host=\"").append(engine_->Describe()).append("\"} ");
    const std::size_t at = text.find("\n" + series);
    if (at == std::string::npos) return "";
    const std::size_t from = at + 1 + series.size();
    return text.substr(from, text.find('\n', from) - from);
  }
  // "sum of count"
  std::string Observed(const std::string& name, const std::string& verb) const {
    const std::string labels = "verb=\"" + verb + "\"";
    return Value(name + "_sum", labels) + " of " + Value(name + "_count", labels);
  }
  static ScriptedResponse Busy() { return ::kinformer::testing::Busy(503, "3"); }
};

TEST_F(RequestMetricsTest, DurationCountsAllAttemptsAndThePausesBetweenThem) {
  Make({.qps = -1});
  server_.script = {Busy(), Json("{}")};
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_EQ(Observed("rest_client_request_duration_seconds", "GET"), "9 of 1");
}

TEST_F(RequestMetricsTest, DurationHasTheBucketsOfKubernetesComponents) {
  Make({.qps = -1});
  server_.script = {Json("{}")};
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  for (const char* bound :
       {"0.005", "0.025", "0.1", "0.25", "0.5", "1", "2", "4", "8", "15", "30", "60", "+Inf"}) {
    const std::string labels =
        R"(verb="GET",host=")" + engine_->Describe() + R"(",le=")" + bound + "\"";
    EXPECT_THAT(metrics_->Text(),
                HasSubstr("rest_client_request_duration_seconds_bucket{" + labels + "} "));
  }
  const std::string text = metrics_->Text();
  int buckets = 0;
  for (std::size_t at = 0;
       (at = text.find("rest_client_request_duration_seconds_bucket", at)) != std::string::npos;
       ++at) {
    ++buckets;
  }
  EXPECT_EQ(buckets, 13);
}

TEST_F(RequestMetricsTest, AttemptsAfterTheFirstAreRetries) {
  Make({.qps = -1});
  server_.script = {Busy(), ScriptedResponse{.cut_before_answer = true}, Json("{}"), Json("{}")};
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_EQ(Value("rest_client_requests_total", R"(code="503",method="GET")"), "1");
  EXPECT_EQ(Value("rest_client_requests_total", R"(code="<error>",method="GET")"), "1");
  EXPECT_EQ(Value("rest_client_requests_total", R"(code="200",method="GET")"), "2");
  EXPECT_EQ(Value("rest_client_request_retries_total", R"(code="503",verb="GET")"), "");
  EXPECT_EQ(Value("rest_client_request_retries_total", R"(code="<error>",verb="GET")"), "1");
  EXPECT_EQ(Value("rest_client_request_retries_total", R"(code="200",verb="GET")"), "1");
}

TEST_F(RequestMetricsTest, EachAttemptHasTheSizeOfItsBody) {
  Make({.qps = -1});
  server_.script = {Busy(), Json("{}"), Json("{}")};
  ASSERT_TRUE(Run({.method = "POST",
                   .target = "/x",
                   .content_type = "text/plain",
                   .body = [] { return std::string(700, 'x'); }})
                  .ok());
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_EQ(Observed("rest_client_request_size_bytes", "POST"), "1400 of 2");
  EXPECT_EQ(Observed("rest_client_request_size_bytes", "GET"), "0 of 1");
  for (const auto& [bound, count] : {std::pair("512", "0"), {"1024", "2"}, {"16777216", "2"}}) {
    EXPECT_THAT(metrics_->Text(),
                HasSubstr("rest_client_request_size_bytes_bucket{verb=\"POST\",host=\"" +
                          engine_->Describe() + "\",le=\"" + bound + "\"} " + count + "\n"));
  }
}

TEST_F(RequestMetricsTest, OnlyTheAnswerThatTheCallerGetsHasASize) {
  Make({.qps = -1});
  const ScriptedResponse refusal = StatusFailure(404, "NotFound", "no");
  server_.script = {Busy(), Json(std::string(50000, ' '))};
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_EQ(Observed("rest_client_response_size_bytes", "GET"), "50000 of 1");
  server_.script = {refusal, ScriptedResponse{.body = "{", .cut = true},
                    ScriptedResponse{.status = 404, .body = ""}};
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(Run({.target = "/x"}).ok());
  EXPECT_EQ(Observed("rest_client_response_size_bytes", "GET"),
            std::to_string(50000 + refusal.body.size()) + " of 2")
      << "neither half an answer nor an empty refusal has one";
}

TEST_F(RequestMetricsTest, AWatchHasNeitherDurationNorSizes) {
  Make({.qps = 1, .burst = 1});
  server_.script = {Json("{}")};
  ASSERT_TRUE(Run({.target = "/x", .watch = true}).ok());
  EXPECT_EQ(Value("rest_client_requests_total", R"(code="200",method="GET")"), "1");
  for (const char* name : {"_duration_seconds", "_size_bytes", "rate_limiter", "response"}) {
    EXPECT_THAT(metrics_->Text(), Not(HasSubstr(name)));
  }
}

TEST_F(RequestMetricsTest, EachPassOfTheRateLimiterIsObserved) {
  Make({.qps = 0.1, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  const SteadyTime begun = sim_.env().Now();
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_EQ(Observed("rest_client_rate_limiter_duration_seconds", "GET"), "0 of 1");
  sim_.RunFor(begun + seconds(7) - sim_.env().Now());
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_EQ(Observed("rest_client_rate_limiter_duration_seconds", "GET"), "3 of 2");
  // It is refused at once, since it could not be in time.
  EXPECT_EQ(Run({.target = "/x", .timeout = milliseconds(10)}).error().reason(),
            Reason::kDeadlineExceeded);
  EXPECT_EQ(Observed("rest_client_rate_limiter_duration_seconds", "GET"), "3 of 3");
}

TEST_F(RequestMetricsTest, AnAbandonedRequestHasWaitedAndLastedUntilThen) {
  Make({.qps = 0.1, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  ASSERT_TRUE(Run({.method = "PUT", .target = "/x"}).ok());
  Begin({.method = "DELETE", .target = "/x"});
  sim_.RunFor(seconds(2));
  End();
  EXPECT_EQ(Observed("rest_client_rate_limiter_duration_seconds", "DELETE"), "2 of 1");
  EXPECT_EQ(Observed("rest_client_request_duration_seconds", "DELETE"), "2 of 1");
  EXPECT_EQ(Observed("rest_client_request_size_bytes", "DELETE"), " of ");
  EXPECT_EQ(Observed("rest_client_response_size_bytes", "DELETE"), " of ");
}

TEST_F(RequestMetricsTest, WithoutALimitNoWaitIsObserved) {
  Make({.qps = -1});
  server_.script = {Json("{}")};
  ASSERT_TRUE(Run({.target = "/x"}).ok());
  EXPECT_THAT(metrics_->Text(), Not(HasSubstr("rate_limiter")));
}

}  // namespace
}  // namespace kinformer::internal::client
