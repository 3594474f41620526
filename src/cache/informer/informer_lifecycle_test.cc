// Starts, stops and waits of an informer: rows SI on states, and WF.

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/loop/testing/unserved_executor.h"
#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Results of the previous life may arrive after the next life has begun.
TEST_F(InformerTest, StartedAgainAtOnceItHasNotSyncedBecauseTheLifeBeforeHas) {
  server_.Put("a", "1");
  // Stops at every moment before the sync.
  for (int moment = 0;; ++moment) {
    server_.down.reset();
    SharedInformer<Pod> informer = Make();
    informer.Start();
    for (int step = 0; step < moment; ++step) sim_.Step();
    if (informer.HasSynced()) break;
    informer.Stop();
    informer.Start();
    server_.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
    Settle();
    EXPECT_FALSE(informer.HasSynced()) << "after " << moment << " steps";
    ASSERT_LT(moment, 100);
  }
}

TEST_F(InformerTest, TheErrorHandlerHears_SI09) {
  server_.down = Error(Reason::kForbidden, "pods is forbidden").WithHttpStatus(403);
  SharedInformer<Pod> informer = Make();
  std::vector<Reason> reasons;
  informer.SetWatchErrorHandler([&](const Error& e) { reasons.push_back(e.reason()); }).OrExit();
  informer.Start();
  Settle();
  EXPECT_EQ(reasons, (std::vector<Reason>{Reason::kForbidden}));
}

TEST_F(InformerTest, Informer_ListsAndWatchesPerOptions) {
  SharedInformer<Pod> informer = Make({.initial_list = InitialList::kList,
                                       .watch_list_page_size = 7,
                                       .min_watch_timeout = hours(1)});
  informer.Start();
  Settle();
  EXPECT_EQ(server_.requests.front(), "LIST rv=0 limit=7");
  ASSERT_EQ(server_.timeouts.size(), 1U);
  EXPECT_GE(server_.timeouts[0], 3600);
}

// ---- life

TEST_F(InformerTest, StatesAndHandlersOfAStoppedInformer_SI17_SI18_SI19) {
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  EXPECT_FALSE(informer.HasStarted());
  EXPECT_FALSE(informer.IsStopped());
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasStarted());
  EXPECT_FALSE(informer.IsStopped());
  informer.Stop();
  Settle();
  EXPECT_TRUE(informer.HasStarted());
  EXPECT_TRUE(informer.IsStopped());
  EXPECT_EQ(server_.open_watches(), 0U);
  const auto refused = informer.AddEventHandler(std::make_shared<Recorder>());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("stopped already"), std::string::npos);
  EXPECT_TRUE(informer.RemoveEventHandler(registration_).ok());
}

// Simulated time stands still while no thread runs and no timer is set.
TEST_F(InformerTest, StoppedInformer_RunsNothing_SI24_SI25_SI26) {
  server_.Put("a", "1");
  SharedInformer<Pod> never = Make();
  Record(never);
  // The warning is logged once.
  sim_.RunFor(minutes(1));
  const auto still = [this] {
    const SteadyTime before = sim_.env().Now();
    static_cast<void>(sim_.RunUntil([] { return false; }, hours(48)));
    return sim_.env().Now() == before;
  };
  EXPECT_TRUE(still()) << "SI-26";
  InformerOptions<Pod> options;
  options.resync_period = seconds(10);
  SharedInformer<Pod> informer = Make(std::move(options));
  Record(informer);
  const auto early = registration_;
  informer.Start();
  Settle();
  Record(informer);
  Settle();
  EXPECT_TRUE(informer.RemoveEventHandler(registration_).ok());
  EXPECT_FALSE(still()) << "resyncs and time-outs go on";
  informer.Stop();
  Settle();
  EXPECT_TRUE(still()) << "SI-24, SI-25";
  EXPECT_TRUE(informer.RemoveEventHandler(early).ok());
  EXPECT_EQ(server_.open_watches(), 0U);
}

