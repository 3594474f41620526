// The whole pipeline in simulated time: rows CT, SI, TY, WF and what the delivery rules add to them.

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/object.h"
#include "kinformer/shared_informer.h"
#include "kinformer/simulation.h"

#include "cache/processor.h"
#include "cache/store_core.h"
#include "cache/testing/fake_lister_watcher.h"

namespace kinformer {
namespace {

using internal::FakeServer;
using internal::MakePod;
using internal::PodValue;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Texts = std::vector<std::string>;

// A view of the kind that the fake server serves.
class Pod {
 public:
  explicit Pod(const internal::Block* block) : block_(block) {}
  [[nodiscard]] std::string name() const { return std::string(block_->name()); }
  [[nodiscard]] std::string value() const { return PodValue(*block_); }
  [[nodiscard]] std::string uid() const { return std::string(block_->uid()); }
  static const internal::TypeInfo& type_info() { return internal::PodType(); }

 private:
  const internal::Block* block_;
};

// Writes down what it hears: "+a", "+a!" in the initial list, "~a old>new", "-a", "-a?" for tombstones.
class Recorder final : public ResourceEventHandler<Pod> {
 public:
  void OnAdd(const Added<Pod>& e) override {
    Note("+" + e.object.name() + (e.is_in_initial_list ? "!" : ""));
  }
  void OnUpdate(const Updated<Pod>& e) override {
    Note("~" + e.new_object.name() + " " + e.old_object.value() + ">" + e.new_object.value());
  }
  void OnDelete(const Deleted<Pod>& e) override {
    Note("-" + e.object.name() + (e.final_state_unknown ? "?" : ""));
  }
  std::function<void(const std::string&)> hook{};
  Texts words{};

 private:
  void Note(std::string word) {
    words.push_back(word);
    if (hook) hook(word);
  }
};

class InformerTest : public testing::Test {
 protected:
  InformerTest() : server_(sim_.env()) {}

  SharedInformer<Pod> Make(InformerOptions<Pod> options = {}) {
    return SharedInformer<Pod>(sim_.env(), server_.NewListerWatcher(), std::move(options));
  }
  std::shared_ptr<Recorder> Record(SharedInformer<Pod>& informer, HandlerOptions options = {}) {
    auto recorder = std::make_shared<Recorder>();
    registration_ = informer.AddEventHandler(recorder, std::move(options)).value();
    return recorder;
  }
  void Settle() { sim_.RunReady(); }
  // The server's watches break and its history is gone: the next contact is a list.
  void ForceRelist() {
    server_.Forget();
    server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
    sim_.RunFor(seconds(5));
  }
  // Changes the collection while nobody watches.
  template <class F>
  void WhileCutOff(F change) {
    server_.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
    server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
    Settle();
    change();
    server_.Forget();
    server_.down.reset();
    sim_.RunFor(seconds(90));
  }
  static void ExpectEqual(const SharedInformer<Pod>& informer, const FakeServer& server) {
    std::map<std::string, std::string> cached;
    for (const Pod pod : informer.Snapshot()) cached[pod.name()] = pod.value();
    std::map<std::string, std::string> served;
    for (const auto& [name, object] : server.objects()) served[name.name] = PodValue(*object);
    EXPECT_EQ(cached, served);
  }

  Simulation sim_;
  FakeServer server_;
  EventHandlerRegistration registration_;
};

TEST_F(InformerTest, ListsWatchesAndTells) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_TRUE(registration_.HasSynced());
  server_.Put("a", "2");
  server_.Put("b", "1");
  server_.Delete("a");
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"+a!", "~a 1>2", "+b", "-a"}));
  ExpectEqual(informer, server_);
  EXPECT_EQ(informer.LastSyncResourceVersion(), "4");
}

TEST_F(InformerTest, CT_20_TheStoreKnowsBeforeTheHandler) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  std::vector<std::size_t> sizes;
  recorder->hook = [&](const std::string&) { sizes.push_back(informer.Snapshot().size()); };
  informer.Start();
  Settle();
  server_.Put("b", "1");
  Settle();
  server_.Delete("a");
  Settle();
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 1}));
}

