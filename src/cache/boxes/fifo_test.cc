#include "kinformer/cache/fifo.h"

#include <chrono>
#include <cstddef>
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

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct Item {
  std::string name{};
  int value{0};
};

class FIFOTest : public ::testing::Test {
 protected:
  template <class Call>
  void Begin(Call call) {
    threads_.push_back(sim_.env().NewThread("caller", std::move(call)));
    sim_.RunReady();
  }
  // Takes `count` items, and returns their values; one of the first list has a minus.
  std::vector<int> Pop(int count) {
    std::vector<int> values;
    Begin([&] {
      for (int i = 0; i < count; ++i) {
        EXPECT_TRUE(fifo_->Pop([&](const Item& item, bool initial) {
          values.push_back(initial ? -item.value : item.value);
          return Result<void>();
        }));
      }
    });
    return values;
  }

  Simulation sim_{{.seed = 6}};
  std::unique_ptr<FIFO<Item>> fifo_ =
      std::make_unique<FIFO<Item>>(sim_.env(), [](const Item& item) { return item.name; });
  std::vector<std::unique_ptr<Thread>> threads_;
};

TEST_F(FIFOTest, TwoProducersKeepTheirOrder_FI01) {
  for (const char* producer : {"a", "b"}) {
    Begin([this, producer] {
      for (int i = 0; i < 500; ++i) EXPECT_TRUE(fifo_->Add({producer + std::to_string(i), i}));
    });
  }
  std::vector<std::vector<int>> seen(2);
  Begin([&] {
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(fifo_->Pop([&](const Item& item, bool) {
        seen[item.name[0] == 'a' ? 0 : 1].push_back(item.value);
        return Result<void>();
      }));
    }
  });
  for (const std::vector<int>& values : seen) {
    ASSERT_EQ(values.size(), 500U);
    for (int i = 0; i < 500; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
  }
}

TEST_F(FIFOTest, TwoWritesOfAKeyAreOneItem_FI02) {
  ASSERT_TRUE(fifo_->Add({"foo", 10}));
  ASSERT_TRUE(fifo_->Update({"foo", 15}));
  EXPECT_THAT(fifo_->ListKeys(), ElementsAre("foo"));
  EXPECT_THAT(Pop(1), ElementsAre(15));
  EXPECT_FALSE(fifo_->GetByKey("foo"));
  fifo_->Close();
  std::optional<Result<void>> empty;
  Begin([&] { empty = fifo_->Pop([](const Item&, bool) { return Result<void>(); }); });
  EXPECT_EQ(empty->error().reason(), Reason::kStopped) << "there was one only";
}

TEST_F(FIFOTest, AWriteAndThenAListAreOneItem_FI03) {
  ASSERT_TRUE(fifo_->Add({"foo", 10}));
  ASSERT_TRUE(fifo_->Replace({{"foo", 15}}));
  EXPECT_THAT(Pop(1), ElementsAre(15));
  EXPECT_THAT(fifo_->List(), IsEmpty());
}

TEST_F(FIFOTest, AKeyKeepsItsPlaceWhileItWaits_FI04) {
  for (const auto& [name, value] :
       {std::pair("foo", 10), {"bar", 1}, {"foo", 11}, {"foo", 13}, {"zab", 30}}) {
    ASSERT_TRUE(fifo_->Add({name, value}));
  }
  EXPECT_THAT(Pop(1), ElementsAre(13));
  ASSERT_TRUE(fifo_->Add({"foo", 14}));  // behind the others
  EXPECT_THAT(Pop(3), ElementsAre(1, 30, 14));
}

TEST_F(FIFOTest, BeforeAnythingItHasNotSynced_FI05) { EXPECT_FALSE(fifo_->HasSynced()); }

TEST_F(FIFOTest, AWriteBeforeAnyListSyncs_FI06) {
  ASSERT_TRUE(fifo_->Add({"a", 1}));
  EXPECT_TRUE(fifo_->HasSynced());
  EXPECT_THAT(Pop(1), ElementsAre(1));
}

TEST_F(FIFOTest, AnEmptyListSyncs_FI07) {
  ASSERT_TRUE(fifo_->Replace({}));
  EXPECT_TRUE(fifo_->HasSynced());
}

TEST_F(FIFOTest, AListSyncsWhenItsLastItemWasProcessed_FI08_FI09_FI10) {
  ASSERT_TRUE(fifo_->Replace({{"a", 1}, {"b", 2}, {"b", 3}}));
  EXPECT_FALSE(fifo_->HasSynced());
  EXPECT_THAT(Pop(1), ElementsAre(-1));
  EXPECT_FALSE(fifo_->HasSynced());
  Begin([&] {
    EXPECT_TRUE(fifo_->Pop([&](const Item& item, bool initial) {
      EXPECT_EQ(item.value, 3);
      EXPECT_TRUE(initial);
      EXPECT_FALSE(fifo_->HasSynced());
      return Result<void>();
    }));
  });
  EXPECT_TRUE(fifo_->HasSynced());
  ASSERT_TRUE(fifo_->Replace({{"c", 4}}));
  EXPECT_TRUE(fifo_->HasSynced()) << "the first list counts";
  EXPECT_THAT(Pop(1), ElementsAre(4));
}

