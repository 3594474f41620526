// The reflector with list and watch over a configurable server: rows R of the catalogue.

#include "cache/watch/reflector.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/figures/informer_metrics.h"
#include "cache/watch/testing/reflector_fixture.h"

namespace kinformer::internal::cache {
namespace {

using client::FakeServer;
using client::MakePod;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(ReflectorTest, ListsAtZeroInPagesThenWatchesFromThere_R13_WL08) {
  server_.Put("foo");
  Start();
  EXPECT_EQ(server_.requests, (Texts{"LIST rv=0 limit=500", "WATCH rv=1 bookmarks"}));
  EXPECT_EQ(store_.objects, (std::map<std::string, std::string>{{"foo", "1"}}));
  server_.Put("foo");
  server_.Put("bar");
  sim_.RunReady();
  EXPECT_EQ(store_.words, (Texts{"replace 1", "update foo", "add bar"}));
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "3");
}

TEST_F(ReflectorTest, WatchList_NeedsNoList_R12_WL11) {
  server_.watch_list_unsupported = false;
  server_.Put("foo");
  server_.Put("bar");
  Start();
  EXPECT_EQ(server_.requests, (Texts{"WATCHLIST rv= NotOlderThan bookmarks"}));
  EXPECT_EQ(store_.objects.size(), 2U);
  server_.Put("foo");
  sim_.RunReady();
  EXPECT_EQ(store_.words, (Texts{"replace 2", "update foo"}));
}

TEST_F(ReflectorTest, IgnoresOtherTypesAndTakesTheLastResourceVersion_R10) {
  server_.Put("foo");
  server_.Put("bar");
  Start();
  const KindInfo* service = DynamicKindInfo("", "v1", "Service", "services", true);
  server_.Send(WatchEventType::kAdded, MakePod("default", "rejected", "99", "", "", *service));
  server_.Send(WatchEventType::kDeleted, MakePod("default", "foo", "54"));
  server_.Send(WatchEventType::kModified, MakePod("default", "bar", "55"));
  server_.Send(WatchEventType::kAdded, MakePod("default", "baz", "32"));
  sim_.RunReady();
  EXPECT_EQ(store_.objects, (std::map<std::string, std::string>{{"bar", "55"}, {"baz", "32"}}));
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "32");
}

TEST_F(ReflectorTest, ObjectsOfAnotherKindAreIgnoredInListsToo) {
  server_.Put("foo");
  for (const bool watch_list : {false, true}) {
    server_.watch_list_unsupported = !watch_list;
    log_->lines.clear();
    ReflectorOptions options;
    options.expected_type = DynamicKindInfo("", "v1", "Service", "services", true);
    Start(std::move(options));
    EXPECT_TRUE(store_.objects.empty());
    EXPECT_EQ(log_->lines, Texts{"the server sent an object of another kind; ignored"});
    reflector_.reset();
  }
  EXPECT_EQ(store_.replaced, 2);
}

TEST_F(ReflectorTest, AnObjectThatAListCannotReadIsNamedUntilOneCan) {
  const auto list_after = [&](const std::function<void()>& change) {
    server_.FailWatches(Expired());
    sim_.RunReady();
    change();
    server_.Forget();
    sim_.RunFor(minutes(3));
  };
  const std::string line = "an object of the list is unreadable bad Decode: bad bytes";
  server_.unreadable = {{"default", "bad"}};
  Start();
  EXPECT_EQ(log_->lines, Texts{line});
  list_after([] {});
  EXPECT_EQ(log_->lines.size(), 1U) << "that is known";
  list_after([&] {
    server_.unreadable.clear();
    server_.Put("bad");
  });
  list_after([&] {
    server_.Delete("bad");
    server_.unreadable = {{"default", "bad"}};
  });
  EXPECT_EQ(log_->lines, (Texts{line, line}));
}

TEST_F(ReflectorTest, AServerThatEndsWatchesAtOnceDoesNotFloodTheLog) {
  Start();
  const SteadyTime began = Now();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(sim_.RunUntil([&] { return server_.open_watches() > 0; }, minutes(2)));
    server_.EndWatches();
    sim_.RunReady();
  }
  EXPECT_GE(Count("LIST"), 20U);
  EXPECT_GE(log_->lines.size(), 2U);
  EXPECT_LE(log_->lines.size(), 1U + static_cast<std::size_t>((Now() - began) / minutes(1)));
}

