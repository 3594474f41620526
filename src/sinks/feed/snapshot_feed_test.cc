// SnapshotFeed: lists, changes, and where it goes on.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "sinks/feed/testing/feed_fixture.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(FeedTest, EmptySink_GetsTheListAndThenTheChanges) {
  server_.Put("a");
  server_.Put("b");
  Start();
  EXPECT_THAT(sink_->words, ElementsAre(">2! +a +b"));
  server_.Put("c");
  sim_.RunReady();
  server_.Delete("a");
  sim_.RunReady();
  EXPECT_THAT(sink_->words, ElementsAre(">2! +a +b", "2>3 +c", "3>4 -a"));
  EXPECT_EQ(Mirrored(), OnServer());
}

TEST_F(FeedTest, EmptyCollection_IsHeldToo) {
  Start();
  EXPECT_THAT(sink_->words, ElementsAre(">0!"));
}

TEST_F(FeedTest, HeldVersion_GoesOnWithoutAList) {
  server_.Put("a");
  Start();
  Stop();
  server_.Put("b");
  server_.Delete("a");
  server_.requests.clear();
  Start();
  EXPECT_THAT(server_.requests, ElementsAre("WATCH rv=1 bookmarks"));
  EXPECT_THAT(sink_->version, "3");
  EXPECT_EQ(Mirrored(), OnServer());
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(FeedTest, ExpiredVersion_DifferenceToAListIsCommitted) {
  for (const char* const name : {"a", "b", "c"}) server_.Put(name);
  Start();
  Stop();
  server_.Put("d");
  server_.Delete("a");
  server_.Put("b");
  server_.Forget();
  Start();
  sim_.RunFor(minutes(1));
  EXPECT_THAT(errors_, ElementsAre("Expired"));
  EXPECT_THAT(sink_->words, ElementsAre(">3! +a +b +c", "3>6 -a +b +d"));
  EXPECT_EQ(Mirrored(), OnServer());
}

TEST_F(FeedTest, SinkThatDoesNotTellItsObjects_GetsTheWholeList) {
  server_.Put("a");
  Start();
  Stop();
  server_.Put("b");
  server_.Forget();
  sink_->tells_objects = false;
  Start();
  sim_.RunFor(minutes(1));
  EXPECT_THAT(sink_->words, ElementsAre(">1! +a", "1>2! +a +b"));
}

TEST_F(FeedTest, ServerThatWentBack_IsListedAndMirroredAtItsOlderVersion) {
  server_.answers_version = true;
  server_.set_rv(10);
  server_.Put("a");
  server_.Put("b");
  Start();
  Stop();
  server_.Lose("b");
  server_.Rewrite("a", "old");
  server_.set_rv(5);
  server_.Forget();
  Start();
  sim_.RunFor(minutes(1));
  EXPECT_EQ(sink_->words.back(), "12>5 -b");
  EXPECT_EQ(Mirrored(), OnServer());
}

TEST_F(FeedTest, Bookmark_MovesTheVersion) {
  server_.Put("a");
  Start();
  *server_.revision = 9;
  server_.Bookmark();
  sim_.RunReady();
  EXPECT_THAT(sink_->words, ElementsAre(">1! +a", "1>9"));
  server_.Bookmark();
  sim_.RunReady();
  EXPECT_EQ(sink_->words.size(), 2U) << "nothing has changed";
}

TEST_F(FeedTest, ChangesWithinTheInterval_AreOneCommit) {
  server_.Put("a");
  Start({.commit_interval = milliseconds(100)});
  server_.Put("b");
  sim_.RunReady();
  server_.Put("a");
  sim_.RunFor(milliseconds(99));
  EXPECT_THAT(sink_->words, ElementsAre(">1! +a"));
  sim_.RunFor(milliseconds(1));
  EXPECT_THAT(sink_->words, ElementsAre(">1! +a", "1>3 +b +a"));
}

TEST_F(FeedTest, Once_RunEndsWithTheDifference) {
  server_.Put("a");
  Start({.once = true});
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(*result_);
  EXPECT_EQ(server_.open_watches(), 0U);
  Stop();
  server_.Put("b");
  Start({.once = true});
  EXPECT_THAT(sink_->words, ElementsAre(">1! +a", "1>2 +b"));
  Stop();
  Start({.once = true});
  EXPECT_EQ(sink_->words.size(), 2U) << "nothing has changed";
  EXPECT_TRUE(result_.has_value());
}

TEST_F(FeedTest, OnceThatIsStoppedEarly_IsCanceled) {
  server_.down = Error(Reason::kConnectionRefused, "down");
  Start({.once = true});
  EXPECT_FALSE(result_.has_value());
  Stop();
  EXPECT_EQ(result_->error().reason(), Reason::kCanceled);
}

TEST_F(FeedTest, UnreadableObject_KeepsItsLastState) {
  server_.Put("a");
  server_.Put("b");
  Start();
  Stop();
  server_.Lose("b");
  server_.unreadable = {{"default", "b"}};
  server_.watch_list_unsupported = true;
  server_.Put("c");
  server_.Forget();
  Start();
  sim_.RunFor(minutes(1));
  EXPECT_EQ(sink_->words.back(), "2>3 +c");
  server_.SendUnreadable(WatchEventType::kDeleted, "b", "4");
  sim_.RunReady();
  EXPECT_EQ(sink_->words.back(), "3>4 -b");
}

TEST_F(FeedTest, SeveralResources_EachHasItsVersion) {
  internal::client::FakeServer other(sim_.env());
  server_.Put("a");
  other.set_rv(70);
  other.Put("z");
  std::map<std::string, std::string> versions;
  SnapshotFeed feed(sim_.env(), sink_, {.once = true, .on_commit = [&](const SinkBatch& batch) {
                                          versions[batch.resource.name] = batch.to;
                                        }});
  feed.Add({.name = "pods"}, server_.NewListerWatcher());
  feed.Add({.name = "nodes"}, other.NewListerWatcher());
  std::optional<Result<void>> result;
  ASSERT_TRUE(sim_.RunBlocking([&] { result.emplace(feed.Run({})); }, minutes(1)));
  EXPECT_TRUE(*result);
  EXPECT_EQ(versions, (std::map<std::string, std::string>{{"pods", "1"}, {"nodes", "71"}}));
}

}  // namespace
}  // namespace kinformer
