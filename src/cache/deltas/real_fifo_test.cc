// RealFIFO: batches, and lists in one piece. boxes/delta_queue_test.cc tests
// both queues.

#include "cache/deltas/real_fifo.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cache/deltas/testing/queue_steps.h"

namespace kinformer::internal::cache {
namespace {

// ---- RealFIFO, spelled out per object

TEST(RealFIFO, PerObjectThereAreNoBookmarks_RF08) {
  const FakeKnown known({});
  RealFIFO queue({.known_objects = &known});
  queue.Bookmark("123");
  Replace(queue, {});
  Replace(queue, {});
  EXPECT_EQ(PopAll(queue, 1), std::vector<std::string>());
}

TEST(RealFIFO, TheOrderIsThatOfTheChanges_RF25) {
  RealFIFO queue;
  queue.Add(Obj("foo", 10));
  queue.Add(Obj("bar", 1));
  queue.Add(Obj("foo", 11));
  queue.Add(Obj("foo", 13));
  queue.Add(Obj("zab", 30));
  queue.Add(Obj("foo", 14));
  EXPECT_EQ(PopAll(queue, 1),
            (std::vector<std::string>{"Added(foo 10)", "Added(bar 1)", "Added(foo 11)",
                                      "Added(foo 13)", "Added(zab 30)", "Added(foo 14)"}));
}

struct BatchRow {
  const char* id;
  Objects initial;
  Objects updates;
  std::size_t max;
  std::vector<std::string> batches;  // "i:" marks initial ones
};

class RealFIFOBatch : public testing::TestWithParam<BatchRow> {};
TEST_P(RealFIFOBatch, PopBatch) {
  const BatchRow& row = GetParam();
  const FakeKnown known({});
  RealFIFO queue({.known_objects = &known});
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
  RealFIFO queue;
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
                    AtomicRow{"RF_55", [](DeltaQueue& q) { q.Resync(); }, {"SyncAll[]"}},
                    AtomicRow{"RF_56",
                              [](DeltaQueue& q) {
                                q.Add(Obj("a", 1));
                                q.Resync();
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
}  // namespace kinformer::internal::cache
