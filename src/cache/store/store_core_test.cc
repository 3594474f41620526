#include "cache/store/store_core.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "cache/store/key_table.h"
#include "cache/store/testing/test_objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer::internal::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "colour" is a comma-separated label; an object has each part as a value.
void IndexByColour(const Block& block, IndexValues& out) {
  const std::string colours = LabelOf(block, "colour");
  std::size_t begin = 0;
  while (begin < colours.size()) {
    const std::size_t end = std::min(colours.find(',', begin), colours.size());
    out.Add(std::string_view(colours).substr(begin, end - begin));
    begin = end + 1;
  }
}

std::vector<std::string> Names(const std::vector<const Block*>& blocks) {
  std::vector<std::string> names;
  for (const Block* block : blocks) names.emplace_back(block->name());
  std::sort(names.begin(), names.end());
  return names;
}

class StoreCoreTest : public ::testing::Test {
 protected:
  std::vector<std::string> ByColour(std::string_view colour) {
    return Names(store_.Snapshot()->ByIndex("colour", colour).OrExit());
  }
  void PutColour(std::string_view name, std::string_view colours) {
    static_cast<void>(store_.Put(MakeObject("ns", name, "1", {{"colour", std::string(colours)}})));
  }
  // Collects until nothing more can be freed.
  void CollectAll() {
    for (int i = 0; i < 1000 && store_.CollectSome(10000); ++i) {
    }
  }

  Simulation sim_;
  StoreCore store_{sim_.env(), {.name = "test"}};
};

TEST_F(StoreCoreTest, PutGetErase) {
  EXPECT_FALSE(store_.Get("a", "x"));
  EXPECT_FALSE(store_.Put(MakeObject("a", "x", "1")));
  const ObjectRef old = store_.Put(MakeObject("a", "x", "2"));
  ASSERT_TRUE(old);
  EXPECT_EQ(old->resourceVersion(), "1");
  EXPECT_EQ(store_.Get("a", "x")->resourceVersion(), "2");
  EXPECT_FALSE(store_.Get("b", "x"));
  EXPECT_FALSE(store_.Get("", "x"));
  EXPECT_EQ(store_.size(), 1U);
  EXPECT_EQ(store_.Erase("a", "x")->resourceVersion(), "2");
  EXPECT_FALSE(store_.Erase("a", "x"));
  EXPECT_FALSE(store_.Get("a", "x"));
  EXPECT_EQ(store_.size(), 0U);
}

// Keys are not copied: look-ups by key and by index return the object, which contains its name.
TEST_F(StoreCoreTest, AKeyIsReadInItsObjectAndAnIndexLeadsToIt_W6) {
  ASSERT_TRUE(AddIndex(store_, "colour", [](const Block& block, IndexValues& out) {
    out.Add(LabelOf(block, "colour"));
  }));
  const ObjectRef object = MakeObject("ns", "a-name", "1", {{"colour", "red"}});
  static_cast<void>(store_.Put(object));
  const auto snapshot = store_.Snapshot();
  const Block* by_key = snapshot->Get("ns", "a-name");
  EXPECT_EQ(by_key, object.get());
  EXPECT_EQ(snapshot->ByIndex("colour", "red").OrExit(), std::vector<const Block*>{by_key});
  for (const std::string_view part : {by_key->name(), by_key->namespace_()}) {
    EXPECT_GE(part.data(), reinterpret_cast<const char*>(by_key));
    EXPECT_LE(part.data() + part.size(), by_key->payload().data() + by_key->payload().size());
  }
}

TEST_F(StoreCoreTest, AnEqualObjectStaysWhereAskedFor) {
  const ObjectRef first = MakeObject("a", "x", "1");
  bool same = true;
  EXPECT_FALSE(store_.Put(first, &same));
  EXPECT_FALSE(same) << "nothing was there";
  EXPECT_FALSE(store_.Put(MakeObject("a", "x", "1"), &same));
  EXPECT_TRUE(same);
  EXPECT_EQ(store_.Peek("a", "x").object, first.get());
  EXPECT_EQ(store_.Put(MakeObject("a", "x", "2"), &same), first);
  EXPECT_FALSE(same);
  static_cast<void>(store_.Erase("a", "x"));
  EXPECT_FALSE(store_.Put(MakeObject("a", "x", "2"), &same));
  EXPECT_FALSE(same) << "it was deleted";
  EXPECT_EQ(store_.size(), 1U);
}