TEST_F(InformerTest, AStoppedInformerMayStartAgainAndTellsTheDifference) {
  server_.Put("a", "1");
  server_.Put("b", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  recorder->words.clear();
  informer.Stop();
  Settle();
  server_.Put("a", "2");
  server_.Delete("b");
  server_.Put("c", "1");
  sim_.RunFor(minutes(1));
  EXPECT_TRUE(recorder->words.empty());
  EXPECT_EQ(informer.Snapshot().size(), 2U) << "the store stays readable";
  informer.Start();
  EXPECT_FALSE(informer.HasSynced());
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  std::sort(recorder->words.begin(), recorder->words.end());
  EXPECT_EQ(recorder->words, (Texts{"+c", "-b?", "~a 1>2"}));
}

TEST_F(InformerTest, StartedAgainItAsksForNothingOlderThanWhatItHas) {
  for (const InitialList kind : {InitialList::kWatchList, InitialList::kList}) {
    const bool lists = kind == InitialList::kList;
    InformerOptions<Pod> options;
    options.initial_list = kind;
    SharedInformer<Pod> informer = Make(std::move(options));
    server_.Put("a", "1");
    informer.Start();
    Settle();
    for (int life = 2; life < 5; ++life) {
      // An event, a bookmark, nothing.
      if (life == 2) server_.Put("b", "1");
      if (life == 3) server_.SendBookmark(std::to_string(*server_.revision += 10));
      Settle();
      const std::string rv = server_.rv();
      informer.Stop();
      Settle();
      server_.requests.clear();
      informer.Start();
      Settle();
      EXPECT_EQ(server_.requests.front(), lists ? "LIST rv=" + rv + " limit=0"
                                                : "WATCHLIST rv=" + rv + " NotOlderThan bookmarks");
      EXPECT_TRUE(informer.HasSynced());
      EXPECT_EQ(informer.LastSyncResourceVersion(), rv);
    }
  }
}

TEST_F(InformerTest, EventsWaitingAtStop_ComeAfterRestart) {
  SharedInformer<Pod> informer = Make();
  const auto slow = std::make_shared<Recorder>();
  slow->hook = [&](const std::string&) { sim_.env().SleepFor(seconds(1)); };
  registration_ = informer.AddEventHandler(slow).value();
  server_.Put("a", "1");
  informer.Start();
  Settle();
  for (int i = 2; i < 50; ++i) server_.Put("a", std::to_string(i));
  Settle();
  sim_.RunFor(seconds(10));
  informer.Stop();
  sim_.RunFor(minutes(2));
  const std::size_t heard = slow->words.size();
  EXPECT_LT(heard, 15U);
  EXPECT_GT(registration_.Stats().waiting, 0U);
  server_.Put("a", "50");
  server_.Put("b", "1");
  informer.Start();
  Settle();
  sim_.RunFor(minutes(5));
  EXPECT_EQ(registration_.Stats().waiting, 0U);
  ASSERT_EQ(slow->words.size(), 51U);
  EXPECT_EQ(slow->words.front(), "+a!");
  Texts tail(slow->words.end() - 2, slow->words.end());
  std::sort(tail.begin(), tail.end());
  EXPECT_EQ(tail, (Texts{"+b", "~a 49>50"}));
  for (std::size_t i = 1; i < 49; ++i) {
    EXPECT_EQ(slow->words[i], "~a " + std::to_string(i) + ">" + std::to_string(i + 1));
  }
}

TEST_F(InformerTest, TheLastHandleEndsTheWatchAndSnapshotsLiveOn) {
  server_.Put("a", "1");
  std::optional<Lister<Pod>> lister;
  std::optional<Snapshot<Pod>> snapshot;
  {
    SharedInformer<Pod> informer = Make();
    informer.Start();
    Settle();
    lister = informer.lister();
    snapshot = informer.Snapshot();
  }
  EXPECT_EQ(server_.open_watches(), 1U);
  lister.reset();
  Settle();
  EXPECT_EQ(server_.open_watches(), 0U);
  EXPECT_EQ((*snapshot->begin()).name(), "a");
}

TEST_F(InformerTest, TheLastHandleWaitsForCallbacksThatRun) {
  server_.Put("a", "1");
  std::optional<SharedInformer<Pod>> informer(Make());
  bool inside = false;
  bool left = false;
  informer
      ->AddEventHandler({.on_add =
                             [&](const Added<Pod>&) {
                               inside = true;
                               sim_.env().SleepFor(seconds(10));
                               left = true;
                             }})
      .OrExit();
  informer->Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return inside; }, seconds(5)));
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        informer.reset();
        EXPECT_TRUE(left);
      },
      minutes(1)));
}