TEST_F(ReflectorTest, WatchesThatEndAtOnceWithAnEventEachAreNotOpenedInACircle) {
  Start();
  sim_.RunFor(seconds(5));
  const SteadyTime began = Now();
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(sim_.RunUntil([&] { return server_.open_watches() > 0; }, minutes(2)));
    server_.Put("a", std::to_string(i));
    server_.EndWatches();
    sim_.RunReady();
  }
  EXPECT_GT(Now() - began, seconds(20));
  EXPECT_LT(Now() - began, seconds(70));
  EXPECT_EQ(Count("LIST"), 1U);
}

TEST_F(ReflectorTest, VeryShortWatchRelistsAfterABackoff_R08_R09) {
  Start();
  sim_.RunFor(milliseconds(10));
  server_.EndWatches();
  sim_.RunReady();
  EXPECT_EQ(server_.requests.size(), 2U) << "it must wait before it lists again";
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Count("LIST"), 2U);
}

TEST_F(ReflectorTest, AWatchThatEndsAfterASecondIsResumedAtOnce) {
  server_.Put("foo");
  Start();
  sim_.RunFor(seconds(1));
  server_.EndWatches();
  sim_.RunReady();
  EXPECT_EQ(server_.requests.back(), "WATCH rv=1 bookmarks");
  EXPECT_EQ(Count("LIST"), 1U);
  EXPECT_EQ(Count("WATCH"), 2U);
}

TEST_F(ReflectorTest, AWatchWithEventsIsResumedAtTheLast) {
  server_.Put("foo");
  Start();
  server_.Put("bar");
  sim_.RunReady();
  server_.EndWatches();
  sim_.RunReady();
  EXPECT_EQ(server_.requests.back(), "WATCH rv=2 bookmarks");
}

TEST_F(ReflectorTest, RelistsAtTheLastAndFallsBackToAQuorumRead_R28_R29) {
  server_.set_rv(9);
  server_.Put("foo");
  Start();
  sim_.RunFor(seconds(5));
  server_.list_errors.push_back(Expired());
  server_.FailWatches(Expired());
  sim_.RunFor(seconds(3));
  ASSERT_GE(server_.requests.size(), 5U);
  EXPECT_EQ(server_.requests[0], "LIST rv=0 limit=500");
  EXPECT_EQ(server_.requests[2], "LIST rv=10 limit=0");
  EXPECT_EQ(server_.requests[3], "LIST rv= limit=500");
  EXPECT_EQ(server_.requests[4], "WATCH rv=10 bookmarks");
}

// Forms used by servers of different ages: in a cause's reason, its message, or the error's.
std::vector<Error> TooLargeInItsThreeForms() {
  const auto with_cause = [](const char* message, const char* reason, const char* cause) {
    StatusDetails details;
    details.causes.push_back({reason, cause, ""});
    return Error(Reason::kTimeout, message).WithHttpStatus(504).WithDetails(details);
  };
  return {
      with_cause("Timeout", "ResourceVersionTooLarge", "in words of its own"),
      with_cause("Timeout", "", "Too large resource version"),
      Error(Reason::kTimeout, "Timeout: Too large resource version: 30, current: 20")
          .WithHttpStatus(504),
  };
}

TEST_F(ReflectorTest, TooLargeResourceVersionFallsBackInItsThreeForms_R31) {
  server_.set_rv(19);
  server_.Put("foo");
  Start();
  Texts lists{"LIST rv=0 limit=500"};
  std::uint64_t at = 20;
  for (const Error& too_large : TooLargeInItsThreeForms()) {
    sim_.RunFor(minutes(3));
    server_.set_rv(at);
    server_.list_errors.push_back(too_large);
    server_.FailWatches(Expired());
    sim_.RunFor(seconds(3));
    lists.push_back("LIST rv=" + std::to_string(at) + " limit=0");
    lists.push_back("LIST rv= limit=500");
    at += 10;
    server_.set_rv(at);
    server_.Bookmark();
    sim_.RunReady();
  }
  Texts seen;
  for (const std::string& request : server_.requests) {
    if (request.starts_with("LIST")) seen.push_back(request);
  }
  EXPECT_EQ(seen, lists);
  EXPECT_EQ(store_.objects.size(), 1U);
}

TEST_F(ReflectorTest, PageSizeIsKeptAndTokensAreFollowed_R25_PG08) {
  server_.pages_ignore_rv = true;
  for (int i = 0; i < 10; ++i) server_.Put("pod-" + std::to_string(i));
  ReflectorOptions options;
  options.watch_list_page_size = 4;
  Start(std::move(options));
  EXPECT_EQ(server_.requests, (Texts{"LIST rv=0 limit=4", "LIST rv= limit=4 continue=4",
                                     "LIST rv= limit=4 continue=8", "WATCH rv=10 bookmarks"}));
  EXPECT_EQ(store_.objects.size(), 10U);
}

