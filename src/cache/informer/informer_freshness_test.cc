// Freshness of an informer: its status, waits for a resourceVersion, the store's version, and
// epochs.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using internal::client::MakePod;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

class FreshnessTest : public InformerTest {
 protected:
  static Error Status(int code, Reason reason = Reason::kInternalError) {
    return Error(reason, "no").WithHttpStatus(code);
  }
  // Waits on a simulated thread. Returns empty if the wait has not ended by `limit`.
  std::optional<Result<void>> Wait(const SharedInformer<Pod>& informer, const std::string& version,
                                   std::optional<Duration> timeout = {},
                                   Duration limit = minutes(30)) {
    std::optional<Result<void>> result;
    static_cast<void>(sim_.RunBlocking(
        [&] { result = informer.WaitForResourceVersion(version, {}, timeout); }, limit));
    return result;
  }
  Reason ReasonOf(const std::optional<Result<void>>& result) {
    EXPECT_TRUE(result.has_value()) << "it does not end";
    EXPECT_FALSE(result->ok());
    return result->error().reason();
  }
  // Restores the server from a backup, with a lower version and other objects.
  void Restore(std::uint64_t rv) {
    server_.set_rv(rv);
    server_.Forget();
    server_.BreakWatches();
  }
};

// ---- status

TEST_F(FreshnessTest, TheStateSaysWhatIsBeingDone) {
  server_.never_ends_initial_events = true;
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  EXPECT_EQ(informer.Status().state, InformerState::kNotStarted);
  informer.Start();
  sim_.RunFor(seconds(3));
  EXPECT_EQ(informer.Status().state, InformerState::kListing);
  EXPECT_EQ(informer.Status().state_age, seconds(3));
  server_.SendBookmark("1", true);
  Settle();
  EXPECT_EQ(informer.Status().state, InformerState::kWatching);
  EXPECT_EQ(informer.Status().state_age, seconds(0));
  EXPECT_FALSE(informer.Status().retry_in.has_value());
  informer.Stop();
  sim_.RunFor(seconds(2));
  EXPECT_EQ(informer.Status().state, InformerState::kStopped);
  EXPECT_EQ(informer.Status().state_age, seconds(2));
  EXPECT_EQ(ToString(informer.Status().state), "stopped");
}

TEST_F(FreshnessTest, AnInformerThatWaitsSaysUntilWhenAndWhy) {
  struct Row {
    Error error;
    InformerState state;
  };
  const std::vector<Row> rows = {
      {Status(403, Reason::kForbidden), InformerState::kForbidden},
      {Status(401, Reason::kUnauthorized), InformerState::kForbidden},
      {Status(404, Reason::kNotFound), InformerState::kAbsent},
      {Status(500), InformerState::kBackingOff},
      {Error(Reason::kConnectionRefused, "no"), InformerState::kBackingOff},
      {Status(429, Reason::kTooManyRequests).WithRetryAfter(seconds(30)), InformerState::kRefused},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.error.ToString());
    server_.down = row.error;
    SharedInformer<Pod> informer = Make();
    informer.Start();
    Settle();
    const InformerStatus status = informer.Status();
    EXPECT_EQ(status.state, row.state) << ToString(status.state);
    EXPECT_EQ(status.error->reason(), row.error.reason());
    ASSERT_TRUE(status.retry_in.has_value());
    EXPECT_GT(*status.retry_in, seconds(0));
    EXPECT_FALSE(status.progress_age.has_value()) << "it has never heard anything";
    const bool refused = row.state == InformerState::kRefused;
    if (refused) {
      EXPECT_GE(*status.retry_in, seconds(30));
    }
    EXPECT_EQ(informer.Stats().refusals, refused ? informer.Stats().errors : 0);
    sim_.RunFor(*status.retry_in / 2);
    EXPECT_LT(*informer.Status().retry_in, *status.retry_in);
    server_.down.reset();
    sim_.RunFor(minutes(5));
    EXPECT_EQ(informer.Status().state, InformerState::kWatching);
    EXPECT_FALSE(informer.Status().error.has_value());
  }
}

TEST_F(FreshnessTest, AHandlerThatHoldsEverythingUpPausesTheInformer) {
  InformerOptions<Pod> options;
  options.max_queued_bytes = 4096;
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto slow = std::make_shared<Recorder>();
  slow->hook = [&](const std::string&) { sim_.env().SleepFor(minutes(1)); };
  informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kBlock, .max_events = 4}).OrExit();
  informer.Start();
  Settle();
  for (int i = 0; i < 100; ++i) {
    server_.Put("p" + std::to_string(i), "1");
    Settle();
  }
  EXPECT_EQ(informer.Status().state, InformerState::kPaused);
  slow->hook = nullptr;
  sim_.RunFor(minutes(5));
  EXPECT_EQ(informer.Status().state, InformerState::kWatching);
}

