// Informers of several namespaces: one cache, and a separate life of each namespace.

#include <algorithm>
#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/testing/ticking_env.h"
#include "cache/informer/testing/namespaces_fixture.h"

namespace kinformer {
namespace {

using internal::client::FakeServer;
using internal::client::MakePod;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_F(NamespacesTest, SeveralNamespaces_ShareOneCache) {
  Server("blue").Put("b1", "x");
  Server("green").Put("g1", "x");
  auto informer = Make({.indexers = {{"value", [](Pod pod, auto& out) { out.Add(pod.value()); }}},
                        .namespaces = {"green", "blue", "green"}});
  const auto recorder = Record(informer);
  informer.Start();
  EXPECT_FALSE(informer.HasSynced());
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_THAT(Since(*recorder), UnorderedElementsAre("+b1!", "+g1!"));
  EXPECT_THAT(NamesIn(informer), ElementsAre("b1", "g1"));
  EXPECT_EQ(informer.indexer().ByIndex("value", "x").size(), 2U);
  EXPECT_EQ(informer.Stats().AllLists(), 2U);
  EXPECT_EQ(informer.Status().state, InformerState::kWatching);

  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(pods.List().size(), 2U);
  EXPECT_TRUE(pods.List().ok());
  EXPECT_EQ(pods.Namespace("blue").List().size(), 1U);
  EXPECT_EQ(Absence(pods, "blue", "b1"), std::nullopt);
  EXPECT_EQ(Absence(pods, "blue", "g1"), Reason::kNotFound);
  EXPECT_EQ(Absence(pods, "red", "b1"), Reason::kOutOfScope);
  EXPECT_EQ(pods.Namespace("red").List().error().reason(), Reason::kOutOfScope);
  EXPECT_THAT(pods.Namespace("red").Get("b1").error().message(),
              HasSubstr("one of the namespaces \"blue\", \"green\""));

  Server("green").Put("g1", "y");
  Server("blue").Delete("b1");
  Settle();
  EXPECT_THAT(Since(*recorder), UnorderedElementsAre("~g1 x>y", "-b1"));
  EXPECT_THAT(NamesIn(informer), ElementsAre("g1"));
}

TEST_F(NamespacesTest, ADeniedNamespaceHoldsUpOnlyItself) {
  Server("blue").Put("b1");
  Server("green").Put("g1");
  Server("green").down = Forbidden();
  auto informer = Make({.namespaces = {"blue", "green"}});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_THAT(Since(*recorder), ElementsAre("+b1!"));
  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(Absence(pods, "blue", "b1"), std::nullopt);
  EXPECT_EQ(Absence(pods, "blue", "b2"), Reason::kNotFound);
  EXPECT_TRUE(pods.Namespace("blue").List().ok());
  EXPECT_EQ(Absence(pods, "green", "g1"), Reason::kNotSynced);
  EXPECT_THAT(pods.Namespace("green").Get("g1").error().message(),
              AllOf(HasSubstr("namespace \"green\""), HasSubstr("pods is forbidden"),
                    HasSubstr("grant the verbs list and watch in \"green\"")));
  const ObjectRange<Pod> all = pods.List();
  EXPECT_EQ(all.size(), 1U) << "what there is";
  EXPECT_EQ(all.error().reason(), Reason::kNotSynced) << "and that it is not all";

  EXPECT_EQ(informer.Status().state, InformerState::kForbidden);
  EXPECT_EQ(informer.Status().progress_age, std::nullopt);
  const std::vector<NamespaceStatus> each = informer.Namespaces();
  ASSERT_EQ(each.size(), 2U);
  EXPECT_EQ(each[0].namespace_, "blue");
  EXPECT_TRUE(each[0].synced);
  EXPECT_EQ(each[0].objects, 1U);
  EXPECT_EQ(each[0].resourceVersion, "2");
  EXPECT_EQ(each[0].status.state, InformerState::kWatching);
  EXPECT_EQ(each[1].namespace_, "green");
  EXPECT_FALSE(each[1].synced);
  EXPECT_EQ(each[1].resourceVersion, "");
  EXPECT_EQ(each[1].status.state, InformerState::kForbidden);
  EXPECT_TRUE(each[1].status.retry_in.has_value());
  EXPECT_TRUE(each[1].status.error.has_value());

  const auto failed = Wait([&] { return informer.WaitForCacheSync({}, {.fail_fast = true}); });
  ASSERT_TRUE(failed.has_value());
  EXPECT_TRUE(IsForbidden(failed->error()));
  EXPECT_THAT(failed->error().message(), HasSubstr("namespace \"green\""));

  Server("green").down.reset();
  sim_.RunFor(minutes(2));
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_THAT(Since(*recorder), ElementsAre("+g1!"));
  EXPECT_EQ(informer.Status().state, InformerState::kWatching);
  EXPECT_EQ(informer.Status().error, std::nullopt);
  EXPECT_EQ(Absence(pods, "green", "g2"), Reason::kNotFound);
}

// One namespace was listed, and then no longer served, before the other one was available.
TEST_F(NamespacesTest, ANamespaceThatComesBackCountsAgain) {
  const Error absent = Error(Reason::kNotFound, "no such resource").WithHttpStatus(404);
  Server("blue").Put("b1");
  Server("green").down = absent;
  auto informer = Make({.namespaces = {"blue", "green"}});
  informer.Start();
  Settle();
  Server("blue").down = absent;
  Server("blue").EndWatches();
  sim_.RunFor(seconds(5));
  Server("green").down.reset();
  sim_.RunFor(seconds(15));
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_EQ(Absence(informer.lister(), "green", "g2"), Reason::kNotFound);
  EXPECT_EQ(Absence(informer.lister(), "blue", "b2"), Reason::kNotSynced);
  Server("blue").Forget();
  Server("blue").down.reset();
  sim_.RunFor(seconds(15));
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(Absence(informer.lister(), "blue", "b2"), Reason::kNotFound);
}

TEST_F(NamespacesTest, Events_HaveEpochOfTheirNamespace) {
  Server("blue").Put("b1", "x");
  Server("green").Put("g1", "x");
  for (int i = 0; i < 5; ++i) Server("blue").Put("b2", std::to_string(i));
  for (const char* ns : {"blue", "green"}) Server(ns).answers_version = true;
  auto informer = Make({.namespaces = {"blue", "green"}});
  std::map<std::string, std::uint32_t> epochs;
  informer
      .AddEventHandler(
          {.on_update = [&](const Updated<Pod>& e) { epochs[e.new_object.name()] = e.epoch; }})
      .OrExit();
  informer.Start();
  Settle();
  *revision_ = 3;
  Server("blue").BreakWatches();
  Server("green").down = Error(Reason::kServiceUnavailable, "not now").WithHttpStatus(503);
  Settle();
  Server("blue").Put("b1", "restored");
  sim_.RunFor(seconds(20));
  EXPECT_EQ(informer.Status().epochs, 1U);
  EXPECT_EQ(epochs["b1"], 1U);
  EXPECT_EQ(informer.Snapshot().epoch(), 0U) << "green has not been listed again";
  Server("green").down.reset();
  Server("green").Put("g1", "y");
  sim_.RunFor(minutes(2));
  EXPECT_EQ(epochs["g1"], 1U);
  EXPECT_EQ(informer.Snapshot().epoch(), 1U);
}

TEST_F(NamespacesTest, ARelistReplacesItsOwnNamespaceOnly) {
  for (const char* name : {"b1", "b2"}) Server("blue").Put(name, "old");
  Server("green").Put("g1");
  auto informer = Make({.namespaces = {"blue", "green"}});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  recorder->words.clear();
  const std::uint64_t before = informer.Stats().AllLists();
  FakeServer& blue = Server("blue");
  blue.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
  blue.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  Settle();
  blue.Delete("b1");
  blue.Put("b2", "new");
  blue.Put("b3");
  blue.Forget();
  blue.down.reset();
  Server("green").Put("g2");
  sim_.RunFor(minutes(2));
  EXPECT_THAT(Since(*recorder), UnorderedElementsAre("+g2", "-b1?", "~b2 old>new", "+b3"));
  EXPECT_THAT(NamesIn(informer), ElementsAre("b2", "b3", "g1", "g2"));
  EXPECT_EQ(informer.Stats().AllLists(), before + 1) << "the other one goes on";
}

TEST_F(NamespacesTest, AResyncIsOneForAll) {
  Server("blue").Put("b1", "x");
  Server("green").Put("g1", "y");
  auto informer = Make({.namespaces = {"blue", "green"}});
  const auto recorder = Record(informer, {.resync_period = seconds(30)});
  const auto other = Record(informer, {.resync_period = Duration(0)});
  informer.Start();
  Settle();
  recorder->words.clear();
  other->words.clear();
  sim_.RunFor(seconds(95));
  EXPECT_EQ(std::count(recorder->words.begin(), recorder->words.end(), "~b1 x>x"), 3);
  EXPECT_EQ(std::count(recorder->words.begin(), recorder->words.end(), "~g1 y>y"), 3);
  EXPECT_EQ(recorder->words.size(), 6U);
  EXPECT_THAT(other->words, IsEmpty());
}

TEST_F(NamespacesTest, UnreadableObjectsStayWhereTheyAre) {
  Server("blue").Put("b1");
  Server("green").Put("g1");
  Server("green").unreadable = {{"green", "bad"}};
  auto informer = Make({.initial_list = InitialList::kList, .namespaces = {"blue", "green"}});
  informer.Start();
  Settle();
  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(Absence(pods, "green", "bad"), Reason::kUnreadable);
  EXPECT_EQ(pods.Namespace("green").List().error().reason(), Reason::kUnreadable);
  EXPECT_TRUE(pods.Namespace("blue").List().ok());
  // A list of the other namespace does not change that.
  Server("blue").Forget();
  Server("blue").FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  sim_.RunFor(minutes(1));
  EXPECT_EQ(Absence(pods, "green", "bad"), Reason::kUnreadable);
  // A list of its own namespace does.
  Server("green").unreadable.clear();
  Server("green").Forget();
  Server("green").FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  sim_.RunFor(minutes(1));
  EXPECT_EQ(Absence(pods, "green", "bad"), Reason::kNotFound);
}

// ---- one writer

// If the provider throws for one namespace, its status has the error and the informer does not
// sync. The other namespaces are cached.
TEST_F(NamespacesTest, NamespaceWithoutListerWatcher_HoldsUpOnlyItself) {
  Server("green").Put("g1");
  SharedInformer<Pod> informer(
      sim_.env(),
      [this](const std::string& ns) -> std::unique_ptr<ListerWatcher> {
        if (ns == "blue") throw std::runtime_error("no way");
        return Server(ns).NewListerWatcher();
      },
      InformerOptions<Pod>{.namespaces = {"blue", "green"}});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  EXPECT_THAT(Since(*recorder), ElementsAre("+g1!"));
  EXPECT_FALSE(informer.HasSynced());
  const std::vector<NamespaceStatus> each = informer.Namespaces();
  ASSERT_EQ(each.size(), 2U);
  EXPECT_THAT(each[0].status.ErrorText(), HasSubstr("nothing to list it with"));
  EXPECT_TRUE(each[1].synced);
}

TEST_F(NamespacesTest, RelistsTakeTurns) {
  constexpr int kPods = 2000;
  for (const char* ns : {"blue", "green"}) {
    for (int i = 0; i < kPods; ++i) Server(ns).Put(ns + std::to_string(i), "old");
  }
  Server("red").Put("r0");
  // Each reading of the clock takes time, so that slices end.
  internal::base::TickingEnv env(sim_.env(), microseconds(500));
  auto informer = Make({.namespaces = {"blue", "green", "red"}}, &env);
  std::vector<std::size_t> sizes;
  int red = 0;
  bool looking = true;
  const std::function<void()> look = [&] {
    const auto snapshot = informer.Snapshot();
    std::map<std::string, std::size_t> in;
    for (const Pod pod : snapshot) ++in[pod.name().substr(0, 1)];
    if (!in.empty()) {
      sizes.push_back(in["b"] + in["g"]);
      EXPECT_TRUE(in["b"] == 0 || in["b"] == kPods) << in["b"];
      EXPECT_TRUE(in["g"] == 0 || in["g"] == kPods) << in["g"];
    }
    ++red;
    Server("red").Put("r" + std::to_string(red % 7), std::to_string(red));
    if (looking && red < 10000) sim_.env().loop().Post(look);
  };
  sim_.env().loop().Post(look);
  informer.Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return informer.HasSynced(); }, minutes(5)));
  looking = false;
  Settle();
  EXPECT_GT(red, 5) << "others had turns";
  EXPECT_EQ(informer.Snapshot().size(), 2U * kPods + 7);
  EXPECT_EQ(informer.Stats().queued, 0U);
}

