// RealFIFO: rows RF of the catalogue, as tables of steps.

#include "cache/real_fifo.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cache/testing/queue_steps.h"

namespace kinformer::internal {
namespace {

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
INSTANTIATE_TEST_SUITE_P(Catalogue, RealFIFOSync,
                         testing::ValuesIn(SyncRows({"RF_30", "RF_31", "RF_32", "RF_33", "RF_34",
                                                     "RF_35", "RF_36"},
                                                    true)),
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

TEST(RealFIFO, UnreadableObjectsComeAlone) {
  RealFIFO queue({.atomic_events = false});
  queue.Unreadable({"", "x"}, false);
  queue.Add(Obj("a", 1));
  queue.Add(Obj("b", 1));
  queue.Unreadable({"", "y"}, false);
  queue.Unreadable({"", "z"}, false);
  queue.Add(Obj("c", 1));
  EXPECT_EQ(PopAll(queue, 1000),
            (std::vector<std::string>{"Unreadable[]", "Added(a 1),Added(b 1)", "Unreadable[]",
                                      "Unreadable[]", "Added(c 1)"}));
}

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
