// Contents of the store after lists that failed half way, servers that went back in time, and slow
// watch-lists. Other tests check the requests.

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/watch/reflector.h"
#include "cache/watch/testing/reflector_fixture.h"

namespace kinformer::internal::cache {
namespace {

using client::FakeServer;
using client::MakePod;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class RecoveryTest : public ReflectorTest {
 protected:
  // Lists eight objects in pages of four, and stops after `number` requests for pages.
  void ListInPages(std::size_t number) {
    server_.pages_ignore_rv = true;
    for (int i = 0; i < 8; ++i) server_.Put("pod-" + std::to_string(i));
    ReflectorOptions options;
    options.watch_list_page_size = 4;
    StartSoon(std::move(options));
    ASSERT_TRUE(sim_.RunUntil([&] { return Count("LIST") == number; }, seconds(1)));
  }
  // Restores an older backup, without `lost`.
  void GoBackTo(std::uint64_t rv, const std::string& lost) {
    server_.BreakWatches();
    sim_.RunReady();
    server_.set_rv(rv - 1);
    server_.Delete(lost);
    server_.Forget();
  }
};

// ---- pages

TEST_F(RecoveryTest, PagesThatExpireLeaveNothingBehind_PG07) {
  server_.list_errors = {std::nullopt, Expired()};
  ListInPages(1);
  server_.Delete("pod-0");
  server_.Put("pod-1");
  server_.Put("pod-9");
  sim_.RunFor(seconds(3));
  EXPECT_EQ(server_.requests, (Texts{"LIST rv=0 limit=4", "LIST rv= limit=4 continue=4",
                                     "LIST rv=0 limit=0", "WATCH rv=11 bookmarks"}));
  ExpectServersObjects();
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "11") << "of the whole list, not of its page";
  EXPECT_EQ(store_.replaced, 1);
}

// After a second expiry the list is not requested as a whole again.
TEST_F(RecoveryTest, PagesThatGoInACircleAreNoList) {
  class Circle final : public ListerWatcher {
   public:
    explicit Circle(ListerWatcher& inner) : inner_(inner) {}
    std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& out) override {
      ListOptions first = options;
      first.continue_.clear();
      return inner_.List(first, out);
    }
    std::unique_ptr<ListWatchCall> Watch(const ListOptions& options, WatchReceiver& out) override {
      return inner_.Watch(options, out);
    }
    ListScope Scope() const override { return inner_.Scope(); }
    bool SetEntryOptions(const EntryOptions& options) override {
      return inner_.SetEntryOptions(options);
    }
    bool IsWatchListSemanticsUnSupported() const override { return true; }
    std::string Describe() const override { return inner_.Describe(); }

   private:
    ListerWatcher& inner_;
  };
  for (int i = 0; i < 5; ++i) server_.Put("pod-" + std::to_string(i));
  server_.pages_ignore_rv = true;
  lister_watcher_ = server_.NewListerWatcher();
  Circle circle(*lister_watcher_);
  ReflectorOptions options;
  options.watch_list_page_size = 2;
  options.name = "pods";
  reflector_ =
      std::make_unique<Reflector>(sim_.env(), circle, store_, observer_, std::move(options));
  sim_.env().loop().Post([this] { reflector_->Start(); });
  sim_.RunFor(minutes(1));
  EXPECT_EQ(store_.replaced, 0);
  EXPECT_LE(server_.requests.size(), 20U);
  EXPECT_EQ(observer_.errors.front(), Reason::kDecode);
  reflector_.reset();
}

TEST_F(RecoveryTest, AWholeListThatExpiresTooReadsTheNewest) {
  server_.list_errors = {std::nullopt, Expired(), Expired()};
  ListInPages(1);
  server_.Delete("pod-3");
  sim_.RunFor(seconds(3));
  EXPECT_EQ(server_.requests,
            (Texts{"LIST rv=0 limit=4", "LIST rv= limit=4 continue=4", "LIST rv=0 limit=0",
                   "LIST rv= limit=4", "LIST rv= limit=4 continue=4", "WATCH rv=9 bookmarks"}));
  ExpectServersObjects();
}

TEST_F(RecoveryTest, TheWatchBeginsAtTheFirstPagesVersion) {
  ListInPages(1);
  server_.Put("pod-0");
  server_.Delete("pod-7");
  sim_.RunReady();
  EXPECT_EQ(server_.requests.back(), "WATCH rv=8 bookmarks");
  ExpectServersObjects();
}

TEST_F(RecoveryTest, AListThatFailsBetweenPagesBeginsAnew) {
  server_.list_errors = {std::nullopt, Internal()};
  ListInPages(1);
  server_.Delete("pod-0");
  sim_.RunFor(seconds(10));
  EXPECT_EQ(store_.replaced, 1);
  ExpectServersObjects();
  EXPECT_EQ(observer_.errors, (std::vector<Reason>{Reason::kInternalError}));
}