TEST_F(InformerTest, RunEndsWhenStopIsRequested) {
  std::stop_source stop;
  SharedInformer<Pod> informer = Make();
  const auto thread = sim_.env().NewThread("run", [&] { informer.Run(stop.get_token()); });
  ASSERT_TRUE(sim_.RunUntil([&] { return informer.HasSynced(); }, seconds(1)));
  stop.request_stop();
  thread->Join();
  EXPECT_TRUE(informer.IsStopped());
  EXPECT_EQ(server_.open_watches(), 0U);
}

// ---- waiting

TEST_F(InformerTest, WaitsUntilSynced_WF01_WF03) {
  server_.down = Error(Reason::kConnectionRefused, "refused");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Timer later =
      sim_.env().loop().RunAt(sim_.env().Now() + seconds(10), [&] { server_.down.reset(); });
  bool ok = false;
  ASSERT_TRUE(sim_.RunBlocking([&] { ok = informer.WaitForCacheSync().ok(); }, minutes(5)));
  EXPECT_TRUE(ok);
}

TEST_F(InformerTest, TheErrorNamesWhoAndWhy_WF05_WF09) {
  server_.down = Error(Reason::kForbidden, "pods is forbidden").WithHttpStatus(403);
  SharedInformer<Pod> informer = Make();
  informer.Start();
  std::optional<Error> error;
  ASSERT_TRUE(sim_.RunBlocking(
      [&] { error = informer.WaitForCacheSync({}, {.timeout = seconds(60)}).error(); },
      minutes(5)));
  EXPECT_EQ(error->reason(), Reason::kDeadlineExceeded);
  EXPECT_NE(error->message().find("pods"), std::string::npos);
  EXPECT_NE(error->message().find("pods is forbidden"), std::string::npos);
  ASSERT_TRUE(sim_.RunBlocking(
      [&] { error = informer.WaitForCacheSync({}, {.fail_fast = true}).error(); }, minutes(5)));
  EXPECT_EQ(error->reason(), Reason::kForbidden);
}

// Permanent errors end the wait; temporary ones do not.
TEST_F(InformerTest, FailFast_EndsWaitOnPermanentErrors) {
  struct Row {
    Error error;
    bool at_once;
  };
  std::vector<Row> rows = {{Error(Reason::kConfig, "no"), true},
                           {Error(Reason::kInvalidArgument, "no"), true},
                           {Error(Reason::kConnectionRefused, "no"), false}};
  for (const auto& [status, at_once] : std::initializer_list<std::pair<int, bool>>{{400, true},
                                                                                   {401, true},
                                                                                   {403, true},
                                                                                   {404, true},
                                                                                   {408, false},
                                                                                   {409, false},
                                                                                   {410, false},
                                                                                   {425, false},
                                                                                   {429, false},
                                                                                   {499, true},
                                                                                   {500, false},
                                                                                   {503, false}}) {
    rows.push_back({Error(Reason::kUnknown, "no").WithHttpStatus(status), at_once});
  }
  for (const Row& row : rows) {
    SCOPED_TRACE(row.error.ToString());
    server_.down = row.error;
    SharedInformer<Pod> informer = Make();
    informer.Start();
    const SteadyTime begun = sim_.env().Now();
    std::optional<Error> error;
    // The wait starts before the server has answered.
    ASSERT_TRUE(sim_.RunBlocking(
        [&] {
          error =
              informer.WaitForCacheSync({}, {.timeout = seconds(30), .fail_fast = true}).error();
        },
        minutes(1)));
    EXPECT_EQ(sim_.env().Now() - begun, seconds(row.at_once ? 0 : 30));
    EXPECT_EQ(error->reason(), row.at_once ? row.error.reason() : Reason::kDeadlineExceeded);
    EXPECT_NE(error->message().find(row.at_once ? "cannot sync pods" : "did not sync in time"),
              std::string::npos)
        << *error;
  }
}

