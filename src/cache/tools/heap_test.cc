#include "kinformer/heap.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/simulation.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

struct Ranked {
  std::string name;
  int rank = 0;
  friend bool operator==(const Ranked&, const Ranked&) = default;
};

class HeapTest : public ::testing::Test {
 protected:
  // Pops `count` items on a thread of the simulation.
  std::vector<std::string> Pops(std::size_t count) {
    std::vector<std::string> names;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          for (std::size_t i = 0; i < count; ++i) names.push_back(heap_.Pop().value().name);
        },
        std::chrono::seconds(1)));
    return names;
  }
  void Add(std::string name, int rank) { ASSERT_TRUE(heap_.Add({std::move(name), rank})); }

  Simulation sim_;
  Heap<Ranked> heap_{sim_.env(), [](const Ranked& r) { return r.name; },
                     [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; }};
};

TEST_F(HeapTest, HP_01_TwoProducersInOppositeOrder) {
  constexpr int kEach = 500;
  auto up = sim_.env().NewThread("up", [&] {
    for (int i = 0; i < kEach; ++i) Add("a" + std::to_string(i), 2 * i);
  });
  auto down = sim_.env().NewThread("down", [&] {
    for (int i = kEach - 1; i >= 0; --i) Add("b" + std::to_string(i), 2 * i + 1);
  });
  sim_.RunReady();
  std::vector<int> ranks;
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        for (int i = 0; i < 2 * kEach; ++i) ranks.push_back(heap_.Pop().value().rank);
      },
      std::chrono::seconds(1)));
  for (int i = 0; i < 2 * kEach; ++i) ASSERT_EQ(ranks[static_cast<std::size_t>(i)], i);
}

TEST_F(HeapTest, HP_02_UpdatesMoveAnItem) {
  for (const auto& [name, rank] : {std::pair("foo", 10), {"bar", 1}, {"baz", 11}, {"zab", 30}}) {
    Add(name, rank);
  }
  Add("foo", 13);
  EXPECT_THAT(Pops(2), ElementsAre("bar", "baz"));
  const Result<void> gone = heap_.Delete({"baz", 11});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().reason(), Reason::kNotFound);
  Add("foo", 14);
  EXPECT_THAT(Pops(2), ElementsAre("foo", "zab"));
}

TEST_F(HeapTest, HP_03_BulkAddShowsItselfInOrder) {
  std::vector<std::string> popped;
  auto consumer = sim_.env().NewThread("consumer", [&] {
    for (int i = 0; i < 100; ++i) popped.push_back(heap_.Pop().value().name);
  });
  sim_.RunReady();
  std::vector<Ranked> items;
  std::vector<std::string> wanted;
  for (int i = 99; i >= 0; --i) items.push_back({std::to_string(i), i});
  for (int i = 0; i < 100; ++i) wanted.push_back(std::to_string(i));
  ASSERT_TRUE(heap_.BulkAdd(std::move(items)));
  sim_.RunReady();
  EXPECT_EQ(popped, wanted);
}

TEST_F(HeapTest, HP_04_CloseEndsAWaitingPop) {
  Result<Ranked> popped = Ranked();
  auto consumer = sim_.env().NewThread("consumer", [&] { popped = heap_.Pop(); });
  sim_.RunFor(std::chrono::seconds(1));
  EXPECT_TRUE(popped);
  heap_.Close();
  sim_.RunReady();
  ASSERT_FALSE(popped);
  EXPECT_EQ(popped.error().reason(), Reason::kStopped);
}

TEST_F(HeapTest, HP_05_AddIfNotPresentKeepsTheOldOne) {
  ASSERT_TRUE(heap_.AddIfNotPresent({"foo", 10}));
  ASSERT_TRUE(heap_.AddIfNotPresent({"foo", 1}));
  ASSERT_TRUE(heap_.AddIfNotPresent({"bar", 5}));
  EXPECT_EQ(heap_.GetByKey("foo")->rank, 10);
  EXPECT_THAT(Pops(2), ElementsAre("bar", "foo"));
  ASSERT_TRUE(heap_.AddIfNotPresent({"foo", 2}));
  EXPECT_EQ(heap_.GetByKey("foo")->rank, 2);
}