// ---- versions

TEST_F(NamespacesTest, TheVersionIsThatOfTheOldest) {
  Server("blue").Put("b1");
  auto informer = Make({.namespaces = {"blue", "green"}});
  informer.Start();
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "1");
  const std::string rv = Server("blue").Put("b2");
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "1") << "of green nobody knows";
  EXPECT_EQ(informer.Namespaces()[0].resourceVersion, rv);
  // A writer to one namespace can wait for that namespace alone.
  const Lister<Pod> pods = informer.lister();
  const auto one = Wait([&] { return pods.Namespace("blue").WaitForResourceVersion(rv); });
  ASSERT_TRUE(one.has_value());
  EXPECT_TRUE(one->ok()) << one->error();
  const auto other =
      Wait([&] { return pods.Namespace("green").WaitForResourceVersion(rv, {}, seconds(5)); });
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->error().reason(), Reason::kDeadlineExceeded);
  const auto elsewhere =
      Wait([&] { return pods.Namespace("red").WaitForResourceVersion("99", {}, seconds(5)); });
  ASSERT_TRUE(elsewhere.has_value());
  EXPECT_EQ(elsewhere->error().reason(), Reason::kOutOfScope);
  sim_.env().loop().Post([&] { Server("green").Bookmark(); });
  const auto all = Wait([&] { return informer.WaitForResourceVersion(rv); });
  ASSERT_TRUE(all.has_value());
  EXPECT_TRUE(all->ok()) << all->error();
  EXPECT_EQ(informer.LastSyncResourceVersion(), rv);
}

