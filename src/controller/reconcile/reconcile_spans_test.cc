#include "controller/reconcile/reconcile_spans.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/core/testing/recorded_spans.h"
#include "controller/reconcile/controller_fixture_for_test.h"

namespace kinformer {
namespace {

using internal::base::RecordedSpan;
using internal::base::RecordedSpans;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class ReconcileSpansTest : public ControllerTest {
 protected:
  ReconcileSpansTest() : ReconcileSpansTest(std::make_shared<RecordedSpans>()) {}

  // Returns what the spans say of their reconciles' results.
  std::vector<std::string> Results() const {
    std::vector<std::string> out;
    for (const RecordedSpan& span : spans_->Named("reconcile pods")) {
      out.push_back(span.attributes.at("kinformer.result"));
    }
    return out;
  }

  const std::shared_ptr<RecordedSpans> spans_;

 private:
  explicit ReconcileSpansTest(const std::shared_ptr<RecordedSpans>& spans)
      : ControllerTest(spans), spans_(spans) {}
};

TEST_F(ReconcileSpansTest, Reconcile_HasASpan) {
  Make();
  Start();
  reconcile_ = [&](const ReconcileContext& context, const Request&) -> Result<ReconcileResult> {
    env().SleepFor(seconds(3));
    context.span().SetAttribute("own", "value");
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(seconds(10));
  ASSERT_THAT(spans_->Names(), ElementsAre("reconcile pods"));
  const RecordedSpan span = spans_->All()[0];
  EXPECT_EQ(*span.ended - span.begun, seconds(3));
  EXPECT_EQ(span.parent, 0U);
  EXPECT_THAT(span.links, IsEmpty());
  EXPECT_FALSE(span.error.has_value());
  EXPECT_EQ(span.attributes.at("kinformer.controller"), "pods");
  EXPECT_EQ(span.attributes.at("kinformer.key"), "default/a");
  EXPECT_EQ(span.attributes.at("kinformer.attempts"), "0");
  EXPECT_EQ(span.attributes.at("kinformer.result"), "success");
  EXPECT_EQ(span.attributes.at("kinformer.reconcile_id"), calls_[0].id);
  EXPECT_EQ(span.attributes.at("own"), "value");
}

TEST_F(ReconcileSpansTest, RepeatedReconcile_IsLinkedToTheOneBefore) {
  Make();
  Start();
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    switch (calls_.size()) {
      case 1:
        return Error(Reason::kConflict, "first");
      case 2:
        return ReconcileResult{.requeue = true};
      case 3:
        return ReconcileResult{.requeue_after = seconds(30)};
      case 4:
        return TerminalError(Error(Reason::kInvalid, "for good"));
      default:
        return ReconcileResult{};
    }
  };
  Add(kA);
  sim_.RunFor(minutes(2));
  Add(kA);
  sim_.RunFor(minutes(2));
  EXPECT_THAT(Results(), ElementsAre("error", "requeue", "requeue_after", "error", "success"));
  const std::vector<RecordedSpan> spans = spans_->All();
  ASSERT_EQ(spans.size(), 5U);
  EXPECT_EQ(spans[0].error, "first");
  EXPECT_THAT(spans[1].links, ElementsAre(1));
  EXPECT_EQ(spans[1].attributes.at("kinformer.attempts"), "1");
  EXPECT_THAT(spans[2].links, ElementsAre(2));
  EXPECT_THAT(spans[3].links, ElementsAre(3));
  EXPECT_EQ(spans[3].error, "for good");
  EXPECT_THAT(spans[4].links, IsEmpty()) << "an event woke it, and nothing was left to repeat";
}

TEST_F(ReconcileSpansTest, OtherRequests_AreNotLinked) {
  Make();
  Start();
  reconcile_ = [&](const ReconcileContext&, const Request& r) -> Result<ReconcileResult> {
    if (r == kA && calls_.size() == 1) return ReconcileResult{.requeue_after = seconds(30)};
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(seconds(1));
  Add(kB);
  sim_.RunFor(minutes(1));
  const std::vector<RecordedSpan> spans = spans_->All();
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_THAT(spans[1].links, IsEmpty());
  EXPECT_THAT(spans[2].links, ElementsAre(1));
}

TEST_F(ReconcileSpansTest, ReconcilerThatThrows_IsAFailedSpan) {
  Make();
  Start();
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    if (calls_.size() == 1) throw std::runtime_error("oops");
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(minutes(1));
  EXPECT_EQ(spans_->All().at(0).error, "panic: oops [recovered]");
  EXPECT_TRUE(spans_->All().at(0).ended.has_value());
}

TEST_F(ReconcileSpansTest, CallAndOwnSpans_AreChildren) {
  Make();
  Start();
  std::vector<CallOptions> calls;
  reconcile_ = [&](const ReconcileContext& context, const Request&) -> Result<ReconcileResult> {
    calls.push_back(context.call());
    const Span own(env(), "render");
    const SpanScope scope(own);
    calls.push_back(context.call());
    EXPECT_EQ(own.context().Traceparent(), calls.back().traceparent);
    const std::unique_ptr<Thread> other =
        env().NewThread("other", [&] { calls.push_back(context.call()); });
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(seconds(1));
  ASSERT_EQ(spans_->Named("render").size(), 1U);
  EXPECT_EQ(spans_->Named("render")[0].parent, 1U);
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].traceparent, spans_->All()[0].context.Traceparent());
  EXPECT_NE(calls[1].traceparent, calls[0].traceparent);
  EXPECT_EQ(calls[2].traceparent, calls[0].traceparent);
}

TEST_F(ControllerTest, WithoutATracer_ContextHasAnEmptySpan) {
  const ReconcileContext context(env(), {});
  EXPECT_FALSE(static_cast<bool>(context.span()));
  EXPECT_EQ(context.call().traceparent, "");
}

}  // namespace
}  // namespace kinformer