TEST_F(FreshnessTest, ListsWatchListsWatchesAndRefusalsAreCountedApart) {
  server_.watch_errors = {Status(429, Reason::kTooManyRequests), Status(400), std::nullopt};
  SharedInformer<Pod> informer = Make();
  informer.Start();
  sim_.RunFor(minutes(1));
  InformerStats stats = informer.Stats();
  EXPECT_EQ(stats.refusals, 1U);
  EXPECT_EQ(stats.lists, 1U) << "the server cannot do watch-lists, so the informer lists";
  EXPECT_EQ(stats.watch_lists, 0U);
  EXPECT_EQ(stats.watches, 1U);
  server_.watch_list_unsupported = false;  // the server was replaced by a newer one
  ForceRelist();
  stats = informer.Stats();
  EXPECT_EQ(stats.watch_lists, 1U);
  EXPECT_EQ(stats.lists, 1U);
  EXPECT_EQ(stats.watches, 2U);
  EXPECT_EQ(stats.AllLists(), 2U);
}

TEST_F(FreshnessTest, TheAgeOfTheLastProofOfProgress) {
  server_.Put("a", "1");
  server_.never_ends_initial_events = true;
  SharedInformer<Pod> informer = Make();
  informer.Start();
  sim_.RunFor(seconds(4));
  EXPECT_FALSE(informer.Status().progress_age.has_value());
  server_.SendBookmark("1", true);
  Settle();
  EXPECT_EQ(informer.Status().progress_age, seconds(4)) << "a list is as old as its request";
  sim_.RunFor(seconds(10));
  EXPECT_EQ(informer.Status().progress_age, seconds(14));
  server_.Bookmark();
  Settle();
  EXPECT_EQ(informer.Status().progress_age, seconds(0));
  sim_.RunFor(seconds(7));
  server_.SendPiece();
  Settle();
  EXPECT_EQ(informer.Status().progress_age, seconds(7)) << "half an event proves nothing";
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(informer.Stats().status.progress_age, seconds(0));
  informer.Stop();
  sim_.RunFor(hours(1));
  EXPECT_EQ(informer.Status().progress_age, hours(1)) << "of a stopped informer it grows";
}

TEST_F(FreshnessTest, AListInPagesIsAsOldAsItsFirst) {
  server_.pages_ignore_rv = true;
  for (const char* name : {"a", "b", "c"}) server_.Put(name);
  server_.list_errors = {std::nullopt,
                         Status(429, Reason::kTooManyRequests).WithRetryAfter(seconds(20))};
  SharedInformer<Pod> informer =
      Make({.initial_list = InitialList::kList, .watch_list_page_size = 2});
  const SteadyTime begun = sim_.env().Now();
  informer.Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return informer.HasSynced(); }, minutes(1)));
  EXPECT_GE(sim_.env().Now() - begun, seconds(20));
  EXPECT_EQ(informer.Status().progress_age, sim_.env().Now() - begun);
}

TEST_F(FreshnessTest, UnsupportedMetadataList_IsAskedOnce) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  sim_.RunFor(hours(1));
  EXPECT_EQ(server_.metadata_lists, 1);
}

TEST_F(FreshnessTest, AnAnswerThatNothingIsNewerIsAProof) {
  server_.answers_version = true;
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  sim_.RunFor(minutes(2));
  EXPECT_EQ(informer.Status().progress_age, minutes(2));
  server_.BreakWatches();
  Settle();
  EXPECT_EQ(server_.version_questions, 1);
  EXPECT_EQ(informer.Status().progress_age, minutes(0));
}

TEST_F(FreshnessTest, AWatchThatBrokeIsAnErrorUntilTheNextIsThere) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  sim_.RunFor(minutes(1));
  ASSERT_FALSE(informer.Status().error);
  std::string meanwhile;
  server_.on_watch = [&] { meanwhile = informer.Status().ErrorText(); };
  server_.BreakWatches();
  Settle();
  EXPECT_THAT(meanwhile, HasSubstr("the connection of the watch broke"));
  EXPECT_FALSE(informer.Status().error);
  EXPECT_EQ(informer.Stats().errors, 0U) << "no attempt has failed";
}

// ---- waiting for a version

