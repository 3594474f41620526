#include "client/trace_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::client {
namespace {

using ::testing::HasSubstr;

constexpr char kParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

Result<HttpHeaders> TraceHeaders(const CallOptions& call) {
  HttpHeaders headers;
  const Result<void> added = AddTraceHeaders(call, headers);
  if (!added) return added.error();
  return headers;
}

std::string FaultOf(const CallOptions& call) {
  const Result<HttpHeaders> headers = TraceHeaders(call);
  if (headers) return "";
  EXPECT_EQ(headers.error().reason(), Reason::kInvalidArgument);
  return headers.error().message();
}

TEST(TraceHeaders, ACallWithoutATraceHasNone) { EXPECT_EQ(TraceHeaders({}).OrExit().size(), 0U); }

TEST(TraceHeaders, BothAreSentUnchanged) {
  const HttpHeaders parent = TraceHeaders({.traceparent = kParent}).OrExit();
  EXPECT_EQ(parent.size(), 1U);
  EXPECT_EQ(parent.Get("traceparent"), kParent);
  const HttpHeaders both =
      TraceHeaders({.traceparent = kParent, .tracestate = "a=1, b@c=2/3 4,,"}).OrExit();
  EXPECT_EQ(both.size(), 2U);
  EXPECT_EQ(both.Get("tracestate"), "a=1, b@c=2/3 4,,");
}

TEST(TraceHeaders, HeadersThatHaveATraceKeepIt) {
  HttpHeaders headers;
  headers.Add("Traceparent", "own");
  EXPECT_TRUE(AddTraceHeaders({.traceparent = kParent, .tracestate = "a=1"}, headers).ok());
  EXPECT_EQ(headers.size(), 1U);
  EXPECT_EQ(headers.Get("traceparent"), "own");
}

TEST(TraceHeaders, AMalformedTraceparentIsRefused) {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const std::string parent = "00f067aa0ba902b7";
  const std::string all = kParent;
  const std::string rows[] = {
      "x",
      all.substr(0, all.size() - 1),
      all + "0",
      all + "-00",
      "ff-" + trace + "-" + parent + "-01",
      "0G-" + trace + "-" + parent + "-01",
      "00_" + trace + "-" + parent + "-01",
      "00-" + trace + "_" + parent + "-01",
      "00-" + trace + "-" + parent + "_01",
      "00-" + trace + "-" + parent + "-0A",
      "00-" + std::string(32, '0') + "-" + parent + "-01",
      "00-" + trace + "-" + std::string(16, '0') + "-01",
      "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + parent + "-01",
      "00-" + trace + "-00f067aa0ba902bg-01",
      "01-" + trace + "-" + parent + "-01x",
      "01-" + trace + "-" + parent + "-01-\r\nHost: other",
  };
  for (const std::string& row : rows) {
    EXPECT_THAT(FaultOf({.traceparent = row}),
                HasSubstr("CallOptions::traceparent \"" + row + "\" is malformed: "));
  }
}

TEST(TraceHeaders, LaterVersionsMayHaveMoreParts) {
  const std::string later = "cc" + std::string(kParent).substr(2);
  EXPECT_EQ(FaultOf({.traceparent = later}), "");
  EXPECT_EQ(FaultOf({.traceparent = later + "-what.is-next"}), "");
}

TEST(TraceHeaders, AMalformedTracestateIsRefused) {
  const std::string key(256, 'k');
  const std::string value(256, 'v');
  for (const std::string& good :
       {key + "=" + value, std::string("0=~"), std::string(" a=b\t,"), std::string("a_-*/@9=!")}) {
    EXPECT_EQ(FaultOf({.traceparent = kParent, .tracestate = good}), "") << good;
  }
  for (const std::string& bad :
       {std::string("a"), std::string("=b"), std::string("a="), std::string("A=b"),
        std::string("_a=b"), std::string("a=b=c"), std::string("a.b=c"), key + "k=v",
        "k=" + value + "v", std::string("a=b\nc"), std::string("a=\x7f"),
        std::string("a=\xc3\xa4")}) {
    EXPECT_THAT(FaultOf({.traceparent = kParent, .tracestate = bad}),
                HasSubstr("CallOptions::tracestate \"" + bad + "\" is malformed: "));
  }
}

TEST(TraceHeaders, ATracestateHas32MembersAtMost) {
  std::string members = "a=1";
  for (int i = 1; i < 32; ++i) members += ",a=1";
  EXPECT_EQ(FaultOf({.traceparent = kParent, .tracestate = members}), "");
  EXPECT_THAT(FaultOf({.traceparent = kParent, .tracestate = members + ",a=1"}),
              HasSubstr("more than 32 members"));
}

TEST(TraceHeaders, ATracestateAloneIsRefused) {
  EXPECT_EQ(FaultOf({.tracestate = "a=1"}),
            "CallOptions::tracestate belongs to a traceparent, which is empty");
}

}  // namespace
}  // namespace kinformer::internal::client
