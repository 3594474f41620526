#include "otlp/encoding.h"

#include <chrono>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::internal::otlp {
namespace {

using std::chrono::nanoseconds;

constexpr char kParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr char kLink[] = "00-00000000000000000000000000000001-0000000000000002-00";

SpanData Whole() {
  SpanData span;
  span.name = "reconcile \"pods\" <a>";
  span.kind = SpanKind::kClient;
  span.context = *SpanContext::Of(kParent, "a=1");
  span.parent = *SpanContext::Of(kLink);
  span.begun = WallTime(nanoseconds(1700000000000000001));
  span.ended = WallTime(nanoseconds(1700000000000000777));
  span.attributes = {{"text", std::string("ä")},
                     {"number", std::numeric_limits<std::int64_t>::min()},
                     {"share", 0.25},
                     {"yes", true}};
  span.events = {{"retry", WallTime(nanoseconds(5)), {{"seconds", std::int64_t{3}}}}};
  span.links = {*SpanContext::Of(kLink)};
  span.error = "no rights";
  return span;
}

TEST(OtlpEncodingTest, WholeSpan_IsWhatTheProtocolSays) {
  const std::vector<SpanData> spans{Whole()};
  const std::string text = EncodeRequest({{"service.name", "s"}, {"a", "b"}}, spans);
  const std::string want =
      R"({"resourceSpans":[{"resource":{"attributes":[)"
      R"({"key":"service.name","value":{"stringValue":"s"}},)"
      R"({"key":"a","value":{"stringValue":"b"}}]},)"
      R"("scopeSpans":[{"scope":{"name":"kinformer","version":"0.1.0"},"spans":[{)"
      R"("traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7",)"
      R"("traceState":"a=1","parentSpanId":"0000000000000002","flags":1,)"
      R"("name":"reconcile \"pods\" <a>","kind":3,)"
      R"("startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000000000777",)"
      R"("attributes":[{"key":"text","value":{"stringValue":"ä"}},)"
      R"({"key":"number","value":{"intValue":"-9223372036854775808"}},)"
      R"({"key":"share","value":{"doubleValue":0.25}},)"
      R"({"key":"yes","value":{"boolValue":true}}],)"
      R"("events":[{"timeUnixNano":"5","name":"retry",)"
      R"("attributes":[{"key":"seconds","value":{"intValue":"3"}}]}],)"
      R"("links":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000002",)"
      R"("flags":0}],"status":{"message":"no rights","code":2}}]}]}]})";
  EXPECT_EQ(text, want);
  EXPECT_TRUE(json::Parse(text).ok());
}

TEST(OtlpEncodingTest, PlainSpans_HaveNoEmptyParts) {
  SpanData span;
  span.name = "x";
  span.context = *SpanContext::Of(kLink);
  const std::vector<SpanData> spans{span, span};
  const json::Value request = json::Parse(EncodeRequest({}, spans)).OrExit();
  const json::Value& all = request.At("/resourceSpans/0/scopeSpans/0/spans");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].size(), 7U) << all[1];
  for (const char* const name : {"parentSpanId", "traceState", "attributes", "events", "links",
                                 "status", "droppedAttributesCount"}) {
    EXPECT_FALSE(all[1].contains(name)) << name;
  }
}

TEST(OtlpEncodingTest, UnusualValues_HaveTheFormatsWords) {
  SpanData span;
  span.context = *SpanContext::Of(kLink);
  span.attributes = {{"nan", std::numeric_limits<double>::quiet_NaN()},
                     {"inf", std::numeric_limits<double>::infinity()},
                     {"low", -std::numeric_limits<double>::infinity()},
                     {"bytes", std::string("a\xff")}};
  span.dropped_attributes = 1;
  span.dropped_events = 2;
  span.dropped_links = 3;
  const std::vector<SpanData> spans{span};
  const json::Value request = json::Parse(EncodeRequest({}, spans)).OrExit();
  const json::Value& one = request.At("/resourceSpans/0/scopeSpans/0/spans/0");
  EXPECT_EQ(one.At("/attributes/0/value/doubleValue").StringOrEmpty(), "NaN");
  EXPECT_EQ(one.At("/attributes/1/value/doubleValue").StringOrEmpty(), "Infinity");
  EXPECT_EQ(one.At("/attributes/2/value/doubleValue").StringOrEmpty(), "-Infinity");
  EXPECT_EQ(one.At("/attributes/3/value/stringValue").StringOrEmpty(), "a\xef\xbf\xbd");
  EXPECT_EQ(one["droppedAttributesCount"].AsInt64(), 1);
  EXPECT_EQ(one["droppedEventsCount"].AsInt64(), 2);
  EXPECT_EQ(one["droppedLinksCount"].AsInt64(), 3);
}

// A wall clock that was set back between two reads.
TEST(OtlpEncodingTest, SpanThatEndsBeforeItBegins_HasNoLength) {
  SpanData span;
  span.context = *SpanContext::Of(kLink);
  span.begun = WallTime(nanoseconds(9));
  span.ended = WallTime(nanoseconds(5));
  const std::vector<SpanData> spans{span};
  const json::Value request = json::Parse(EncodeRequest({}, spans)).OrExit();
  EXPECT_EQ(request.At("/resourceSpans/0/scopeSpans/0/spans/0/endTimeUnixNano").StringOrEmpty(),
            "9");
}

TEST(OtlpEncodingTest, Responses_AreRead) {
  EXPECT_EQ(DecodeResponse("{}").rejected_spans, 0U);
  EXPECT_EQ(DecodeResponse("").rejected_spans, 0U);
  EXPECT_EQ(DecodeResponse("<html>").rejected_spans, 0U);
  EXPECT_EQ(DecodeResponse("[1]").rejected_spans, 0U);
  EXPECT_EQ(DecodeResponse(R"({"partialSuccess":{"rejectedSpans":"x"}})").rejected_spans, 0U);
  EXPECT_EQ(DecodeResponse(R"({"partialSuccess":{"rejectedSpans":"-1"}})").rejected_spans, 0U);
  const PartialSuccess partial =
      DecodeResponse(R"({"partialSuccess":{"rejectedSpans":"7","errorMessage":"full"}})");
  EXPECT_EQ(partial.rejected_spans, 7U);
  EXPECT_EQ(partial.message, "full");
  EXPECT_EQ(DecodeResponse(R"({"partialSuccess":{"rejectedSpans":7}})").rejected_spans, 7U);
}

}  // namespace
}  // namespace kinformer::internal::otlp
