// DeltaFIFO: rows DF of the catalogue, as tables of steps.

#include "cache/delta_fifo.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cache/testing/queue_steps.h"

namespace kinformer::internal {
namespace {

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

TEST(DeltaFIFO, DF_27_to_DF_30_RF_26_to_RF_29_OneKeyForAnObjectAndItsTombstone) {
  const ObjectRef object = MakePod("ns", "a", "1");
  EXPECT_EQ(KeyOf(*object), "ns/a");
  EXPECT_EQ(KeyOf(*Obj("a", 1)), "a");
  DeltaFIFO queue;
  queue.Add(object);
  queue.Add(Obj("a", 1));
  queue.Delete(object, true);
  EXPECT_EQ(queue.Len(), 2U);
  ASSERT_NE(queue.Deltas("ns/a"), nullptr);
  EXPECT_EQ(queue.Deltas("ns/a")->size(), 2U);
  EXPECT_TRUE(queue.Deltas("ns/a")->back().final_state_unknown);
  EXPECT_EQ(queue.Deltas("a")->size(), 1U);
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

TEST(DeltaFIFO, AListReplacesWhatWaitedToBeSaidOfUnreadableObjects) {
  DeltaFIFO queue;
  queue.Unreadable({"", "gone"}, false);
  queue.Replace({Obj("a", 1)}, {{"", "there"}}, "rv");
  EXPECT_EQ(PopAll(queue, 1), (std::vector<std::string>{"Unreadable[]", "Replaced(a 1)"}));
}

class DeltaFIFOSync : public testing::TestWithParam<SyncRow> {};
TEST_P(DeltaFIFOSync, HasSynced) {
  DeltaFIFO queue;
  GetParam().steps(queue);
  for (int i = 0; i < GetParam().pops; ++i) Pop(queue, 1);
  EXPECT_EQ(queue.HasSynced(), GetParam().synced);
}
INSTANTIATE_TEST_SUITE_P(Catalogue, DeltaFIFOSync,
                         testing::ValuesIn(SyncRows({"DF_31", "DF_32", "DF_33", "DF_34", "DF_35",
                                                     "DF_36", "DF_37"},
                                                    false)),
                         [](const auto& p) { return std::string(p.param.id); });

}  // namespace
}  // namespace kinformer::internal
