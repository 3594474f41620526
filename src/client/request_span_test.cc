#include "client/request_span.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/core/testing/recorded_spans.h"
#include "client/testing/engine_scene.h"

namespace kinformer::internal::client {
namespace {

using base::RecordedSpan;
using base::RecordedSpans;
using ::kinformer::testing::Json;
using ::kinformer::testing::ScriptedResponse;
using ::kinformer::testing::StatusFailure;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

constexpr char kParent[] = "00-0000000000000000000000000000004d-000000000000004d-01";

class RequestSpanTest : public ::kinformer::testing::EngineScene {
 protected:
  RequestSpanTest() : RequestSpanTest(std::make_shared<RecordedSpans>()) {}

  const std::shared_ptr<RecordedSpans> spans_;

 private:
  explicit RequestSpanTest(const std::shared_ptr<RecordedSpans>& spans)
      : EngineScene(LogLevel::kWarning, seconds(1), spans), spans_(spans) {}
};

TEST_F(RequestSpanTest, Request_HasASpanWithoutItsNames) {
  Make({.qps = -1});
  server_.script = {Json("{}", 201)};
  ASSERT_TRUE(Run({.method = "PUT", .target = "/api/v1/namespaces/a/pods/secret-name"}).ok());
  ASSERT_EQ(spans_->All().size(), 1U);
  const RecordedSpan span = spans_->All()[0];
  EXPECT_EQ(span.name, "PUT /api/v1/namespaces/{namespace}/pods/{name}");
  EXPECT_EQ(span.kind, SpanKind::kClient);
  EXPECT_EQ(span.parent, 0U);
  EXPECT_THAT(span.attributes, Contains(Pair("http.request.method", "PUT")));
  EXPECT_THAT(span.attributes, Contains(Pair("http.response.status_code", "201")));
  EXPECT_THAT(span.attributes, Contains(Pair("kinformer.resource", "pods")));
  EXPECT_THAT(span.attributes, Not(Contains(Key("error.type"))));
  EXPECT_THAT(span.events, ElementsAre("answer began"));
  EXPECT_FALSE(span.error.has_value());
  EXPECT_EQ(*span.ended - span.begun, seconds(3));
  for (const auto& [name, value] : span.attributes) {
    EXPECT_THAT(value, Not(HasSubstr("secret-name"))) << name;
  }
}

TEST_F(RequestSpanTest, HeadersParent_IsTheParentAndTheServerGetsTheSpan) {
  Make({.qps = -1});
  server_.script = {Json("{}", 200)};
  HttpHeaders headers;
  headers.Add("traceparent", kParent);
  headers.Add("tracestate", "a=1");
  ASSERT_TRUE(Run({.target = "/api/v1/pods", .headers = headers}).ok());
  ASSERT_EQ(spans_->All().size(), 1U);
  EXPECT_EQ(spans_->All()[0].parent, 0x4dU);
  const HttpHeaders& sent = server_.requests.at(0).headers;
  EXPECT_EQ(sent.Get("traceparent"), "00-0000000000000000000000000000004d-0000000000000001-01");
  EXPECT_EQ(sent.Get("tracestate"), "a=1");
}

TEST_F(RequestSpanTest, ThreadsSpan_IsTheParentOfWhatItBegins) {
  Make({.qps = -1});
  server_.script = {Json("{}", 200), Json("{}", 200)};
  const Span work(sim_.env(), "work");
  for (const bool inside : {true, false}) {
    sim_.env().loop().Post([&] {
      const Span none;
      const SpanScope scope(inside ? work : none);
      exchange_ =
          std::make_unique<Exchange>(engine_, ExchangeRequest{.target = "/api/v1/pods"}, *this);
    });
    // As a list does whose turn comes later.
    sim_.env().loop().Post([&] { exchange_->Start(); });
    result_.reset();
    ASSERT_TRUE(sim_.RunUntil([&] { return result_.has_value(); }, seconds(60)));
    End();
  }
  ASSERT_EQ(spans_->All().size(), 3U);
  EXPECT_EQ(spans_->All()[1].parent, 1U);
  EXPECT_EQ(spans_->All()[2].parent, 0U);
}

TEST_F(RequestSpanTest, Retries_AreEventsOfOneSpan) {
  Make({.qps = -1});
  ScriptedResponse busy = StatusFailure(503, "", "busy");
  busy.headers.emplace_back("Retry-After", "1");
  server_.script = {busy, StatusFailure(404, "NotFound", "no such thing")};
  EXPECT_FALSE(Run({.target = "/api/v1/pods"}).ok());
  ASSERT_EQ(spans_->All().size(), 1U);
  const RecordedSpan span = spans_->All()[0];
  EXPECT_THAT(span.events, ElementsAre("answer began", "retry", "answer began"));
  EXPECT_THAT(span.attributes, Contains(Pair("http.request.resend_count", "1")));
  EXPECT_THAT(span.attributes, Contains(Pair("error.type", "NotFound")));
  EXPECT_EQ(span.error, "no such thing");
  EXPECT_EQ(server_.requests.at(0).headers.Get("traceparent"),
            server_.requests.at(1).headers.Get("traceparent"));
}

TEST_F(RequestSpanTest, ThrottledRequest_SaysHowLongItWaited) {
  Make({.qps = 0.5, .burst = 1});
  server_.script = {Json("{}", 200), Json("{}", 200)};
  ASSERT_TRUE(Run({.target = "/version"}).ok());
  Begin({.target = "/version"});
  Begin({.target = "/version"});
  sim_.RunFor(seconds(60));
  End();
  const std::vector<RecordedSpan> spans = spans_->All();
  EXPECT_THAT(spans[0].attributes, Not(Contains(Key("kinformer.throttled_seconds"))));
  EXPECT_THAT(spans.back().attributes, Contains(Key("kinformer.throttled_seconds")));
}

TEST_F(RequestSpanTest, RequestThatItsCallerEnds_IsNoError) {
  Make({.qps = -1});
  server_.script = {Json("{}", 200)};
  Begin({.target = "/api/v1/pods", .watch = true});
  sim_.RunFor(seconds(1));
  End();
  ASSERT_EQ(spans_->All().size(), 1U);
  const RecordedSpan span = spans_->All()[0];
  EXPECT_TRUE(span.ended.has_value());
  EXPECT_FALSE(span.error.has_value());
  EXPECT_THAT(span.attributes, Contains(Pair("error.type", "Canceled")));
  EXPECT_THAT(span.attributes, Contains(Pair("kinformer.watch", "true")));
}

}  // namespace
}  // namespace kinformer::internal::client
