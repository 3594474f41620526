#include "kinformer/cache/indexer.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/lister.h"
#include "kinformer/cache/snapshot.h"

#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using internal::cache::MakeThing;
using internal::cache::TestLabels;
using internal::cache::Thing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

static_assert(std::forward_iterator<ObjectRange<Thing>::iterator>);
static_assert(ObjectView<Thing>);

template <class Range>
std::vector<std::string> Names(const Range& range) {
  std::vector<std::string> names;
  for (Thing thing : range) names.emplace_back(thing.metadata().name());
  std::sort(names.begin(), names.end());
  return names;
}

// Returns the version of a stored object.
std::string VersionIn(const Store<Thing>& store, std::string_view key) {
  const Ref<Thing> object = store.GetByKey(key);
  return object ? std::string(object->metadata().resourceVersion()) : "absent";
}

class IndexerTest : public ::testing::Test {
 protected:
  Simulation sim_;
};

TEST_F(IndexerTest, ResourceVersionFollowsTheWrites_TS04_to_08) {
  Indexer<Thing> store(sim_.env());
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "");
  ASSERT_TRUE(store.Add(MakeThing("", "a", "10")));
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "10");
  ASSERT_TRUE(store.Update(MakeThing("", "a", "10")));
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "10");
  ASSERT_TRUE(store.Add(MakeThing("", "b", "20")));
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "20");
  ASSERT_TRUE(store.Delete(MakeThing("", "b", "30")));
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "30");
  ASSERT_TRUE(store.Add(MakeThing("", "c", "")));
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "30");
  ASSERT_TRUE(store.Add(MakeThing("", "d", "40")));
  ASSERT_TRUE(store.DeleteByKey("d"));
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "40");
}

TEST_F(IndexerTest, AStoresOwnTransformerChangesWhatIsWritten_TS11) {
  int transformed = 0;
  Store<Thing> store(sim_.env(), {.transformer = [&](const Ref<Thing>& of) -> Result<Ref<Thing>> {
                       ++transformed;
                       if (of->metadata().name() == "bad") {
                         return Error(Reason::kInvalidArgument, "not this one");
                       }
                       return MakeThing("", std::string(of->metadata().name()), "99");
                     }});
  ASSERT_TRUE(store.Add(MakeThing("", "a", "1")));
  ASSERT_TRUE(store.Update(MakeThing("", "b", "2")));
  EXPECT_EQ(VersionIn(store, "a"), "99");
  EXPECT_EQ(VersionIn(store, "b"), "99");
  const Store<Thing> copy = store;
  ASSERT_TRUE(store.Delete(MakeThing("", "b", "3")));
  EXPECT_EQ(transformed, 2) << "a deletion needs only the name";
  EXPECT_FALSE(store.Add(MakeThing("", "bad", "4")));
  EXPECT_FALSE(store.Replace({MakeThing("", "c", "5"), MakeThing("", "bad", "5")}, "5"));
  using Write = StoreTransaction<Thing>;
  EXPECT_FALSE(store.Transaction({{Write::Type::kAdd, MakeThing("", "c", "40")},
                                  {Write::Type::kUpdate, MakeThing("", "bad", "50")}}));
  EXPECT_THAT(store.ListKeys(), ElementsAre("a")) << "nothing is written then";
  ASSERT_TRUE(store.Transaction({{Write::Type::kAdd, MakeThing("", "c", "40")},
                                 {Write::Type::kDelete, MakeThing("", "a", "50")}}));
  EXPECT_EQ(VersionIn(copy, "c"), "99");
  ASSERT_TRUE(store.Replace({MakeThing("", "d", "5"), MakeThing("", "e", "5")}, "7"));
  EXPECT_THAT(store.ListKeys(), UnorderedElementsAre("d", "e"));
  EXPECT_EQ(VersionIn(copy, "d"), "99");
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "7");
}

