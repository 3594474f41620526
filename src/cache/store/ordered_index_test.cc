// Ordered indexes: ranges and prefixes, at any version.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/index_key.h"
#include "kinformer/cache/indexer.h"
#include "kinformer/cache/lister.h"

#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer::internal::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

IndexFunction Ordered(IndexFunction function) {
  function.ordered = true;
  return function;
}

// Each part of a label between commas is a value.
void ByValues(const Block& block, IndexValues& out) {
  const std::string values = LabelOf(block, "values");
  for (std::size_t begin = 0; begin < values.size();) {
    const std::size_t end = std::min(values.find(',', begin), values.size());
    out.Add(std::string_view(values).substr(begin, end - begin));
    begin = end + 1;
  }
}

// ---- against std::set

using Row = std::tuple<std::string, std::string, std::string>;  // value, namespace, name
using Model = std::set<Row>;

std::vector<std::string> Expected(const Model& model, const IndexBounds& bounds) {
  std::vector<std::string> keys;
  for (const auto& [value, ns, name] : model) {
    if (value < bounds.from || (bounds.to && value >= *bounds.to)) continue;
    keys.push_back(ns + "/" + name);
  }
  if (bounds.descending) std::reverse(keys.begin(), keys.end());
  if (bounds.limit != 0 && keys.size() > bounds.limit) keys.resize(bounds.limit);
  return keys;
}

std::vector<std::string> Found(const SnapshotCore& snapshot, const IndexBounds& bounds) {
  std::vector<std::string> keys;
  for (const Block* block : snapshot.ByIndexRange("values", bounds).OrExit()) {
    keys.push_back(KeyOfBlock(*block));
  }
  return keys;
}

class OrderedIndexModelTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  std::uint32_t Below(std::uint32_t n) { return static_cast<std::uint32_t>(random_()) % n; }
  // Returns a short value, so that values are shared, are prefixes of each other, and reappear.
  std::string Value() {
    std::string value;
    for (std::uint32_t n = 1 + Below(4); n > 0; --n) value.push_back("abz"[Below(3)]);
    return value;
  }
  void ExpectSame(const SnapshotCore& snapshot, const Model& model) {
    for (int i = 0; i < 4; ++i) {
      std::string from = Below(4) == 0 ? std::string() : Value();
      std::string to = Value();
      IndexBounds bounds{
          .from = from, .descending = Below(2) == 0, .limit = Below(2) == 0 ? 0 : 1 + Below(20)};
      if (Below(3) != 0) bounds.to = to;
      ASSERT_EQ(Found(snapshot, bounds), Expected(model, bounds));
    }
    std::map<std::string, std::size_t> exact;
    for (const auto& [value, ns, name] : model) ++exact[value];
    ASSERT_EQ(snapshot.IndexValues("values").OrExit().size(), exact.size());
    for (const auto& [value, count] : exact) {
      ASSERT_EQ(snapshot.ByIndex("values", value).OrExit().size(), count);
    }
  }

  std::mt19937 random_{GetParam()};
};

TEST_P(OrderedIndexModelTest, EveryVersionIsWhatItWas) {
  Simulation sim;
  StoreCore store(sim.env(), {.name = "model"});
  bool indexed = Below(3) != 0;
  if (indexed) {
    ASSERT_TRUE(AddIndex(store, "values", Ordered(ByValues)));
  }
  std::map<std::pair<std::string, std::string>, std::set<std::string>> objects;
  const auto model = [&] {
    Model rows;
    for (const auto& [key, values] : objects) {
      for (const std::string& value : values) rows.emplace(value, key.first, key.second);
    }
    return rows;
  };
  std::vector<std::pair<std::shared_ptr<const SnapshotCore>, Model>> held;
  const std::uint32_t keys = 1 + Below(Below(2) == 0 ? 400 : 20);
  for (int step = 0; step < 800; ++step) {
    store.Begin();
    for (std::uint32_t n = 1 + Below(Below(8) == 0 ? 200 : 4); n > 0; --n) {
      const std::uint32_t k = Below(keys);
      const std::string ns = k % 3 == 0 ? "n" : "n-" + std::to_string(k % 3);
      const std::string name = "k" + std::to_string(k);
      if (Below(3) == 0) {
        static_cast<void>(store.Erase(ns, name));
        objects.erase({ns, name});
      } else {
        std::set<std::string>& values = objects[{ns, name}];
        values.clear();
        std::string label;
        for (std::uint32_t v = Below(4); v > 0; --v) {
          const std::string value = Value();
          values.insert(value);
          label += (label.empty() ? "" : ",") + value;
        }
        static_cast<void>(store.Put(MakeObject(ns, name, "1", {{"values", label}})));
      }
    }
    store.Commit();
    if (!indexed && Below(50) == 0) {
      ASSERT_TRUE(AddIndex(store, "values", Ordered(ByValues)));
      indexed = true;
    }
    if (indexed && Below(8) == 0) held.emplace_back(store.Snapshot(), model());
    if (!held.empty() && Below(held.size() > 8 ? 4 : 12) == 0) {
      const auto at = held.begin() + Below(static_cast<std::uint32_t>(held.size()));
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*at->first, at->second));
      held.erase(at);
    }
    if (Below(10) == 0) static_cast<void>(store.CollectSome(1 + Below(100)));
    if (indexed && Below(10) == 0) {
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*store.Snapshot(), model()));
    }
  }
  for (const auto& [snapshot, rows] : held) ASSERT_NO_FATAL_FAILURE(ExpectSame(*snapshot, rows));
}