TEST_F(FreshnessTest, AWaitEndsWithTheEventOfTheVersion) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  EXPECT_TRUE(Wait(informer, "1")->ok()) << "it is there already";
  for (const bool bookmark : {false, true}) {
    const Timer later = sim_.env().loop().RunAt(sim_.env().Now() + seconds(30), [&] {
      if (bookmark) {
        server_.set_rv(40);
        server_.Bookmark();
      } else {
        server_.Put("b", "1");
      }
    });
    const SteadyTime begin = sim_.env().Now();
    EXPECT_TRUE(Wait(informer, bookmark ? "17" : "2")->ok());
    EXPECT_EQ(sim_.env().Now() - begin, seconds(30));
  }
  EXPECT_EQ(informer.Snapshot().size(), 2U);
  bool by_lister = false;
  ASSERT_TRUE(sim_.RunBlocking(
      [&] { by_lister = informer.lister().WaitForResourceVersion("40").ok(); }, seconds(1)));
  EXPECT_TRUE(by_lister);
}

TEST_F(FreshnessTest, AWaitThatBeginsBeforeTheFirstListEndsWithIt) {
  server_.set_rv(9);
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  EXPECT_TRUE(Wait(informer, "10")->ok());
  EXPECT_EQ(informer.Snapshot().size(), 1U);
}

TEST_F(FreshnessTest, WaitForResourceVersion_Errors) {
  SharedInformer<Pod> informer = Make();
  EXPECT_EQ(ReasonOf(Wait(informer, "1")), Reason::kNotSynced);
  informer.Start();
  Settle();
  server_.Put("a", "1");
  Settle();
  for (const char* version : {"", "abc", "0", "-1", "007"}) {
    EXPECT_EQ(ReasonOf(Wait(informer, version)), Reason::kInvalidArgument) << version;
  }
  const std::optional<Result<void>> late = Wait(informer, "2", seconds(5));
  EXPECT_EQ(ReasonOf(late), Reason::kDeadlineExceeded);
  EXPECT_THAT(late->error().message(), HasSubstr("the cache of pods has resourceVersion 2"));
  EXPECT_THAT(late->error().message(), HasSubstr("it has 1"));

  std::stop_source stop;
  const Timer soon =
      sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&] { stop.request_stop(); });
  Reason canceled{};
  ASSERT_TRUE(sim_.RunBlocking(
      [&] { canceled = informer.WaitForResourceVersion("2", stop.get_token()).error().reason(); },
      minutes(1)));
  EXPECT_EQ(canceled, Reason::kCanceled);

  std::optional<Reason> on_loop;
  bool known = false;
  sim_.env().loop().Post([&] {
    on_loop = informer.WaitForResourceVersion("2").error().reason();
    known = informer.WaitForResourceVersion("1").ok();
  });
  Settle();
  EXPECT_EQ(on_loop, Reason::kWouldDeadlock);
  EXPECT_TRUE(known) << "where nothing is to be waited for, nothing is refused";

  const Timer end =
      sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&] { informer.Stop(); });
  EXPECT_EQ(ReasonOf(Wait(informer, "2")), Reason::kStopped);
  EXPECT_TRUE(Wait(informer, "1")->ok());

  Indexer<Pod> own(sim_.env());
  EXPECT_EQ(Lister<Pod>(own).WaitForResourceVersion("1").error().reason(),
            Reason::kInvalidArgument);
}

TEST_F(FreshnessTest, WithoutAWaiterCommitsTellNobody) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  // A wait that has ended is not counted any more.
  EXPECT_EQ(ReasonOf(Wait(informer, "9", seconds(1))), Reason::kDeadlineExceeded);
  int told = 0;
  const auto observation = informer.core()->Observe([&] { ++told; });
  for (const char* value : {"2", "3"}) {
    server_.Put("a", value);
    Settle();
  }
  EXPECT_EQ(told, 0);
}

// ---- the store's version

TEST_F(FreshnessTest, AnOlderObjectDoesNotMoveTheVersionBack_W31) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  server_.set_rv(150);
  server_.Bookmark();
  Settle();
  ASSERT_EQ(informer.LastSyncResourceVersion(), "150");
  // A watch may replay earlier events.
  server_.Send(WatchEventType::kAdded, MakePod("default", "late", "140", "", "x"));
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "150");
  Indexer<Pod> own(sim_.env());
  EXPECT_TRUE(own.Add(Ref<Pod>(MakePod("default", "a", "7"))).ok());
  EXPECT_TRUE(own.Add(Ref<Pod>(MakePod("default", "b", "5"))).ok());
  EXPECT_EQ(own.LastStoreSyncResourceVersion(), "7");
  EXPECT_TRUE(own.Delete(Ref<Pod>(MakePod("default", "b", "6"))).ok());
  EXPECT_EQ(own.LastStoreSyncResourceVersion(), "7");
}

