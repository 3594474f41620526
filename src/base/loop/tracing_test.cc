#include "kinformer/base/tracing.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"

#include "base/core/named_env.h"
#include "base/core/testing/fields_log.h"
#include "base/core/testing/recorded_spans.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr char kParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

class TracingTest : public ::testing::Test {
 protected:
  const std::shared_ptr<RecordedSpans> spans_ = std::make_shared<RecordedSpans>();
  Simulation sim_{{.tracer = spans_}};
  Env& env_ = sim_.env();
};

TEST(SpanContextTest, Traceparent_IsReadAndWritten) {
  const std::optional<SpanContext> read = SpanContext::Of(kParent, "a=1");
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->valid());
  EXPECT_TRUE(read->sampled);
  EXPECT_EQ(read->tracestate, "a=1");
  EXPECT_EQ(read->trace_id[0], 0x4b);
  EXPECT_EQ(read->span_id[7], 0xb7);
  EXPECT_EQ(read->Traceparent(), kParent);
  std::string not_sampled(kParent);
  not_sampled.back() = '0';
  EXPECT_EQ(SpanContext::Of(not_sampled)->Traceparent(), not_sampled);
  EXPECT_FALSE(SpanContext::Of(not_sampled)->sampled);
}

TEST(SpanContextTest, LaterVersions_MayHaveMoreParts) {
  std::string later(kParent);
  later[1] = '1';
  EXPECT_TRUE(SpanContext::Of(later).has_value());
  EXPECT_TRUE(SpanContext::Of(later + "-more").has_value());
  EXPECT_FALSE(SpanContext::Of(later + "more").has_value());
}

TEST(SpanContextTest, MalformedTraceparents_AreNone) {
  const std::string parent(kParent);
  std::vector<std::string> rows{"",
                                parent.substr(1),
                                parent + "-x",
                                "ff" + parent.substr(2),
                                "00-" + std::string(32, '0') + parent.substr(35),
                                parent.substr(0, 36) + std::string(16, '0') + parent.substr(52)};
  for (const int at : {0, 1, 2, 3, 34, 35, 36, 51, 52, 53, 54}) {
    rows.push_back(parent);
    rows.back()[static_cast<std::size_t>(at)] = 'G';
  }
  for (const std::string& row : rows) EXPECT_FALSE(SpanContext::Of(row).has_value()) << row;
}

TEST(SpanContextTest, WithoutAnId_ThereIsNoText) {
  EXPECT_FALSE(SpanContext().valid());
  EXPECT_EQ(SpanContext().Traceparent(), "");
}

TEST_F(TracingTest, Span_IsRecordedWithItsTimes) {
  Span span(env_, "work", {.kind = SpanKind::kServer, .attributes = {{"a", "text"}, {"b", 7}}});
  EXPECT_TRUE(static_cast<bool>(span));
  EXPECT_TRUE(span.recording());
  sim_.RunFor(seconds(2));
  span.SetAttribute("c", 1.5);
  span.SetAttribute("d", true);
  span.AddEvent("half");
  span.SetError("broken");
  sim_.RunFor(seconds(3));
  span.End();
  EXPECT_FALSE(static_cast<bool>(span));
  span.SetAttribute("late", 1);
  span.End();
  ASSERT_EQ(spans_->All().size(), 1U);
  const RecordedSpan recorded = spans_->All()[0];
  EXPECT_EQ(recorded.name, "work");
  EXPECT_EQ(recorded.kind, SpanKind::kServer);
  EXPECT_THAT(recorded.attributes, ElementsAre(Pair("a", "text"), Pair("b", "7"),
                                               Pair("c", "1.500000"), Pair("d", "true")));
  EXPECT_THAT(recorded.events, ElementsAre("half"));
  EXPECT_EQ(recorded.error, "broken");
  ASSERT_TRUE(recorded.ended.has_value());
  EXPECT_EQ(*recorded.ended - recorded.begun, seconds(5));
  EXPECT_EQ(recorded.context, span.context());
}

TEST_F(TracingTest, Scope_MakesParents) {
  const Span outer(env_, "outer");
  EXPECT_EQ(SpanScope::Current(), nullptr);
  EXPECT_EQ(SpanScope::Traceparent(), "");
  {
    const SpanScope in_outer(outer);
    const Span inner(env_, "inner");
    const SpanScope in_inner(inner);
    EXPECT_EQ(SpanScope::Current(), &inner);
    const Span innermost(env_, "innermost");
    const SpanContext none;
    const Span root(env_, "root", {.parent = &none});
    const Span chosen(env_, "chosen", {.parent = &outer.context()});
    EXPECT_EQ(SpanScope::Traceparent(), inner.context().Traceparent());
    std::thread([] { EXPECT_EQ(SpanScope::Current(), nullptr); }).join();
  }
  EXPECT_EQ(SpanScope::Current(), nullptr);
  std::vector<std::pair<std::string, std::uint64_t>> parents;
  for (const RecordedSpan& span : spans_->All()) parents.emplace_back(span.name, span.parent);
  EXPECT_THAT(parents, ElementsAre(Pair("outer", 0), Pair("inner", 1), Pair("innermost", 2),
                                   Pair("root", 0), Pair("chosen", 1)));
  EXPECT_EQ(spans_->All()[2].context.trace_id, outer.context().trace_id);
  EXPECT_NE(spans_->All()[3].context.trace_id, outer.context().trace_id);
}

