#include "kinformer/cache/store_changes.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/indexer.h"

#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using internal::Block;
using internal::KeyOfBlock;
using internal::NetChanges;
using internal::SnapshotCore;
using internal::cache::MakeObject;
using internal::cache::MakeThing;
using internal::cache::StoreCore;
using internal::cache::Thing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "+ns/a 1": the type, key and version of a change.
std::string Text(const NetChange<Thing>& change) {
  std::string text(1, "+~-"[static_cast<int>(change.type)]);
  return text + MetaNamespaceKeyFunc(*change.object) + ' ' +
         std::string(change.object.object()->resourceVersion());
}

class StoreChangesTest : public ::testing::Test {
 protected:
  void Add(const std::string& name, const std::string& version) {
    ASSERT_TRUE(things_.Add(MakeThing("ns", name, version)));
  }
  void Delete(const std::string& name) { ASSERT_TRUE(things_.DeleteByKey("ns/" + name)); }
  std::vector<std::string> Since(const Snapshot<Thing>& since) {
    std::vector<std::string> texts;
    const auto changes = ChangesSince(things_, since).OrExit();
    for (const auto& change : changes.changes) texts.push_back(Text(change));
    EXPECT_EQ(changes.snapshot.version(), things_.Snapshot().version());
    return texts;
  }
  std::optional<Reason> WhyNot(const Snapshot<Thing>& since) {
    const auto changes = ChangesSince(things_, since);
    return changes ? std::nullopt : std::optional(changes.error().reason());
  }

  Simulation sim_;
  Indexer<Thing> things_{sim_.env()};
};

TEST_F(StoreChangesTest, AreNetForEachKeyInTheOrderOfTheirLast) {
  Add("updated", "1");
  Add("deleted", "1");
  Add("again", "1");
  Add("same", "1");
  KeepChanges(things_);
  const auto before = things_.Snapshot();
  EXPECT_THAT(Since(before), IsEmpty());
  Add("updated", "2");
  Add("added", "2");
  Add("passing", "2");
  Delete("again");
  Add("deleted", "3");
  Delete("deleted");
  Delete("passing");
  Add("again", "4");
  Add("updated", "5");
  EXPECT_THAT(Since(before),
              ElementsAre("+ns/added 2", "-ns/deleted 3", "~ns/again 4", "~ns/updated 5"));
  const auto after = things_.Snapshot();
  EXPECT_THAT(Since(after), IsEmpty());
  Delete("updated");
  EXPECT_THAT(Since(after), ElementsAre("-ns/updated 5"));
  // Version and epoch may be passed instead of the snapshot.
  EXPECT_EQ(ChangesSince(things_, before.version(), before.epoch()).OrExit().changes.size(), 4U);
}

TEST_F(StoreChangesTest, ChangesNotKept_AreExpired) {
  Add("a", "1");
  const auto early = things_.Snapshot();
  EXPECT_EQ(WhyNot(early), std::nullopt) << "nothing has changed";
  Add("a", "2");
  EXPECT_EQ(WhyNot(early), Reason::kExpired);
  KeepChanges(things_);
  EXPECT_EQ(WhyNot(early), Reason::kExpired);
  const auto late = things_.Snapshot();
  Add("a", "3");
  EXPECT_EQ(WhyNot(early), Reason::kExpired);
  EXPECT_THAT(Since(late), ElementsAre("~ns/a 3"));
  EXPECT_EQ(WhyNot({}), Reason::kExpired);
  EXPECT_EQ(ChangesSince(things_, 1000, 0).error().reason(), Reason::kInvalidArgument);
}

TEST_F(StoreChangesTest, TheWindowIsBoundedInEvents) {
  KeepChanges(things_, {.events = 10});
  std::vector<Snapshot<Thing>> at;
  for (int i = 0; i < 30; ++i) {
    at.push_back(things_.Snapshot());
    Add(std::to_string(i), "1");
  }
  EXPECT_EQ(WhyNot(at[19]), Reason::kExpired);
  EXPECT_EQ(Since(at[20]).size(), 10U);
  // The larger of two windows applies.
  KeepChanges(things_, {.events = 15});
  KeepChanges(things_, {.events = 5});
  for (int i = 0; i < 5; ++i) Add("more" + std::to_string(i), "1");
  EXPECT_EQ(Since(at[20]).size(), 15U);
  EXPECT_EQ(WhyNot(at[19]), Reason::kExpired);
}

TEST_F(StoreChangesTest, TheWindowIsBoundedInBytes) {
  const std::size_t each = MakeThing("ns", "a", "1").object()->allocated_bytes();
  KeepChanges(things_, {.events = 1000, .bytes = 10 * each});
  std::vector<Snapshot<Thing>> at;
  for (int i = 0; i < 30; ++i) {
    at.push_back(things_.Snapshot());
    Add("a", "1");
  }
  EXPECT_EQ(WhyNot(at[19]), Reason::kExpired);
  EXPECT_THAT(Since(at[20]), ElementsAre("~ns/a 1"));
}

