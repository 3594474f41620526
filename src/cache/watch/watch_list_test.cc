// The reflector with watch-lists: rows WL of the catalogue.

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/watch/reflector.h"
#include "cache/watch/testing/reflector_fixture.h"
#include "client/contained_list_watch.h"

namespace kinformer::internal::cache {
namespace {

using client::FakeServer;
using client::MakePod;
using std::chrono::minutes;
using std::chrono::seconds;

class WatchListTest : public ReflectorTest {
 protected:
  WatchListTest() { server_.watch_list_unsupported = false; }
};

TEST_F(WatchListTest, NothingIsKnownBeforeTheEndBookmark_WL04_to_WL07) {
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

class RefusedWatchListTest : public WatchListTest {
 protected:
  void ExpectListAndWatchAfter(const Error& refusal) {
    server_.Put("foo");
    server_.watch_errors.push_back(refusal);
    Start();
    EXPECT_EQ(server_.requests, (Texts{"WATCHLIST rv= NotOlderThan bookmarks",
                                       "LIST rv=0 limit=500", "WATCH rv=1 bookmarks"}));
    server_.Put("bar");
    sim_.RunReady();
    EXPECT_EQ(store_.objects, (std::map<std::string, std::string>{{"foo", "1"}, {"bar", "2"}}));
  }
};

TEST_F(RefusedWatchListTest, AnyErrorIsAnsweredByAList_WL09) {
  ExpectListAndWatchAfter(Error(Reason::kUnknown, "no"));
}

TEST_F(RefusedWatchListTest, StreamingNotAllowed_FallsBackToList_WL10) {
  ExpectListAndWatchAfter(
      Error(Reason::kInvalid, "sendInitialEvents is forbidden").WithHttpStatus(422));
}

TEST_F(WatchListTest, InitialEventsMayChangeAndDelete_WL12) {
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

TEST_F(WatchListTest, TooManyRequestsRepeatsTheWatchList_WL13) {
  server_.watch_errors = {TooMany(), TooMany()};
  server_.Put("foo");
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return store_.replaced == 1; }, minutes(5)));
  EXPECT_EQ(Count("WATCHLIST"), 3U);
  EXPECT_EQ(Count("LIST"), 0U);
}

TEST_F(WatchListTest, AStreamThatEndsTooEarlyStartsAfresh_WL14) {
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

TEST_F(WatchListTest, AfterTheInitialEventsItResumesAsAWatch_WL15) {
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

TEST_F(WatchListTest, ExpiredOnResumeListsAgainWithAWatchList_WL16) {
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

TEST_F(WatchListTest, ABookmarkWithoutTheMarkIsNotTheEnd_WL17) {
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

TEST_F(WatchListTest, AVersionThatIsTooOldIsFollowedByTheNewestOnce) {
  server_.set_rv(19);
  server_.Put("a");
  Start();
  sim_.RunFor(seconds(5));
  for (const std::size_t times : {1U, 2U}) {
    server_.requests.clear();
    for (std::size_t i = 0; i < times; ++i) server_.watch_errors.push_back(Expired());
    server_.FailWatches(Expired());
    sim_.RunFor(minutes(3));
    ASSERT_GE(server_.requests.size(), 2U);
    EXPECT_EQ(server_.requests[0], "WATCHLIST rv=20 NotOlderThan bookmarks");
    EXPECT_EQ(server_.requests[1], "WATCHLIST rv= NotOlderThan bookmarks");
    EXPECT_EQ(Count("WATCHLIST"), 2U);
    EXPECT_EQ(Count("LIST"), times - 1);
  }
}

TEST_F(WatchListTest, AListThatCannotBeAskedForIsANewRound) {
  server_.watch_errors.push_back(Error(Reason::kInvalid, "no").WithHttpStatus(422));
  server_.list_errors.push_back(Refused());
  Start();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(server_.requests, (Texts{"WATCHLIST rv= NotOlderThan bookmarks", "LIST rv=0 limit=500",
                                     "WATCHLIST rv= NotOlderThan bookmarks"}));
}

// ---- the watch that follows

TEST_F(WatchListTest, BookmarkGoingBack_IsLoggedAndNoEpoch) {
  server_.set_rv(100);
  Start();
  server_.SendBookmark("99");
  sim_.RunReady();
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "100");
  EXPECT_EQ(store_.words, Texts{"replace 100"});
  EXPECT_EQ(log_->lines.size(), 1U);
  EXPECT_EQ(observer_.epochs, 0);
}

TEST_F(WatchListTest, CutOffAfterTheInitialEventsItBeginsAnew) {
  Start();
  sim_.RunFor(seconds(5));
  server_.FailWatches(Refused());
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Count("WATCHLIST"), 2U);
  EXPECT_EQ(server_.requests.size(), 2U);
}

TEST_F(WatchListTest, EndedAtOnceAfterTheInitialEventsItIsAVeryShortWatch) {
  Start();
  server_.EndWatches();
  sim_.RunReady();
  EXPECT_EQ(server_.requests.size(), 1U) << "it must wait";
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Count("WATCHLIST"), 2U);
  EXPECT_EQ(server_.requests.size(), 2U);
}

// ---- memory of servers without watch-lists

TEST_F(WatchListTest, ListsByChoice_DoNotDeclineWatchLists) {
  ReflectorOptions options;
  options.use_watch_list = false;
  Start(std::move(options));
  EXPECT_EQ(store_.replaced, 1);
  EXPECT_FALSE(server_.watch_list_unsupported);
}

TEST_F(WatchListTest, AServerThatDeclinesIsNotAskedAgain_W34) {
  for (const int status : {400, 405, 422, 501}) {
    server_.watch_list_unsupported = false;
    server_.requests.clear();
    server_.watch_errors.push_back(Error(Reason::kInvalid, "no").WithHttpStatus(status));
    Start();
    EXPECT_TRUE(server_.watch_list_unsupported) << status;
    server_.FailWatches(Expired());
    sim_.RunFor(seconds(5));
    EXPECT_EQ(Count("WATCHLIST"), 1U) << status;
    EXPECT_EQ(Count("LIST"), 2U) << status;
    reflector_.reset();
  }
}

TEST_F(WatchListTest, WatchListSupportedAgain_IsUsedAgain_W34) {
  server_.watch_errors.push_back(Error(Reason::kInvalid, "no").WithHttpStatus(422));
  Start();
  server_.watch_list_unsupported = false;
  server_.FailWatches(Expired());
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Count("WATCHLIST"), 2U);
  EXPECT_EQ(Count("LIST"), 1U);
  EXPECT_FALSE(server_.watch_list_unsupported);
}

TEST_F(WatchListTest, AServerThatCannotJustNowIsAskedAgain_W34) {
  for (const Error& error : {Internal(), TooMany(), Refused(), Expired(),
                             Error(Reason::kForbidden, "no").WithHttpStatus(403),
                             Error(Reason::kServiceUnavailable, "wait").WithHttpStatus(503)}) {
    server_.watch_errors.push_back(error);
    Start();
    ASSERT_TRUE(sim_.RunUntil([&] { return server_.open_watches() == 1; }, minutes(1))) << error;
    EXPECT_FALSE(server_.watch_list_unsupported) << error;
    reflector_.reset();
  }
}

TEST_F(WatchListTest, ARefusalCountsOnceAListHasWorked_W34) {
  const Error refusal = Error(Reason::kBadRequest, "bad selector").WithHttpStatus(400);
  server_.watch_errors = {refusal, refusal};
  server_.list_errors = {refusal};
  Start();
  EXPECT_FALSE(server_.watch_list_unsupported) << "the list was refused, too";
  ASSERT_TRUE(sim_.RunUntil([&] { return store_.replaced == 1; }, minutes(1)));
  EXPECT_EQ(Count("WATCHLIST"), 2U);
  EXPECT_TRUE(server_.watch_list_unsupported);
}

TEST_F(WatchListTest, AServerThatNeverEndsTheInitialEventsCostsOneMinute_W33_W34) {
  server_.never_ends_initial_events = true;
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return store_.replaced == 1; }, minutes(3)));
  server_.FailWatches(Expired());
  ASSERT_TRUE(sim_.RunUntil([&] { return store_.replaced == 2; }, seconds(5)));
  EXPECT_EQ(Count("WATCHLIST"), 1U);
}

