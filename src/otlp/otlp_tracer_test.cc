// The tracer as a whole, over a real socket.

#include "kinformer/otlp/otlp_tracer.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/json/json.h"

#include "base/core/testing/fields_log.h"
#include "transport/loopback_server_for_test.h"

namespace kinformer::internal::otlp {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using transport::LoopbackServer;

// Takes spans, and keeps them.
class Collector {
 public:
  [[nodiscard]] std::string url() const { return server_.url(); }
  [[nodiscard]] std::vector<json::Value> spans() const {
    const std::lock_guard lock(mutex_);
    return spans_;
  }
  [[nodiscard]] json::Value resource() const {
    const std::lock_guard lock(mutex_);
    return resource_;
  }
  [[nodiscard]] std::set<std::string> heads() const {
    const std::lock_guard lock(mutex_);
    return heads_;
  }

 private:
  bool Take(const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
    const Result<json::Value> body = json::Parse(request.body);
    EXPECT_TRUE(body.ok()) << request.body;
    {
      const std::lock_guard lock(mutex_);
      heads_.insert(request.method + " " + request.target + " " + request.Header("authorization") +
                    " " + request.Header("traceparent"));
      if (body) {
        resource_ = body->At("/resourceSpans/0/resource/attributes");
        for (const json::Value& span : body->At("/resourceSpans/0/scopeSpans/0/spans").items()) {
          spans_.push_back(span);
        }
      }
    }
    return peer.Write(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        "Content-Length: 2\r\n\r\n{}");
  }

