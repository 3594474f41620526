// Contents of an informer's store and notifications of its handlers, in simulated time: rows CT,
// and rows SI on transforms and indexes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cache/informer/testing/informer_fixture.h"
#include "cache/store/store_core.h"

namespace kinformer {
namespace {

using internal::client::MakePod;
using internal::client::PodValue;
using std::chrono::seconds;

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

TEST_F(InformerTest, AHandlerThatUndoesWhatItHears_CT02) {
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  recorder->hook = [&](const std::string& word) {
    if (word[0] != '+') return;
    sim_.env().loop().Post([this, name = word.substr(1)] { server_.Delete(name); });
  };
  informer.Start();
  Settle();
  for (const char* name : {"a", "b", "c"}) server_.Put(name, "1");
  Settle();
  std::sort(recorder->words.begin(), recorder->words.end());
  EXPECT_EQ(recorder->words, (Texts{"+a", "+b", "+c", "-a", "-b", "-c"}));
  EXPECT_TRUE(informer.Snapshot().empty());
}

TEST_F(InformerTest, OnlyTransitionsThatHappenedAreTold_CT04) {
  std::size_t updates = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Simulation sim({.seed = seed});
    internal::client::FakeServer server(sim.env());
    SharedInformer<Pod> informer(sim.env(), server.NewListerWatcher(), {});
    const auto recorder = std::make_shared<Recorder>();
    informer.AddEventHandler(recorder).OrExit();
    informer.Start();
    for (int i = 0; i < 10; ++i) {
      const std::string name = "p" + std::to_string(i);
      for (const char* value : {"from", "to", "to"}) {
        server.Put(name, value);
        for (std::uint64_t n = sim.env().Random() % 4; n > 0; --n) sim.Step();
      }
      server.Delete(name);
    }
    sim.RunFor(seconds(5));
    int adds = 0;
    int deletes = 0;
    for (const std::string& word : recorder->words) {
      if (word[0] == '+') ++adds;
      if (word[0] == '-') ++deletes;
      if (word[0] != '~') continue;
      ++updates;
      const std::string change = word.substr(word.find(' ') + 1);
      EXPECT_TRUE(change == "from>to" || change == "to>to") << word;
    }
    EXPECT_EQ(adds, deletes) << "seed " << seed;
    EXPECT_TRUE(informer.Snapshot().empty());
  }
  EXPECT_GT(updates, 100U);
}

TEST_F(InformerTest, AnObjectCreatedBetweenListAndWatchArrivesOnce_WL58) {
  server_.watch_list_unsupported = true;
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return server_.requests.size() == 1; }, seconds(1)));
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"+a!", "+b"}));
  EXPECT_TRUE(registration_.HasSynced());
}

TEST_F(InformerTest, TheStoreKnowsBeforeTheHandler_CT20) {
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

TEST_F(InformerTest, ARelistDeletesFirstAndShowsTheFinalStore_CT21_CT22) {
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

TEST_F(InformerTest, AdditionsFoundByRelist_AreNotInitial_CT23) {
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
  EXPECT_EQ(informer.Stats().AllLists(), 2U);
  EXPECT_EQ(recorder->words, (Texts{"+a!"}));
  EXPECT_EQ(informer.core()->store().Get("default", "a"), before);
}

TEST_F(InformerTest, AReplayIsDropped) {
  server_.Put("a", "1");
  server_.Put("a", "2");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  server_.Send(WatchEventType::kAdded, MakePod("default", "a", "1", "", "1"));
  server_.Send(WatchEventType::kModified, MakePod("default", "a", "2", "", "2"));
  server_.Send(WatchEventType::kDeleted, MakePod("default", "a", "1", "uid-before", "0"));
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"+a!"}));
  EXPECT_EQ(informer.Stats().unchanged, 3U);
  EXPECT_EQ(informer.Stats().gaps, 0U);
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