TEST_F(WatchListTest, EarlyEndsAreRememberedAndBrokenConnectionsAreNot_W33_W34) {
  for (const bool broken : {false, true}) {
    server_.watch_list_unsupported = false;
    server_.never_ends_initial_events = true;
    server_.on_watch = [this, broken] {
      if (!server_.requests.back().starts_with("WATCHLIST")) return;
      broken&& Count("WATCHLIST") == 2 ? server_.BreakWatches() : server_.EndWatches();
    };
    server_.requests.clear();
    Start();
    EXPECT_EQ(Count("WATCHLIST"), 3U);
    EXPECT_EQ(Count("LIST"), 1U);
    EXPECT_EQ(server_.watch_list_unsupported, !broken);
    reflector_.reset();
  }
}

TEST_F(WatchListTest, TheLogNamesAnUnreadableObjectAndItsField) {
  server_.never_ends_initial_events = true;
  Start();
  server_.SendUnreadable(WatchEventType::kAdded, "a", "1");
  server_.SendBookmark("1", true);
  server_.SendUnreadable(WatchEventType::kModified, "b", "2");
  sim_.RunReady();
  const std::string of = "an object of the ";
  EXPECT_EQ(log_->lines, (Texts{of + "watch-list is unreadable a Decode: spec.size: bad bytes",
                                of + "watch is unreadable b Decode: spec.size: bad bytes"}));
  EXPECT_EQ(store_.words, (Texts{"unreadable a", "replace 1", "unreadable b"}));
}