  mutable std::mutex mutex_;
  std::vector<json::Value> spans_;
  json::Value resource_;
  std::set<std::string> heads_;
  LoopbackServer server_{[this](const LoopbackServer::Request& request,
                                LoopbackServer::Peer& peer) { return Take(request, peer); }};
};

std::shared_ptr<OtlpTracer> NewTracer(const Collector& collector, OtlpOptions options = {}) {
  options.endpoint = collector.url();
  options.headers = {{"authorization", "Bearer t"}};
  options.service_name = "scene";
  return NewOtlpTracer(options).OrExit();
}

TEST(OtlpTracerTest, Spans_ReachTheCollectorWithTheirRelations) {
  Collector collector;
  const std::shared_ptr<OtlpTracer> tracer = NewTracer(collector);
  Runtime runtime({.tracer = tracer});
  {
    const Span outer(runtime.env(), "outer", {.attributes = {{"a", "b"}}});
    const SpanScope scope(outer);
    const Span inner(runtime.env(), "inner", {.kind = SpanKind::kClient});
    inner.AddEvent("half", {{"c", 1}});
    inner.AddLink(outer.context());
    inner.SetError("broken");
    inner.SetAttribute("a", 1);
    inner.SetAttribute("a", 2);
  }
  ASSERT_TRUE(tracer->Flush(minutes(1)).ok());
  EXPECT_EQ(tracer->Stats().sent, 2U);
  const std::vector<json::Value> spans = collector.spans();
  ASSERT_THAT(spans, SizeIs(2));
  const json::Value& inner = spans[0];
  const json::Value& outer = spans[1];
  EXPECT_EQ(outer["name"].StringOrEmpty(), "outer");
  EXPECT_FALSE(outer.contains("parentSpanId"));
  EXPECT_EQ(inner["parentSpanId"], outer["spanId"]);
  EXPECT_EQ(inner["traceId"], outer["traceId"]);
  EXPECT_EQ(inner["kind"].AsInt64(), 3);
  EXPECT_EQ(inner.At("/links/0/spanId"), outer["spanId"]);
  EXPECT_EQ(inner.At("/events/0/name").StringOrEmpty(), "half");
  EXPECT_EQ(inner.At("/status/message").StringOrEmpty(), "broken");
  EXPECT_EQ(inner["attributes"].size(), 1U);
  EXPECT_EQ(inner.At("/attributes/0/value/intValue").StringOrEmpty(), "2");
  EXPECT_EQ(collector.resource().At("/0/value/stringValue").StringOrEmpty(), "scene");
  EXPECT_THAT(collector.heads(), ElementsAre("POST /v1/traces Bearer t "))
      << "its own requests belong to no trace";
}

TEST(OtlpTracerTest, Destructor_SendsWhatIsLeft) {
  Collector collector;
  {
    Runtime runtime({.tracer = NewTracer(collector)});
    const Span span(runtime.env(), "last");
  }
  EXPECT_THAT(collector.spans(), SizeIs(1));
}

TEST(OtlpTracerTest, TracesThatAreNotSampled_AreOnlyHandedOn) {
  Collector collector;
  const std::shared_ptr<OtlpTracer> tracer = NewTracer(collector, {.sampler = "always_off"});
  Runtime runtime({.tracer = tracer});
  {
    const Span span(runtime.env(), "silent");
    EXPECT_TRUE(static_cast<bool>(span));
    EXPECT_FALSE(span.recording());
    EXPECT_TRUE(span.context().valid());
    EXPECT_TRUE(span.context().Traceparent().ends_with("-00"));
    const SpanScope scope(span);
    const Span child(runtime.env(), "child");
    EXPECT_EQ(child.context().trace_id, span.context().trace_id);
  }
  ASSERT_TRUE(tracer->Flush(minutes(1)).ok());
  EXPECT_THAT(collector.spans(), IsEmpty());
}

TEST(OtlpTracerTest, LongAndManyParts_AreBounded) {
  Collector collector;
  const std::shared_ptr<OtlpTracer> tracer = NewTracer(collector);
  Runtime runtime({.tracer = tracer});
  {
    const Span other(runtime.env(), "other");
    const Span span(runtime.env(), "x");
    for (int i = 0; i < 130; ++i) {
      span.SetAttribute("a" + std::to_string(i), 1);
      span.AddEvent("e");
      span.AddLink(other.context());
    }
    // 4095 bytes, and a character of two.
    span.SetError(std::string(4095, 'x') + "ä");
  }
  ASSERT_TRUE(tracer->Flush(minutes(1)).ok());
  const json::Value span = collector.spans().at(0);
  EXPECT_EQ(span["attributes"].size(), 128U);
  EXPECT_EQ(span["droppedAttributesCount"].AsInt64(), 2);
  EXPECT_EQ(span["events"].size(), 128U);
  EXPECT_EQ(span["droppedEventsCount"].AsInt64(), 2);
  EXPECT_EQ(span["links"].size(), 128U);
  EXPECT_EQ(span["droppedLinksCount"].AsInt64(), 2);
  EXPECT_EQ(span.At("/status/message").StringOrEmpty(), std::string(4095, 'x'));
}

TEST(OtlpTracerTest, ManyThreads_LoseNothing) {
  Collector collector;
  const std::shared_ptr<OtlpTracer> tracer = NewTracer(collector, {.max_queued_spans = 100000});
  Runtime runtime({.tracer = tracer});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 500; ++j) {
        const Span outer(runtime.env(), "outer");
        const SpanScope scope(outer);
        const Span inner(runtime.env(), "inner");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(tracer->Flush(minutes(1)).ok());
  EXPECT_EQ(tracer->Stats().sent, 4000U);
  EXPECT_EQ(tracer->Stats().dropped, 0U);
  std::set<std::string> ids;
  for (const json::Value& span : collector.spans()) ids.insert(span["spanId"].StringOrEmpty());
  EXPECT_EQ(ids.size(), 4000U);
}

TEST(OtlpTracerTest, WithoutACollector_TheProgramEndsInTime) {
  const auto log = std::make_shared<base::FieldsLog>();
  const auto begun = std::chrono::steady_clock::now();
  {
    Runtime runtime({.tracer = NewOtlpTracer({.endpoint = "http://127.0.0.1:1",
                                              .headers = {{"authorization", "hidden"}},
                                              .flush_timeout = milliseconds(200),
                                              .log = log})
                                   .OrExit()});
    const Span span(runtime.env(), "lost");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(60));
  EXPECT_THAT(log->text(), HasSubstr("spans do not reach the collector"));
  EXPECT_THAT(log->text(), Not(HasSubstr("hidden")));
}

TEST(OtlpTracerTest, WrongOptions_AreRefused) {
  const auto fault = [](OtlpOptions options) {
    const Result<std::shared_ptr<OtlpTracer>> tracer = NewOtlpTracer(options);
    return tracer ? "" : tracer.error().message();
  };
  EXPECT_THAT(fault({.endpoint = "x"}), HasSubstr("OtlpOptions::endpoint"));
  EXPECT_EQ(fault({.max_queued_spans = 0}), "OtlpOptions::max_queued_spans must be above zero");
  EXPECT_EQ(fault({.max_batch_spans = 0}), "OtlpOptions::max_batch_spans must be above zero");
  EXPECT_EQ(fault({.schedule_delay = Duration(0)}),
            "OtlpOptions::schedule_delay must be above zero");
  EXPECT_EQ(fault({.timeout = Duration(0)}), "OtlpOptions::timeout must be above zero");
  EXPECT_THAT(fault({.endpoint = "https://localhost:1", .ca_file = "/no/such/file"}),
              HasSubstr("/no/such/file"));
}

}  // namespace
}  // namespace kinformer::internal::otlp