TEST_F(NamespacesTest, TheVersionIsNoneUntilAllHaveOne) {
  Server("blue").Put("b1");
  Server("green").down = Forbidden();
  auto informer = Make({.namespaces = {"blue", "green"}});
  informer.Start();
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "");
  Server("green").down.reset();
  sim_.RunFor(minutes(2));
  EXPECT_EQ(informer.LastSyncResourceVersion(), "1");
}

TEST_F(NamespacesTest, AServerThatWentBackIsListedEverywhereAndCountedOnce) {
  Server("blue").Put("b1", "x");
  Server("green").Put("g1", "x");
  for (int i = 0; i < 5; ++i) Server("blue").Put("b2", std::to_string(i));
  for (const char* ns : {"blue", "green"}) Server(ns).answers_version = true;
  auto informer = Make({.namespaces = {"blue", "green"}});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  Server("green").Bookmark();
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "7");
  const std::uint64_t lists = informer.Stats().AllLists();
  // Only blue's watch breaks; green's would show nothing for a long time.
  *revision_ = 3;
  Server("blue").BreakWatches();
  Settle();
  Server("blue").Put("b1", "restored");
  sim_.RunFor(minutes(1));
  EXPECT_EQ(informer.Stats().AllLists(), lists + 2);
  EXPECT_EQ(informer.Status().epochs, 1U);
  EXPECT_EQ(informer.LastSyncResourceVersion(), "4");
  EXPECT_EQ(informer.Snapshot().resourceVersion(), "4");
  const auto wait = Wait([&] { return informer.WaitForResourceVersion("4"); });
  ASSERT_TRUE(wait.has_value());
  EXPECT_TRUE(wait->ok()) << wait->error();
  EXPECT_THAT(recorder->words, testing::Contains("~b1 x>restored"));
}