TEST_F(InformerTest, TheStoresVersionFollowsEveryEventAndBookmark_CT24) {
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

TEST_F(InformerTest, ATransformIsSeenEverywhereAndOnlyOnce_CT06_SI11) {
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

// Each received object is transformed once. Objects taken from the store, as for tombstones and
// resyncs, are not.
TEST_F(InformerTest, Transform_RunsOncePerObjectReceived_R46_R47_DF10_RF10) {
  int runs = 0;
  server_.Put("a", "1");
  server_.Put("b", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer, {.resync_period = seconds(30)});
  informer
      .SetTransform([&](const Ref<Pod>& pod) -> Result<Ref<Pod>> {
        ++runs;
        return pod;
      })
      .OrExit();
  informer.Start();
  Settle();
  EXPECT_EQ(runs, 2);
  server_.Put("c", "1");
  server_.Put("a", "2");
  server_.Delete("a");
  Settle();
  EXPECT_EQ(runs, 5);
  sim_.RunFor(seconds(31));
  EXPECT_EQ(runs, 5) << "a resync";
  WhileCutOff([&] { server_.Delete("b"); });
  EXPECT_EQ(runs, 6) << "only c was in the list";
  EXPECT_NE(std::find(recorder->words.begin(), recorder->words.end(), "-b?"),
            recorder->words.end());
  ExpectEqual(informer, server_);
}
TEST_F(InformerTest, ATransformIsNeverAppliedTwice_CT07) {
  InformerOptions<Pod> options;
  options.resync_period = seconds(1);
  SharedInformer<Pod> informer = Make(std::move(options));
  informer
      .SetTransform([&](const Ref<Pod>& pod) -> Result<Ref<Pod>> {
        const internal::Block& block = *pod.object();
        if (PodValue(block).starts_with("seen")) return Error(Reason::kInternalError, "twice");
        return Ref<Pod>(MakePod(block.namespace_(), block.name(), block.resourceVersion(),
                                block.uid(), "seen" + PodValue(block)));
      })
      .OrExit();
  std::size_t told = 0;
  const auto recorder = Record(informer);
  recorder->hook = [&](const std::string& word) {
    ++told;
    EXPECT_TRUE(word[0] != '~' || word.find(" seen") != std::string::npos) << word;
  };
  bool stop = false;
  std::size_t reads = 0;
  const auto reader = sim_.env().NewThread("reader", [&] {
    while (!stop) {
      for (const Pod pod : informer.Snapshot()) {
        ++reads;
        EXPECT_TRUE(pod.value().starts_with("seen")) << pod.value();
      }
      sim_.env().SleepFor(std::chrono::milliseconds(5));
    }
  });
  informer.Start();
  for (int i = 0; i < 200; ++i) {
    server_.Put("p" + std::to_string(i % 10), std::to_string(i));
    sim_.RunFor(std::chrono::milliseconds(50));
    if (i % 50 == 49) ForceRelist();
  }
  stop = true;
  ASSERT_TRUE(sim_.RunBlocking([&] { reader->Join(); }, seconds(1)));
  EXPECT_GT(reads, 1000U);
  EXPECT_GT(told, 250U) << "resyncs came too";
  EXPECT_EQ(informer.Stats().unreadable, 0U);
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
  const auto list = pods.List();
  ASSERT_FALSE(list.ok()) << "it is incomplete";
  EXPECT_EQ(list.error().reason(), Reason::kUnreadable);
  EXPECT_NE(list.error().message().find("\"default/broken\""), std::string::npos) << list.error();
  EXPECT_TRUE(informer.lister().Namespace("elsewhere").List().ok());
  server_.SendUnreadable(WatchEventType::kModified, "a", "9");
  Settle();
  EXPECT_EQ(pods.Get("a").error().reason(), Reason::kUnreadable);
  server_.SendUnreadable(WatchEventType::kDeleted, "a", "10");
  Settle();
  EXPECT_EQ(pods.Get("a").error().reason(), Reason::kNotFound);
  EXPECT_EQ(recorder->words, (Texts{"+a!", "-a?"}));
}

// Otherwise each object would be built twice, and its size checked too late.
TEST_F(InformerTest, AnInformerOfItsOwnHandsItsEntryOptionsOn) {
  server_.takes_entry_options = true;
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make({.drop_managed_fields = true, .max_object_bytes = 4096});
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  ASSERT_TRUE(server_.entry_options);
  EXPECT_TRUE(server_.entry_options->drop_managed_fields);
  EXPECT_EQ(server_.entry_options->max_object_bytes, 4096U);
}

TEST_F(InformerTest, ARelistForgetsUnreadableObjectsThatAreGone) {
  server_.Put("a", "1");
  server_.unreadable = {{"default", "broken"}, {"default", "other"}};
  server_.watch_list_unsupported = true;
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  server_.SendUnreadable(WatchEventType::kModified, "a", "2");
  Settle();
  EXPECT_EQ(informer.Stats().unreadable, 3U);
  WhileCutOff([&] {
    server_.unreadable = {{"default", "other"}};
    server_.Delete("a");
  });
  const auto pods = informer.lister().Namespace("default");
  EXPECT_EQ(pods.Get("broken").error().reason(), Reason::kNotFound);
  EXPECT_EQ(pods.Get("other").error().reason(), Reason::kUnreadable);
  EXPECT_EQ(pods.Get("a").error().reason(), Reason::kNotFound);
  EXPECT_EQ(informer.Stats().unreadable, 1U);
  EXPECT_EQ(recorder->words, (Texts{"+a!", "-a?"}));
}

TEST_F(InformerTest, InitialEventsMayTurnReadableAndUnreadable) {
  server_.never_ends_initial_events = true;
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  server_.SendUnreadable(WatchEventType::kAdded, "mended", "1");
  server_.Send(WatchEventType::kModified, MakePod("default", "mended", "2"));
  server_.SendUnreadable(WatchEventType::kAdded, "gone", "3");
  server_.Send(WatchEventType::kDeleted, MakePod("default", "gone", "4"));
  server_.Send(WatchEventType::kAdded, MakePod("default", "gone too", "5"));
  server_.SendUnreadable(WatchEventType::kDeleted, "gone too", "6");
  server_.SendBookmark("6", true);
  Settle();
  ASSERT_TRUE(informer.HasSynced());
  const auto pods = informer.lister().Namespace("default");
  EXPECT_TRUE(pods.Get("mended").ok());
  EXPECT_EQ(pods.Get("gone").error().reason(), Reason::kNotFound);
  EXPECT_EQ(pods.Get("gone too").error().reason(), Reason::kNotFound);
  EXPECT_EQ(informer.Stats().unreadable, 0U);
}

TEST_F(InformerTest, ObjectTwiceInList_LastCounts) {
  server_.never_ends_initial_events = true;
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  server_.Send(WatchEventType::kAdded, MakePod("default", "a", "4", "", "four"));
  server_.Send(WatchEventType::kModified, MakePod("default", "a", "5", "", "five"));
  server_.SendBookmark("5", true);
  Settle();
  EXPECT_EQ(informer.Stats().added, 1U);
  EXPECT_EQ(informer.Stats().modified, 1U);
  server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  sim_.RunFor(seconds(5));
  server_.Send(WatchEventType::kAdded, MakePod("default", "a", "4", "", "four"));
  server_.Send(WatchEventType::kModified, MakePod("default", "a", "5", "", "five"));
  server_.SendBookmark("5", true);
  Settle();
  ASSERT_EQ(informer.Stats().AllLists(), 2U);
  EXPECT_EQ((*informer.Snapshot().begin()).value(), "five");
}

TEST_F(InformerTest, AbsenceIsNotClaimedBeforeTheFirstList) {
  server_.down = Error(Reason::kForbidden, "pods is forbidden").WithHttpStatus(403);
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  EXPECT_EQ(informer.lister().Namespace("default").Get("a").error().reason(), Reason::kNotSynced);
}

// ---- indexes

TEST_F(InformerTest, IndexesBeforeAndWhileRunning_SI01_SI02_SI03_TY25_TY26) {
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
  const ObjectRange<Pod> found = informer.indexer().ByIndex("name", "b");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ((*found.begin()).name(), "b");
  EXPECT_EQ(informer.indexer().ListIndexFuncValues("name"), (Texts{"a", "b"})) << "SI-03";
  ASSERT_TRUE(sim_.RunBlocking(
      [&] { EXPECT_EQ(informer.AddIndexers(more).error().reason(), Reason::kAlreadyExists); },
      seconds(1)));
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

// Objects are compared byte by byte: defaults and conversions can change an object without a new
// resourceVersion.
TEST_F(InformerTest, OtherBytesUnderTheSameVersionAreAnUpdate_W23) {
  server_.Put("a", "1");
  server_.Put("b", "1");
  SharedInformer<Pod> informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  recorder->words.clear();
  // By a relist.
  server_.Rewrite("a", "2");
  ForceRelist();
  EXPECT_EQ(recorder->words, (Texts{"~a 1>2"}));
  EXPECT_EQ(informer.Stats().inconsistencies + informer.Stats().gaps, 0U);
  ExpectEqual(informer, server_);
  recorder->words.clear();
  ForceRelist();
  EXPECT_TRUE(recorder->words.empty()) << "once";
  // By an event.
  server_.Rewrite("b", "2");
  const internal::ObjectRef b = server_.objects().at({"default", "b"});
  server_.Send(WatchEventType::kModified, b);
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"~b 1>2"}));
  ExpectEqual(informer, server_);
  recorder->words.clear();
  server_.Send(WatchEventType::kModified, b);
  Settle();
  EXPECT_TRUE(recorder->words.empty()) << "the same bytes";
  EXPECT_EQ(informer.Stats().gaps, 0U);
}

}  // namespace
}  // namespace kinformer