TEST_F(StoreCoreTest, AnObjectIsPutWhereItsKeyWasFound) {
  static_cast<void>(store_.Put(MakeObject("a", "other", "1")));
  const ObjectRef first = MakeObject("a", "x", "1");
  StoreSpot spot = store_.Find("a", "x");
  EXPECT_EQ(spot.object, nullptr);
  EXPECT_FALSE(store_.Put(first, spot));
  spot = store_.Find("a", "x");
  EXPECT_EQ(spot.object, first.get());
  EXPECT_EQ(store_.Put(MakeObject("a", "x", "2"), spot), first);
  EXPECT_EQ(store_.Get("a", "x")->resourceVersion(), "2");
  const auto pinned = store_.Snapshot();  // keeps the key in the table
  static_cast<void>(store_.Erase("a", "x"));
  spot = store_.Find("a", "x");
  EXPECT_EQ(spot.object, nullptr) << "it was deleted";
  EXPECT_FALSE(store_.Put(MakeObject("a", "x", "3"), spot));
  EXPECT_EQ(store_.Get("a", "x")->resourceVersion(), "3");
  EXPECT_EQ(pinned->Get("a", "x")->resourceVersion(), "2");
  EXPECT_EQ(store_.size(), 2U);
}

TEST_F(StoreCoreTest, ExpectChangesNothing) {
  const ObjectRef known = MakeObject("a", "known", "1");
  const ObjectRef gone = MakeObject("a", "gone", "1");
  const ObjectRef fresh = MakeObject("", "fresh", "1");
  store_.Expect({});
  const std::vector<const Block*> objects = {known.get(), gone.get(), fresh.get()};
  store_.Expect(objects);
  EXPECT_EQ(store_.Peek("a", "known").object, nullptr);
  static_cast<void>(store_.Put(known));
  static_cast<void>(store_.Put(gone));
  static_cast<void>(store_.Erase("a", "gone"));
  store_.Expect(objects);
  EXPECT_EQ(store_.Peek("a", "known").object, known.get());
  EXPECT_EQ(store_.Peek("a", "gone").object, nullptr);
  EXPECT_EQ(store_.Peek("", "fresh").object, nullptr);
  EXPECT_EQ(store_.size(), 1U);
}

TEST_F(StoreCoreTest, RoomThatWasReservedIsNotMadeAgain) {
  constexpr std::size_t kObjects = 1000;
  const auto name = [](std::size_t i) { return "o" + std::to_string(i); };
  static_cast<void>(store_.Put(MakeObject("", name(0), "1")));
  const std::shared_ptr<const SnapshotCore> before = store_.Snapshot();
  const std::size_t empty = store_.Stats().table_bytes;
  store_.Reserve(kObjects);
  const std::size_t reserved = store_.Stats().table_bytes - empty;
  EXPECT_GE(reserved, kObjects * 64 / KeyTable::kSlots);
  EXPECT_TRUE(store_.Get("", name(0)));
  EXPECT_NE(before->Get("", name(0)), nullptr);
  store_.Reserve(kObjects);
  store_.Reserve(1);
  EXPECT_EQ(store_.Stats().table_bytes, empty + reserved);
  for (std::size_t i = 1; i < kObjects; ++i) {
    static_cast<void>(store_.Put(MakeObject("", name(i), "1")));
  }
  for (std::size_t i = 0; i < kObjects; ++i) ASSERT_TRUE(store_.Get("", name(i)));

  // Entries are still created one by one; a store that grows by itself ends with a table of the
  // same size.
  StoreCore other(sim_.env(), {.name = "other"});
  for (std::size_t i = 0; i < kObjects; ++i) {
    static_cast<void>(other.Put(MakeObject("", name(i), "1")));
  }
  EXPECT_EQ(store_.Stats().table_bytes, other.Stats().table_bytes);
}

TEST_F(StoreCoreTest, NamespaceAndNameDoNotRunTogether) {
  static_cast<void>(store_.Put(MakeObject("ab", "c", "1")));
  static_cast<void>(store_.Put(MakeObject("a", "bc", "2")));
  static_cast<void>(store_.Put(MakeObject("", "abc", "3")));
  EXPECT_EQ(store_.Get("ab", "c")->resourceVersion(), "1");
  EXPECT_EQ(store_.Get("a", "bc")->resourceVersion(), "2");
  EXPECT_EQ(store_.Get("", "abc")->resourceVersion(), "3");
}