TEST_F(ReflectorTest, AllItemsOfAnyNumberOfPages_PG01_to_PG05) {
  struct Row {
    int items;
    std::size_t lists;
  };
  for (const Row& row : {Row{0, 1}, Row{9, 1}, Row{10, 1}, Row{11, 2}, Row{21, 3}}) {
    FakeServer server(sim_.env());
    server.watch_list_unsupported = true;
    server.pages_ignore_rv = true;
    for (int i = 0; i < row.items; ++i) server.Put("pod-" + std::to_string(i));
    RecordingStore store;
    const auto lister_watcher = server.NewListerWatcher();
    ReflectorOptions options;
    options.watch_list_page_size = 10;
    Reflector reflector(sim_.env(), *lister_watcher, store, observer_, std::move(options));
    sim_.env().loop().Post([&] { reflector.Start(); });
    sim_.RunReady();
    EXPECT_EQ(store.objects.size(), static_cast<std::size_t>(row.items));
    EXPECT_EQ(server.requests.size(), row.lists + 1) << row.items << " items";
  }
}

TEST_F(ReflectorTest, NoPagesOnceThereIsAResourceVersion_R26) {
  server_.set_rv(9);
  server_.Put("foo");
  Start();
  sim_.RunFor(seconds(5));
  server_.FailWatches(Expired());
  sim_.RunFor(seconds(3));
  EXPECT_EQ(server_.requests[2], "LIST rv=10 limit=0");
}

TEST_F(ReflectorTest, PaginationSticksWhereThereIsNoWatchCache_R27) {
  server_.pages_ignore_rv = true;
  for (int i = 0; i < 501; ++i) server_.Put("pod-" + std::to_string(i));
  Start();
  EXPECT_EQ(Count("LIST"), 2U);
  sim_.RunFor(seconds(5));
  server_.FailWatches(Expired());
  sim_.RunFor(seconds(3));
  EXPECT_EQ(server_.requests[3], "LIST rv=501 limit=500");
  EXPECT_EQ(store_.objects.size(), 501U);
}

TEST_F(ReflectorTest, APageThatExpiresMakesItOneFullList_R30_PG07) {
  server_.set_rv(9);
  server_.pages_ignore_rv = true;
  for (int i = 0; i < 8; ++i) server_.Put("pod-" + std::to_string(i));
  ReflectorOptions options;
  options.watch_list_page_size = 4;
  Start(std::move(options));
  sim_.RunFor(seconds(5));
  server_.requests.clear();
  server_.list_errors = {std::nullopt, Expired()};
  server_.FailWatches(Expired());
  sim_.RunFor(seconds(3));
  EXPECT_EQ(server_.requests, (Texts{"LIST rv=17 limit=4", "LIST rv= limit=4 continue=4",
                                     "LIST rv=17 limit=0", "WATCH rv=17 bookmarks"}));
  EXPECT_EQ(store_.objects.size(), 8U);
}

TEST_F(ReflectorTest, ListAndConnectErrorsAreReportedAndRetried_R14) {
  server_.list_errors.push_back(Internal());
  server_.watch_errors.push_back(Error(Reason::kForbidden, "no").WithHttpStatus(403));
  Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return server_.open_watches() == 1; }, minutes(1)));
  EXPECT_EQ(observer_.errors, (std::vector<Reason>{Reason::kInternalError, Reason::kForbidden}));
  EXPECT_EQ(Count("LIST"), 3U);
}

TEST_F(ReflectorTest, WatchTimeouts_R40_R41_R42) {
  struct Row {
    Duration min;
    std::int64_t low;
    std::int64_t high;
  };
  // Last row: the longest time-out that a server's clock can represent.
  for (const Row& row :
       {Row{Duration(0), 300, 600}, Row{seconds(1), 300, 600}, Row{minutes(30), 1800, 3600},
        Row{std::chrono::years(100), 315'569'520, 631'139'040}}) {
    for (const bool watch_list : {false, true}) {
      server_.watch_list_unsupported = !watch_list;
      server_.timeouts.clear();
      for (int i = 0; i < 100; ++i) {
        ReflectorOptions options;
        options.min_watch_timeout = row.min;
        Start(std::move(options));
        reflector_.reset();
      }
      ASSERT_EQ(server_.timeouts.size(), 100U);
      const auto [least, most] =
          std::minmax_element(server_.timeouts.begin(), server_.timeouts.end());
      EXPECT_GE(*least, row.low);
      EXPECT_LE(*least, row.low + row.low / 10);
      EXPECT_GE(*most, row.high - row.high / 10);
      EXPECT_LE(*most, row.high);
    }
  }
}