// Answers one page after the first with one object and an error.
class CutListWatch final : public ListerWatcher {
 public:
  CutListWatch(Env& env, FakeServer& server, bool unreadable, Error error)
      : env_(env),
        next_(server.NewListerWatcher()),
        unreadable_(unreadable),
        error_(std::move(error)) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override {
    if (options.continue_.empty() || std::exchange(cut_, true)) {
      return next_->List(options, receiver);
    }
    return std::make_unique<CutCall>(env_.loop().RunAt(env_.Now(), [this, &receiver] {
      if (unreadable_) {
        receiver.OnUnreadable("default", "bad", error_);
      } else {
        receiver.OnItem(MakePod("default", "pod-2", "3"));
      }
      receiver.OnDone(error_);
    }));
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                       WatchReceiver& receiver) override {
    return next_->Watch(options, receiver);
  }
  bool SetEntryOptions(const EntryOptions&) override { return true; }
  bool IsWatchListSemanticsUnSupported() const override { return true; }
  std::string Describe() const override { return "pods"; }

 private:
  class CutCall final : public ListWatchCall {
   public:
    explicit CutCall(Timer timer) : timer_(std::move(timer)) {}

   private:
    Timer timer_;
  };

  Env& env_;
  const std::unique_ptr<ListerWatcher> next_;
  const bool unreadable_;
  const Error error_;
  bool cut_ = false;
};

// Otherwise its objects would be in the list twice.
TEST_F(RecoveryTest, APageOfWhichSomethingHasComeIsNotAskedForAgainAlone) {
  server_.pages_ignore_rv = true;
  for (int i = 0; i < 4; ++i) server_.Put("pod-" + std::to_string(i));
  for (const bool unreadable : {false, true}) {
    server_.requests.clear();
    CutListWatch cut(sim_.env(), server_, unreadable, TooMany());
    ReflectorOptions options;
    options.watch_list_page_size = 2;
    Reflector reflector(sim_.env(), cut, store_, observer_, std::move(options));
    sim_.env().loop().Post([&] { reflector.Start(); });
    sim_.RunFor(seconds(5));
    EXPECT_EQ(server_.requests, (Texts{"LIST rv=0 limit=2", "LIST rv=0 limit=2",
                                       "LIST rv= limit=2 continue=2", "WATCH rv=4 bookmarks"}));
    ExpectServersObjects();
  }
}

// ---- epochs

TEST_F(RecoveryTest, EachTimeTheServerGoesBackIsAnEpochWithItsContents) {
  server_.answers_version = true;
  server_.set_rv(100);
  for (const char* name : {"a", "b", "c"}) server_.Put(name);
  Start();
  sim_.RunFor(seconds(5));
  GoBackTo(50, "a");
  sim_.RunFor(seconds(5));
  EXPECT_EQ(observer_.epochs, 1);
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "50");
  ExpectServersObjects();

  server_.Put("d");
  server_.BreakWatches();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(observer_.epochs, 1) << "it has only broken";
  EXPECT_EQ(store_.replaced, 2);
  ExpectServersObjects();

  GoBackTo(20, "b");
  sim_.RunFor(seconds(5));
  EXPECT_EQ(observer_.epochs, 2);
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "20");
  EXPECT_EQ(store_.replaced, 3);
  ExpectServersObjects();
}

TEST_F(RecoveryTest, AWatchListAfterAnEpochAsksForTheNewest) {
  server_.watch_list_unsupported = false;
  server_.answers_version = true;
  server_.set_rv(100);
  for (const char* name : {"a", "b"}) server_.Put(name);
  Start();
  sim_.RunFor(seconds(5));
  GoBackTo(50, "a");
  sim_.RunFor(seconds(5));
  EXPECT_EQ(observer_.epochs, 1);
  EXPECT_EQ(server_.requests.back(), "WATCHLIST rv= NotOlderThan bookmarks");
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "50");
  ExpectServersObjects();
  server_.Put("c");
  sim_.RunReady();
  ExpectServersObjects();
}

TEST_F(RecoveryTest, JoinEpoch_ListsNewestWithoutReport) {
  server_.set_rv(100);
  server_.Put("a");
  Start();
  sim_.RunFor(seconds(5));
  server_.set_rv(50);
  server_.Forget();
  sim_.env().loop().Post([this] { reflector_->JoinEpoch(); });
  sim_.RunFor(seconds(5));
  EXPECT_EQ(server_.requests[2], "LIST rv= limit=500");
  EXPECT_EQ(observer_.epochs, 0);
  EXPECT_EQ(store_.replaced, 2);
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "50");
}

// ---- requested relists

