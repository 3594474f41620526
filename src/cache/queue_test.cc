// The queues: rows DF and RF of the catalogue, as tables of steps.

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "cache/delta_fifo.h"
#include "cache/real_fifo.h"
#include "cache/testing/fake_lister_watcher.h"

namespace kinformer::internal {
namespace {

// An object is its key and a number, which is its resourceVersion.
ObjectRef Obj(std::string_view name, int value) { return MakePod("", name, std::to_string(value)); }

class FakeKnown final : public KnownObjects {
 public:
  explicit FakeKnown(std::vector<ObjectRef> objects) : objects_(std::move(objects)) {}
  [[nodiscard]] ObjectRef Get(std::string_view, std::string_view name) const override {
    for (const ObjectRef& object : objects_) {
      if (object->name() == name) return object;
    }
    return {};
  }
  void ForEach(const std::function<void(ObjectRef)>& visit) const override {
    for (const ObjectRef& object : objects_) visit(object);
  }

 private:
  std::vector<ObjectRef> objects_;
};

std::string Text(const Delta& delta) {
  static const char* const kNames[] = {"Added", "Updated", "Deleted",  "Replaced",  "Sync",
                                       "All",   "SyncAll", "Bookmark", "Unreadable"};
  std::string text = kNames[static_cast<int>(delta.type)];
  if (delta.type == DeltaType::kDeleted && delta.final_state_unknown) text = "Tombstone";
  if (delta.object) {
    text += "(" + std::string(delta.object->name()) + " " +
            std::string(delta.object->resourceVersion()) + ")";
  }
  if (delta.extra != nullptr) {
    text += "[" + delta.extra->resourceVersion;
    for (const ObjectRef& object : delta.extra->objects) {
      text += " " + std::string(object->name()) + std::string(object->resourceVersion());
    }
    text += "]";
  }
  return text;
}

// One pop: its deltas joined.
std::string Pop(DeltaQueue& queue, std::size_t max, bool* initial = nullptr) {
  DeltaBatch batch;
  if (!queue.PopBatch(max, batch)) return "-";
  std::string text;
  for (const Delta& delta : batch.deltas) {
    if (!text.empty()) text += ",";
    text += Text(delta);
  }
  if (initial != nullptr) *initial = batch.is_in_initial_list;
  queue.BatchDone();
  return text;
}

std::vector<std::string> PopAll(DeltaQueue& queue, std::size_t max) {
  std::vector<std::string> all;
  while (true) {
    std::string text = Pop(queue, max);
    if (text == "-") return all;
    // A list's resourceVersion follows it through the DeltaFIFO as a bookmark.
    if (!text.starts_with("Bookmark[rv")) all.push_back(std::move(text));
  }
}

using Steps = std::function<void(DeltaQueue&)>;
using Objects = std::vector<ObjectRef>;

void Replace(DeltaQueue& queue, Objects objects) { queue.Replace(std::move(objects), {}, "rv"); }

struct Row {
  const char* id;
  Objects known;
  Steps steps;
  std::vector<std::string> pops;
};

Objects Known3() { return {Obj("foo", 5), Obj("bar", 6), Obj("baz", 7)}; }

class DeltaFIFOTable : public testing::TestWithParam<Row> {};

TEST_P(DeltaFIFOTable, PopsInOrder) {
  const Row& row = GetParam();
  const FakeKnown known(row.known);
  DeltaFIFO queue(
      {.known_objects = row.known.empty() ? nullptr : &known, .replaced_type = DeltaType::kSync});
  row.steps(queue);
  EXPECT_EQ(PopAll(queue, 1000), row.pops) << row.id;
}

std::vector<Row> DeltaFIFORows() {
  return {
      {"DF_02",
       {Obj("foo", 1)},
       [](DeltaQueue& q) {
         q.Delete(Obj("foo", 1), false);
         Replace(q, {Obj("foo", 2)});
       },
       {"Deleted(foo 1),Sync(foo 2)"}},
      {"DF_03",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         Replace(q, {});
       },
       {"Added(foo 1),Tombstone(foo 1)"}},
      {"DF_05",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         q.Delete(Obj("foo", 2), false);
         Replace(q, {});
       },
       {"Added(foo 1),Deleted(foo 2)"}},
      {"DF_06",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         Replace(q, {Obj("foo", 1)});
         Replace(q, {Obj("foo", 1)});
         Replace(q, {});
       },
       {"Added(foo 1),Sync(foo 1),Sync(foo 1),Tombstone(foo 1)"}},
      {"DF_07",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         Replace(q, {});
         Replace(q, {});
       },
       {"Added(foo 1),Tombstone(foo 1)"}},
      {"DF_08",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         q.Delete(Obj("foo", 1), false);
         q.Add(Obj("foo", 2));
         Replace(q, {});
       },
       {"Added(foo 1),Deleted(foo 1),Added(foo 2),Tombstone(foo 2)"}},
      {"DF_09",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         q.Update(Obj("foo", 12));
         q.Delete(Obj("foo", 15), false);
       },
       {"Added(foo 10),Updated(foo 12),Deleted(foo 15)"}},
      {"DF_11",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         q.Update(Obj("bar", 15));
         q.Add(Obj("qux", 17));
         q.Delete(Obj("qux", 18), false);
         q.Delete(Obj("baz", 20), false);
       },
       {"Added(foo 10)", "Updated(bar 15)", "Added(qux 17),Deleted(qux 18)"}},
      {"DF_12",
       Known3(),
       [](DeltaQueue& q) { q.Delete(Obj("baz", 20), false); },
       {"Deleted(baz 20)"}},
      {"DF_13",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         Replace(q, {Obj("foo", 15)});
       },
       {"Added(foo 10),Sync(foo 15)"}},
      {"DF_14",
       {Obj("foo", 5)},
       [](DeltaQueue& q) {
         q.Delete(Obj("foo", 10), false);
         q.Resync({});
       },
       {"Deleted(foo 10)"}},
      {"DF_15", {Obj("foo", 5)}, [](DeltaQueue& q) { q.Resync({}); }, {"Sync(foo 5)"}},
      {"DF_16",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 5));
         q.Delete(Obj("foo", 6), false);
       },
       {"Added(foo 5),Deleted(foo 6)"}},
      {"DF_17",
       Known3(),
       [](DeltaQueue& q) {
         q.Delete(Obj("baz", 10), false);
         Replace(q, {Obj("foo", 5)});
       },
       {"Deleted(baz 10)", "Sync(foo 5)", "Tombstone(bar 6)"}},
      {"DF_18",
       Known3(),
       [](DeltaQueue& q) {
         q.Add(Obj("baz", 10));
         Replace(q, {Obj("foo", 5)});
       },
       {"Added(baz 10),Tombstone(baz 10)", "Sync(foo 5)", "Tombstone(bar 6)"}},
      {"DF_19",
       Known3(),
       [](DeltaQueue& q) {
         q.Delete(Obj("bar", 6), false);
         q.Add(Obj("bar", 100));
         Replace(q, {Obj("foo", 5)});
       },
       {"Deleted(bar 6),Added(bar 100),Tombstone(bar 100)", "Sync(foo 5)", "Tombstone(baz 7)"}},
      {"DF_20",
       Known3(),
       [](DeltaQueue& q) {
         Replace(q, {Obj("bar", 100), Obj("foo", 5)});
         Replace(q, {Obj("foo", 5)});
       },
       {"Sync(bar 100),Tombstone(bar 100)", "Sync(foo 5),Sync(foo 5)", "Tombstone(baz 7)"}},
      {"DF_21",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("baz", 10));
         Replace(q, {Obj("foo", 5)});
       },
       {"Added(baz 10),Tombstone(baz 10)", "Sync(foo 5)"}},
      {"DF_24",
       {Obj("foo", 5)},
       [](DeltaQueue& q) {
         q.Update(Obj("foo", 6));
         q.Resync({});
       },
       {"Updated(foo 6)"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Catalogue, DeltaFIFOTable, testing::ValuesIn(DeltaFIFORows()),
                         [](const auto& p) { return std::string(p.param.id); });

TEST(DeltaFIFO, DF_04_DF_22_DF_23_ReplacedKind) {
  DeltaFIFO queue;
  queue.Add(Obj("foo", 1));
  Replace(queue, {Obj("foo", 1)});
  Replace(queue, {});
  EXPECT_EQ(Pop(queue, 1), "Added(foo 1),Replaced(foo 1),Tombstone(foo 1)");
  const FakeKnown known(Known3());
  DeltaFIFO second({.known_objects = &known});
  second.Delete(Obj("baz", 10), false);
  Replace(second, {Obj("foo", 6)});
  EXPECT_EQ(PopAll(second, 1),
            (std::vector<std::string>{"Deleted(baz 10)", "Replaced(foo 6)", "Tombstone(bar 6)"}));
}

TEST(DeltaFIFO, DF_25_SyncedOnceDeletionsAreProcessedToo) {
  const FakeKnown known(Known3());
  DeltaFIFO queue({.known_objects = &known});
  Replace(queue, {Obj("foo", 5)});
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(queue.HasSynced());
    bool initial = false;
    Pop(queue, 1, &initial);
    EXPECT_TRUE(initial);
  }
  EXPECT_TRUE(queue.HasSynced());
}