// ---- lives

TEST_F(NamespacesTest, Restart_EachNamespaceResumesAtItsVersion) {
  Server("blue").Put("b1");
  Server("green").Put("g1");
  auto informer = Make({.namespaces = {"blue", "green"}});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  const std::string rv = Server("blue").Put("b2");
  Settle();
  informer.Stop();
  Settle();
  EXPECT_EQ(Server("blue").open_watches() + Server("green").open_watches(), 0U);
  EXPECT_EQ(Absence(informer.lister(), "blue", "b9"), Reason::kStopped);
  recorder->words.clear();
  Server("green").Delete("g1");
  informer.Start();
  EXPECT_EQ(Absence(informer.lister(), "blue", "b9"), Reason::kNotSynced);
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_THAT(recorder->words, ElementsAre("-g1?"));
  EXPECT_THAT(Server("blue").requests.back(), HasSubstr("WATCHLIST rv=" + rv + " "));
  EXPECT_THAT(Server("green").requests.back(), HasSubstr("WATCHLIST rv=2 "));
}

TEST_F(NamespacesTest, StopDuringList_LeavesWholeListsOnly) {
  for (const char* ns : {"blue", "green"}) {
    for (int i = 0; i < 2000; ++i) Server(ns).Put(ns + std::to_string(i));
  }
  internal::base::TickingEnv env(sim_.env(), microseconds(500));
  for (const int steps : {100, 4010, 8010, 8020, 8040, 8080, 8160, 8320}) {
    auto informer = Make({.namespaces = {"blue", "green"}}, &env);
    informer.Start();
    for (int i = 0; i < steps && sim_.Step(); ++i) {
    }
    informer.Stop();
    Settle();
    const std::size_t size = informer.Snapshot().size();
    EXPECT_TRUE(size == 0 || size == 2000 || size == 4000) << size;
    EXPECT_EQ(informer.Stats().queued, 0U);
    EXPECT_EQ(Server("blue").open_watches() + Server("green").open_watches(), 0U);
  }
}