TEST_F(InformerTest, CT_21_CT_22_ARelistDeletesFirstAndShowsTheFinalStore) {
  for (const char* name : {"p1", "p2", "p3"}) server_.Put(name, "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  recorder->words.clear();
  std::vector<std::size_t> sizes;
  recorder->hook = [&](const std::string&) { sizes.push_back(informer.Snapshot().size()); };
  WhileCutOff([&] {
    server_.Put("p1", "2");
    server_.Put("p2", "2");
    server_.Delete("p3");
    server_.Put("p4", "1");
  });
  ASSERT_EQ(recorder->words.size(), 4U);
  EXPECT_EQ(recorder->words[0], "-p3?");
  std::sort(recorder->words.begin(), recorder->words.end());
  EXPECT_EQ(recorder->words, (Texts{"+p4", "-p3?", "~p1 1>2", "~p2 1>2"}));
  EXPECT_EQ(sizes, (std::vector<std::size_t>(4, 3)));
  ExpectEqual(informer, server_);
}

TEST_F(InformerTest, CT_23_WhatARelistFindsIsNotInitial) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  WhileCutOff([&] {
    server_.Put("a", "2");
    server_.Put("b", "1");
  });
  std::sort(recorder->words.begin(), recorder->words.end());
  EXPECT_EQ(recorder->words, (Texts{"+a!", "+b", "~a 1>2"}));
}

TEST_F(InformerTest, ARelistOfTheSameIsSilentAndKeepsTheBlocks) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  const auto before = informer.core()->store().Get("default", "a");
  ForceRelist();
  EXPECT_EQ(informer.Stats().lists, 2U);
  EXPECT_EQ(recorder->words, (Texts{"+a!"}));
  EXPECT_EQ(informer.core()->store().Get("default", "a"), before);
}

TEST_F(InformerTest, EqualVersionWithOtherBytesIsAnUpdate) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  server_.Send(WatchEventType::kModified, MakePod("default", "a", "1", "", "defaulted"));
  server_.Send(WatchEventType::kModified, MakePod("default", "a", "1", "", "defaulted"));
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"+a!", "~a 1>defaulted"}));
  EXPECT_EQ(informer.Stats().unchanged, 1U);
}

class UidChange : public InformerTest, public testing::WithParamInterface<bool> {};
TEST_P(UidChange, FoundByARelist) {
  server_.Put("a", "1", "uid-1");
  InformerOptions<Pod> options;
  options.uid_change_is_update = GetParam();
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  WhileCutOff([&] {
    server_.Delete("a");
    server_.Put("a", "2", "uid-2");
  });
  EXPECT_EQ(recorder->words, GetParam() ? (Texts{"+a!", "~a 1>2"}) : (Texts{"+a!", "-a?", "+a"}));
}
INSTANTIATE_TEST_SUITE_P(Both, UidChange, testing::Bool());

TEST_F(InformerTest, CT_24_TheStoresVersionFollowsEveryEventAndBookmark) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "1");
  server_.Put("a", "2");
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "2");
  server_.Delete("a");
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "3");
  server_.SendBookmark("77");
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "77");
}

TEST_F(InformerTest, CT_06_SI_11_ATransformIsSeenEverywhereAndOnlyOnce) {
  int runs = 0;
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer
      .SetTransform([&](const Ref<Pod>& pod) -> Result<Ref<Pod>> {
        ++runs;
        const internal::Block& block = *pod.object();
        return Ref<Pod>(MakePod(block.namespace_(), block.name(), block.resourceVersion(),
                                block.uid(), "seen" + PodValue(block)));
      })
      .OrExit();
  informer.Start();
  Settle();
  server_.Put("a", "2");
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"+a!", "~a seen1>seen2"}));
  EXPECT_EQ(runs, 2);
  EXPECT_FALSE(informer.SetTransform({}).ok());
}