// Independent of when the size is checked, and of the number of changes after the last check.
TEST_F(StoreChangesTest, AVersionIsInTheWindowAsAWholeOrNotAtAll) {
  for (const int count : {255, 256, 257, 300, 301, 511, 512, 513, 800, 1100}) {
    StoreCore store(sim_.env(), {.name = "test"});
    store.KeepChanges(300, std::size_t{1} << 30);
    const auto before = store.Snapshot();
    store.Begin();
    for (int i = 0; i < count; ++i) {
      static_cast<void>(store.Put(MakeObject("ns", std::to_string(i), "1")));
    }
    store.Commit();
    const auto changes = store.ChangesSince(before->version(), 0);
    EXPECT_EQ(changes.ok(), count <= 300) << count;
    if (changes) {
      EXPECT_EQ(changes->changes.size(), static_cast<std::size_t>(count));
    }
  }
}

TEST_F(StoreChangesTest, VersionLargerThanWindow_EventsAreNotKept) {
  KeepChanges(things_, {.events = 100});
  Add("a", "1");
  const auto before = things_.Snapshot();
  std::vector<Ref<Thing>> many;
  for (int i = 0; i < 2000; ++i) many.push_back(MakeThing("ns", std::to_string(i), "1"));
  ASSERT_TRUE(things_.Replace(many, "2"));
  EXPECT_EQ(WhyNot(before), Reason::kExpired);
  const auto after = things_.Snapshot();
  Add("b", "3");
  EXPECT_THAT(Since(after), ElementsAre("+ns/b 3"));
  // The window is then empty, and all of its room is free.
  for (int i = 0; i < 99; ++i) Add("c" + std::to_string(i), "4");
  EXPECT_EQ(Since(after).size(), 100U);
  Add("d", "5");
  EXPECT_EQ(WhyNot(after), Reason::kExpired);
}

TEST_F(StoreChangesTest, VersionLargerThanWindow_BytesAreNotKept) {
  const std::size_t each = MakeThing("ns", "a", "1").object()->allocated_bytes();
  KeepChanges(things_, {.events = 1'000'000, .bytes = 10 * each});
  Add("a", "1");
  std::vector<Ref<Thing>> many;
  for (int i = 0; i < 600; ++i) many.push_back(MakeThing("ns", std::to_string(i), "1"));
  ASSERT_TRUE(things_.Replace(many, "2"));
  const auto after = things_.Snapshot();
  for (int i = 0; i < 10; ++i) Add("a", "1");
  EXPECT_THAT(Since(after), ElementsAre("+ns/a 1"));
  Add("a", "1");
  EXPECT_EQ(WhyNot(after), Reason::kExpired);
}

TEST(StoreChanges, ChangesOfAnotherEpoch_AreExpired) {
  Simulation sim;
  StoreCore store(sim.env(), {.name = "test"});
  store.KeepChanges(100, 1 << 20);
  const auto before = store.Snapshot();
  static_cast<void>(store.Put(MakeObject("", "a", "9")));
  EXPECT_EQ(store.ChangesSince(before->version(), 0).OrExit().changes.size(), 1U);
  store.Begin();
  store.SetEpoch(1);
  static_cast<void>(store.Put(MakeObject("", "a", "5")));
  store.Commit();
  EXPECT_EQ(store.ChangesSince(before->version(), 0).error().reason(), Reason::kExpired);
  const auto after = store.Snapshot();
  static_cast<void>(store.Erase("", "a"));
  EXPECT_EQ(store.ChangesSince(after->version(), after->epoch()).OrExit().changes.size(), 1U);
}

// Changes that are requested within a version are kept from the next version on.
TEST(StoreChanges, BeginWithAWholeVersion) {
  Simulation sim;
  StoreCore store(sim.env(), {.name = "test"});
  store.Begin();
  static_cast<void>(store.Put(MakeObject("", "a", "1")));
  const auto before = store.Snapshot();
  store.KeepChanges(100, 1 << 20);
  static_cast<void>(store.Put(MakeObject("", "b", "1")));
  store.Commit();
  EXPECT_EQ(store.ChangesSince(before->version(), 0).error().reason(), Reason::kExpired);
  const auto after = store.Snapshot();
  static_cast<void>(store.Put(MakeObject("", "c", "1")));
  EXPECT_EQ(store.ChangesSince(before->version(), 0).error().reason(), Reason::kExpired);
  EXPECT_EQ(store.ChangesSince(after->version(), 0).OrExit().changes.size(), 1U);
}