TEST_F(NamespacesTest, SingleNamespace_HasScopeButNoParts) {
  Server("blue").Put("b1");
  auto informer = Make({.namespaces = {"blue"}});
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_THAT(informer.Namespaces(), IsEmpty());
  EXPECT_EQ(Absence(informer.lister(), "blue", "b2"), Reason::kNotFound);
  EXPECT_EQ(Absence(informer.lister(), "red", "b2"), Reason::kOutOfScope);
}

// ---- objects of other namespaces

TEST_F(NamespacesTest, AnObjectOfAnotherNamespaceIsNotItsOwn) {
  Server("blue").Put("b1");
  Server("green").Put("g1", "own");
  auto informer = Make({.namespaces = {"blue", "green"}});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  recorder->words.clear();
  Server("blue").Send(WatchEventType::kModified, MakePod("green", "g1", "9", "", "foreign"));
  Server("blue").Send(WatchEventType::kDeleted, MakePod("green", "g1", "10"));
  Settle();
  EXPECT_THAT(recorder->words, IsEmpty());
  const Ref<Pod> kept = informer.lister().Namespace("green").Get("g1").value();
  EXPECT_EQ(kept->value(), "own");
}

TEST_F(NamespacesTest, ATransformKeepsTheNamespace) {
  Server("blue").Put("b1");
  Server("green").Put("g1");
  auto informer = Make({.namespaces = {"blue", "green"}});
  EXPECT_TRUE(informer
                  .SetTransform([](const Ref<Pod>& pod) -> Result<Ref<Pod>> {
                    if (pod->name() != "b1") return pod;
                    return Ref<Pod>(MakePod("green", "b1", "1"));
                  })
                  .ok());
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(Absence(informer.lister(), "blue", "b1"), Reason::kUnreadable);
  EXPECT_EQ(Absence(informer.lister(), "green", "b1"), Reason::kNotFound);
  EXPECT_EQ(Absence(informer.lister(), "green", "g1"), std::nullopt);
}

}  // namespace
}  // namespace kinformer