TEST_F(IndexerTest, ResourceVersionOfTransactionsAndReplace_TS09) {
  using Write = StoreTransaction<Thing>;
  Indexer<Thing> store(sim_.env());
  ASSERT_TRUE(store.Transaction({{Write::Type::kAdd, MakeThing("", "a", "40")},
                                 {Write::Type::kAdd, MakeThing("", "b", "30")},
                                 {Write::Type::kUpdate, MakeThing("", "a", "50")}}));
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "50");
  ASSERT_TRUE(store.Replace({MakeThing("", "a", "40"), MakeThing("", "b", "30")}, "50"));
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "50");
  ASSERT_TRUE(store.Add(MakeThing("", "a", "10")));
  ASSERT_TRUE(store.Delete(MakeThing("", "a", "20")));
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "50") << "client-go would go back to 20 (W31)";
  ASSERT_TRUE(store.Bookmark("60"));
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), "60");
  for (const char* version : {"70", "20"}) {
    ASSERT_TRUE(store.Replace({MakeThing("", "a", "10")}, version));
    EXPECT_EQ(store.LastStoreSyncResourceVersion(), version) << "a list's counts, whatever it is";
  }
}

TEST_F(IndexerTest, Store_TS10) {
  Store<Thing> store(sim_.env());
  ASSERT_TRUE(store.Add(MakeThing("", "foo", "1", {{"v", "bar"}})));
  Ref<Thing> foo = store.Get(MakeThing("", "foo", "9"));
  ASSERT_TRUE(foo);
  EXPECT_EQ(foo->label("v"), "bar");
  ASSERT_TRUE(store.Update(MakeThing("", "foo", "2", {{"v", "baz"}})));
  EXPECT_EQ((*store.List().begin()).label("v"), "baz");
  ASSERT_TRUE(store.Delete(MakeThing("", "foo", "")));
  EXPECT_FALSE(store.GetByKey("foo"));
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(store.Add(MakeThing("", name, "1")));
  EXPECT_EQ(Names(store.List()), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_THAT(store.ListKeys(), UnorderedElementsAre("a", "b", "c"));
  ASSERT_TRUE(store.Replace({MakeThing("", "foo", "1"), MakeThing("n", "bar", "1")}, "5"));
  EXPECT_THAT(store.ListKeys(), UnorderedElementsAre("foo", "n/bar"));
}

TEST_F(IndexerTest, IndexFindsObjectsLikeOne_TS12) {
  Indexer<Thing> store(sim_.env(), {{"by", [](Thing t, auto& out) { out.Add(t.label("v")); }}});
  for (auto [name, value] : {std::pair("a", "b"), {"c", "b"}, {"e", "f"}, {"g", "h"}}) {
    ASSERT_TRUE(store.Add(MakeThing("", name, "1", {{"v", value}})));
  }
  EXPECT_EQ(Names(store.Index("by", MakeThing("", "", "", {{"v", "b"}}))),
            (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(Names(store.Index("by", MakeThing("", "", "", {{"v", "f"}}))),
            (std::vector<std::string>{"e"}));
  EXPECT_THAT(Names(store.Index("by", MakeThing("", "", "", {{"v", "x"}}))), IsEmpty());
  EXPECT_EQ(store.Index("none", MakeThing("", "a", "")).error().reason(), Reason::kNotFound);
}

TEST_F(IndexerTest, TransactionSaysWhichWritesWereMade_TS14_to_16) {
  using Write = StoreTransaction<Thing>;
  const auto good = [](const char* name) {
    return Write{Write::Type::kAdd, MakeThing("", name, "1")};
  };
  const Write bad{Write::Type::kAdd, MakeThing("", "", "1")};
  struct Case {
    std::vector<Write> writes;
    std::vector<std::size_t> successful;
    bool error;
  };
  for (const Case& c : {Case{{good("a"), good("b")}, {0, 1}, false}, Case{{bad, bad}, {}, true},
                        Case{{good("a"), bad, good("b"), bad}, {0, 2}, true}}) {
    Indexer<Thing> store(sim_.env());
    const auto result = store.Transaction(c.writes);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->SuccessfulIndices, c.successful);
    EXPECT_EQ(result->error.has_value(), c.error);
    EXPECT_EQ(store.List().size(), c.successful.size());
  }
}

TEST_F(IndexerTest, AnObjectWithoutANameIsRefusedAsSuch_TS13) {
  Indexer<Thing> store(sim_.env());
  ASSERT_TRUE(store.Add(MakeThing("", "a", "1")));
  const auto add = store.Add(MakeThing("ns", "", "1"));
  ASSERT_FALSE(add);
  EXPECT_THAT(add.error().message(), HasSubstr("metadata.name"));
  Error outer = add.error();
  outer.WithContext("adding a thing").WithContext("at start");
  EXPECT_EQ(outer.reason(), add.error().reason()) << "whoever speaks of it";
  EXPECT_THAT(outer.message(), HasSubstr(add.error().message()));
  EXPECT_FALSE(store.Replace({MakeThing("", "b", "1"), MakeThing("", "", "1")}, "2"));
  EXPECT_THAT(store.ListKeys(), ElementsAre("a"));
}

TEST_F(IndexerTest, ListIndexFuncValues_TS18) {
  Indexer<Thing> store(sim_.env(), {{"by", [](Thing t, auto& out) { out.Add(t.label("foo")); }}});
  ASSERT_TRUE(store.Add(MakeThing("", "one", "1", {{"foo", "bar"}})));
  ASSERT_TRUE(store.Add(MakeThing("", "two", "1", {{"foo", "bar"}})));
  ASSERT_TRUE(store.Add(MakeThing("", "tre", "1", {{"foo", "biz"}})));
  EXPECT_THAT(store.ListIndexFuncValues("by"), ElementsAre("bar", "biz"));
  EXPECT_THAT(store.ListIndexFuncValues("none"), IsEmpty());
}

TEST_F(IndexerTest, MultiValuedIndex_TS19_to_21) {
  Indexer<Thing> store(sim_.env(), {{"users", [](Thing t, auto& out) {
                                       std::string users = t.label("users");
                                       while (!users.empty()) {
                                         const auto end = std::min(users.find(','), users.size());
                                         out.Add(users.substr(0, end));
                                         users.erase(0, end + 1);
                                       }
                                     }}});
  ASSERT_TRUE(store.Add(MakeThing("", "one", "1", {{"users", "ernie,bert"}})));
  ASSERT_TRUE(store.Add(MakeThing("", "two", "1", {{"users", "bert,oscar"}})));
  ASSERT_TRUE(store.Add(MakeThing("", "tre", "1", {{"users", "ernie,elmo"}})));
  const auto keys = [&](std::string_view user) { return store.IndexKeys("users", user).OrExit(); };
  EXPECT_THAT(keys("ernie"), ElementsAre("one", "tre"));
  EXPECT_THAT(keys("bert"), ElementsAre("one", "two"));
  EXPECT_THAT(keys("elmo"), ElementsAre("tre"));
  EXPECT_THAT(keys("oscar"), ElementsAre("two"));
  EXPECT_THAT(keys("elmo1"), IsEmpty());
  ASSERT_TRUE(store.Add(MakeThing("", "a", "1", {{"users", "ernie"}})));
  EXPECT_THAT(keys("ernie"), ElementsAre("a", "one", "tre"));
  ASSERT_TRUE(store.Delete(MakeThing("", "a", "2")));
  ASSERT_TRUE(store.Delete(MakeThing("", "tre", "2")));
  EXPECT_THAT(keys("ernie"), ElementsAre("one"));
  EXPECT_THAT(keys("elmo"), IsEmpty());
  ASSERT_TRUE(store.Update(MakeThing("", "two", "3", {{"users", "oscar"}})));
  EXPECT_THAT(keys("bert"), ElementsAre("one"));
  EXPECT_FALSE(store.IndexKeys("none", "x"));
}

TEST_F(IndexerTest, TypedIndexes_TY18_to_21) {
  Indexer<Thing> store(sim_.env());
  ASSERT_TRUE(store.Add(MakeThing("", "a", "1", {{"v", "x"}})));
  ASSERT_TRUE(store.AddIndexers({{"by", [](Thing t, auto& out) { out.Add(t.label("v")); }}}));
  EXPECT_EQ(Names(store.ByIndex("by", "x")), (std::vector<std::string>{"a"}));
  EXPECT_EQ(store.core()->Snapshot()->ByIndex("by", "x").OrExit().size(), 1U);
  EXPECT_EQ(store.ByIndex("none", "x").error().reason(), Reason::kNotFound);
  EXPECT_THAT(store.ByIndex("none", "x").error().message(), HasSubstr("\"by\""));
}

TEST_F(IndexerTest, AddIndexersAddsAllOrNone) {
  Indexer<Thing> store(sim_.env());
  const auto fn = [](Thing, auto& out) { out.Add("x"); };
  ASSERT_TRUE(store.AddIndexers({{"b", fn}}));
  EXPECT_EQ(store.AddIndexers({{"a", fn}, {"b", fn}}).error().reason(), Reason::kAlreadyExists);
  EXPECT_THAT(store.GetIndexers(), UnorderedElementsAre("namespace", "b"));
}

TEST_F(IndexerTest, SnapshotAnswersFromOneMoment) {
  Indexer<Thing> store(sim_.env(), {{"by", [](Thing t, auto& out) { out.Add(t.label("v")); }}});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(store.Add(MakeThing("ns", std::to_string(i), "1", {{"v", "old"}})));
  }
  const Snapshot<Thing> snapshot = store.Snapshot();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(store.Add(MakeThing("ns", std::to_string(i), "2", {{"v", "new"}})));
  }
  EXPECT_EQ(snapshot.size(), 100U);
  EXPECT_EQ(Names(snapshot).size(), 100U);
  EXPECT_EQ(snapshot.ByIndex("by", "old").size(), 100U);
  EXPECT_TRUE(snapshot.ByIndex("by", "new").empty());
  EXPECT_EQ(snapshot.resourceVersion(), "1");
  EXPECT_EQ(snapshot.Get("ns", "5")->label("v"), "old");
  EXPECT_FALSE(snapshot.Get("", "5"));
  EXPECT_EQ(snapshot.GetByKey("ns/7")->metadata().name(), "7");
  Ref<Thing> kept;
  for (Thing thing : store.Snapshot()) kept = snapshot.Retain(thing);
  EXPECT_EQ(kept->label("v"), "new");
  // A query on a temporary keeps alive the store that it reads.
  std::size_t n = 0;
  for (Thing thing : store.Snapshot().ByIndex("by", "new")) n += thing.label("v") == "new" ? 1 : 0;
  EXPECT_EQ(n, 100U);
  EXPECT_TRUE(Snapshot<Thing>().empty());
}