TEST_F(StoreCoreTest, TransactionIsSeenWholeOrNotAtAll) {
  static_cast<void>(store_.Put(MakeObject("", "gone", "1")));
  store_.Begin();
  static_cast<void>(store_.Put(MakeObject("", "x", "1")));
  static_cast<void>(store_.Put(MakeObject("", "x", "2")));
  static_cast<void>(store_.Erase("", "gone"));
  static_cast<void>(store_.Put(MakeObject("", "fleeting", "1")));
  static_cast<void>(store_.Erase("", "fleeting"));
  store_.SetResourceVersion("7");
  EXPECT_FALSE(store_.Get("", "x"));
  EXPECT_TRUE(store_.Get("", "gone"));
  EXPECT_EQ(store_.Peek("", "x").object->resourceVersion(), "2");
  EXPECT_EQ(store_.ResourceVersion(), "");
  const auto before = store_.Snapshot();
  store_.Commit();
  EXPECT_EQ(store_.Get("", "x")->resourceVersion(), "2");
  EXPECT_FALSE(store_.Get("", "gone"));
  EXPECT_FALSE(store_.Get("", "fleeting"));
  EXPECT_EQ(store_.ResourceVersion(), "7");
  EXPECT_EQ(store_.size(), 1U);
  EXPECT_EQ(before->Get("", "x"), nullptr);
  ASSERT_NE(before->Get("", "gone"), nullptr);
  EXPECT_EQ(before->ResourceVersion(), "");
  EXPECT_EQ(before->size(), 1U);
}

TEST_F(StoreCoreTest, BlocksOfAnotherStoreAreCloned) {
  StoreCore other(sim_.env(), {});
  const ObjectRef object = MakeObject("", "x", "1");
  static_cast<void>(store_.Put(object));
  static_cast<void>(other.Put(object));
  EXPECT_EQ(store_.Get("", "x"), object);
  EXPECT_NE(other.Get("", "x"), object);
  EXPECT_EQ(other.Get("", "x")->payload(), object->payload());
  // Putting the same object again changes nothing.
  const std::uint64_t version = store_.Snapshot()->version();
  EXPECT_EQ(store_.Put(object), object);
  EXPECT_EQ(store_.Snapshot()->version(), version);
}

TEST_F(StoreCoreTest, SnapshotKeepsAtMostOneOldVersionPerKey) {
  for (int i = 0; i < 10; ++i) {
    static_cast<void>(store_.Put(MakeObject("", "k" + std::to_string(i), "0")));
  }
  const std::size_t all = store_.Stats().object_bytes;
  auto snapshot = store_.Snapshot();
  for (int round = 1; round <= 1000; ++round) {
    for (int i = 0; i < 10; ++i) {
      static_cast<void>(
          store_.Put(MakeObject("", "k" + std::to_string(i), std::to_string(round % 10))));
    }
  }
  CollectAll();
  EXPECT_EQ(store_.Stats().pinned_bytes, all);
  SnapshotCore::Cursor cursor;
  int seen = 0;
  while (const Block* block = snapshot->Next(cursor)) {
    EXPECT_EQ(block->resourceVersion(), "0");
    ++seen;
  }
  EXPECT_EQ(seen, 10);
  snapshot.reset();
  CollectAll();
  EXPECT_EQ(store_.Stats().pinned_bytes, 0U);
  EXPECT_EQ(store_.Stats().snapshots, 0U);
}

TEST_F(StoreCoreTest, DeletedKeysLeaveNothing) {
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 100; ++i) PutColour(std::to_string(round * 100 + i), "red");
    for (int i = 0; i < 100; ++i) {
      static_cast<void>(store_.Erase("ns", std::to_string(round * 100 + i)));
    }
    CollectAll();
  }
  EXPECT_EQ(store_.size(), 0U);
  EXPECT_EQ(store_.Stats().pinned_bytes, 0U);
  // There were 5,000 different keys, but never more than 100 at a time.
  EXPECT_LT(store_.Stats().table_bytes, 20000U);
  EXPECT_THAT(store_.Snapshot()->IndexValues("namespace").OrExit(), IsEmpty());
}

