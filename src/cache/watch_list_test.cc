// The reflector with watch-lists: rows WL of the catalogue.

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "cache/reflector.h"
#include "cache/testing/reflector_fixture.h"

namespace kinformer::internal {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class WatchListTest : public ReflectorTest {
 protected:
  WatchListTest() { server_.watch_list_unsupported = false; }
};

TEST_F(WatchListTest, WL_04_to_WL_07_NothingIsKnownBeforeTheEndBookmark) {
  server_.never_ends_initial_events = true;
  server_.Put("foo");
  Start();
  EXPECT_EQ(store_.replaced, 0);
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "");
  EXPECT_EQ(server_.requests.size(), 1U);
  server_.SendBookmark("2", true);
  sim_.RunReady();
  EXPECT_EQ(store_.replaced, 1);
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "2");
}

TEST_F(WatchListTest, WL_09_WL_10_ARefusalFallsBackToList) {
  server_.Put("foo");
  server_.watch_errors.push_back(
      Error(Reason::kInvalid, "sendInitialEvents is forbidden").WithHttpStatus(422));
  Start();
  EXPECT_EQ(server_.requests, (Texts{"WATCHLIST rv= NotOlderThan bookmarks", "LIST rv=0 limit=500",
                                     "WATCH rv=1 bookmarks"}));
  server_.Put("bar");
  sim_.RunReady();
  EXPECT_EQ(store_.objects.size(), 2U);
}

TEST_F(WatchListTest, WL_12_InitialEventsMayChangeAndDelete) {
  server_.never_ends_initial_events = true;
  Start();
  server_.Send(WatchEventType::kAdded, MakePod("default", "p1", "1"));
  server_.Send(WatchEventType::kAdded, MakePod("default", "p2", "2"));
  server_.Send(WatchEventType::kModified, MakePod("default", "p1", "3"));
  server_.Send(WatchEventType::kAdded, MakePod("default", "p3", "4"));
  server_.Send(WatchEventType::kDeleted, MakePod("default", "p3", "5"));
  server_.SendBookmark("5", true);
  sim_.RunReady();
  EXPECT_EQ(store_.objects, (std::map<std::string, std::string>{{"p1", "3"}, {"p2", "2"}}));
}

TEST_F(WatchListTest, WL_13_TooManyRequestsRepeatsTheWatchList) {
  server_.watch_errors = {TooMany(), TooMany()};
  server_.Put("foo");
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return store_.replaced == 1; }, minutes(5)));
  EXPECT_EQ(Count("WATCHLIST"), 3U);
  EXPECT_EQ(Count("LIST"), 0U);
}

TEST_F(WatchListTest, WL_14_AStreamThatEndsTooEarlyStartsAfresh) {
  server_.never_ends_initial_events = true;
  server_.Put("foo");
  Start();
  server_.Delete("foo");
  server_.Put("bar");
  sim_.RunReady();
  server_.never_ends_initial_events = false;
  server_.EndWatches();
  sim_.RunReady();
  EXPECT_EQ(Count("WATCHLIST"), 2U);
  EXPECT_EQ(store_.objects, (std::map<std::string, std::string>{{"bar", "3"}}));
}

TEST_F(WatchListTest, WL_15_AfterTheInitialEventsItResumesAsAWatch) {
  server_.Put("a");
  server_.Put("b");
  Start();
  server_.Put("c");
  sim_.RunReady();
  server_.EndWatches();
  sim_.RunReady();
  EXPECT_EQ(server_.requests.back(), "WATCH rv=3 bookmarks");
  server_.Put("d");
  sim_.RunReady();
  EXPECT_EQ(store_.objects.size(), 4U);
}

TEST_F(WatchListTest, WL_16_ExpiredOnResumeListsAgainWithAWatchList) {
  server_.Put("a");
  Start();
  sim_.RunFor(seconds(5));
  server_.watch_errors.push_back(Expired());
  server_.EndWatches();
  sim_.RunReady();
  EXPECT_EQ(observer_.errors, (std::vector<Reason>{Reason::kExpired}));
  EXPECT_EQ(store_.objects.size(), 1U);
  sim_.RunFor(seconds(3));
  EXPECT_EQ(server_.requests.back(), "WATCHLIST rv=1 NotOlderThan bookmarks");
}

TEST_F(WatchListTest, WL_17_ABookmarkWithoutTheMarkIsNotTheEnd) {
  server_.never_ends_initial_events = true;
  server_.Put("a");
  Start();
  server_.SendBookmark("1", false);
  sim_.RunReady();
  EXPECT_EQ(store_.replaced, 0);
}

TEST_F(WatchListTest, AServerThatNeverEndsTheInitialEventsIsListed) {
  server_.never_ends_initial_events = true;
  server_.Put("a");
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return store_.replaced == 1; }, minutes(3)));
  EXPECT_EQ(Count("LIST"), 1U);
}

TEST_F(WatchListTest, StreamsThatAlwaysEndEarlyAreListed) {
  server_.never_ends_initial_events = true;
  server_.on_watch = [this] {
    if (server_.requests.back().starts_with("WATCHLIST")) server_.EndWatches();
  };
  server_.Put("a");
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return store_.replaced == 1; }, minutes(3)));
  EXPECT_EQ(Count("WATCHLIST"), 3U);
  EXPECT_EQ(Count("LIST"), 1U);
}

}  // namespace
}  // namespace kinformer::internal