TEST_F(RecoveryTest, ARelistReadsTheNewestOnceAndKeepsWatching) {
  server_.Put("a");
  Start();
  sim_.RunFor(seconds(5));
  sim_.env().loop().Post([this] {
    reflector_->Relist();
    reflector_->Relist();
  });
  server_.Put("b");
  sim_.RunFor(seconds(5));
  EXPECT_EQ(server_.requests, (Texts{"LIST rv=0 limit=500", "WATCH rv=1 bookmarks",
                                     "LIST rv= limit=500", "WATCH rv=2 bookmarks"}));
  EXPECT_EQ(server_.open_watches(), 1U);
  ExpectServersObjects();
}

TEST_F(RecoveryTest, ARelistWhileAListIsUnderWayIsThatList) {
  ListInPages(1);
  sim_.env().loop().Post([this] { reflector_->Relist(); });
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Count("LIST"), 2U) << "its two pages";
  EXPECT_EQ(store_.replaced, 1);
}

TEST_F(RecoveryTest, TheWatchIsClosedBeforeTheRelist) {
  Start();
  sim_.RunFor(seconds(5));
  sim_.env().loop().Post([this] { reflector_->Relist(); });
  sim_.RunFor(milliseconds(1));
  EXPECT_EQ(server_.open_watches(), 0U);
  EXPECT_EQ(Count("LIST"), 1U);
}

TEST_F(RecoveryTest, WhileItWaitsARelistOrAPauseChangesNothing) {
  server_.Put("a");
  for (const bool pause : {false, true}) {
    ReflectorOptions options;
    options.backoff = {.initial = minutes(1), .cap = minutes(1), .jitter = 0};
    Start(std::move(options));
    sim_.RunFor(seconds(5));
    server_.requests.clear();
    server_.FailWatches(Internal());
    sim_.RunFor(seconds(1));
    sim_.env().loop().Post([&] { pause ? reflector_->Pause() : reflector_->Relist(); });
    sim_.RunFor(seconds(30));
    EXPECT_EQ(server_.requests, Texts());
    sim_.RunFor(minutes(2));
    ASSERT_FALSE(server_.requests.empty());
    EXPECT_EQ(server_.requests.front(), "LIST rv=1 limit=0");
    reflector_.reset();
  }
}

// ---- a pause

TEST_F(RecoveryTest, PausedDuringAListItWatchesOnlyAfterResume) {
  for (const bool watch_list : {false, true}) {
    SCOPED_TRACE(watch_list);
    server_.watch_list_unsupported = !watch_list;
    server_.requests.clear();
    store_.objects.clear();
    server_.Put("a");
    StartSoon();
    ASSERT_TRUE(sim_.RunUntil([&] { return server_.requests.size() == 1; }, seconds(1)));
    reflector_->Pause();
    sim_.RunFor(seconds(5));
    ExpectServersObjects();
    EXPECT_EQ(server_.open_watches(), 0U);
    server_.Put("b");
    sim_.RunFor(minutes(10));
    EXPECT_EQ(store_.objects.contains("b"), false);
    EXPECT_EQ(server_.requests.size(), 1U);
    sim_.env().loop().Post([this] { reflector_->Resume(); });
    sim_.RunReady();
    EXPECT_EQ(server_.open_watches(), 1U);
    ExpectServersObjects();
    reflector_.reset();
    server_.Delete("b");
  }
}

TEST_F(RecoveryTest, ResumedBeforeThePauseItGoesOn) {
  Start();
  sim_.env().loop().Post([this] {
    reflector_->Pause();
    reflector_->Resume();
  });
  server_.Put("a");
  sim_.RunReady();
  EXPECT_EQ(Count("WATCH"), 1U) << "the watch was never closed";
  ExpectServersObjects();
}

TEST_F(RecoveryTest, ResumedDuringAListItGoesOn) {
  server_.Put("a");
  StartSoon();
  ASSERT_TRUE(sim_.RunUntil([&] { return server_.requests.size() == 1; }, seconds(1)));
  reflector_->Pause();
  reflector_->Resume();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(server_.requests, (Texts{"LIST rv=0 limit=500", "WATCH rv=1 bookmarks"}));
}

TEST_F(RecoveryTest, PausedBeforeAListIsTriedAgainItWatchesAfterResume) {
  server_.list_errors = {TooMany()};
  Start();
  reflector_->Pause();
  sim_.RunFor(minutes(1));
  EXPECT_EQ(Count("LIST"), 2U);
  EXPECT_EQ(server_.open_watches(), 0U);
  sim_.env().loop().Post([this] { reflector_->Resume(); });
  sim_.RunReady();
  EXPECT_EQ(server_.open_watches(), 1U);
}

// ---- the patience with watch-lists

