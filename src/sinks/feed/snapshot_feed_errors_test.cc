// SnapshotFeed: sinks that fail or throw, and stops.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

#include "sinks/feed/testing/feed_fixture.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FeedErrorsTest : public FeedTest {};

TEST_F(FeedErrorsTest, ErrorThatPasses_SameBatchComesAgain) {
  server_.Put("a");
  sink_->open_errors = {Error(Reason::kConnectionRefused, "no database yet")};
  sink_->commit_errors = {Error(Reason::kTransport, "lost"), Error(Reason::kOverLimit, "full")};
  Start();
  EXPECT_THAT(sink_->words, IsEmpty());
  sim_.RunFor(minutes(1));
  EXPECT_THAT(sink_->words, ElementsAre(">1! +a"));
  EXPECT_FALSE(result_.has_value());
}

TEST_F(FeedErrorsTest, ErrorThatStays_EndsRun) {
  server_.Put("a");
  sink_->commit_errors = {Error(Reason::kConflict, "two writers")};
  Start();
  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->error().reason(), Reason::kConflict);
  EXPECT_EQ(server_.open_watches(), 0U);
  Stop();
  sink_->open_errors = {Error(Reason::kConfig, "other columns")};
  Start();
  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->error().message(), "other columns");
}

TEST_F(FeedErrorsTest, SinkThatThrows_EndsRunAndIsCounted) {
  server_.Put("a");
  sink_->on_commit = [] { throw std::runtime_error("bad sink"); };
  Start();
  ASSERT_TRUE(result_.has_value());
  EXPECT_THAT(result_->error().message(), HasSubstr("bad sink"));
  EXPECT_THAT(metrics_->Text(), HasSubstr("kinformer_user_exceptions_total"));
}

TEST_F(FeedErrorsTest, OnCommitThatThrows_EndsRun) {
  server_.Put("a");
  SnapshotFeedOptions options = AtOnce();
  options.on_commit = [](const SinkBatch&) { throw std::runtime_error("bad caller"); };
  Start(std::move(options));
  ASSERT_TRUE(result_.has_value());
  EXPECT_THAT(result_->error().message(), HasSubstr("bad caller"));
  EXPECT_THAT(sink_->words, ElementsAre(">1! +a"));
}

TEST_F(FeedErrorsTest, StopDuringAPause_EndsRunWithoutAnError) {
  server_.Put("a");
  sink_->commit_errors = {10, Error(Reason::kTimeout, "locked")};
  Start();
  sim_.RunFor(seconds(2));
  Stop();
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(*result_);
  EXPECT_THAT(sink_->words, IsEmpty());
}

TEST_F(FeedErrorsTest, StopFromTheSink_NothingMoreIsCalled) {
  server_.Put("a");
  sink_->on_commit = [this] { stop_.request_stop(); };
  Start();
  server_.Put("b");
  sim_.RunFor(minutes(1));
  EXPECT_THAT(sink_->words, ElementsAre(">1! +a"));
  EXPECT_TRUE(result_.has_value());
}

TEST_F(FeedErrorsTest, StopFromOnCommit_EndsRun) {
  server_.Put("a");
  SnapshotFeedOptions options = AtOnce();
  options.on_commit = [this](const SinkBatch&) { stop_.request_stop(); };
  Start(std::move(options));
  server_.Put("b");
  sim_.RunFor(minutes(1));
  EXPECT_THAT(sink_->words, ElementsAre(">1! +a"));
  EXPECT_TRUE(result_.has_value());
}

TEST_F(FeedErrorsTest, OnWatchErrorThatThrows_FeedGoesOn) {
  server_.Put("a");
  server_.list_errors = server_.watch_errors = {Error(Reason::kForbidden, "no")};
  SnapshotFeedOptions options = AtOnce();
  options.on_watch_error = [](const ExportedResource&, const Error&) {
    throw std::runtime_error("bad caller");
  };
  Start(std::move(options));
  sim_.RunFor(minutes(5));
  EXPECT_THAT(sink_->words, ElementsAre(">1! +a"));
  EXPECT_THAT(metrics_->Text(), HasSubstr("kinformer_user_exceptions_total"));
}

TEST_F(FeedErrorsTest, StopFromOnWatchError_EndsRun) {
  server_.down = Error(Reason::kForbidden, "no");
  SnapshotFeedOptions options = AtOnce();
  std::string resource;
  options.on_watch_error = [&](const ExportedResource& failed, const Error&) {
    resource = failed.name;
    stop_.request_stop();
  };
  Start(std::move(options));
  sim_.RunFor(minutes(1));
  EXPECT_TRUE(result_.has_value());
  EXPECT_EQ(resource, "pods");
}

TEST_F(FeedErrorsTest, RunOnTheLoop_IsRefused) {
  SnapshotFeed feed(sim_.env(), sink_);
  std::optional<Reason> reason;
  sim_.env().loop().Post([&] { reason = feed.Run({}).error().reason(); });
  sim_.RunReady();
  EXPECT_EQ(reason, Reason::kWouldDeadlock);
}

}  // namespace
}  // namespace kinformer