TEST_F(WatchListTest, TheLogNamesAnUnreadableObjectOnceUntilItIsReadableOrGone) {
  Start();
  log_->lines.clear();
  const std::string line = "an object of the watch is unreadable a Decode: spec.size: bad bytes";
  for (int i = 10; i < 15; ++i) {
    server_.SendUnreadable(WatchEventType::kModified, "a", std::to_string(i));
  }
  sim_.RunReady();
  EXPECT_EQ(log_->lines, (Texts{line}));
  server_.Send(WatchEventType::kModified, MakePod("default", "a", "20"));
  server_.SendUnreadable(WatchEventType::kModified, "a", "21");
  server_.SendUnreadable(WatchEventType::kDeleted, "a", "22");
  server_.SendUnreadable(WatchEventType::kAdded, "a", "23");
  sim_.RunReady();
  EXPECT_EQ(log_->lines, (Texts{line, line, line}));
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "23") << "it counts all the same";
}

TEST_F(WatchListTest, InitialEvents_UnreadableObjects_AreLoggedAndLeftOut) {
  server_.never_ends_initial_events = true;
  Start();
  const std::string line =
      "an object of the watch-list is unreadable a Decode: spec.size: bad bytes";
  server_.SendUnreadable(WatchEventType::kAdded, "a", "1");
  server_.SendUnreadable(WatchEventType::kModified, "a", "2");
  server_.Send(WatchEventType::kModified, MakePod("default", "a", "3"));
  server_.SendUnreadable(WatchEventType::kModified, "a", "4");
  server_.Send(WatchEventType::kAdded, MakePod("default", "b", "5"));
  server_.SendUnreadable(WatchEventType::kDeleted, "b", "6");
  server_.SendBookmark("6", true);
  sim_.RunReady();
  EXPECT_EQ(log_->lines, (Texts{line, line})) << "it was readable in between";
  EXPECT_FALSE(store_.objects.contains("b"));
}

TEST_F(WatchListTest, RefusalsAreNotSilence) {
  for (int i = 0; i < 30; ++i) {
    server_.watch_errors.push_back(TooMany().WithRetryAfter(std::chrono::seconds(5)));
  }
  server_.Put("a");
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return store_.replaced == 1; }, minutes(15)));
  EXPECT_EQ(Count("LIST"), 0U);
  EXPECT_EQ(Count("WATCHLIST"), 31U);
  EXPECT_EQ(observer_.errors, std::vector<Reason>(30, Reason::kTooManyRequests));
}

// ---- conditions for its use