// Whatever the first write is, changes are kept from its version on.
TEST(StoreChanges, BeginWithWhateverIsWrittenFirst) {
  Simulation sim;
  const auto index = [](const Block& block, internal::IndexValues& out) { out.Add(block.name()); };
  const std::vector<void (*)(StoreCore&)> writes = {
      [](StoreCore& store) { static_cast<void>(store.Erase("", "old")); },
      [](StoreCore& store) { static_cast<void>(store.Put(MakeObject("", "old", "2"))); },
      [](StoreCore& store) { store.SetResourceVersion("9"); },
      [](StoreCore& store) { store.AdvanceResourceVersion("9"); },
      [](StoreCore& store) { store.SetEpoch(1); },
      [](StoreCore& store) { store.SetCoverage(nullptr); },
      [](StoreCore& store) { EXPECT_TRUE(store.RemoveIndexes({"by name"})); },
      [](StoreCore& store) { static_cast<void>(store.FillIndexes(SteadyTime::max())); },
  };
  for (std::size_t i = 0; i < writes.size(); ++i) {
    StoreCore store(sim.env(), {.name = "test"});
    ASSERT_TRUE(internal::cache::AddIndex(store, "by name", index));
    static_cast<void>(store.Put(MakeObject("", "old", "1")));
    ASSERT_TRUE(store.BeginIndexes({{"another", index}}));
    store.KeepChanges(100, 1 << 20);
    const auto before = store.Snapshot();
    store.Begin();
    writes[i](store);
    static_cast<void>(store.Put(MakeObject("", "new", "1")));
    store.Commit();
    const auto changes = store.ChangesSince(before->version(), store.Snapshot()->epoch());
    ASSERT_TRUE(changes.ok()) << i << ": " << changes.error();
    EXPECT_EQ(changes->changes.size(), i < 2 ? 2U : 1U) << i;
  }
}

// ---- an older snapshot and the changes since are the newer one

using Contents = std::map<std::string, std::string>;

Contents ContentsOf(const SnapshotCore& snapshot) {
  Contents contents;
  SnapshotCore::Cursor cursor;
  while (const Block* block = snapshot.Next(cursor)) {
    contents[KeyOfBlock(*block)] = block->resourceVersion();
  }
  return contents;
}

class StoreChangesModelTest : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(StoreChangesModelTest, ASnapshotAndItsChangesAreTheNextOne) {
  std::mt19937 random(GetParam());
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random()) % n; };
  Simulation sim;
  StoreCore store(sim.env(), {.name = "model"});
  const std::size_t window = 50 + below(200);
  store.KeepChanges(window, std::size_t{1} << 30);
  const std::uint32_t keys = 1 + below(60);
  std::vector<std::shared_ptr<const SnapshotCore>> held{store.Snapshot()};
  std::size_t compared = 0;
  std::size_t expired = 0;
  std::vector<std::size_t> events_before{0};  // number of events before held[i]
  std::size_t events = 0;
  for (int step = 0; step < 1500; ++step) {
    store.Begin();
    for (std::uint32_t n = below(5); n > 0; --n) {
      const std::string name = "k" + std::to_string(below(keys));
      if (below(3) == 0) {
        if (store.Erase("ns", name)) ++events;
      } else {
        static_cast<void>(store.Put(MakeObject("ns", name, std::to_string(++events))));
      }
    }
    store.SetResourceVersion(std::to_string(step));
    store.Commit();
    if (below(5) == 0) {
      held.push_back(store.Snapshot());
      events_before.push_back(events);
    }
    const std::size_t i = below(static_cast<std::uint32_t>(held.size()));
    const auto changes = store.ChangesSince(held[i]->version(), 0);
    if (!changes) {
      ASSERT_EQ(changes.error().reason(), Reason::kExpired);
      ASSERT_GT(events - events_before[i], window - 5);
      ++expired;
      continue;
    }
    ASSERT_LE(events - events_before[i], window);
    Contents contents = ContentsOf(*held[i]);
    for (const NetChanges::Change& change : changes->changes) {
      const std::string key = KeyOfBlock(*change.object);
      const std::string version(change.object->resourceVersion());
      ASSERT_EQ(contents.contains(key), change.type != EventType::kAdded);
      if (change.type == EventType::kDeleted) {
        contents.erase(key);
      } else {
        contents[key] = version;
      }
    }
    ASSERT_EQ(contents, ContentsOf(*changes->snapshot));
    ++compared;
    if (held.size() > 30) {
      const auto at = static_cast<std::ptrdiff_t>(below(20));
      held.erase(held.begin() + at);
      events_before.erase(events_before.begin() + at);
    }
  }
  EXPECT_GT(compared, 100U);
  EXPECT_GT(expired, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreChangesModelTest, ::testing::Range(1U, 9U));

}  // namespace
}  // namespace kinformer