TEST_F(InformerTest, AFailedTransformMakesTheObjectUnreadable) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer
      .SetTransform([&](const Ref<Pod>& pod) -> Result<Ref<Pod>> {
        if (PodValue(*pod.object()) == "bad") throw std::runtime_error("cannot");
        return pod;
      })
      .OrExit();
  informer.Start();
  Settle();
  server_.Put("a", "bad");
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"+a!", "+b"}));
  EXPECT_EQ(informer.lister().Namespace("default").Get("a").error().reason(), Reason::kUnreadable);
  server_.Put("a", "3");
  Settle();
  EXPECT_EQ(recorder->words.back(), "~a 1>3");
  EXPECT_TRUE(informer.lister().Namespace("default").Get("a").ok());
}

TEST_F(InformerTest, UnreadableObjectsKeepTheirKey) {
  server_.Put("a", "1");
  server_.unreadable.push_back({"default", "broken"});
  server_.watch_list_unsupported = true;
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(informer.Stats().unreadable, 1U);
  const auto pods = informer.lister().Namespace("default");
  EXPECT_EQ(pods.Get("broken").error().reason(), Reason::kUnreadable);
  EXPECT_EQ(pods.Get("none").error().reason(), Reason::kNotFound);
  server_.SendUnreadable(WatchEventType::kModified, "a", "9");
  Settle();
  EXPECT_EQ(pods.Get("a").error().reason(), Reason::kUnreadable);
  server_.SendUnreadable(WatchEventType::kDeleted, "a", "10");
  Settle();
  EXPECT_EQ(pods.Get("a").error().reason(), Reason::kNotFound);
  EXPECT_EQ(recorder->words, (Texts{"+a!", "-a?"}));
}

TEST_F(InformerTest, AbsenceIsNotClaimedBeforeTheFirstList) {
  server_.down = Error(Reason::kForbidden, "pods is forbidden").WithHttpStatus(403);
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  EXPECT_EQ(informer.lister().Namespace("default").Get("a").error().reason(), Reason::kNotSynced);
}

// ---- indexes

TEST_F(InformerTest, SI_01_SI_02_SI_03_IndexesBeforeAndWhileRunning) {
  server_.Put("a", "node-1");
  InformerOptions<Pod> options;
  options.indexers = {{"node", [](Pod p, auto& out) { out.Add(p.value()); }}};
  SharedInformer<Pod> informer = Make(std::move(options));
  informer.Start();
  Settle();
  server_.Put("b", "node-1");
  Settle();
  EXPECT_EQ(informer.Snapshot().ByIndex("node", "node-1").size(), 2U);
  Indexers<Pod> more = {{"name", [](Pod p, auto& out) { out.Add(p.name()); }}};
  ASSERT_TRUE(sim_.RunBlocking([&] { EXPECT_TRUE(informer.AddIndexers(more).ok()); }, seconds(1)));
  EXPECT_EQ(informer.Snapshot().ByIndex("name", "b").size(), 1U);
  ASSERT_TRUE(sim_.RunBlocking(
      [&] { EXPECT_EQ(informer.AddIndexers(more).error().reason(), Reason::kAlreadyExists); },
      seconds(1)));
}

// ---- handlers that come and go

TEST_F(InformerTest, SI_22_SI_23_ALateHandlerGetsTheListAndThenTheNews) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto first = Record(informer);
  EXPECT_FALSE(registration_.HasSynced()) << "SI-21";
  informer.Start();
  Settle();
  const auto second = Record(informer);
  EXPECT_FALSE(registration_.HasSynced());
  server_.Put("b", "1");
  Settle();
  EXPECT_TRUE(registration_.HasSynced());
  EXPECT_EQ(first->words, (Texts{"+a!", "+b"}));
  ASSERT_EQ(second->words.size(), 2U);
  EXPECT_EQ(second->words.front().substr(0, 2), "+a");
  EXPECT_EQ(second->words.back().substr(0, 2), "+b");
}

TEST_F(InformerTest, SI_12_SI_13_SI_14_SI_15_SI_20_Removal) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  SharedInformer<Pod> other = Make();
  const auto recorder = std::make_shared<Recorder>();
  const auto one = informer.AddEventHandler(recorder).value();
  const auto two = informer.AddEventHandler(recorder).value();
  informer.Start();
  Settle();
  EXPECT_EQ(recorder->words.size(), 2U);
  EXPECT_TRUE(other.RemoveEventHandler(one).ok());
  EXPECT_EQ(informer.Stats().handlers, 2U);
  EXPECT_TRUE(informer.RemoveEventHandler(one).ok());
  EXPECT_TRUE(informer.RemoveEventHandler(one).ok());
  EXPECT_EQ(informer.Stats().handlers, 1U);
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(recorder->words.size(), 3U);
  EXPECT_TRUE(informer.RemoveEventHandler(two).ok());
  server_.Put("c", "1");
  Settle();
  EXPECT_EQ(recorder->words.size(), 3U);
}

