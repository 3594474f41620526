// Behavior of DeltaFIFO that differs from RealFIFO. delta_queue_test.cc tests both queues.

#include "cache/boxes/delta_fifo.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/internal/indexer_core.h"

#include "cache/deltas/testing/queue_steps.h"

namespace kinformer::internal::cache {
namespace {

using client::MakePod;
TEST(DeltaFIFO, ReplacedKind_DF04_DF22_DF23) {
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

TEST(DeltaFIFO, ObjectAndTombstone_ShareKey_DF27_to_DF30_RF26_to_RF29) {
  const ObjectRef object = MakePod("ns", "a", "1");
  EXPECT_EQ(KeyOfBlock(*object), "ns/a");
  EXPECT_EQ(KeyOfBlock(*Obj("a", 1)), "a");
  DeltaFIFO queue;
  queue.Add(object);
  queue.Add(Obj("a", 1));
  queue.Delete(object, true);
  ASSERT_NE(queue.Deltas("ns/a"), nullptr);
  EXPECT_EQ(queue.Deltas("ns/a")->size(), 2U);
  EXPECT_TRUE(queue.Deltas("ns/a")->back().final_state_unknown);
  EXPECT_EQ(queue.Deltas("a")->size(), 1U);
}

TEST(DeltaFIFO, AKeyKeepsItsPlaceAndComesBackAtTheEnd_DF26) {
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

TEST(DeltaFIFO, NewerDeletion_KeepsTheFinalStateIfOneOfThemKnowsIt) {
  DeltaFIFO queue;
  queue.Add(Obj("a", 1));
  queue.Delete(Obj("a", 1), true);
  queue.Delete(Obj("a", 2), false);
  queue.Delete(Obj("a", 1), true);
  EXPECT_EQ(PopAll(queue, 1), std::vector<std::string>{"Added(a 1),Deleted(a 2)"});
}

}  // namespace
}  // namespace kinformer::internal::cache