TEST_F(InformerTest, CancelledAndStopped_WF06) {
  server_.down = Error(Reason::kConnectionRefused, "refused");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  std::stop_source stop;
  stop.request_stop();
  std::optional<Error> error;
  ASSERT_TRUE(sim_.RunBlocking([&] { error = informer.WaitForCacheSync(stop.get_token()).error(); },
                               minutes(5)));
  EXPECT_EQ(error->reason(), Reason::kCanceled);
  Timer later = sim_.env().loop().RunAt(sim_.env().Now() + seconds(10), [&] { informer.Stop(); });
  ASSERT_TRUE(sim_.RunBlocking([&] { error = informer.WaitForCacheSync().error(); }, minutes(5)));
  EXPECT_EQ(error->reason(), Reason::kStopped);
}

TEST_F(InformerTest, WaitsForHandlersEndWithTheInformer_WF06) {
  server_.down = Error(Reason::kConnectionRefused, "refused");
  for (const AtStop at_stop : {AtStop::kDiscard, AtStop::kDrain}) {
    SharedInformer<Pod> informer = Make();
    Record(informer, {.at_stop = at_stop});
    const std::vector<std::function<Result<void>()>> waits = {
        [&] { return registration_.WaitForSync(); },
        [&] { return informer.WaitForHandlersSync(); }};
    for (const auto& wait : waits) {
      informer.Start();
      std::optional<Result<void>> result;
      const auto waits_once = [&] { result = wait(); };
      Timer later =
          sim_.env().loop().RunAt(sim_.env().Now() + seconds(10), [&] { informer.Stop(); });
      ASSERT_TRUE(sim_.RunBlocking(waits_once, minutes(5)));
      EXPECT_EQ(result->error().reason(), Reason::kStopped);
      EXPECT_NE(result->error().message().find("informer was stopped"), std::string::npos);
      // Waits that start after the end.
      result.reset();
      ASSERT_TRUE(sim_.RunBlocking(waits_once, minutes(5)));
      EXPECT_EQ(result->error().reason(), Reason::kStopped);
    }
  }
}

// Wraps a loop; a function may run before the next task is posted.
class InterruptedLoop final : public Executor {
 public:
  explicit InterruptedLoop(Executor& loop) : loop_(loop) {}
  void Post(Closure task) override {
    if (const auto before = std::exchange(before_next, nullptr)) before();
    loop_.Post(std::move(task));
  }
  [[nodiscard]] Timer RunAt(SteadyTime when, Closure task) override {
    return loop_.RunAt(when, std::move(task));
  }
  [[nodiscard]] bool InThisExecutor() const override { return loop_.InThisExecutor(); }

  std::function<void()> before_next{};

 private:
  Executor& loop_;
};

// Start and Stop on two threads: the task of Stop follows the task of Start.
TEST_F(InformerTest, StartedWhileAnotherThreadIsInStopItRuns) {
  InterruptedLoop loop(sim_.env().loop());
  internal::base::EnvWithExecutors env(sim_.env(), loop, sim_.env().pool());
  server_.Put("a", "1");
  {
    SharedInformer<Pod> informer(env, server_.NewListerWatcher());
    informer.Start();
    Settle();
    ASSERT_TRUE(informer.HasSynced());
    loop.before_next = [&] { informer.Start(); };
    informer.Stop();
    EXPECT_FALSE(informer.IsStopped());
    Settle();
    EXPECT_TRUE(informer.HasSynced());
    EXPECT_EQ(server_.open_watches(), 1U);
    server_.Put("b", "1");
    Settle();
    ExpectEqual(informer, server_);
    // The opposite order: the task of Start follows the task of Stop.
    informer.Stop();
    Settle();
    loop.before_next = [&] { informer.Stop(); };
    informer.Start();
    EXPECT_TRUE(informer.IsStopped());
    Settle();
    EXPECT_EQ(server_.open_watches(), 0U);
    EXPECT_EQ(informer.Status().state, InformerState::kStopped);
  }
  Settle();
}