TEST_F(FreshnessTest, StoreVersion_ExcludesQueuedChanges) {
  SharedInformer<Pod> informer = Make();
  const auto slow = std::make_shared<Recorder>();
  slow->hook = [&](const std::string&) { sim_.env().SleepFor(minutes(1)); };
  informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kBlock, .max_events = 1}).OrExit();
  informer.Start();
  Settle();
  for (const char* name : {"a", "b", "c", "d"}) {
    server_.Put(name, "1");
    Settle();
  }
  ASSERT_GT(informer.Stats().queued, 0U);
  const std::string version = informer.LastSyncResourceVersion();
  const Snapshot<Pod> cached = informer.Snapshot();
  for (const auto& [name, pod] : server_.objects()) {
    const bool applied = std::stoi(std::string(pod->resourceVersion())) <= std::stoi(version);
    EXPECT_EQ(cached.Get(name.namespace_, name.name).has_value(), applied)
        << name.name << " at " << version;
  }
  sim_.RunFor(minutes(10));
  EXPECT_EQ(informer.LastSyncResourceVersion(), server_.rv());
  ExpectEqual(informer, server_);
}

// ---- epochs

TEST_F(FreshnessTest, AnEpochReachesSnapshotsAndHandlers) {
  server_.answers_version = true;
  server_.set_rv(100);
  server_.Put("a", "1");
  server_.Put("gone", "1");
  SharedInformer<Pod> informer = Make();
  Texts words;
  auto registration =
      informer
          .AddEventHandler({.on_add =
                                [&](const Added<Pod>& e) {
                                  words.push_back("+" + e.object.name() + std::to_string(e.epoch));
                                },
                            .on_update =
                                [&](const Updated<Pod>& e) {
                                  words.push_back("~" + e.new_object.name() +
                                                  std::to_string(e.epoch));
                                },
                            .on_delete =
                                [&](const Deleted<Pod>& e) {
                                  words.push_back("-" + e.object.name() + std::to_string(e.epoch));
                                }})
          .OrExit();
  informer.Start();
  Settle();
  server_.Put("a", "2");
  Settle();
  const Snapshot<Pod> before = informer.Snapshot();
  EXPECT_EQ(words, (Texts{"+a0", "+gone0", "~a0"}));
  EXPECT_EQ(before.epoch(), 0U);
  EXPECT_FALSE(informer.Status().epoch_age.has_value());

  words.clear();
  Restore(50);
  server_.Delete("gone");
  server_.Put("a", "of the backup");
  sim_.RunFor(seconds(10));
  EXPECT_EQ(informer.Snapshot().epoch(), 1U);
  EXPECT_EQ(before.epoch(), 0U);
  EXPECT_EQ(informer.Status().epochs, 1U);
  EXPECT_LE(*informer.Status().epoch_age, seconds(10));
  server_.Put("a", "3");
  Settle();
  ASSERT_FALSE(words.empty());
  for (const std::string& word : words) EXPECT_EQ(word.back(), '1') << word;
  ExpectEqual(informer, server_);
  EXPECT_EQ(informer.LastSyncResourceVersion(), server_.rv());
}

TEST_F(FreshnessTest, AWaitEndsWithTheEpoch) {
  server_.answers_version = true;
  server_.set_rv(100);
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  const Timer later = sim_.env().loop().RunAt(sim_.env().Now() + seconds(3), [&] { Restore(60); });
  const std::optional<Result<void>> waited = Wait(informer, "200");
  EXPECT_EQ(ReasonOf(waited), Reason::kEpochChanged);
  EXPECT_THAT(waited->error().message(), HasSubstr("went back in time"));
}

// Until the list of the new history is applied, the store's larger version belongs to the old one.
TEST_F(FreshnessTest, WaitInNewEpoch_IgnoresVersionOfOldOne) {
  server_.answers_version = true;
  server_.set_rv(100);
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  sim_.RunFor(minutes(1));
  server_.never_ends_initial_events = true;
  Restore(60);
  server_.Put("b", "1");
  sim_.RunFor(seconds(5));
  ASSERT_EQ(informer.Status().epochs, 1U);
  ASSERT_EQ(informer.LastSyncResourceVersion(), "101");
  EXPECT_EQ(ReasonOf(Wait(informer, "61", seconds(1))), Reason::kDeadlineExceeded);
  const Timer later = sim_.env().loop().RunAt(sim_.env().Now() + seconds(3),
                                              [&] { server_.SendBookmark("61", true); });
  EXPECT_TRUE(Wait(informer, "61")->ok());
  ExpectEqual(informer, server_);
}

}  // namespace
}  // namespace kinformer