TEST_F(StoreCoreTest, SnapshotOutlivesItsStore) {
  std::shared_ptr<const SnapshotCore> snapshot;
  {
    StoreCore store(sim_.env(), {});
    static_cast<void>(store.Put(MakeObject("", "x", "1")));
    snapshot = store.Snapshot();
    static_cast<void>(store.Put(MakeObject("", "x", "2")));
    static_cast<void>(store.Erase("", "x"));
  }
  ASSERT_NE(snapshot->Get("", "x"), nullptr);
  EXPECT_EQ(snapshot->Get("", "x")->resourceVersion(), "1");
}

TEST_F(StoreCoreTest, DeleteRemovesEmptyValue_TS01) {
  ASSERT_TRUE(AddIndex(store_, "colour", IndexByColour));
  PutColour("a", "red");
  static_cast<void>(store_.Erase("ns", "a"));
  EXPECT_THAT(ByColour("red"), IsEmpty());
  EXPECT_THAT(store_.Snapshot()->IndexValues("colour").OrExit(), IsEmpty());
}

TEST_F(StoreCoreTest, DeleteKeepsValueOfOthers_TS02) {
  ASSERT_TRUE(AddIndex(store_, "colour", IndexByColour));
  PutColour("a", "red");
  PutColour("b", "red");
  static_cast<void>(store_.Erase("ns", "a"));
  EXPECT_THAT(ByColour("red"), ElementsAre("b"));
}

TEST_F(StoreCoreTest, MultiValuedIndexFollowsEveryWrite_TS03) {
  ASSERT_TRUE(AddIndex(store_, "colour", IndexByColour));
  const auto expect = [&](std::vector<std::string> foo, std::vector<std::string> bar,
                          std::vector<std::string> baz) {
    EXPECT_EQ(ByColour("foo"), foo);
    EXPECT_EQ(ByColour("bar"), bar);
    EXPECT_EQ(ByColour("baz"), baz);
  };
  PutColour("k1", "foo");
  expect({"k1"}, {}, {});
  PutColour("k2", "foo,bar");
  expect({"k1", "k2"}, {"k2"}, {});
  PutColour("k1", "foo,baz");
  expect({"k1", "k2"}, {"k2"}, {"k1"});
  PutColour("k3", "bar,bar,baz");
  expect({"k1", "k2"}, {"k2", "k3"}, {"k1", "k3"});
  PutColour("k2", "");
  expect({"k1"}, {"k3"}, {"k1", "k3"});
  static_cast<void>(store_.Erase("ns", "k1"));
  expect({}, {"k3"}, {"k3"});
  PutColour("k1", "baz");
  expect({}, {"k3"}, {"k1", "k3"});
  PutColour("k3", "foo");
  expect({"k3"}, {}, {"k1"});
  EXPECT_THAT(store_.Snapshot()->IndexValues("colour").OrExit(), ElementsAre("baz", "foo"));
}

TEST_F(StoreCoreTest, IndexAddedLaterCoversWhatIsThere) {
  PutColour("a", "red");
  PutColour("b", "blue");
  static_cast<void>(store_.Erase("ns", "b"));
  const auto before = store_.Snapshot();
  ASSERT_TRUE(AddIndex(store_, "colour", IndexByColour));
  EXPECT_EQ(AddIndex(store_, "colour", IndexByColour).error().reason(), Reason::kAlreadyExists);
  EXPECT_THAT(ByColour("red"), ElementsAre("a"));
  EXPECT_THAT(ByColour("blue"), IsEmpty());
  PutColour("b", "blue");
  EXPECT_THAT(ByColour("blue"), ElementsAre("b"));
  EXPECT_EQ(before->ByIndex("colour", "red").error().reason(), Reason::kNotFound);
  ASSERT_TRUE(store_.RemoveIndexes({"colour"}));
  EXPECT_FALSE(store_.HasIndex("colour"));
  EXPECT_FALSE(store_.Snapshot()->ByIndex("colour", "red"));
}

TEST_F(StoreCoreTest, NamespaceIndexHasClusterScopedObjectsUnderTheEmptyValue) {
  static_cast<void>(store_.Put(MakeObject("", "node", "1")));
  static_cast<void>(store_.Put(MakeObject("a", "x", "1")));
  const auto snapshot = store_.Snapshot();
  EXPECT_THAT(Names(snapshot->ByIndex("namespace", "").OrExit()), ElementsAre("node"));
  EXPECT_THAT(Names(snapshot->ByIndex("namespace", "a").OrExit()), ElementsAre("x"));
  EXPECT_THAT(snapshot->IndexValues("namespace").OrExit(), ElementsAre("", "a"));
}