TEST(DeltaFIFO, DF_26_AKeyKeepsItsPlaceAndComesBackAtTheEnd) {
  DeltaFIFO queue;
  queue.Add(Obj("foo", 10));
  queue.Add(Obj("bar", 1));
  queue.Add(Obj("foo", 11));
  queue.Add(Obj("foo", 13));
  queue.Add(Obj("zab", 30));
  EXPECT_EQ(Pop(queue, 1), "Added(foo 10),Added(foo 11),Added(foo 13)");
  queue.Add(Obj("foo", 14));
  EXPECT_EQ(PopAll(queue, 1),
            (std::vector<std::string>{"Added(bar 1)", "Added(zab 30)", "Added(foo 14)"}));
}

struct SyncRow {
  const char* id;
  Steps steps;
  int pops;
  bool synced;
};

std::vector<SyncRow> SyncRows(const char* prefix, int first, bool duplicate_is_two_pops) {
  static std::vector<std::string> ids;
  ids.reserve(100);
  std::vector<SyncRow> rows = {
      {"", [](DeltaQueue&) {}, 0, false},
      {"", [](DeltaQueue& q) { q.Add(Obj("a", 1)); }, 0, true},
      {"", [](DeltaQueue& q) { Replace(q, {}); }, 0, true},
      {"", [](DeltaQueue& q) { Replace(q, {Obj("a", 1), Obj("b", 2)}); }, 0, false},
      {"", [](DeltaQueue& q) { Replace(q, {Obj("a", 1), Obj("b", 2)}); }, 1, false},
      {"", [](DeltaQueue& q) { Replace(q, {Obj("a", 1), Obj("b", 2)}); }, 2, true},
      {"", [](DeltaQueue& q) { Replace(q, {Obj("a", 1), Obj("a", 1)}); },
       duplicate_is_two_pops ? 2 : 1, true},
  };
  for (SyncRow& row : rows) {
    ids.push_back(prefix + std::to_string(first++));
    row.id = ids.back().c_str();
  }
  return rows;
}