class PatienceTest : public RecoveryTest {
 protected:
  PatienceTest() {
    server_.watch_list_unsupported = false;
    server_.never_ends_initial_events = true;
    server_.Put("a");
  }
};

TEST_F(PatienceTest, ASilentMinuteIsTooLong) {
  Start();
  // The first ten seconds are not silent because of the object.
  sim_.RunFor(seconds(69));
  EXPECT_EQ(Count("LIST"), 0U);
  EXPECT_EQ(store_.replaced, 0);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Count("LIST"), 1U);
  EXPECT_EQ(server_.requests.size(), 3U) << "and a watch";
  ExpectServersObjects();
  const std::size_t lines = log_->lines.size();
  sim_.RunFor(minutes(4));
  EXPECT_EQ(log_->lines.size(), lines) << "the clock is stopped";
  EXPECT_EQ(server_.requests.size(), 3U);
}

TEST_F(PatienceTest, EventsNowAndThenAreNoSilence) {
  Start();
  for (int i = 2; i < 40; ++i) {
    sim_.RunFor(seconds(9));
    server_.Send(WatchEventType::kAdded, MakePod("default", "a", std::to_string(i)));
  }
  EXPECT_EQ(server_.requests.size(), 1U);
  EXPECT_TRUE(log_->lines.empty());
  server_.SendBookmark("40", true);
  sim_.RunFor(minutes(4));
  EXPECT_EQ(server_.requests.size(), 1U) << "as a watch it may be silent";
  EXPECT_EQ(store_.objects.at("a"), "39");
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "40");
}

TEST_F(PatienceTest, Patience_IsPerStream) {
  Start();
  sim_.RunFor(seconds(55));
  server_.EndWatches();
  sim_.RunFor(seconds(55));
  EXPECT_EQ(Count("WATCHLIST"), 2U);
  EXPECT_EQ(Count("LIST"), 0U);
  sim_.RunFor(seconds(14));
  EXPECT_EQ(Count("LIST"), 0U);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Count("LIST"), 1U);
}

TEST_F(PatienceTest, SilentStream_CountsFromItsBegin) {
  Start();
  sim_.RunFor(seconds(5));
  server_.Delete("a");
  server_.EndWatches();
  sim_.RunFor(seconds(59));
  EXPECT_EQ(Count("WATCHLIST"), 2U);
  EXPECT_EQ(Count("LIST"), 0U);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Count("LIST"), 1U) << "whatever the one before it sent";
}

TEST_F(PatienceTest, SecondSilentStream_IsReplacedByList) {
  Start();
  sim_.RunFor(seconds(71));
  EXPECT_EQ(Count("LIST"), 1U);
  server_.watch_list_unsupported = false;  // another server may have replaced it
  server_.FailWatches(Expired());
  sim_.RunFor(seconds(80));
  EXPECT_EQ(Count("WATCHLIST"), 2U);
  EXPECT_EQ(Count("LIST"), 2U);
}

TEST_F(PatienceTest, AWatchThatBrokeSaysNothingOfTheStreamsAfterIt) {
  server_.never_ends_initial_events = false;
  Start();
  server_.never_ends_initial_events = true;
  server_.on_watch = [this] {
    if (server_.requests.back().starts_with("WATCHLIST")) server_.EndWatches();
  };
  server_.BreakWatches();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Count("WATCHLIST"), 4U);
  EXPECT_EQ(Count("LIST"), 1U);
  EXPECT_TRUE(server_.watch_list_unsupported) << "they ended as the server wanted";
}

TEST_F(PatienceTest, SuccessfulStream_ResetsEarlyEnds) {
  server_.on_watch = [this] {
    if (server_.requests.back().starts_with("WATCHLIST") && server_.never_ends_initial_events) {
      if (Count("WATCHLIST") % 3 == 2) server_.never_ends_initial_events = false;
      server_.EndWatches();
    }
  };
  Start();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Count("WATCHLIST"), 3U) << "two that ended early, and one";
  EXPECT_EQ(store_.replaced, 1);
  server_.never_ends_initial_events = true;
  server_.FailWatches(Expired());
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Count("WATCHLIST"), 6U);
  EXPECT_EQ(store_.replaced, 2);
  EXPECT_EQ(Count("LIST"), 0U);
}

// Events of a stream that ended too early are not part of the next list.
TEST_F(PatienceTest, UnfinishedStream_EventsAreDropped) {
  Start();
  server_.Send(WatchEventType::kAdded, MakePod("default", "ghost", "1"));
  sim_.RunReady();
  server_.never_ends_initial_events = false;
  server_.EndWatches();
  sim_.RunReady();
  EXPECT_EQ(store_.replaced, 1);
  ExpectServersObjects();
}

}  // namespace
}  // namespace kinformer::internal::cache