TEST_F(StoreCoreTest, IndexFunctionThatThrowsGivesNoValue) {
  ASSERT_TRUE(AddIndex(store_, "colour", [](const Block& block, IndexValues& out) {
    out.Add("some");
    if (block.name() == "bad") throw std::runtime_error("no colour");
  }));
  PutColour("bad", "x");
  PutColour("good", "x");
  EXPECT_THAT(ByColour("some"), ElementsAre("good"));
}

TEST_F(StoreCoreTest, IndexFunctionRunsOncePerObjectVersion) {
  int calls = 0;
  ASSERT_TRUE(AddIndex(store_, "colour", [&](const Block& block, IndexValues& out) {
    ++calls;
    IndexByColour(block, out);
  }));
  PutColour("a", "red");
  PutColour("a", "blue");
  for (int i = 0; i < 10; ++i) static_cast<void>(ByColour("red"));
  EXPECT_EQ(calls, 2);
}

TEST_F(StoreCoreTest, IndexThatChangesWithEveryUpdateDoesNotPileUpUnderASnapshot) {
  ASSERT_TRUE(AddIndex(store_, "colour", IndexByColour));
  PutColour("a", "first");
  const auto snapshot = store_.Snapshot();
  PutColour("a", "second");
  for (int i = 0; i < 100; ++i) PutColour("a", "c" + std::to_string(i));
  CollectAll();
  const std::size_t some = store_.Stats().table_bytes;
  for (int i = 100; i < 1000; ++i) PutColour("a", "c" + std::to_string(i));
  CollectAll();
  EXPECT_LE(store_.Stats().table_bytes, some + 64);
  EXPECT_THAT(Names(snapshot->ByIndex("colour", "first").OrExit()), ElementsAre("a"));
  EXPECT_THAT(ByColour("c999"), ElementsAre("a"));
  EXPECT_THAT(ByColour("first"), IsEmpty());
}

// A tombstone that a snapshot holds, below an object that is created and deleted.
TEST_F(StoreCoreTest, PinnedDeletionUnderARecreatedKey) {
  PutColour("a", "1");
  auto alive = store_.Snapshot();
  static_cast<void>(store_.Erase("ns", "a"));
  auto dead = store_.Snapshot();
  PutColour("a", "2");
  alive.reset();
  CollectAll();
  static_cast<void>(store_.Erase("ns", "a"));
  CollectAll();
  PutColour("a", "3");
  EXPECT_EQ(dead->Get("ns", "a"), nullptr);
  EXPECT_EQ(LabelOf(*store_.Get("ns", "a"), "colour"), "3");
  static_cast<void>(store_.Erase("ns", "a"));
  dead.reset();
  CollectAll();
  EXPECT_EQ(store_.Stats().pinned_bytes, 0U);
  EXPECT_THAT(store_.Snapshot()->IndexValues("namespace").OrExit(), IsEmpty());
}

// Compares with a std::map; snapshots are held over any number of writes, and each is compared with
// a copy of the map from its time.
class StoreModelTest : public ::testing::TestWithParam<std::uint32_t> {};

struct Model {
  using Key = std::pair<std::string, std::string>;
  std::map<Key, std::pair<std::string, std::string>> objects;  // resourceVersion, colours
  std::string resource_version;
};

void ExpectSame(const SnapshotCore& snapshot, const Model& model, bool with_index) {
  ASSERT_EQ(snapshot.size(), model.objects.size());
  ASSERT_EQ(snapshot.ResourceVersion(), model.resource_version);
  std::map<Model::Key, std::pair<std::string, std::string>> walked;
  SnapshotCore::Cursor cursor;
  while (const Block* block = snapshot.Next(cursor)) {
    walked[{std::string(block->namespace_()), std::string(block->name())}] = {
        std::string(block->resourceVersion()), LabelOf(*block, "colour")};
  }
  ASSERT_EQ(walked, model.objects);
  std::map<std::string, std::vector<std::string>> by_namespace;
  std::map<std::string, std::vector<std::string>> by_colour;
  for (const auto& [key, value] : model.objects) {
    const Block* block = snapshot.Get(key.first, key.second);
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(block->resourceVersion(), value.first);
    by_namespace[key.first].push_back(key.second);
    std::string rest = value.second;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      by_colour[rest.substr(0, end)].push_back(key.second);
      rest = end == rest.size() ? "" : rest.substr(end + 1);
    }
  }
  const auto expect_index = [&](std::string_view index, const auto& expected) {
    std::vector<std::string> values;
    for (const auto& [value, names] : expected) {
      values.push_back(value);
      std::vector<std::string> sorted = names;
      std::sort(sorted.begin(), sorted.end());
      sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
      ASSERT_EQ(Names(snapshot.ByIndex(index, value).OrExit()), sorted) << index << " " << value;
    }
    ASSERT_EQ(snapshot.IndexValues(index).OrExit(), values);
  };
  expect_index("namespace", by_namespace);
  if (with_index) expect_index("colour", by_colour);
}

