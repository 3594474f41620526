// Informers that list some namespaces separately and all others together, each place with its own
// selectors.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/informer/testing/namespaces_fixture.h"
#include "cache/store/store_part.h"

namespace kinformer {
namespace {

using internal::client::FakeServer;
using internal::client::MakePod;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class OtherNamespaces : public NamespacesTest {
 protected:
  OtherNamespaces() {
    Server("blue");
    Others().scope = {.fieldSelector = "metadata.namespace!=blue"};
  }
  // Returns the collection of all except "blue"; `ns`: namespace of its next objects.
  FakeServer& Others(const std::string& ns = "red") {
    FakeServer& others = Server(std::string(internal::cache::kOtherNamespaces));
    others.namespace_name = ns;
    return others;
  }
  SharedInformer<Pod> MakeWithOthers(InformerOptions<Pod> options = {}) {
    options.namespaces = {"blue"};
    return SharedInformer<Pod>(internal::InformerCore::Create(
        sim_.env(), "pods",
        {.objects = [this](const std::string& place) { return Server(place).NewListerWatcher(); },
         .namespaced = true,
         .others = true},
        internal::SettingsOf(std::move(options))));
  }
  static void ListAnew(FakeServer& server) {
    server.Forget();
    server.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  }
};

TEST_F(OtherNamespaces, NamedAndOtherNamespaces_ShareOneCache) {
  Server("blue").Put("b1", "x");
  Others("red").Put("r1", "x");
  Others("green").Put("g1", "x");
  auto informer = MakeWithOthers();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_THAT(Since(*recorder), UnorderedElementsAre("+b1!", "+g1!", "+r1!"));
  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(pods.List().size(), 3U);
  EXPECT_TRUE(pods.List().ok());
  EXPECT_EQ(pods.Namespace("red").List().size(), 1U);
  EXPECT_EQ(Absence(pods, "green", "g1"), std::nullopt);
  // Every namespace is in scope, even though "blue" is a place of its own.
  EXPECT_EQ(Absence(pods, "blue", "none"), Reason::kNotFound);
  EXPECT_EQ(Absence(pods, "red", "none"), Reason::kNotFound);
  EXPECT_EQ(Absence(pods, "never-heard-of", "none"), Reason::kNotFound);
  EXPECT_TRUE(pods.Namespace("never-heard-of").List().ok());

  Others("green").Put("g1", "y");
  Server("blue").Delete("b1");
  Settle();
  EXPECT_THAT(Since(*recorder), UnorderedElementsAre("~g1 x>y", "-b1"));
  const std::vector<NamespaceStatus> each = informer.Namespaces();
  ASSERT_EQ(each.size(), 2U);
  EXPECT_EQ(each[0].namespace_, "") << "all others";
  EXPECT_EQ(each[0].objects, 2U);
  EXPECT_TRUE(each[0].synced);
  EXPECT_EQ(each[1].namespace_, "blue");
  EXPECT_EQ(each[1].objects, 0U);
}

// Each place has its own selectors, and they do not affect answers for other places.
TEST_F(OtherNamespaces, SelectorsOfOneArePartOfItsAnswersOnly) {
  Server("blue").scope.labelSelector = "app=web";
  Server("blue").Put("b1");
  Others("red").Put("r1");
  auto informer = MakeWithOthers();
  informer.Start();
  Settle();
  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(Absence(pods, "blue", "none"), Reason::kOutOfScope);
  EXPECT_THAT(pods.Namespace("blue").Get("none").error().message(),
              AllOf(HasSubstr("namespace \"blue\""), HasSubstr("label selector \"app=web\"")));
  EXPECT_EQ(Absence(pods, "red", "none"), Reason::kNotFound);
  informer.Stop();
  Settle();
  // The opposite selectors, and one by name: each life uses the selectors at its start.
  Server("blue").scope.labelSelector = "";
  Others().scope.fieldSelector = "metadata.namespace!=blue,metadata.name=r1";
  informer.Start();
  Settle();
  EXPECT_EQ(Absence(pods, "blue", "none"), Reason::kNotFound);
  EXPECT_EQ(Absence(pods, "red", "r1"), std::nullopt);
  EXPECT_EQ(Absence(pods, "red", "none"), Reason::kOutOfScope);
  EXPECT_EQ(Absence(pods, "green", "r1"), Reason::kNotFound);
  EXPECT_THAT(pods.Namespace("red").Get("none").error().message(), HasSubstr("the name \"r1\""));
}

TEST_F(OtherNamespaces, AFieldSelectorThatLooksElsewhere) {
  Server("blue").scope.fieldSelector = "metadata.namespace=red";
  Others().scope.fieldSelector = "metadata.namespace!=blue,metadata.namespace=red";
  Others("red").Put("r1");
  auto informer = MakeWithOthers();
  informer.Start();
  Settle();
  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(Absence(pods, "blue", "b1"), Reason::kOutOfScope);
  EXPECT_EQ(Absence(pods, "green", "g1"), Reason::kOutOfScope);
  EXPECT_EQ(Absence(pods, "red", "r1"), std::nullopt);
  EXPECT_EQ(Absence(pods, "red", "r2"), Reason::kNotFound);
}

TEST_F(OtherNamespaces, ARelistReplacesItsOwnPartOnly) {
  for (const char* name : {"b1", "b2"}) Server("blue").Put(name, "old");
  for (const char* ns : {"green", "red"}) Others(ns).Put(std::string(ns), "old");
  auto informer = MakeWithOthers({.initial_list = InitialList::kList});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  recorder->words.clear();
  // Changes objects while the watches are down.
  Others().down = Server("blue").down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
  ListAnew(Others());
  Settle();
  Others("green").Delete("green");
  Others("red").Put("red", "new");
  Others("yellow").Put("yellow");
  Others().Forget();
  Others().down.reset();
  sim_.RunFor(minutes(2));
  EXPECT_THAT(Since(*recorder), UnorderedElementsAre("-green?", "~red old>new", "+yellow"));
  EXPECT_THAT(NamesIn(informer), ElementsAre("b1", "b2", "red", "yellow"));
  // A list of "blue" leaves the other places alone.
  ListAnew(Server("blue"));
  Settle();
  Server("blue").Delete("b1");
  Server("blue").Forget();
  Server("blue").down.reset();
  sim_.RunFor(minutes(2));
  EXPECT_THAT(Since(*recorder), ElementsAre("-b1?"));
  EXPECT_THAT(NamesIn(informer), ElementsAre("b2", "red", "yellow"));
}

TEST_F(OtherNamespaces, WhereTheOthersAreForbiddenTheNamedOnesAreNot) {
  Server("blue").Put("b1");
  Others("red").Put("r1");
  Others().down = Forbidden();
  auto informer = MakeWithOthers();
  informer.Start();
  Settle();
  EXPECT_FALSE(informer.HasSynced());
  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(Absence(pods, "blue", "b2"), Reason::kNotFound);
  EXPECT_TRUE(pods.Namespace("blue").List().ok());
  EXPECT_EQ(Absence(pods, "red", "r1"), Reason::kNotSynced);
  EXPECT_THAT(pods.Namespace("red").Get("r1").error().message(),
              AllOf(HasSubstr("pods is forbidden"), HasSubstr("all other namespaces"),
                    HasSubstr("cluster-wide"), HasSubstr("name all namespaces")));
  const auto failed = Wait([&] { return informer.WaitForCacheSync({}, {.fail_fast = true}); });
  ASSERT_TRUE(failed.has_value());
  EXPECT_THAT(failed->error().message(), HasSubstr("all other namespaces"));
  Others().down.reset();
  sim_.RunFor(minutes(2));
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(Absence(pods, "red", "r1"), std::nullopt);
}

TEST_F(OtherNamespaces, ResourceVersion_IsWaitedForPerPlace) {
  Server("blue").Put("b1");
  auto informer = MakeWithOthers();
  informer.Start();
  Settle();
  const std::string rv = Others("red").Put("r1");
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "1") << "of blue nobody knows";
  const Lister<Pod> pods = informer.lister();
  for (const char* ns : {"red", "never-heard-of"}) {
    const auto there = Wait([&] { return pods.Namespace(ns).WaitForResourceVersion(rv); });
    ASSERT_TRUE(there.has_value());
    EXPECT_TRUE(there->ok()) << there->error();
  }
  const auto blue =
      Wait([&] { return pods.Namespace("blue").WaitForResourceVersion(rv, {}, seconds(5)); });
  ASSERT_TRUE(blue.has_value());
  EXPECT_EQ(blue->error().reason(), Reason::kDeadlineExceeded);
}

TEST_F(OtherNamespaces, AServerThatWentBackIsListedEverywhere) {
  Server("blue").Put("b1", "x");
  Others("red").Put("r1", "x");
  for (int i = 0; i < 5; ++i) Server("blue").Put("b2", std::to_string(i));
  Server("blue").answers_version = Others().answers_version = true;
  auto informer = MakeWithOthers();
  std::map<std::string, std::uint32_t> epochs;
  informer
      .AddEventHandler(
          {.on_update = [&](const Updated<Pod>& e) { epochs[e.new_object.name()] = e.epoch; }})
      .OrExit();
  informer.Start();
  Settle();
  *revision_ = 3;
  Server("blue").BreakWatches();
  Others().down = Error(Reason::kServiceUnavailable, "not now").WithHttpStatus(503);
  Settle();
  Server("blue").Put("b1", "restored");
  sim_.RunFor(seconds(20));
  EXPECT_EQ(informer.Status().epochs, 1U);
  EXPECT_EQ(epochs["b1"], 1U);
  EXPECT_EQ(informer.Snapshot().epoch(), 0U) << "the others have not been listed again";
  Others().down.reset();
  Others("red").Put("r1", "y");
  sim_.RunFor(minutes(2));
  EXPECT_EQ(epochs["r1"], 1U);
  EXPECT_EQ(informer.Snapshot().epoch(), 1U);
}

TEST_F(OtherNamespaces, UnreadableObjectsStayWhereTheyAre) {
  Others("red").unreadable = {{"red", "bad"}};
  auto informer = MakeWithOthers({.initial_list = InitialList::kList});
  informer.Start();
  Settle();
  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(Absence(pods, "red", "bad"), Reason::kUnreadable);
  EXPECT_TRUE(pods.Namespace("blue").List().ok());
  ListAnew(Server("blue"));
  sim_.RunFor(minutes(1));
  EXPECT_EQ(Absence(pods, "red", "bad"), Reason::kUnreadable);
  Others().unreadable.clear();
  ListAnew(Others());
  sim_.RunFor(minutes(1));
  EXPECT_EQ(Absence(pods, "red", "bad"), Reason::kNotFound);
}

// One limit applies to all places, and each place lists its own left-out objects.
TEST_F(OtherNamespaces, LeftOutObjects_BelongToTheirPlace) {
  for (const char* name : {"b1", "b2"}) Server("blue").Put(name);
  Others().down = Error(Reason::kInternalError, "later").WithHttpStatus(500);
  auto informer = MakeWithOthers({.max_objects = 3, .limit_policy = LimitPolicy::kServePart});
  informer.Start();
  Settle();
  Others("red").Put("r1");
  Others("green").Put("g1");
  Others().down.reset();
  sim_.RunFor(minutes(1));
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(informer.Stats().left_out, 1U);
  const std::vector<NamespaceStatus> each = informer.Namespaces();
  EXPECT_EQ(each[0].left_out, 1U);
  EXPECT_EQ(each[1].left_out, 0U);
  const Lister<Pod> pods = informer.lister();
  const bool red_is_out = Absence(pods, "red", "r1").has_value();
  const std::pair<std::string, std::string> out =
      red_is_out ? std::pair("red", "r1") : std::pair("green", "g1");
  EXPECT_EQ(Absence(pods, out.first, out.second), Reason::kOverLimit);
  // A list of "blue" does not affect it; its deletion does.
  ListAnew(Server("blue"));
  sim_.RunFor(minutes(1));
  EXPECT_EQ(Absence(pods, out.first, out.second), Reason::kOverLimit);
  Others(out.first).Delete(out.second);
  Settle();
  EXPECT_EQ(Absence(pods, out.first, out.second), Reason::kNotFound);
  EXPECT_EQ(informer.Stats().left_out, 0U);
  // A new object without room is left out of this place, too.
  Others("yellow").Put("y1");
  Settle();
  EXPECT_EQ(Absence(pods, "yellow", "y1"), Reason::kOverLimit);
  EXPECT_EQ(informer.Namespaces()[0].left_out, 1U);
}

TEST_F(OtherNamespaces, ObjectsOfAnotherPlace_AreIgnored) {
  Server("blue").Put("b1", "own");
  auto informer = MakeWithOthers();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  recorder->words.clear();
  Others().Send(WatchEventType::kModified, MakePod("blue", "b1", "9", "", "foreign"));
  Others().Send(WatchEventType::kDeleted, MakePod("blue", "b1", "10"));
  Server("blue").Send(WatchEventType::kAdded, MakePod("red", "r1", "11"));
  Settle();
  EXPECT_THAT(recorder->words, IsEmpty());
  const Ref<Pod> kept = informer.lister().Namespace("blue").Get("b1").value();
  EXPECT_EQ(kept->value(), "own");
}

TEST_F(OtherNamespaces, Restart_EachPlaceResumesAtItsVersion) {
  Server("blue").Put("b1");
  Others("red").Put("r1");
  auto informer = MakeWithOthers();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  const std::string rv = Others("red").Put("r2");
  Settle();
  informer.Stop();
  Settle();
  EXPECT_EQ(Absence(informer.lister(), "red", "r9"), Reason::kStopped);
  recorder->words.clear();
  Others("red").Delete("r1");
  informer.Start();
  EXPECT_EQ(Absence(informer.lister(), "red", "r9"), Reason::kNotSynced);
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_THAT(recorder->words, ElementsAre("-r1?"));
  EXPECT_THAT(Others().requests.back(), HasSubstr("WATCHLIST rv=" + rv + " "));
}

}  // namespace
}  // namespace kinformer