INSTANTIATE_TEST_SUITE_P(Seeds, OrderedIndexModelTest, ::testing::Range(1U, 13U));

// ---- single cases

TEST(OrderedIndex, GivesItsMemoryBack) {
  Simulation sim;
  StoreCore store(sim.env(), {.name = "test"});
  ASSERT_TRUE(AddIndex(store, "values", Ordered(ByValues)));
  const auto collect = [&] {
    for (int i = 0; i < 1000 && store.CollectSome(10000); ++i) {
    }
  };
  const auto round = [&](int from) {
    for (int i = from; i < from + 2000; ++i) {
      static_cast<void>(store.Put(
          MakeObject("ns", std::to_string(i % 2000), "1", {{"values", std::to_string(i)}})));
    }
    collect();
    return store.Stats().table_bytes;
  };
  const std::size_t first = round(10000);
  for (int i = 1; i < 8; ++i) round(10000 + 2000 * i);
  EXPECT_LT(round(30000), first + first / 5);
  EXPECT_EQ(store.Snapshot()->ByIndexRange("values", {}).OrExit().size(), 2000U);
}

// Indexes that are not ordered have no skip list.
TEST(OrderedIndex, CostsNothingWhereItIsNotAskedFor) {
  Simulation sim;
  StoreCore plain(sim.env(), {.name = "plain"});
  StoreCore ordered(sim.env(), {.name = "ordered"});
  ASSERT_TRUE(AddIndex(plain, "values", ByValues));
  ASSERT_TRUE(AddIndex(ordered, "values", Ordered(ByValues)));
  for (int i = 0; i < 1000; ++i) {
    const TestLabels labels = {{"values", std::to_string(i)}};
    static_cast<void>(plain.Put(MakeObject("ns", std::to_string(i), "1", labels)));
    static_cast<void>(ordered.Put(MakeObject("ns", std::to_string(i), "1", labels)));
  }
  for (StoreCore* store : {&plain, &ordered}) {
    for (int i = 0; i < 1000 && store->CollectSome(10000); ++i) {
    }
  }
  const std::size_t more = ordered.Stats().table_bytes - plain.Stats().table_bytes;
  EXPECT_GT(more, 1000 * 24U);
  EXPECT_LT(more, 1000 * 32U) << "bytes for each value, as the header says";
}

template <class Range>
std::vector<std::string> Keys(const Range& range) {
  EXPECT_TRUE(range.ok());
  std::vector<std::string> keys;
  for (Thing thing : range) keys.push_back(MetaNamespaceKeyFunc(thing));
  return keys;
}

class OrderedIndexerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(things_.AddIndexers(
        {{"node-size", OrderedIndexFunc<Thing>([](Thing t, auto& out) {
            out.Add(IndexKey().Add(t.label("node")).Add(std::stoi(t.label("size"))));
          })},
         {"plain", [](Thing t, auto& out) { out.Add(t.label("node")); }}}));
    Add("a", "n1", "10");
    Add("b", "n1", "9");
    Add("c", "n1", "-1");
    Add("d", "n10", "1");
    Add("e", "n2", "100");
    Add("f", "n1", "9");
  }
  void Add(const std::string& name, const std::string& node, const std::string& size) {
    ASSERT_TRUE(things_.Add(MakeThing("ns", name, "1", {{"node", node}, {"size", size}})));
  }

  Simulation sim_;
  Indexer<Thing> things_{sim_.env()};
};