TEST_F(TracingTest, Links_AreThoseToRealSpans) {
  const Span cause(env_, "cause");
  const Span effect(env_, "effect");
  effect.AddLink(cause.context());
  effect.AddLink(SpanContext());
  EXPECT_THAT(spans_->Named("effect")[0].links, ElementsAre(1));
}

TEST_F(TracingTest, MovedSpan_EndsOnceAndEndsWhatItReplaces) {
  Span a(env_, "a");
  Span b(std::move(a));
  EXPECT_FALSE(spans_->All()[0].ended.has_value());
  Span c(env_, "c");
  c = std::move(b);
  EXPECT_TRUE(spans_->All()[1].ended.has_value());
  EXPECT_FALSE(spans_->All()[0].ended.has_value());
  c = Span();
  EXPECT_TRUE(spans_->All()[0].ended.has_value());
}

TEST_F(TracingTest, WithoutATracer_SpansAreEmptyAndChangeNothing) {
  Simulation sim;
  const Span outer(env_, "outer");
  const SpanScope scope(outer);
  Span span(sim.env(), "nothing", {.attributes = {{"a", 1}}});
  EXPECT_FALSE(static_cast<bool>(span));
  EXPECT_FALSE(span.recording());
  EXPECT_FALSE(span.context().valid());
  const SpanScope nested(span);
  EXPECT_EQ(SpanScope::Current(), &outer);
  span.SetAttribute("a", 1);
  span.AddEvent("e");
  span.AddLink(outer.context());
  span.SetError("e");
  span.End();
  EXPECT_THAT(spans_->Names(), ElementsAre("outer"));
}

TEST_F(TracingTest, NamedEnv_NamesTheClusterOfItsSpans) {
  const std::shared_ptr<Env> east = NamedEnv(env_, "east");
  const Span span(*east, "work");
  EXPECT_THAT(spans_->All()[0].attributes, ElementsAre(Pair("k8s.cluster.name", "east")));
  const std::unique_ptr<Loop> loop = east->NewLoop("l");
  const Span of_loop(loop->env(), "more");
  EXPECT_THAT(spans_->All()[1].attributes, ElementsAre(Pair("k8s.cluster.name", "east")));
  Simulation sim;
  EXPECT_EQ(NamedEnv(sim.env(), "east")->tracer(), nullptr);
}

TEST(RuntimeTracer, ReachesEveryLoop) {
  const auto spans = std::make_shared<RecordedSpans>();
  Runtime runtime({.tracer = spans});
  EXPECT_EQ(runtime.env().tracer(), spans.get());
  const std::unique_ptr<Loop> loop = runtime.env().NewLoop("l");
  EXPECT_EQ(loop->env().tracer(), spans.get());
}

// Throws in all functions but those that the test leaves out.
class ThrowingTracer final : public Tracer {
 public:
  class Recorder final : public SpanRecorder {
   public:
    [[nodiscard]] const SpanContext& context() const override { return context_; }
    void SetAttribute(const SpanAttribute&) override { throw std::runtime_error("attribute"); }
    void AddEvent(std::string_view, WallTime, std::span<const SpanAttribute>) override {
      throw std::runtime_error("event");
    }
    void AddLink(const SpanContext&) override { throw std::runtime_error("link"); }
    void SetError(std::string_view) override { throw std::runtime_error("error"); }
    void End(WallTime) override { throw std::runtime_error("end"); }

   private:
    const SpanContext context_{*SpanContext::Of(kParent)};
  };
  class MuteRecorder final : public SpanRecorder {
   public:
    explicit MuteRecorder(bool has_context) : has_context_(has_context) {}
    [[nodiscard]] const SpanContext& context() const override {
      if (!has_context_) throw std::runtime_error("context");
      return context_;
    }
    [[nodiscard]] bool recording() const override { throw std::runtime_error("recording"); }
    void SetAttribute(const SpanAttribute&) override {}
    void AddEvent(std::string_view, WallTime, std::span<const SpanAttribute>) override {}
    void AddLink(const SpanContext&) override {}
    void SetError(std::string_view) override {}
    void End(WallTime) override {}

   private:
    const bool has_context_;
    const SpanContext context_{};
  };
  std::unique_ptr<SpanRecorder> StartSpan(const SpanStart& start) override {
    if (start.name == "start") throw std::runtime_error("start");
    if (start.name == "null") return nullptr;
    if (start.name == "context") return std::make_unique<MuteRecorder>(false);
    if (start.name == "recording") return std::make_unique<MuteRecorder>(true);
    return std::make_unique<Recorder>();
  }
};

TEST(TracerThatThrows, IsLoggedAndHarmsNobody) {
  const auto log = std::make_shared<FieldsLog>();
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Simulation sim({.log = log, .metrics = metrics, .tracer = std::make_shared<ThrowingTracer>()});
  for (const char* const name : {"start", "null", "context", "recording"}) {
    const Span none(sim.env(), name);
    EXPECT_FALSE(static_cast<bool>(none)) << name;
    EXPECT_FALSE(none.recording()) << name;
  }
  {
    const Span span(sim.env(), "work");
    EXPECT_EQ(span.context().Traceparent(), kParent);
    span.SetAttribute("a", 1);
    span.AddEvent("e");
    span.AddLink(span.context());
    span.SetError("e");
  }
  EXPECT_THAT(log->text(), HasSubstr("function=the tracer"));
  EXPECT_THAT(metrics->Text(),
              HasSubstr("kinformer_user_exceptions_total{function=\"the tracer\"} 8\n"));
  EXPECT_THAT(log->text(), HasSubstr("err=end"));
}

}  // namespace
}  // namespace kinformer::internal::base