TEST_P(StoreModelTest, EveryVersionIsWhatItWas) {
  std::mt19937 random(GetParam());
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Simulation sim;
  StoreCore store(sim.env(), {.name = "model"});
  bool with_index = below(2) == 0;
  if (with_index) {
    ASSERT_TRUE(AddIndex(store, "colour", IndexByColour));
  }
  Model model;
  struct Held {
    std::shared_ptr<const SnapshotCore> snapshot;
    Model model;
    bool with_index;
  };
  std::vector<Held> held;
  const std::uint32_t keys = 1 + below(below(3) == 0 ? 300 : 20);
  const std::uint32_t steps = 1500;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::uint32_t writes = 1 + below(below(10) == 0 ? 100 : 4);
    store.Begin();
    for (std::uint32_t i = 0; i < writes; ++i) {
      // Names are unique across namespaces, so that a name identifies its object in an index.
      const std::uint32_t k = below(keys);
      const std::string ns = "n" + std::to_string(k % 3);
      const std::string name = "k" + std::to_string(k);
      if (below(3) == 0) {
        const ObjectRef old = store.Erase(ns, name);
        const auto at = model.objects.find({ns, name});
        ASSERT_EQ(static_cast<bool>(old), at != model.objects.end());
        if (at != model.objects.end()) model.objects.erase(at);
      } else {
        std::string colours;
        for (std::uint32_t c = below(4); c > 0; --c) {
          const std::string colour = "c" + std::to_string(below(6));
          if (colours.find(colour) != std::string::npos) continue;
          colours += (colours.empty() ? "" : ",") + colour;
        }
        const std::string rv = std::to_string(step) + "." + std::to_string(i);
        const ObjectRef old = store.Put(MakeObject(ns, name, rv, {{"colour", colours}}));
        const auto at = model.objects.find({ns, name});
        ASSERT_EQ(static_cast<bool>(old), at != model.objects.end());
        if (old) {
          ASSERT_EQ(old->resourceVersion(), at->second.first);
        }
        model.objects[{ns, name}] = {rv, colours};
      }
    }
    model.resource_version = std::to_string(step);
    store.SetResourceVersion(model.resource_version);
    store.Commit();
    if (!with_index && below(500) == 0) {
      ASSERT_TRUE(AddIndex(store, "colour", IndexByColour));
      with_index = true;
    } else if (with_index && below(500) == 0) {
      ASSERT_TRUE(store.RemoveIndexes({"colour"}));
      with_index = false;
    }
    if (below(10) == 0) held.push_back({store.Snapshot(), model, with_index});
    if (!held.empty() && below(held.size() > 6 ? 5 : 12) == 0) {
      const auto at = held.begin() + below(static_cast<std::uint32_t>(held.size()));
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*at->snapshot, at->model, at->with_index));
      held.erase(at);
    }
    if (below(20) == 0) static_cast<void>(store.CollectSome(1 + below(50)));
    if (below(50) == 0) {
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*store.Snapshot(), model, with_index));
      for (const Held& h : held) {
        ASSERT_NO_FATAL_FAILURE(ExpectSame(*h.snapshot, h.model, h.with_index));
      }
    }
  }
  for (const Held& h : held) {
    ASSERT_NO_FATAL_FAILURE(ExpectSame(*h.snapshot, h.model, h.with_index));
  }
  held.clear();
  for (int i = 0; i < 10000 && store.CollectSome(1000); ++i) {
  }
  EXPECT_EQ(store.Stats().pinned_bytes, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreModelTest, ::testing::Range(1U, 13U));

}  // namespace
}  // namespace kinformer::internal::cache