class DeltaFIFOSync : public testing::TestWithParam<SyncRow> {};
TEST_P(DeltaFIFOSync, HasSynced) {
  DeltaFIFO queue;
  GetParam().steps(queue);
  for (int i = 0; i < GetParam().pops; ++i) Pop(queue, 1);
  EXPECT_EQ(queue.HasSynced(), GetParam().synced);
}
INSTANTIATE_TEST_SUITE_P(Catalogue, DeltaFIFOSync, testing::ValuesIn(SyncRows("DF_", 31, false)),
                         [](const auto& p) { return std::string(p.param.id); });

// ---- RealFIFO, spelled out per object

class RealFIFOTable : public testing::TestWithParam<Row> {};

TEST_P(RealFIFOTable, PopsInOrder) {
  const Row& row = GetParam();
  const FakeKnown known(row.known);
  RealFIFO queue({.atomic_events = false, .known_objects = &known});
  row.steps(queue);
  EXPECT_EQ(PopAll(queue, 1), row.pops) << row.id;
}

std::vector<Row> RealFIFORows() {
  return {
      {"RF_02",
       {Obj("foo", 1)},
       [](DeltaQueue& q) {
         q.Delete(Obj("foo", 1), false);
         Replace(q, {Obj("foo", 2)});
       },
       {"Deleted(foo 1)", "Replaced(foo 2)"}},
      {"RF_03",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         Replace(q, {});
       },
       {"Added(foo 1)", "Tombstone(foo 1)"}},
      {"RF_04",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         q.Delete(Obj("foo", 1), false);
         Replace(q, {});
       },
       {"Added(foo 1)", "Deleted(foo 1)"}},
      {"RF_05",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         Replace(q, {Obj("foo", 1)});
         Replace(q, {Obj("foo", 1)});
         Replace(q, {});
       },
       {"Added(foo 1)", "Replaced(foo 1)", "Replaced(foo 1)", "Tombstone(foo 1)"}},
      {"RF_06",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         Replace(q, {});
         Replace(q, {});
       },
       {"Added(foo 1)", "Tombstone(foo 1)"}},
      {"RF_07",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         q.Delete(Obj("foo", 1), false);
         q.Add(Obj("foo", 2));
         Replace(q, {});
       },
       {"Added(foo 1)", "Deleted(foo 1)", "Added(foo 2)", "Tombstone(foo 2)"}},
      {"RF_08",
       {},
       [](DeltaQueue& q) {
         q.Bookmark("123");
         Replace(q, {});
         Replace(q, {});
       },
       {}},
      {"RF_09",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         q.Update(Obj("foo", 12));
         q.Delete(Obj("foo", 15), false);
       },
       {"Added(foo 10)", "Updated(foo 12)", "Deleted(foo 15)"}},
      {"RF_11",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         q.Update(Obj("bar", 15));
         q.Add(Obj("qux", 17));
         q.Delete(Obj("qux", 18), false);
         q.Delete(Obj("baz", 20), false);
       },
       {"Added(foo 10)", "Updated(bar 15)", "Added(qux 17)", "Deleted(qux 18)", "Deleted(baz 20)"}},
      {"RF_12",
       Known3(),
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         q.Update(Obj("bar", 15));
         q.Delete(Obj("baz", 20), false);
       },
       {"Added(foo 10)", "Updated(bar 15)", "Deleted(baz 20)"}},
      {"RF_13",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         Replace(q, {Obj("foo", 15)});
       },
       {"Added(foo 10)", "Replaced(foo 15)"}},
      {"RF_14",
       {Obj("foo", 5)},
       [](DeltaQueue& q) {
         q.Delete(Obj("foo", 10), false);
         q.Resync({});
       },
       {"Deleted(foo 10)"}},
      {"RF_15", {Obj("foo", 5)}, [](DeltaQueue& q) { q.Resync({}); }, {"Sync(foo 5)"}},
      {"RF_16",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 5));
         q.Delete(Obj("foo", 6), false);
       },
       {"Added(foo 5)", "Deleted(foo 6)"}},
      {"RF_17_RF_22",
       Known3(),
       [](DeltaQueue& q) {
         q.Delete(Obj("baz", 10), false);
         Replace(q, {Obj("foo", 6)});
       },
       {"Deleted(baz 10)", "Tombstone(bar 6)", "Replaced(foo 6)"}},
      {"RF_18",
       Known3(),
       [](DeltaQueue& q) {
         q.Add(Obj("baz", 10));
         Replace(q, {Obj("foo", 5)});
       },
       {"Added(baz 10)", "Tombstone(baz 10)", "Tombstone(bar 6)", "Replaced(foo 5)"}},
      {"RF_19",
       Known3(),
       [](DeltaQueue& q) {
         q.Delete(Obj("bar", 6), false);
         q.Add(Obj("bar", 100));
         Replace(q, {Obj("foo", 5)});
       },
       {"Deleted(bar 6)", "Added(bar 100)", "Tombstone(bar 100)", "Tombstone(baz 7)",
        "Replaced(foo 5)"}},
      {"RF_20",
       Known3(),
       [](DeltaQueue& q) {
         Replace(q, {Obj("bar", 100), Obj("foo", 5)});
         Replace(q, {Obj("foo", 5)});
       },
       {"Tombstone(baz 7)", "Replaced(bar 100)", "Replaced(foo 5)", "Tombstone(bar 100)",
        "Replaced(foo 5)"}},
      {"RF_21",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("baz", 10));
         Replace(q, {Obj("foo", 5)});
       },
       {"Added(baz 10)", "Tombstone(baz 10)", "Replaced(foo 5)"}},
      {"RF_23",
       {Obj("foo", 5)},
       [](DeltaQueue& q) {
         q.Update(Obj("foo", 6));
         q.Resync({});
       },
       {"Updated(foo 6)"}},
      {"RF_25",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         q.Add(Obj("bar", 1));
         q.Add(Obj("foo", 11));
         q.Add(Obj("foo", 13));
         q.Add(Obj("zab", 30));
         q.Add(Obj("foo", 14));
       },
       {"Added(foo 10)", "Added(bar 1)", "Added(foo 11)", "Added(foo 13)", "Added(zab 30)",
        "Added(foo 14)"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Catalogue, RealFIFOTable, testing::ValuesIn(RealFIFORows()),
                         [](const auto& p) { return std::string(p.param.id); });