TEST_F(InformerTest, SI_30_RemovalWaitsForACallbackExceptFromInside) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  bool inside = false;
  bool left = false;
  const auto slow = informer
                        .AddEventHandler({.on_add =
                                              [&](const Added<Pod>&) {
                                                inside = true;
                                                sim_.env().SleepFor(seconds(10));
                                                left = true;
                                              }})
                        .value();
  EventHandlerRegistration self;
  int calls = 0;
  self = informer
             .AddEventHandler({.on_add =
                                   [&](const Added<Pod>&) {
                                     ++calls;
                                     EXPECT_TRUE(informer.RemoveEventHandler(self).ok());
                                   }})
             .value();
  informer.Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return inside; }, seconds(1)));
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        EXPECT_TRUE(informer.RemoveEventHandler(slow).ok());
        EXPECT_TRUE(left);
      },
      minutes(1)));
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(calls, 1);
}

TEST_F(InformerTest, AScopedRegistrationEndsWithItsScope) {
  SharedInformer<Pod> informer = Make();
  const auto recorder = std::make_shared<Recorder>();
  {
    const auto scoped = informer.AddEventHandler(recorder).value().Scoped();
    informer.Start();
    server_.Put("a", "1");
    Settle();
  }
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(recorder->words.size(), 1U);
}

TEST_F(InformerTest, SI_27_SI_28_AHandlerThatThrowsHarmsNobodyAndSyncs) {
  for (int i = 0; i < 5; ++i) server_.Put("p" + std::to_string(i), "1");
  SharedInformer<Pod> informer = Make();
  const auto bad =
      informer
          .AddEventHandler({.on_add = [](const Added<Pod>&) { throw std::runtime_error("no"); }})
          .value();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  EXPECT_EQ(bad.Stats().exceptions, 5U);
  EXPECT_TRUE(bad.HasSynced());
  EXPECT_EQ(recorder->words.size(), 5U);
}

TEST_F(InformerTest, SI_09_TheErrorHandlerHears) {
  server_.down = Error(Reason::kForbidden, "pods is forbidden").WithHttpStatus(403);
  SharedInformer<Pod> informer = Make();
  std::vector<Reason> reasons;
  informer.SetWatchErrorHandler([&](const Error& e) { reasons.push_back(e.reason()); }).OrExit();
  informer.Start();
  Settle();
  EXPECT_EQ(reasons, (std::vector<Reason>{Reason::kForbidden}));
}

TEST_F(InformerTest, OneHandlerForAnyKind) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  Texts keys;
  informer
      .AddEventHandler(ResourceEventHandlerFuncs<Object>{
          .on_add = [&](const Added<Object>& e) { keys.push_back(e.key); }})
      .OrExit();
  informer.Start();
  Settle();
  EXPECT_EQ(keys, (Texts{"default/a"}));
}

struct FilterRow {
  const char* id;
  std::string old_value;
  std::string new_value;
  Texts words;
};
class Filtering : public InformerTest, public testing::WithParamInterface<FilterRow> {};
TEST_P(Filtering, Update) {
  const auto recorder = std::make_shared<Recorder>();
  FilteringResourceEventHandler<Pod> handler([](Pod p) { return p.value() == "yes"; }, recorder);
  const std::string key = "default/a";
  const auto older = MakePod("default", "a", "1", "", GetParam().old_value);
  const auto newer = MakePod("default", "a", "2", "", GetParam().new_value);
  handler.OnUpdate({key, Pod(older.get()), Pod(newer.get()), older.get(), newer.get()});
  EXPECT_EQ(recorder->words, GetParam().words);
}
INSTANTIATE_TEST_SUITE_P(Catalogue, Filtering,
                         testing::Values(FilterRow{"TY_09", "yes", "yes", {"~a yes>yes"}},
                                         FilterRow{"TY_10", "no", "yes", {"+a"}},
                                         FilterRow{"TY_11", "yes", "no", {"-a"}},
                                         FilterRow{"TY_12", "no", "no", {}}),
                         [](const auto& p) { return std::string(p.param.id); });

