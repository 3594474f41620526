// Operations that both queues have and that differ in results: rows DF and RF of the catalogue with
// equal steps, side by side.

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "cache/boxes/delta_fifo.h"
#include "cache/deltas/real_fifo.h"
#include "cache/deltas/testing/queue_steps.h"

namespace kinformer::internal::cache {
namespace {

struct Row {
  const char* ids;
  Objects known;
  Steps steps;
  // Has one text for each pop.
  std::vector<std::string> delta_fifo;
  std::vector<std::string> real_fifo;
};

class DeltaQueueTable : public testing::TestWithParam<Row> {};

TEST_P(DeltaQueueTable, PopsOfTheDeltaFIFO) {
  const Row& row = GetParam();
  const FakeKnown known(row.known);
  DeltaFIFO queue(
      {.known_objects = row.known.empty() ? nullptr : &known, .replaced_type = DeltaType::kSync});
  row.steps(queue);
  EXPECT_EQ(PopAll(queue, 1000), row.delta_fifo);
}

TEST_P(DeltaQueueTable, PopsOfTheRealFIFO) {
  const Row& row = GetParam();
  const FakeKnown known(row.known);
  RealFIFO queue({.known_objects = &known});
  row.steps(queue);
  EXPECT_EQ(PopAll(queue, 1), row.real_fifo);
}

std::vector<Row> Rows() {
  return {
      {"DF_02_RF_02",
       {Obj("foo", 1)},
       [](DeltaQueue& q) {
         q.Delete(Obj("foo", 1), false);
         Replace(q, {Obj("foo", 2)});
       },
       {"Deleted(foo 1),Sync(foo 2)"},
       {"Deleted(foo 1)", "Replaced(foo 2)"}},
      {"DF_03_RF_03",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         Replace(q, {});
       },
       {"Added(foo 1),Tombstone(foo 1)"},
       {"Added(foo 1)", "Tombstone(foo 1)"}},
      {"DF_05_RF_04",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         q.Delete(Obj("foo", 2), false);
         Replace(q, {});
       },
       {"Added(foo 1),Deleted(foo 2)"},
       {"Added(foo 1)", "Deleted(foo 2)"}},
      {"DF_06_RF_05",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         Replace(q, {Obj("foo", 1)});
         Replace(q, {Obj("foo", 1)});
         Replace(q, {});
       },
       {"Added(foo 1),Sync(foo 1),Sync(foo 1),Tombstone(foo 1)"},
       {"Added(foo 1)", "Replaced(foo 1)", "Replaced(foo 1)", "Tombstone(foo 1)"}},
      {"DF_07_RF_06",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         Replace(q, {});
         Replace(q, {});
       },
       {"Added(foo 1),Tombstone(foo 1)"},
       {"Added(foo 1)", "Tombstone(foo 1)"}},
      {"DF_08_RF_07",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 1));
         q.Delete(Obj("foo", 1), false);
         q.Add(Obj("foo", 2));
         Replace(q, {});
       },
       {"Added(foo 1),Deleted(foo 1),Added(foo 2),Tombstone(foo 2)"},
       {"Added(foo 1)", "Deleted(foo 1)", "Added(foo 2)", "Tombstone(foo 2)"}},
      {"DF_09_RF_09",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         q.Update(Obj("foo", 12));
         q.Delete(Obj("foo", 15), false);
       },
       {"Added(foo 10),Updated(foo 12),Deleted(foo 15)"},
       {"Added(foo 10)", "Updated(foo 12)", "Deleted(foo 15)"}},
      {"DF_11_RF_11",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         q.Update(Obj("bar", 15));
         q.Add(Obj("qux", 17));
         q.Delete(Obj("qux", 18), false);
         q.Delete(Obj("baz", 20), false);
       },
       {"Added(foo 10)", "Updated(bar 15)", "Added(qux 17),Deleted(qux 18)"},
       {"Added(foo 10)", "Updated(bar 15)", "Added(qux 17)", "Deleted(qux 18)", "Deleted(baz 20)"}},
      {"DF_12_RF_12",
       Known3(),
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         q.Update(Obj("bar", 15));
         q.Delete(Obj("baz", 20), false);
       },
       {"Added(foo 10)", "Updated(bar 15)", "Deleted(baz 20)"},
       {"Added(foo 10)", "Updated(bar 15)", "Deleted(baz 20)"}},
      {"DF_13_RF_13",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 10));
         Replace(q, {Obj("foo", 15)});
       },
       {"Added(foo 10),Sync(foo 15)"},
       {"Added(foo 10)", "Replaced(foo 15)"}},
      {"DF_14_RF_14",
       {Obj("foo", 5)},
       [](DeltaQueue& q) {
         q.Delete(Obj("foo", 10), false);
         q.Resync();
       },
       {"Deleted(foo 10)"},
       {"Deleted(foo 10)"}},
      {"DF_15_RF_15",
       {Obj("foo", 5)},
       [](DeltaQueue& q) { q.Resync(); },
       {"Sync(foo 5)"},
       {"Sync(foo 5)"}},
      {"DF_16_RF_16",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("foo", 5));
         q.Delete(Obj("foo", 6), false);
       },
       {"Added(foo 5),Deleted(foo 6)"},
       {"Added(foo 5)", "Deleted(foo 6)"}},
      {"DF_17_RF_17_RF_22",
       Known3(),
       [](DeltaQueue& q) {
         q.Delete(Obj("baz", 10), false);
         Replace(q, {Obj("foo", 6)});
       },
       {"Deleted(baz 10)", "Sync(foo 6)", "Tombstone(bar 6)"},
       {"Deleted(baz 10)", "Tombstone(bar 6)", "Replaced(foo 6)"}},
      {"DF_18_RF_18",
       Known3(),
       [](DeltaQueue& q) {
         q.Add(Obj("baz", 10));
         Replace(q, {Obj("foo", 5)});
       },
       {"Added(baz 10),Tombstone(baz 10)", "Sync(foo 5)", "Tombstone(bar 6)"},
       {"Added(baz 10)", "Tombstone(baz 10)", "Tombstone(bar 6)", "Replaced(foo 5)"}},
      {"DF_19_RF_19",
       Known3(),
       [](DeltaQueue& q) {
         q.Delete(Obj("bar", 6), false);
         q.Add(Obj("bar", 100));
         Replace(q, {Obj("foo", 5)});
       },
       {"Deleted(bar 6),Added(bar 100),Tombstone(bar 100)", "Sync(foo 5)", "Tombstone(baz 7)"},
       {"Deleted(bar 6)", "Added(bar 100)", "Tombstone(bar 100)", "Tombstone(baz 7)",
        "Replaced(foo 5)"}},
      {"DF_20_RF_20",
       Known3(),
       [](DeltaQueue& q) {
         Replace(q, {Obj("bar", 100), Obj("foo", 5)});
         Replace(q, {Obj("foo", 5)});
       },
       {"Sync(bar 100),Tombstone(bar 100)", "Sync(foo 5),Sync(foo 5)", "Tombstone(baz 7)"},
       {"Tombstone(baz 7)", "Replaced(bar 100)", "Replaced(foo 5)", "Tombstone(bar 100)",
        "Replaced(foo 5)"}},
      {"DF_21_RF_21",
       {},
       [](DeltaQueue& q) {
         q.Add(Obj("baz", 10));
         Replace(q, {Obj("foo", 5)});
       },
       {"Added(baz 10),Tombstone(baz 10)", "Sync(foo 5)"},
       {"Added(baz 10)", "Tombstone(baz 10)", "Replaced(foo 5)"}},
      {"DF_24_RF_23",
       {Obj("foo", 5)},
       [](DeltaQueue& q) {
         q.Update(Obj("foo", 6));
         q.Resync();
       },
       {"Updated(foo 6)"},
       {"Updated(foo 6)"}},
      {"UnreadableObjectsAreNotGone",
       {Obj("foo", 5), Obj("bar", 6)},
       [](DeltaQueue& q) { q.Replace({Obj("foo", 7)}, {{"", "bar"}}, "rv"); },
       {"Unreadable[]", "Sync(foo 7)"},
       {"Replaced(foo 7)", "Unreadable[]"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Catalogue, DeltaQueueTable, testing::ValuesIn(Rows()),
                         [](const auto& p) { return std::string(p.param.ids); });

struct SyncRow {
  const char* ids;
  Steps steps;
  int delta_fifo_pops;
  int real_fifo_pops;
  bool synced;
};

class DeltaQueueSync : public testing::TestWithParam<SyncRow> {};

TEST_P(DeltaQueueSync, HasSynced) {
  const FakeKnown known({});
  DeltaFIFO delta_fifo;
  RealFIFO real_fifo({.known_objects = &known});
  GetParam().steps(delta_fifo);
  GetParam().steps(real_fifo);
  for (int i = 0; i < GetParam().delta_fifo_pops; ++i) Pop(delta_fifo, 1);
  for (int i = 0; i < GetParam().real_fifo_pops; ++i) Pop(real_fifo, 1);
  EXPECT_EQ(delta_fifo.HasSynced(), GetParam().synced);
  EXPECT_EQ(real_fifo.HasSynced(), GetParam().synced);
}

void ListTwo(DeltaQueue& queue) { Replace(queue, {Obj("a", 1), Obj("b", 2)}); }

INSTANTIATE_TEST_SUITE_P(
    Catalogue, DeltaQueueSync,
    testing::Values(SyncRow{"DF_31_RF_30", [](DeltaQueue&) {}, 0, 0, false},
                    SyncRow{"DF_32_RF_31", [](DeltaQueue& q) { q.Add(Obj("a", 1)); }, 0, 0, true},
                    SyncRow{"DF_33_RF_32", [](DeltaQueue& q) { Replace(q, {}); }, 0, 0, true},
                    SyncRow{"DF_34_RF_33", ListTwo, 0, 0, false},
                    SyncRow{"DF_35_RF_34", ListTwo, 1, 1, false},
                    SyncRow{"DF_36_RF_35", ListTwo, 2, 2, true},
                    SyncRow{"DF_37_RF_36",
                            [](DeltaQueue& q) { Replace(q, {Obj("a", 1), Obj("a", 1)}); }, 1, 2,
                            true}),
    [](const auto& p) { return std::string(p.param.ids); });

TEST(DeltaQueueSync, SyncedOnceDeletionsAreProcessedToo_DF25_RF24) {
  const FakeKnown known(Known3());
  DeltaFIFO delta_fifo({.known_objects = &known});
  RealFIFO real_fifo({.known_objects = &known});
  for (DeltaQueue* queue :
       {static_cast<DeltaQueue*>(&delta_fifo), static_cast<DeltaQueue*>(&real_fifo)}) {
    Replace(*queue, {Obj("foo", 5)});
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(queue->HasSynced());
      bool initial = false;
      Pop(*queue, 1, &initial);
      EXPECT_TRUE(initial);
    }
    EXPECT_TRUE(queue->HasSynced());
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