TEST_F(OrderedIndexerTest, PrefixesAndRangesOfTuples) {
  const IndexKey n1 = IndexKey().Add("n1");
  EXPECT_THAT(Keys(things_.Prefix("node-size", n1)), ElementsAre("ns/c", "ns/b", "ns/f", "ns/a"));
  EXPECT_THAT(Keys(things_.Prefix("node-size", n1, {.descending = true, .limit = 2})),
              ElementsAre("ns/a", "ns/f"));
  EXPECT_THAT(Keys(things_.Range("node-size", IndexKey(n1).Add(0), IndexKey(n1).Add(10))),
              ElementsAre("ns/b", "ns/f"));
  EXPECT_THAT(Keys(things_.Range("node-size", IndexKey(n1).Add(9), n1.End())),
              ElementsAre("ns/b", "ns/f", "ns/a"));
  EXPECT_THAT(Keys(things_.Range("node-size", IndexKey().Add("n10"), std::nullopt)),
              ElementsAre("ns/d", "ns/e"));
  EXPECT_THAT(Keys(things_.Prefix("node-size", IndexKey().AddPrefix("n1"), {.descending = true})),
              ElementsAre("ns/d", "ns/a", "ns/f", "ns/b", "ns/c"));
  EXPECT_THAT(Keys(things_.Prefix("node-size", "", {.limit = 1})), ElementsAre("ns/c"));
  EXPECT_THAT(Keys(things_.Range("node-size", "z", "a")), IsEmpty());
  // Exact queries work as in any other index.
  EXPECT_EQ(things_.ByIndex("node-size", IndexKey().Add("n1").Add(9)).size(), 2U);
}

TEST_F(OrderedIndexerTest, ASnapshotStaysAsItWas) {
  const Snapshot<Thing> before = things_.Snapshot();
  Add("a", "n2", "1");
  ASSERT_TRUE(things_.DeleteByKey("ns/c"));
  const IndexKey n1 = IndexKey().Add("n1");
  EXPECT_THAT(Keys(before.Prefix("node-size", n1)), ElementsAre("ns/c", "ns/b", "ns/f", "ns/a"));
  EXPECT_THAT(Keys(things_.Prefix("node-size", n1)), ElementsAre("ns/b", "ns/f"));
  const Lister<Thing> lister(things_);
  EXPECT_THAT(Keys(lister.Prefix("node-size", n1)), ElementsAre("ns/b", "ns/f"));
  EXPECT_THAT(Keys(lister.Range("node-size", n1, std::nullopt, {.limit = 1})), ElementsAre("ns/b"));
}

TEST_F(OrderedIndexerTest, AnIndexThatIsNotOrderedSaysSo) {
  const ObjectRange<Thing> range = things_.Range("plain", "a", "z");
  ASSERT_FALSE(range.ok());
  EXPECT_EQ(range.error().reason(), Reason::kInvalidArgument);
  EXPECT_THAT(range.error().ToString(), HasSubstr("OrderedIndexFunc"));
  EXPECT_EQ(things_.Prefix("namespace", "n").error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(things_.Prefix("none", "n").error().reason(), Reason::kNotFound);
  EXPECT_EQ(Lister<Thing>(things_).Prefix("plain", "n").error().reason(), Reason::kInvalidArgument);
}

void ByNode(Thing thing, IndexValues& out) { out.Add(thing.label("node")); }

// An ordered function cannot share an unordered index; the reverse is allowed.
TEST_F(OrderedIndexerTest, OrderCountsWhereAnIndexIsShared) {
  const auto share = [&](const std::string& name, IndexFunc<Thing> function) {
    return things_.core()->AddIndexes(internal::Untyped<Thing>({{name, std::move(function)}}),
                                      /*skip_existing=*/true);
  };
  ASSERT_TRUE(share("without", ByNode));
  EXPECT_EQ(share("without", OrderedIndexFunc<Thing>(ByNode)).error().reason(),
            Reason::kAlreadyExists);
  ASSERT_TRUE(share("with", OrderedIndexFunc<Thing>(ByNode)));
  EXPECT_TRUE(share("with", ByNode));
  EXPECT_TRUE(share("with", OrderedIndexFunc<Thing>(ByNode)));
  EXPECT_EQ(things_.Prefix("with", "n1").size(), 5U);
}

}  // namespace
}  // namespace kinformer::internal::cache
