// The spans of a reflector: what each one says, and the links between them.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/core/testing/recorded_spans.h"
#include "cache/watch/testing/reflector_fixture.h"

namespace kinformer::internal::cache {
namespace {

using base::RecordedSpan;
using base::RecordedSpans;
using std::chrono::minutes;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class ReflectorSpansTest : public ReflectorTest {
 protected:
  ReflectorSpansTest() : ReflectorSpansTest(std::make_shared<RecordedSpans>()) {}

  const std::shared_ptr<RecordedSpans> spans_;

 private:
  explicit ReflectorSpansTest(const std::shared_ptr<RecordedSpans>& spans)
      : ReflectorTest(spans), spans_(spans) {}
};

TEST_F(ReflectorSpansTest, ListAndWatch_AreLinked) {
  server_.Put("foo");
  Start();
  ASSERT_THAT(spans_->Names(), ElementsAre("list pods", "watch pods"));
  const RecordedSpan list = spans_->All()[0];
  EXPECT_TRUE(list.ended.has_value());
  EXPECT_FALSE(list.error.has_value());
  EXPECT_THAT(list.links, IsEmpty());
  EXPECT_THAT(list.attributes, Contains(Pair("kinformer.items", "1")));
  EXPECT_THAT(list.attributes, Contains(Pair("kinformer.informer", "pods")));
  const RecordedSpan watch = spans_->All()[1];
  EXPECT_FALSE(watch.ended.has_value());
  EXPECT_EQ(watch.parent, 0U);
  EXPECT_THAT(watch.links, ElementsAre(list.id));
  EXPECT_THAT(watch.events, ElementsAre("accepted"));
  EXPECT_THAT(watch.attributes, Contains(Pair("kinformer.resumed", "false")));
  EXPECT_THAT(watch.attributes, Contains(Pair("kinformer.resource_version", "1")));
}

TEST_F(ReflectorSpansTest, BrokenWatch_IsResumedInASpanOfItsOwn) {
  server_.Put("foo");
  Start();
  server_.Put("bar");
  sim_.RunReady();
  server_.BreakWatches();
  ASSERT_TRUE(sim_.RunUntil([&] { return spans_->All().size() == 3; }, minutes(5)));
  const RecordedSpan broken = spans_->All()[1];
  EXPECT_TRUE(broken.ended.has_value());
  EXPECT_THAT(broken.events, ElementsAre("accepted", "connection broken"));
  EXPECT_THAT(broken.attributes, Contains(Pair("kinformer.events", "1")));
  const RecordedSpan resumed = spans_->All()[2];
  EXPECT_EQ(resumed.name, "watch pods");
  EXPECT_THAT(resumed.links, ElementsAre(broken.id));
  EXPECT_THAT(resumed.attributes, Contains(Pair("kinformer.resumed", "true")));
}

TEST_F(ReflectorSpansTest, ExpiredWatch_IsTheCauseOfAList) {
  server_.Put("foo");
  server_.watch_errors = {Expired()};
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return spans_->All().size() == 4; }, minutes(5)));
  EXPECT_THAT(spans_->Names(), ElementsAre("list pods", "watch pods", "list pods", "watch pods"));
  const RecordedSpan watch = spans_->All()[1];
  EXPECT_EQ(watch.error, "too old");
  EXPECT_TRUE(watch.ended.has_value());
  EXPECT_THAT(spans_->All()[2].links, ElementsAre(watch.id));
}

TEST_F(ReflectorSpansTest, FailedList_SaysWhy) {
  server_.list_errors = {Error(Reason::kForbidden, "no rights").WithHttpStatus(403)};
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return spans_->All().size() == 3; }, minutes(5)));
  EXPECT_EQ(spans_->All()[0].error, "no rights");
  EXPECT_TRUE(spans_->All()[0].ended.has_value());
  EXPECT_THAT(spans_->All()[1].links, ElementsAre(1));
}

TEST_F(ReflectorSpansTest, WatchList_EndsWhereItsWatchBegins) {
  server_.watch_list_unsupported = false;
  server_.Put("foo");
  Start();
  ASSERT_THAT(spans_->Names(), ElementsAre("watch-list pods", "watch pods"));
  EXPECT_TRUE(spans_->All()[0].ended.has_value());
  EXPECT_THAT(spans_->All()[0].attributes, Contains(Pair("kinformer.items", "1")));
  EXPECT_THAT(spans_->All()[1].links, ElementsAre(1));
  reflector_.reset();
  EXPECT_TRUE(spans_->All()[1].ended.has_value());
}

TEST_F(ReflectorSpansTest, RefusedWatchList_IsAFailedSpanBeforeTheList) {
  server_.watch_list_unsupported = false;
  server_.watch_errors = {Error(Reason::kUnknown, "no watch-lists")};
  Start();
  EXPECT_THAT(spans_->Names(), ElementsAre("watch-list pods", "list pods", "watch pods"));
  EXPECT_EQ(spans_->All()[0].error, "no watch-lists");
}

}  // namespace
}  // namespace kinformer::internal::cache