TEST_F(InformerTest, WaitsThatWaitForThemselvesAreRefused) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  std::optional<Reason> inside;
  EventHandlerRegistration self;
  self =
      informer
          .AddEventHandler(
              {.on_add = [&](const Added<Pod>&) { inside = self.WaitForSync().error().reason(); }})
          .value();
  std::optional<Reason> on_loop;
  sim_.env().loop().Post([&] { on_loop = informer.WaitForCacheSync().error().reason(); });
  Settle();
  informer.Start();
  Settle();
  EXPECT_EQ(inside, Reason::kWouldDeadlock);
  EXPECT_EQ(on_loop, Reason::kWouldDeadlock);
}

TEST_F(InformerTest, DestroyedInBackoff_EndsAtOnceWithoutRequests_W35) {
  server_.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
  std::optional<SharedInformer<Pod>> informer = Make();
  informer->Start();
  sim_.RunFor(minutes(3));
  ASSERT_EQ(informer->Status().state, InformerState::kBackingOff);
  ASSERT_GT(informer->Status().retry_in, Duration(0));
  const std::size_t asked = server_.requests.size();
  const SteadyTime begun = sim_.env().Now();
  EXPECT_TRUE(sim_.RunBlocking([&] { informer.reset(); }, seconds(1)));
  EXPECT_EQ(sim_.env().Now(), begun);
  sim_.RunFor(minutes(10));
  EXPECT_EQ(server_.requests.size(), asked);
}

TEST_F(InformerTest, AHandlerThatRemovesItselfWhileItsInformerStops_W29) {
  for (const AtStop at_stop : {AtStop::kDiscard, AtStop::kDrain}) {
    server_.Put("a", "1");
    server_.Put("b", "1");
    SharedInformer<Pod> informer = Make();
    EventHandlerRegistration itself;
    std::optional<Result<void>> removed;
    const auto remove = [&](const Added<Pod>&) {
      sim_.env().SleepFor(seconds(2));
      removed = informer.RemoveEventHandler(itself);
    };
    itself =
        informer
            .AddEventHandler(ResourceEventHandlerFuncs<Pod>{.on_add = remove}, {.at_stop = at_stop})
            .OrExit();
    std::stop_source stop;
    // Returns when no part of the informer runs any more.
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          const Timer timer =
              sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&] { stop.request_stop(); });
          informer.Run(stop.get_token());
          EXPECT_TRUE(removed) << "the callback has returned";
        },
        seconds(10)));
    ASSERT_TRUE(removed);
    EXPECT_TRUE(removed->ok()) << removed->error();
    // A second removal from another thread waits, too.
    EXPECT_TRUE(sim_.RunBlocking([&] { EXPECT_TRUE(informer.RemoveEventHandler(itself).ok()); },
                                 seconds(1)));
  }
}

TEST_F(InformerTest, AnotherThreadRemovesAHandlerWhileTheInformerStops_W29) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  bool returned = false;
  const EventHandlerRegistration slow =
      informer
          .AddEventHandler(ResourceEventHandlerFuncs<Pod>{.on_add =
                                                              [&](const Added<Pod>&) {
                                                                sim_.env().SleepFor(seconds(2));
                                                                returned = true;
                                                              }})
          .OrExit();
  informer.Start();
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        informer.Stop();
        EXPECT_TRUE(informer.RemoveEventHandler(slow).ok());
        EXPECT_TRUE(returned) << "what the callback uses may go now";
      },
      seconds(10)));
}

}  // namespace
}  // namespace kinformer