TEST_F(InformerTest, TY_05_to_TY_08_FilteredAddsAndDeletes) {
  const auto recorder = std::make_shared<Recorder>();
  SharedInformer<Pod> informer = Make();
  informer
      .AddEventHandler(
          FilteringResourceEventHandler<Pod>([](Pod p) { return p.value() == "yes"; }, recorder))
      .OrExit();
  server_.Put("a", "yes");
  server_.Put("b", "no");
  informer.Start();
  Settle();
  server_.Delete("a");
  server_.Delete("b");
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"+a!", "-a"}));
}

TEST_F(InformerTest, TY_01_TY_02_FunctionsMayBeMissing) {
  SharedInformer<Pod> informer = Make();
  informer.AddEventHandler(ResourceEventHandlerFuncs<Pod>{}).OrExit();
  server_.Put("a", "1");
  informer.Start();
  Settle();
  server_.Put("a", "2");
  server_.Delete("a");
  Settle();
  EXPECT_EQ(informer.Stats().delivered, 3U);
  EXPECT_EQ(informer.Stats().handler_exceptions, 0U);
}

// ---- life

TEST_F(InformerTest, SI_17_SI_18_SI_19_StatesAndHandlersOfAStoppedInformer) {
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

TEST_F(InformerTest, WF_01_WF_03_WaitsUntilSynced) {
  server_.down = Error(Reason::kConnectionRefused, "refused");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Timer later =
      sim_.env().loop().RunAt(sim_.env().Now() + seconds(10), [&] { server_.down.reset(); });
  bool ok = false;
  ASSERT_TRUE(sim_.RunBlocking([&] { ok = informer.WaitForCacheSync().ok(); }, minutes(5)));
  EXPECT_TRUE(ok);
}

TEST_F(InformerTest, WF_05_WF_09_TheErrorNamesWhoAndWhy) {
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

TEST_F(InformerTest, WF_06_CancelledAndStopped) {
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

// ---- resync

TEST_F(InformerTest, SI_04_HandlersAreResyncedAtTheirOwnPeriods) {
  server_.Put("a", "1");
  server_.Put("b", "1");
  InformerOptions<Pod> options;
  options.resync_period = seconds(1);
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto never = Record(informer, {.resync_period = Duration(0)});
  const auto two = Record(informer, {.resync_period = seconds(2)});
  const auto three = Record(informer, {.resync_period = seconds(3)});
  informer.Start();
  Settle();
  for (const auto& recorder : {never, two, three}) {
    EXPECT_EQ(recorder->words.size(), 2U);
    recorder->words.clear();
  }
  sim_.RunFor(milliseconds(2500));
  EXPECT_EQ(never->words.size(), 0U);
  EXPECT_EQ(two->words.size(), 2U);
  EXPECT_EQ(three->words.size(), 0U);
  sim_.RunFor(seconds(1));
  EXPECT_EQ(never->words.size(), 0U);
  EXPECT_EQ(two->words.size(), 2U);
  EXPECT_EQ(three->words.size(), 2U);
  EXPECT_EQ(three->words.front().substr(0, 1), "~");
}

TEST(ResyncPeriods, SI_06_AShorterPeriodLowersTheInformers) {
  using internal::ResyncPeriods;
  Duration check = hours(12);
  EXPECT_EQ(ResyncPeriods::ForHandler(Duration(0), check, false), Duration(0));
  EXPECT_EQ(check, hours(12));
  EXPECT_EQ(ResyncPeriods::ForHandler(minutes(1), check, false), minutes(1));
  EXPECT_EQ(check, minutes(1));
  EXPECT_EQ(ResyncPeriods::ForHandler(seconds(55), check, false), seconds(55));
  EXPECT_EQ(ResyncPeriods::ForHandler(seconds(5), check, false), seconds(5));
  EXPECT_EQ(check, seconds(5));
  EXPECT_EQ(ResyncPeriods::ForHandler(milliseconds(5), check, true), seconds(5));
  EXPECT_EQ(ResyncPeriods::ForHandler(minutes(1), check, true), minutes(1));
}

TEST_F(InformerTest, SI_08_OnlyResyncingHandlersSeeTheUnchangedInARelist) {
  server_.Put("same", "1");
  server_.Put("changes", "1");
  InformerOptions<Pod> options;
  options.resync_period = seconds(1);
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto never = Record(informer, {.resync_period = Duration(0)});
  const auto resyncing = Record(informer, {.resync_period = seconds(1)});
  informer.Start();
  sim_.RunFor(milliseconds(1500));
  never->words.clear();
  resyncing->words.clear();
  server_.on_watch = nullptr;
  server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  server_.list_errors.clear();
  Settle();
  server_.Put("changes", "2");
  server_.Put("new", "1");
  sim_.RunFor(milliseconds(1700));
  std::sort(never->words.begin(), never->words.end());
  EXPECT_EQ(never->words, (Texts{"+new", "~changes 1>2"}));
  EXPECT_NE(std::find(resyncing->words.begin(), resyncing->words.end(), "~same 1>1"),
            resyncing->words.end());
}

// ---- the classic queue

TEST_F(InformerTest, DeltaFIFOCarriesTheSameEvents) {
  server_.Put("a", "1");
  server_.Put("b", "1");
  InformerOptions<Pod> options;
  options.queue = QueueKind::kDeltaFIFO;
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto recorder = Record(informer, {.resync_period = seconds(10)});
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_TRUE(registration_.HasSynced());
  EXPECT_EQ(recorder->words, (Texts{"+a!", "+b!"}));
  EXPECT_EQ(informer.LastSyncResourceVersion(), "2");
  WhileCutOff([&] {
    server_.Put("a", "2");
    server_.Delete("b");
  });
  ExpectEqual(informer, server_);
  EXPECT_NE(std::find(recorder->words.begin(), recorder->words.end(), "-b?"),
            recorder->words.end());
  EXPECT_NE(std::find(recorder->words.begin(), recorder->words.end(), "~a 2>2"),
            recorder->words.end())
      << "resync";
}

// ---- pressure

TEST_F(InformerTest, AHandlerThatBlocksHoldsUpNobodyElse) {
  SharedInformer<Pod> informer = Make();
  const auto stuck = std::make_shared<Recorder>();
  stuck->hook = [&](const std::string&) {
    if (stuck->words.size() == 1) sim_.env().SleepFor(hours(1));
  };
  informer.AddEventHandler(stuck, {.max_events = 4}).OrExit();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  for (int i = 0; i < 100; ++i) {
    server_.Put("a", std::to_string(i));
    Settle();
  }
  EXPECT_EQ(recorder->words.size(), 100U);
  EXPECT_GT(informer.Stats().coalesced, 50U);
  ExpectEqual(informer, server_);
  sim_.RunFor(hours(2));
  EXPECT_EQ(stuck->words.back().substr(0, 2), "~a");
  EXPECT_LT(stuck->words.size(), 20U);
}

TEST_F(InformerTest, BlockStopsTheInformerAndLosesNothing) {
  InformerOptions<Pod> options;
  options.max_queued_bytes = 4096;
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto slow = std::make_shared<Recorder>();
  slow->hook = [&](const std::string&) { sim_.env().SleepFor(seconds(1)); };
  informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kBlock, .max_events = 4}).OrExit();
  informer.Start();
  Settle();
  for (int i = 0; i < 200; ++i) {
    server_.Put("p" + std::to_string(i), "1");
    Settle();
  }
  EXPECT_EQ(server_.open_watches(), 0U) << "past its budget it must close the watch";
  EXPECT_LT(informer.Snapshot().size(), 100U);
  ASSERT_TRUE(sim_.RunUntil([&] { return slow->words.size() == 200U; }, hours(1)));
  sim_.RunFor(seconds(2));
  ExpectEqual(informer, server_);
  EXPECT_EQ(server_.open_watches(), 1U);
}

TEST_F(InformerTest, DropAndResyncTellsTheDifference) {
  SharedInformer<Pod> informer = Make();
  const auto slow = std::make_shared<Recorder>();
  bool sleeping = true;
  slow->hook = [&](const std::string&) {
    if (sleeping) sim_.env().SleepFor(minutes(1));
  };
  informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kDropAndResync, .max_events = 4})
      .OrExit();
  informer.Start();
  Settle();
  for (int i = 0; i < 20; ++i) {
    server_.Put("p" + std::to_string(i % 10), std::to_string(i));
    Settle();
  }
  server_.Delete("p3");
  Settle();
  sleeping = false;
  sim_.RunFor(hours(1));
  EXPECT_GT(informer.Stats().dropped, 0U);
  // Replays what it heard: the outcome must be the server's state.
  std::map<std::string, std::string> model;
  for (const std::string& word : slow->words) {
    const std::string name = word.substr(1, 2);
    if (word[0] == '+') {
      EXPECT_FALSE(model.contains(name)) << word;
      model[name] = "";
    } else if (word[0] == '-') {
      EXPECT_TRUE(model.contains(name)) << word;
      model.erase(name);
    } else {
      EXPECT_TRUE(model.contains(name)) << word;
    }
  }
  EXPECT_EQ(model.size(), 9U);
}