// Does not declare whether it supports watch-lists.
class PlainListerWatcher final : public ListerWatcher {
 public:
  explicit PlainListerWatcher(std::unique_ptr<ListerWatcher> next) : next_(std::move(next)) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions& o, ListReceiver& r) override {
    return next_->List(o, r);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& o, WatchReceiver& r) override {
    return next_->Watch(o, r);
  }
  bool SetEntryOptions(const EntryOptions&) override { return false; }
  bool IsWatchListSemanticsUnSupported() const override { return false; }
  std::string Describe() const override { return "pods"; }

 private:
  const std::unique_ptr<ListerWatcher> next_;
};

TEST_F(WatchListTest, IsUsedUnlessSwitchedOffOrDeclined_R52_to_R55_WL32_to_WL35) {
  enum class Client { kSupports, kDeclines, kSaysNothing };
  struct Row {
    const char* id;
    bool switched_on;
    Client client;
    bool used;
  };
  for (const Row& row : {Row{"R-52 WL-32", false, Client::kSupports, false},
                         Row{"R-53", true, Client::kSupports, true},
                         Row{"R-54 WL-33", true, Client::kDeclines, false},
                         Row{"R-55 WL-34 WL-35", true, Client::kSaysNothing, true}}) {
    FakeServer server(sim_.env());
    server.watch_list_unsupported = row.client == Client::kDeclines;
    std::unique_ptr<ListerWatcher> lister_watcher = server.NewListerWatcher();
    if (row.client == Client::kSaysNothing) {
      lister_watcher = std::make_unique<PlainListerWatcher>(std::move(lister_watcher));
    }
    RecordingStore store;
    ReflectorOptions options;
    options.use_watch_list = row.switched_on;
    Reflector reflector(sim_.env(), *lister_watcher, store, observer_, std::move(options));
    sim_.env().loop().Post([&] { reflector.Start(); });
    sim_.RunReady();
    ASSERT_FALSE(server.requests.empty());
    EXPECT_EQ(server.requests[0],
              row.used ? "WATCHLIST rv= NotOlderThan bookmarks" : "LIST rv=0 limit=500")
        << row.id;
    EXPECT_EQ(store.replaced, 1) << row.id;
  }
}

// Wrappers of a ListerWatcher forward its answer.
TEST_F(WatchListTest, AWrapperPassesOnWhatTheClientSays_LW01_to_LW03) {
  PlainListerWatcher silent(server_.NewListerWatcher());
  EXPECT_FALSE(client::ContainedListWatch(sim_.env(), silent).IsWatchListSemanticsUnSupported());
  const std::unique_ptr<ListerWatcher> one = server_.NewListerWatcher();
  client::ContainedListWatch contained(sim_.env(), *one);
  server_.watch_list_unsupported = true;
  EXPECT_TRUE(contained.IsWatchListSemanticsUnSupported());
  server_.watch_list_unsupported = false;
  EXPECT_FALSE(contained.IsWatchListSemanticsUnSupported());
  contained.WatchListDeclined();
  EXPECT_TRUE(server_.watch_list_unsupported) << "and tells it what was found out";
}

// ---- slow initial events

TEST_F(WatchListTest, AnOrdinaryWatchMayBeSilent_WL01) {
  server_.watch_list_unsupported = true;
  Start();
  sim_.RunFor(minutes(2));
  EXPECT_EQ(log_->lines, Texts());
}

TEST_F(WatchListTest, SilenceBeforeTheEndBookmarkIsWarnedOf_WL02) {
  server_.never_ends_initial_events = true;
  Start();
  sim_.RunFor(seconds(25));
  const std::string waiting = "waiting for the end of the initial events of a watch-list ";
  EXPECT_EQ(log_->lines, (Texts{waiting + "10s", waiting + "20s"}));
}

TEST_F(WatchListTest, SilenceCountsFromTheLastEventAndEndsWithTheBookmark_WL03) {
  server_.never_ends_initial_events = true;
  Start();
  sim_.RunFor(seconds(9));
  server_.Send(WatchEventType::kAdded, MakePod("default", "a", "1"));
  sim_.RunFor(seconds(2));
  EXPECT_EQ(log_->lines, Texts()) << "there was an event since the last look";
  sim_.RunFor(seconds(10));
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_TRUE(log_->lines[0].ends_with(" 10s")) << log_->lines[0];
  server_.SendBookmark("1", true);
  sim_.RunFor(minutes(2));
  EXPECT_EQ(log_->lines.size(), 1U);
}

}  // namespace
}  // namespace kinformer::internal::cache