TEST_F(IndexerTest, KeyFunc) {
  Ref<Thing> thing = MakeThing("ns", "a", "1");
  EXPECT_EQ(MetaNamespaceKeyFunc(*thing), "ns/a");
  Ref<Thing> node = MakeThing("", "a", "1");
  EXPECT_EQ(MetaNamespaceKeyFunc(*node), "a");
}

TEST_F(IndexerTest, KeysReadBackAsTheyWere_ON01) {
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string key;
    for (std::uint64_t n = sim_.env().Random() % 12; n > 0; --n) {
      key.push_back("abcdefghi/"[sim_.env().Random() % 10]);
    }
    const auto slashes = std::count(key.begin(), key.end(), '/');
    const Result<ObjectName> name = SplitMetaNamespaceKey(key);
    EXPECT_EQ(name.ok(), slashes <= 1) << key;
    if (!name) {
      ++refused;
      continue;
    }
    const std::size_t slash = key.find('/');
    EXPECT_EQ(name->namespace_, slash == std::string::npos ? "" : key.substr(0, slash)) << key;
    EXPECT_EQ(name->name, key.substr(slash == std::string::npos ? 0 : slash + 1)) << key;
    // An empty namespace counts as none.
    EXPECT_EQ(name->ToString(), slash == 0 ? key.substr(1) : key);
  }
  EXPECT_GT(refused, 50);
}