TEST(RealFIFO, RF_24_SyncedOnceDeletionsAreProcessedToo) {
  const FakeKnown known(Known3());
  RealFIFO queue({.atomic_events = false, .known_objects = &known});
  Replace(queue, {Obj("foo", 5)});
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(queue.HasSynced());
    bool initial = false;
    Pop(queue, 1, &initial);
    EXPECT_TRUE(initial);
  }
  EXPECT_TRUE(queue.HasSynced());
}

class RealFIFOSync : public testing::TestWithParam<SyncRow> {};
TEST_P(RealFIFOSync, HasSynced) {
  RealFIFO queue({.atomic_events = false});
  GetParam().steps(queue);
  for (int i = 0; i < GetParam().pops; ++i) Pop(queue, 1);
  EXPECT_EQ(queue.HasSynced(), GetParam().synced);
}
INSTANTIATE_TEST_SUITE_P(Catalogue, RealFIFOSync, testing::ValuesIn(SyncRows("RF_", 30, true)),
                         [](const auto& p) { return std::string(p.param.id); });

struct BatchRow {
  const char* id;
  Objects initial;
  Objects updates;
  std::size_t max;
  std::vector<std::string> batches;  // "i:" in front of initial ones
};

class RealFIFOBatch : public testing::TestWithParam<BatchRow> {};
TEST_P(RealFIFOBatch, PopBatch) {
  const BatchRow& row = GetParam();
  RealFIFO queue({.atomic_events = false});
  Replace(queue, row.initial);
  for (const ObjectRef& object : row.updates) queue.Update(object);
  std::vector<std::string> batches;
  while (true) {
    bool initial = false;
    std::string text = Pop(queue, row.max, &initial);
    if (text == "-") break;
    batches.push_back((initial ? "i:" : "") + text);
  }
  EXPECT_EQ(batches, row.batches);
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, RealFIFOBatch,
    testing::Values(BatchRow{"RF_38",
                             {Obj("a", 1), Obj("b", 1), Obj("c", 1)},
                             {},
                             1000,
                             {"i:Replaced(a 1),Replaced(b 1),Replaced(c 1)"}},
                    BatchRow{"RF_39",
                             {Obj("a", 1), Obj("b", 1)},
                             {Obj("a", 2), Obj("b", 2)},
                             2,
                             {"i:Replaced(a 1),Replaced(b 1)", "Updated(a 2),Updated(b 2)"}},
                    BatchRow{"RF_40",
                             {Obj("a", 1)},
                             {Obj("a", 2), Obj("a", 3)},
                             10,
                             {"i:Replaced(a 1)", "Updated(a 2)", "Updated(a 3)"}},
                    BatchRow{"RF_41",
                             {Obj("a", 1), Obj("b", 1)},
                             {Obj("b", 2), Obj("c", 2)},
                             10,
                             {"i:Replaced(a 1),Replaced(b 1)", "Updated(b 2),Updated(c 2)"}},
                    BatchRow{"RF_42",
                             {Obj("a", 1), Obj("b", 1), Obj("c", 1)},
                             {Obj("b", 2)},
                             10,
                             {"i:Replaced(a 1),Replaced(b 1),Replaced(c 1)", "Updated(b 2)"}},
                    BatchRow{"RF_43",
                             {Obj("a", 1), Obj("b", 1), Obj("c", 1)},
                             {},
                             2,
                             {"i:Replaced(a 1),Replaced(b 1)", "i:Replaced(c 1)"}},
                    BatchRow{"RF_44",
                             {},
                             {Obj("a", 2), Obj("b", 2), Obj("c", 2)},
                             2,
                             {"Updated(a 2),Updated(b 2)", "Updated(c 2)"}},
                    BatchRow{"RF_45",
                             {Obj("a", 1), Obj("b", 1), Obj("c", 1)},
                             {Obj("d", 2)},
                             2,
                             {"i:Replaced(a 1),Replaced(b 1)", "i:Replaced(c 1)", "Updated(d 2)"}}),
    [](const auto& p) { return std::string(p.param.id); });