TEST_F(HeapTest, HP_06_DeletesKeepTheOrder) {
  for (const auto& [name, rank] :
       {std::pair("foo", 10), {"bar", 1}, {"bal", 31}, {"baz", 11}, {"twin", 10}}) {
    Add(name, rank);
  }
  EXPECT_TRUE(heap_.Delete({"bar", 0}));   // the first
  EXPECT_TRUE(heap_.Delete({"bal", 0}));   // the last
  EXPECT_TRUE(heap_.Delete({"twin", 0}));  // one of two that are equal
  EXPECT_FALSE(heap_.Delete({"bar", 0}));
  EXPECT_THAT(Pops(2), ElementsAre("foo", "baz"));
}

TEST_F(HeapTest, HP_07_UpdateMovesUpAndDown) {
  for (const auto& [name, rank] : {std::pair("foo", 10), {"bar", 1}, {"bal", 31}, {"baz", 11}}) {
    Add(name, rank);
  }
  ASSERT_TRUE(heap_.Update({"baz", 0}));
  EXPECT_THAT(Pops(1), ElementsAre("baz"));
  ASSERT_TRUE(heap_.Update({"bar", 100}));
  EXPECT_THAT(Pops(3), ElementsAre("foo", "bal", "bar"));
}

TEST_F(HeapTest, HP_08_09_LooksUpByItemAndByKey) {
  Add("foo", 10);
  EXPECT_EQ(heap_.Get({"foo", 0}), (Ranked{"foo", 10}));
  EXPECT_EQ(heap_.GetByKey("foo"), (Ranked{"foo", 10}));
  EXPECT_FALSE(heap_.Get({"bar", 0}));
  EXPECT_FALSE(heap_.GetByKey("bar"));
}

TEST_F(HeapTest, HP_10_ClosedIsClosedAndGivesOutTheRest) {
  Add("foo", 10);
  EXPECT_FALSE(heap_.IsClosed());
  heap_.Close();
  EXPECT_TRUE(heap_.IsClosed());
  EXPECT_THAT(Pops(1), ElementsAre("foo"));
}

TEST_F(HeapTest, HP_11_12_ListsItemsAndKeys) {
  EXPECT_TRUE(heap_.List().empty());
  EXPECT_TRUE(heap_.ListKeys().empty());
  for (const auto& [name, rank] : {std::pair("foo", 10), {"bar", 1}, {"baz", 11}}) Add(name, rank);
  EXPECT_THAT(heap_.ListKeys(), UnorderedElementsAre("foo", "bar", "baz"));
  EXPECT_THAT(heap_.List(),
              UnorderedElementsAre(Ranked{"foo", 10}, Ranked{"bar", 1}, Ranked{"baz", 11}));
}

TEST_F(HeapTest, HP_13_NothingIsAddedAfterClosing) {
  heap_.Close();
  for (const Result<void>& refused : {heap_.Add({"foo", 1}), heap_.AddIfNotPresent({"foo", 1}),
                                      heap_.BulkAdd({{"foo", 1}}), heap_.Update({"foo", 1})}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason(), Reason::kStopped);
  }
  EXPECT_TRUE(heap_.List().empty());
}

TEST_F(HeapTest, EqualItemsLeaveInTheOrderOfTheirAdding) {
  for (const char* name : {"c", "a", "b", "c"}) Add(name, 7);
  EXPECT_THAT(Pops(3), ElementsAre("a", "b", "c"));
}

TEST_F(HeapTest, PopOnTheLoopDoesNotWait) {
  Result<Ranked> popped = Ranked();
  sim_.env().loop().Post([&] { popped = heap_.Pop(); });
  sim_.RunReady();
  ASSERT_FALSE(popped);
  EXPECT_EQ(popped.error().reason(), Reason::kWouldDeadlock);
  Add("foo", 1);
  sim_.env().loop().Post([&] { popped = heap_.Pop(); });
  sim_.RunReady();
  EXPECT_EQ(popped.value().name, "foo");
}

TEST_F(HeapTest, DestructionLetsAWaitingPopLeave) {
  auto heap = std::make_unique<Heap<Ranked>>(
      sim_.env(), [](const Ranked& r) { return r.name; },
      [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
  bool left = false;
  auto consumer = sim_.env().NewThread("consumer", [&, raw = heap.get()] {
    EXPECT_FALSE(raw->Pop());
    left = true;
  });
  sim_.RunReady();
  ASSERT_TRUE(sim_.RunBlocking([&] { heap.reset(); }, std::chrono::seconds(1)));
  sim_.RunReady();
  EXPECT_TRUE(left);
}

}  // namespace
}  // namespace kinformer