TEST_F(InformerTest, TraceNamesEveryStage) {
  Texts stages;
  InformerOptions<Pod> options;
  options.trace = [&](const TraceEvent& e) {
    if (e.key == "default/b") stages.push_back(std::string(e.stage) + " " + std::string(e.type));
  };
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(stages,
            (Texts{"reflector ADDED", "delta fifo ADDED", "store ADDED", "listener ADDED"}));
}

TEST_F(InformerTest, SeedsOfCutsExpiryAndSlowHandlers) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Simulation sim({.seed = seed});
    FakeServer server(sim.env());
    server.watch_list_unsupported = seed % 2 == 0;
    InformerOptions<Pod> options;
    options.queue = seed % 5 == 0 ? QueueKind::kDeltaFIFO : QueueKind::kInOrder;
    SharedInformer<Pod> informer(sim.env(), server.NewListerWatcher(), std::move(options));
    std::map<std::string, std::string> model;
    const auto apply = [&model](const std::string& word, const std::string& name,
                                const std::string& value) {
      if (word == "+") {
        EXPECT_FALSE(model.contains(name)) << name;
      } else {
        EXPECT_TRUE(model.contains(name)) << name;
      }
      if (word == "-") {
        model.erase(name);
      } else {
        model[name] = value;
      }
    };
    HandlerOptions handler;
    handler.max_events = 3;
    handler.overflow = static_cast<OverflowPolicy>(seed % 3);
    informer
        .AddEventHandler(
            {.on_add = [&](const Added<Pod>& e) { apply("+", e.object.name(), e.object.value()); },
             .on_update =
                 [&](const Updated<Pod>& e) {
                   apply("~", e.new_object.name(), e.new_object.value());
                 },
             .on_delete =
                 [&](const Deleted<Pod>& e) { apply("-", e.object.name(), e.object.value()); }},
            handler)
        .OrExit();
    informer.Start();
    for (int step = 0; step < 60; ++step) {
      const std::uint64_t draw = sim.env().Random();
      const std::string name = "p" + std::to_string(draw / 64 % 6);
      switch (draw % 8) {
        case 0:
          server.EndWatches();
          break;
        case 1:
          server.Forget();
          server.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
          break;
        case 2:
          if (server.objects().contains({"default", name})) server.Delete(name);
          break;
        case 3:
          sim.RunFor(milliseconds(static_cast<int>(draw / 1024 % 3000)));
          break;
        default:
          server.Put(name, std::to_string(step), "uid-" + name + std::to_string(draw / 4096 % 2));
          break;
      }
      for (int i = 0; i < static_cast<int>(draw / 8192 % 8); ++i) sim.Step();
    }
    sim.RunFor(minutes(20));
    ExpectEqual(informer, server);
    std::map<std::string, std::string> served;
    for (const auto& [name, object] : server.objects()) served[name.name] = PodValue(*object);
    ASSERT_EQ(model, served) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kinformer