// ---- RealFIFO, lists in one piece

struct AtomicRow {
  const char* id;
  Steps steps;
  std::vector<std::string> pops;
};
class RealFIFOAtomic : public testing::TestWithParam<AtomicRow> {};
TEST_P(RealFIFOAtomic, PopsInOrder) {
  RealFIFO queue;
  GetParam().steps(queue);
  EXPECT_EQ(PopAll(queue, 1000), GetParam().pops);
}
INSTANTIATE_TEST_SUITE_P(
    Catalogue, RealFIFOAtomic,
    testing::Values(AtomicRow{"RF_50", [](DeltaQueue& q) { Replace(q, {}); }, {"All[rv]"}},
                    AtomicRow{"RF_51",
                              [](DeltaQueue& q) {
                                q.Add(Obj("a", 1));
                                Replace(q, {});
                              },
                              {"Added(a 1)", "All[rv]"}},
                    AtomicRow{"RF_52",
                              [](DeltaQueue& q) {
                                q.Add(Obj("a", 1));
                                q.Replace({Obj("a", 2)}, {}, "2");
                                q.Replace({Obj("a", 3)}, {}, "3");
                                q.Replace({}, {}, "4");
                              },
                              {"Added(a 1)", "All[2 a2]", "All[3 a3]", "All[4]"}},
                    AtomicRow{"RF_53",
                              [](DeltaQueue& q) {
                                q.Bookmark("123");
                                q.Replace({}, {}, "1234");
                              },
                              {"Bookmark[123]", "All[1234]"}},
                    AtomicRow{"RF_54",
                              [](DeltaQueue& q) {
                                q.Add(Obj("a", 10));
                                q.Replace({Obj("a", 15)}, {}, "9");
                              },
                              {"Added(a 10)", "All[9 a15]"}},
                    AtomicRow{"RF_55", [](DeltaQueue& q) { q.Resync({}); }, {"SyncAll[]"}},
                    AtomicRow{"RF_56",
                              [](DeltaQueue& q) {
                                q.Add(Obj("a", 1));
                                q.Resync({});
                              },
                              {"Added(a 1)", "SyncAll[]"}}),
    [](const auto& p) { return std::string(p.param.id); });

TEST(RealFIFO, AnAtomicListIsSyncedOnceItIsProcessed) {
  RealFIFO queue;
  Replace(queue, {});
  EXPECT_FALSE(queue.HasSynced());
  DeltaBatch batch;
  ASSERT_TRUE(queue.PopBatch(1, batch));
  EXPECT_FALSE(queue.HasSynced());
  queue.BatchDone();
  EXPECT_TRUE(queue.HasSynced());
}

TEST(RealFIFO, BytesGoUpAndDown) {
  RealFIFO queue;
  queue.Add(Obj("a", 1));
  EXPECT_GT(queue.Bytes(), Obj("a", 1)->allocated_bytes());
  Pop(queue, 1);
  EXPECT_EQ(queue.Bytes(), 0U);
}

}  // namespace
}  // namespace kinformer::internal
