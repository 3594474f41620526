#include "kinformer/cache/heap.h"

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct Job {
  std::string name{};
  int due{0};
};

class HeapTest : public ::testing::Test {
 protected:
  std::unique_ptr<Heap<Job>> New() {
    return std::make_unique<Heap<Job>>(
        sim_.env(), [](const Job& job) { return job.name; },
        [this](const Job& a, const Job& b) {
          if (throws_) throw std::runtime_error("no order");
          return a.due < b.due;
        });
  }
  // Begins a call of a thread that may block.
  template <class Call>
  void Begin(Call call) {
    threads_.push_back(sim_.env().NewThread("caller", std::move(call)));
    sim_.RunReady();
  }
  // Returns the names of all items, in the order in which they are taken.
  std::vector<std::string> Drain(Heap<Job>& heap) {
    std::vector<std::string> names;
    heap.Close();
    Begin([&] {
      for (Result<Job> job = heap.Pop(); job; job = heap.Pop()) names.push_back(job->name);
    });
    return names;
  }

  Simulation sim_{{.seed = 5}};
  bool throws_ = false;
  std::unique_ptr<Heap<Job>> heap_ = New();
  std::vector<std::unique_ptr<Thread>> threads_;
};

TEST_F(HeapTest, TwoProducersInOppositeOrder_HP01) {
  Begin([&] {
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(heap_->Add({"a" + std::to_string(i), i}));
  });
  Begin([&] {
    for (int i = 499; i >= 0; --i) EXPECT_TRUE(heap_->Add({"b" + std::to_string(i), i}));
  });
  std::vector<int> taken;
  Begin([&] {
    for (int i = 0; i < 1000; ++i) taken.push_back(heap_->Pop()->due);
  });
  ASSERT_EQ(taken.size(), 1000U);
  EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end()));
}

TEST_F(HeapTest, AnUpdateMovesAnItem_HP02_HP07) {
  for (const auto& [name, due] : {std::pair("a", 10), {"b", 1}, {"c", 11}, {"d", 30}}) {
    ASSERT_TRUE(heap_->Add({name, due}));
  }
  ASSERT_TRUE(heap_->Update({"d", 0}));   // to the head
  ASSERT_TRUE(heap_->Update({"b", 20}));  // away from it
  ASSERT_TRUE(heap_->Add({"c", 11}));     // stays
  EXPECT_THAT(Drain(*heap_), ElementsAre("d", "a", "c", "b"));
  EXPECT_EQ(heap_->Delete({"d", 0}).error().reason(), Reason::kNotFound);
}

TEST_F(HeapTest, EqualItemsAreTakenInTheOrderOfTheirAdditions) {
  for (const char* name : {"c", "a", "b"}) ASSERT_TRUE(heap_->Add({name, 7}));
  ASSERT_TRUE(heap_->Update({"c", 7}));
  EXPECT_THAT(Drain(*heap_), ElementsAre("c", "a", "b"));
}

TEST_F(HeapTest, ItemsAddedInBulkComeInOrder_HP03) {
  std::vector<std::string> taken;
  for (int i = 0; i < 3; ++i) {
    Begin([&] { taken.push_back(heap_->Pop()->name); });
  }
  ASSERT_TRUE(heap_->BulkAdd({{"c", 3}, {"a", 1}, {"d", 4}, {"b", 2}}));
  sim_.RunReady();
  EXPECT_THAT(taken, ElementsAre("a", "b", "c"));
  EXPECT_THAT(heap_->ListKeys(), ElementsAre("d"));
  EXPECT_EQ(heap_->BulkAdd({{"e", 3}, {"", 1}}).error().reason(), Reason::kInvalidArgument);
}

TEST_F(HeapTest, AWaitingPopEndsWhenTheHeapCloses_HP04) {
  std::optional<Result<Job>> popped;
  Begin([&] { popped = heap_->Pop(); });
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(popped);
  heap_->Close();
  sim_.RunReady();
  EXPECT_EQ(popped->error().reason(), Reason::kStopped);
}