TEST_F(ReflectorTest, AStoreReadErrorInTheStreamRelists_R45) {
  server_.Put("good");
  server_.Put("corrupt");
  server_.Put("fine");
  Start();
  sim_.RunFor(seconds(5));
  StatusDetails details;
  details.causes.push_back({"UnexpectedServerResponse", "object not decodable", ""});
  Error unreadable(Reason::kUnknown, "StorageReadError: pods \"corrupt\": object not decodable");
  server_.FailWatches(unreadable.WithHttpStatus(500).WithDetails(details));
  server_.Delete("corrupt");
  sim_.RunFor(seconds(3));
  EXPECT_EQ(store_.replaced, 2);
  EXPECT_EQ(store_.objects, (std::map<std::string, std::string>{{"good", "1"}, {"fine", "3"}}));
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "4") << "that of the list";
  EXPECT_EQ(server_.requests.back(), "WATCH rv=4 bookmarks");
}

TEST_F(ReflectorTest, AFailedResyncRelists_R24) {
  ReflectorOptions options;
  options.resync_period = seconds(10);
  const std::unique_ptr<InformerMetrics> metrics = InformerMetrics::For(sim_.env(), "pods");
  options.metrics = metrics.get();
  store_.resync_fails_at = 2;
  Start(std::move(options));
  sim_.RunFor(seconds(20));
  EXPECT_EQ(server_.open_watches(), 0U) << "at once";
  EXPECT_NE(metrics_->Text().find("reflector_watch_duration_seconds_sum{name=\"pods\"} 20\n"),
            std::string::npos)
      << metrics_->Text();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(store_.resyncs, 2);
  EXPECT_EQ(Count("LIST"), 2U);
  reflector_.reset();  // before its metrics are destroyed
}

TEST_F(ReflectorTest, AnErrorThatIsNoStatusRelists_R01) {
  Start();
  sim_.RunFor(seconds(5));
  server_.FailWatches(Error(Reason::kDecode, "not a Status"));
  sim_.RunFor(seconds(3));
  EXPECT_EQ(Count("LIST"), 2U);
}

TEST_F(ReflectorTest, TheResyncTimerFiresAgainAndAgain_R03) {
  ReflectorOptions options;
  options.resync_period = seconds(10);
  Start(std::move(options));
  sim_.RunFor(seconds(35));
  EXPECT_EQ(store_.resyncs, 3);
}

TEST_F(ReflectorTest, DestructionDuringTheListOpensNoWatch_R04) {
  server_.Put("foo");
  lister_watcher_ = server_.NewListerWatcher();
  reflector_ = std::make_unique<Reflector>(sim_.env(), *lister_watcher_, store_, observer_,
                                           ReflectorOptions());
  sim_.env().loop().Post([this] { reflector_->Start(); });
  ASSERT_TRUE(sim_.RunUntil([&] { return server_.requests.size() == 1; }, seconds(1)));
  reflector_.reset();  // before its metrics are destroyed
  sim_.RunFor(minutes(10));
  EXPECT_EQ(server_.requests, (Texts{"LIST rv=0 limit=500"}));
  EXPECT_TRUE(store_.words.empty());
}

TEST_F(ReflectorTest, DestructionBeforeTheStreamIsReadReadsNothing_R06_R11) {
  Start();
  store_.words.clear();
  server_.Put("foo");
  reflector_.reset();  // before its metrics are destroyed
  sim_.RunFor(minutes(10));
  EXPECT_TRUE(store_.words.empty());
  EXPECT_EQ(server_.open_watches(), 0U);
}

TEST_F(ReflectorTest, DestructionEndsTheWatch_R02_R05_R07) {
  Start();
  EXPECT_EQ(server_.open_watches(), 1U);
  reflector_.reset();  // before its metrics are destroyed
  EXPECT_EQ(server_.open_watches(), 0U);
  server_.Put("foo");
  sim_.RunFor(minutes(1));
  EXPECT_EQ(server_.requests.size(), 2U);
  EXPECT_EQ(store_.words, (Texts{"replace 0"}));
}

TEST_F(ReflectorTest, PauseClosesTheWatchAndResumeContinues) {
  server_.Put("foo");
  Start();
  sim_.env().loop().Post([this] { reflector_->Pause(); });
  sim_.RunReady();
  EXPECT_EQ(server_.open_watches(), 0U);
  server_.Put("bar");
  sim_.RunFor(minutes(10));
  EXPECT_EQ(store_.words, (Texts{"replace 1"}));
  sim_.env().loop().Post([this] { reflector_->Resume(); });
  sim_.RunReady();
  EXPECT_EQ(server_.requests.back(), "WATCH rv=1 bookmarks");
  EXPECT_EQ(store_.words, (Texts{"replace 1", "add bar"}));
}

}  // namespace
}  // namespace kinformer::internal::cache