// ---- listers

// Fills the store with `count` objects in seven namespaces, a tenth of which match.
void Fill(Indexer<Thing>& store, int count) {
  std::vector<Ref<Thing>> things;
  things.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    things.push_back(MakeThing("n" + std::to_string(i % 7), std::to_string(i), "1",
                               {{i % 10 == 0 ? "match" : "other", "true"}}));
  }
  ASSERT_TRUE(store.Replace(things, "1"));
}

// LI-01 at its size. LI-02 and LI-03 at a tenth of theirs: creating a million objects is slow.
TEST_F(IndexerTest, SomeAllAndNoneOfAHundredThousand_LI01_LI02_LI03) {
  Indexer<Thing> store(sim_.env());
  Fill(store, 100'000);
  const Lister<Thing> lister(store);
  const auto match = LabelSelector::Parse("match=true").OrExit();
  EXPECT_EQ(lister.List(match).size(), 10'000U);
  EXPECT_EQ(Names(lister.List(match)).size(), 10'000U);
  EXPECT_EQ(lister.List().size(), 100'000U);
  EXPECT_EQ(lister.List(LabelSelector::Parse("match=false").OrExit()).size(), 0U);
  EXPECT_EQ(lister.List(LabelSelector::Nothing()).size(), 0U);
}

TEST_F(IndexerTest, ListsOfOneNamespace) {
  Indexer<Thing> store(sim_.env());
  Fill(store, 10'000);
  const Lister<Thing> lister(store);
  const auto match = LabelSelector::Parse("match=true").OrExit();
  EXPECT_EQ(Names(lister.List()).size(), 10000U);
  EXPECT_EQ(lister.Namespace("n3").List().size(), 1429U);
  EXPECT_EQ(lister.Namespace("n3").List(match).size(), 143U);
  EXPECT_EQ(lister.Namespace("").List().size(), 10000U);
  EXPECT_EQ(lister.ByIndex(kNamespaceIndex, "n3").size(), 1429U);
}

// Writes on the thread that walks: if the walk held a lock, the write would block forever.
TEST_F(IndexerTest, AWriterGoesOnInTheMiddleOfAWalk_W10) {
  Indexer<Thing> store(sim_.env());
  Fill(store, 1'000);
  const Snapshot<Thing> snapshot = store.Snapshot();
  std::set<std::string> walked;
  for (const Thing thing : snapshot) {
    const std::string name(thing.metadata().name());
    walked.insert(name);
    ASSERT_TRUE(store.Add(MakeThing("new", name, "2")));
    if (walked.size() % 2 == 0) {
      ASSERT_TRUE(store.Delete(MakeThing(thing.metadata().namespace_(), name, "2")));
    }
    ASSERT_EQ(store.Snapshot().size(), 1'000 + walked.size() - walked.size() / 2);
  }
  EXPECT_EQ(walked.size(), 1'000U);
  EXPECT_EQ(snapshot.size(), 1'000U);
}

TEST_F(IndexerTest, ListerGetsTheObjectOrNotFound) {
  Indexer<Thing> store(sim_.env());
  ASSERT_TRUE(store.Add(MakeThing("ns", "a", "1")));
  ASSERT_TRUE(store.Add(MakeThing("", "node", "1")));
  const Lister<Thing> lister(store);
  auto a = lister.Namespace("ns").Get("a");
  ASSERT_TRUE(a);
  EXPECT_EQ((*a)->metadata().name(), "a");
  EXPECT_TRUE(lister.Get("node"));
  const auto missing = lister.Namespace("ns").Get("b");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(IsNotFound(missing.error()));
  EXPECT_THAT(missing.error().message(), HasSubstr("\"b\" not found"));
  EXPECT_EQ(missing.error().http_status(), 404);
  EXPECT_EQ(missing.error().details().name, "b");
}

TEST_F(IndexerTest, AnEmptyNameIsAnErrorOfTheArguments) {
  Indexer<Thing> store(sim_.env());
  const Lister<Thing> lister(store);
  const auto expect = [](const Result<Ref<Thing>>& read, const std::string& words) {
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().reason(), Reason::kInvalidArgument) << read.error();
    EXPECT_FALSE(IsAbsent(read.error()));
    EXPECT_THAT(read.error().message(), HasSubstr(words));
  };
  const std::string place = R"(the name is empty, and "a" stands in the place of the namespace: )";
  expect(lister.Get("a", ""), place + "Get(namespace, name)");
  expect(lister.Namespace("a").Get(""), place + "Get(namespace, name)");
  expect(lister.Get(""), "the name is empty, and so is the namespace");
  expect(lister.GetByKey("a/"), place);
  ASSERT_TRUE(store.Add(MakeThing("", "node", "1")));
  expect(lister.Get("a", ""), place + R"(Get("", "a"))");
  expect(lister.Get(""), R"(the name is empty: Get("", name))");

  const KindInfo& pods = *internal::DynamicKindInfo("", "v1", "Pod", "pods", true);
  const KindInfo& nodes = *internal::DynamicKindInfo("", "v1", "Node", "nodes", false);
  EXPECT_THAT(internal::CheckNamespace(pods, "a", "").error().message(),
              HasSubstr("pods: " + place + "Get(namespace, name)"));
  EXPECT_THAT(internal::CheckNamespace(nodes, "a", "").error().message(),
              HasSubstr("nodes: " + place + R"(Get("", "a"))"));
  EXPECT_THAT(internal::CheckNamespace(nodes, "", "").error().message(),
              HasSubstr("nodes: the name is empty"));
}

// The error for a missing namespace says so, if the objects have namespaces.
TEST_F(IndexerTest, ANamespaceIsGivenWhereThereIsOne) {
  Indexer<Thing> store(sim_.env());
  const Lister<Thing> lister(store);
  EXPECT_TRUE(IsNotFound(lister.Get("a").error())) << "nothing tells";
  ASSERT_TRUE(store.Add(MakeThing("", "node", "1")));
  EXPECT_TRUE(IsNotFound(lister.Get("a").error()));
  ASSERT_TRUE(store.Replace({MakeThing("ns", "a", "1")}, "2"));
  EXPECT_EQ(lister.Get("a").error().reason(), Reason::kInvalidArgument);
  EXPECT_TRUE(IsNotFound(lister.Namespace("ns").Get("b").error()));

  const KindInfo& pods = *internal::DynamicKindInfo("", "v1", "Pod", "pods", true);
  const KindInfo& nodes = *internal::DynamicKindInfo("", "v1", "Node", "nodes", false);
  EXPECT_TRUE(internal::CheckNamespace(pods, "ns", "a").ok());
  EXPECT_TRUE(internal::CheckNamespace(nodes, "", "a").ok());
  EXPECT_THAT(internal::CheckNamespace(pods, "", "a").error().message(),
              HasSubstr("these objects have a namespace"));
  EXPECT_THAT(internal::CheckNamespace(pods, "", "a").error().message(),
              HasSubstr(R"(name it: Get("default", "a"))"));
  EXPECT_THAT(internal::CheckNamespace(pods, "", "shop/a").error().message(),
              HasSubstr(R"(take it apart: Get("shop", "a"))"));
  EXPECT_THAT(internal::CheckNamespace(nodes, "ns", "a").error().message(),
              HasSubstr(R"(leave it empty: Get("", "a"))"));
  EXPECT_THAT(internal::CheckNamespace(nodes, "ns", "a").error().message(),
              HasSubstr("nodes \"ns/a\": these objects have no namespace"));
}

}  // namespace
}  // namespace kinformer