TEST_F(HeapTest, DestructionEndsAWaitingPop) {
  std::optional<Result<Job>> popped;
  Begin([&] { popped = heap_->Pop(); });
  Begin([&] { heap_.reset(); });
  EXPECT_EQ(popped->error().reason(), Reason::kStopped);
  EXPECT_EQ(heap_, nullptr);
}

TEST_F(HeapTest, AddIfNotPresentKeepsTheOldValue_HP05) {
  ASSERT_TRUE(heap_->Add({"a", 5}));
  ASSERT_TRUE(heap_->AddIfNotPresent({"a", 1}));
  EXPECT_EQ(heap_->GetByKey("a")->due, 5);
  Begin([&] { EXPECT_EQ(heap_->Pop()->due, 5); });
  ASSERT_TRUE(heap_->AddIfNotPresent({"a", 1}));
  EXPECT_EQ(heap_->GetByKey("a")->due, 1);
}

TEST_F(HeapTest, DeletionsKeepTheOrder_HP06) {
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(heap_->Add({std::string(1, static_cast<char>('a' + i)), i / 2}));
  }
  for (const char* name : {"a", "h", "d"}) EXPECT_TRUE(heap_->Delete({name, 99}));
  EXPECT_EQ(heap_->Delete({"a", 0}).error().reason(), Reason::kNotFound);
  EXPECT_THAT(Drain(*heap_), ElementsAre("b", "c", "e", "f", "g"));
}

TEST_F(HeapTest, LookingUpWhatIsThereAndWhatIsNot_HP08_HP09) {
  ASSERT_TRUE(heap_->Add({"a", 5}));
  EXPECT_EQ((*heap_->Get({"a", 0}))->due, 5);
  EXPECT_FALSE(*heap_->Get({"b", 0}));
  EXPECT_FALSE(heap_->Get({"", 0}));
  EXPECT_EQ(heap_->GetByKey("a")->due, 5);
  EXPECT_FALSE(heap_->GetByKey("b"));
}

TEST_F(HeapTest, AllItemsAndAllKeys_HP11_HP12) {
  EXPECT_THAT(heap_->List(), IsEmpty());
  EXPECT_THAT(heap_->ListKeys(), IsEmpty());
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(heap_->Add({name, 1}));
  EXPECT_THAT(heap_->ListKeys(), UnorderedElementsAre("a", "b", "c"));
  EXPECT_EQ(heap_->List().size(), 3U);
}

TEST_F(HeapTest, AClosedHeapRefuses_HP10_HP13) {
  EXPECT_FALSE(heap_->IsClosed());
  heap_->Close();
  EXPECT_TRUE(heap_->IsClosed());
  EXPECT_EQ(heap_->Add({"a", 1}).error().reason(), Reason::kStopped);
  EXPECT_EQ(heap_->AddIfNotPresent({"a", 1}).error().reason(), Reason::kStopped);
  EXPECT_EQ(heap_->BulkAdd({{"a", 1}}).error().reason(), Reason::kStopped);
  EXPECT_THAT(heap_->List(), IsEmpty());
}

TEST_F(HeapTest, AnOrderThatThrowsChangesNothing) {
  ASSERT_TRUE(heap_->Add({"a", 1}));
  ASSERT_TRUE(heap_->Add({"b", 2}));
  throws_ = true;
  EXPECT_THROW((void)heap_->Update({"b", 0}), std::runtime_error);
  EXPECT_THROW((void)heap_->Add({"c", 0}), std::runtime_error);
  throws_ = false;
  EXPECT_EQ(heap_->GetByKey("b")->due, 2);
  EXPECT_THAT(Drain(*heap_), ElementsAre("a", "b"));
}

TEST_F(HeapTest, OnALoopPopIsRefused) {
  ASSERT_TRUE(heap_->Add({"a", 1}));
  std::optional<Result<Job>> popped;
  sim_.env().loop().Post([&] { popped = heap_->Pop(); });
  sim_.RunReady();
  EXPECT_EQ(popped->error().reason(), Reason::kWouldDeadlock);
}

}  // namespace
}  // namespace kinformer