TEST_F(FIFOTest, ADeletedItemOfTheFirstListCountsOncePassed) {
  ASSERT_TRUE(fifo_->Replace({{"a", 1}, {"b", 2}}));
  ASSERT_TRUE(fifo_->Delete({"a", 0}));
  ASSERT_TRUE(fifo_->Delete({"absent", 0}));
  EXPECT_FALSE(fifo_->HasSynced());
  EXPECT_THAT(Pop(1), ElementsAre(-2));
  EXPECT_TRUE(fifo_->HasSynced());
}

TEST_F(FIFOTest, ClosingWakesAllWhoWait_FI11) {
  int stopped = 0;
  for (int i = 0; i < 10; ++i) {
    Begin([&] {
      const Result<void> popped = fifo_->Pop([](const Item&, bool) { return Result<void>(); });
      EXPECT_EQ(popped.error().reason(), Reason::kStopped);
      ++stopped;
    });
  }
  EXPECT_EQ(stopped, 0);
  EXPECT_FALSE(fifo_->IsClosed());
  fifo_->Close();
  EXPECT_TRUE(fifo_->IsClosed());
  sim_.RunReady();
  EXPECT_EQ(stopped, 10);
}

TEST_F(FIFOTest, WrittenItemsCanBeRead_FI12) {
  ASSERT_TRUE(fifo_->Add({"a", 1}));
  EXPECT_EQ((*fifo_->Get({"a", 0}))->value, 1);
  ASSERT_TRUE(fifo_->Update({"a", 2}));
  EXPECT_EQ(fifo_->GetByKey("a")->value, 2);
  ASSERT_TRUE(fifo_->AddIfNotPresent({"a", 3}));
  EXPECT_EQ(fifo_->GetByKey("a")->value, 2);
  ASSERT_TRUE(fifo_->Delete({"a", 0}));
  EXPECT_FALSE(fifo_->GetByKey("a"));
  ASSERT_TRUE(fifo_->AddIfNotPresent({"a", 4}));
  ASSERT_TRUE(fifo_->Add({"b", 5}));
  ASSERT_TRUE(fifo_->Add({"c", 6}));
  EXPECT_EQ(fifo_->List().size(), 3U);
  EXPECT_THAT(fifo_->ListKeys(), UnorderedElementsAre("a", "b", "c"));
  EXPECT_EQ(fifo_->Replace({{"d", 7}, {"", 8}}).error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(fifo_->ListKeys().size(), 3U) << "nothing has changed";
  ASSERT_TRUE(fifo_->Replace({{"d", 7}, {"e", 8}}));
  ASSERT_TRUE(fifo_->Resync());
  EXPECT_THAT(fifo_->ListKeys(), UnorderedElementsAre("d", "e"));
  EXPECT_EQ(fifo_->Add({"", 1}).error().reason(), Reason::kInvalidArgument);
}

TEST_F(FIFOTest, AProcessFunctionMayFailThrowAndWriteButNotPop) {
  ASSERT_TRUE(fifo_->Replace({{"a", 1}, {"b", 2}, {"c", 3}}));
  Begin([&] {
    const Result<void> failed = fifo_->Pop(
        [](const Item&, bool) -> Result<void> { return Error(Reason::kTimeout, "later"); });
    EXPECT_EQ(failed.error().reason(), Reason::kTimeout);
    EXPECT_THROW((void)fifo_->Pop(
                     [](const Item&, bool) -> Result<void> { throw std::runtime_error("thrown"); }),
                 std::runtime_error);
    EXPECT_TRUE(fifo_->Pop([&](const Item& item, bool) {
      EXPECT_EQ(fifo_->Pop([](const Item&, bool) { return Result<void>(); }).error().reason(),
                Reason::kWouldDeadlock);
      return fifo_->Add(item);
    }));
  });
  EXPECT_TRUE(fifo_->HasSynced());
  EXPECT_THAT(Pop(1), ElementsAre(3));
}

TEST_F(FIFOTest, ProcessFunctionsRunOneAfterTheOther) {
  ASSERT_TRUE(fifo_->Replace({{"a", 1}, {"b", 2}, {"c", 3}}));
  int within = 0;
  int done = 0;
  for (int i = 0; i < 3; ++i) {
    Begin([&] {
      EXPECT_TRUE(fifo_->Pop([&](const Item&, bool) {
        EXPECT_EQ(++within, 1);
        sim_.env().SleepFor(std::chrono::seconds(1));
        --within;
        ++done;
        return Result<void>();
      }));
    });
  }
  sim_.RunFor(std::chrono::seconds(2));
  EXPECT_EQ(done, 2);
  sim_.RunFor(std::chrono::seconds(2));
  EXPECT_EQ(done, 3);
}

TEST_F(FIFOTest, DestructionEndsAWaitingPop) {
  std::optional<Result<void>> popped;
  Begin([&] { popped = fifo_->Pop([](const Item&, bool) { return Result<void>(); }); });
  Begin([&] { fifo_.reset(); });
  ASSERT_TRUE(popped);
  EXPECT_EQ(popped->error().reason(), Reason::kStopped);
  EXPECT_EQ(fifo_, nullptr);
}

}  // namespace
}  // namespace kinformer
