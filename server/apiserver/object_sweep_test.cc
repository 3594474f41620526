// Sweeps over a collection in turns.

#include "apiserver/write/object/object_sweep.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using internal::base::WorkSlice;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ObjectSweepTest : public ::testing::Test {
 protected:
  void Put(const std::string& ns, const std::string& name) {
    const json::Value object = json::Value::MakeObject(
        {{"metadata", json::Value::MakeObject({{"namespace", ns}, {"name", name}})}});
    store_.Put(StoredObject::Make(object, ++version_, {}), sim_.env().Now());
  }
  void PutMany(int count) {
    for (int i = 0; i < count; ++i) Put("ns", "o" + std::to_string(10'000 + i));
  }
  void PassTime() { sim_.RunFor(milliseconds(1)); }
  bool Run(ObjectSweep& sweep) {
    const WorkSlice turn(sim_.env());
    return sweep.Run(store_, version_, turn, fits_, visit_);
  }

  Simulation sim_;
  ResourceStore store_{HistoryLimits{}};
  std::int64_t version_ = 0;
  std::vector<std::string> looked_;
  std::vector<std::string> visited_;
  std::function<bool(const StoredObject&)> fits_ = [this](const StoredObject& stored) {
    looked_.push_back(stored.key());
    return true;
  };
  std::function<bool(const StoredObject&)> visit_ = [this](const StoredObject& stored) {
    visited_.push_back(stored.key());
    return true;
  };
};

TEST_F(ObjectSweepTest, Objects_OfThePrefixThatFit_InOrder) {
  for (const char* name : {"c", "a", "b"}) Put("ns", name);
  Put("other", "a");
  fits_ = [](const StoredObject& stored) { return stored.name() != "b"; };
  ObjectSweep part("ns/");
  EXPECT_TRUE(Run(part));
  EXPECT_THAT(visited_, ElementsAre("ns/a", "ns/c"));
  visited_.clear();
  ObjectSweep all;
  EXPECT_TRUE(Run(all));
  EXPECT_THAT(visited_, ElementsAre("ns/a", "ns/c", "other/a"));
  visited_.clear();
  ObjectSweep none("zz/");
  EXPECT_TRUE(Run(none));
  EXPECT_THAT(visited_, IsEmpty());
}

TEST_F(ObjectSweepTest, VisitorThatHasEnough_EndsTheSweep) {
  PutMany(40);
  for (const std::size_t enough : {1U, 15U, 16U, 17U, 40U}) {
    visited_.clear();
    visit_ = [&](const StoredObject& stored) {
      visited_.push_back(stored.key());
      return visited_.size() < enough;
    };
    ObjectSweep sweep;
    EXPECT_TRUE(Run(sweep)) << enough;
    EXPECT_EQ(visited_.size(), enough);
  }
}

// Time may stand still during a turn.
TEST_F(ObjectSweepTest, Turn_LooksAtSoManyObjectsAndNoMore) {
  struct Row {
    int objects;
    std::vector<std::size_t> seen;  // after each turn
  };
  const std::vector<Row> rows = {{0, {0}},
                                 {1, {1}},
                                 {16, {16}},
                                 {17, {17}},
                                 {511, {511}},
                                 {512, {512}},
                                 {513, {512, 513}},
                                 {1024, {512, 1024}},
                                 {1025, {512, 1024, 1025}}};
  for (const bool fit : {true, false}) {
    int made = 0;
    for (const Row& row : rows) {
      for (; made < row.objects; ++made) Put(fit ? "f" : "n", "o" + std::to_string(10'000 + made));
      looked_.clear();
      visited_.clear();
      fits_ = [&](const StoredObject& stored) {
        looked_.push_back(stored.key());
        return fit;
      };
      ObjectSweep sweep(fit ? "f/" : "n/");
      for (std::size_t i = 0; i < row.seen.size(); ++i) {
        EXPECT_EQ(Run(sweep), i + 1 == row.seen.size()) << row.objects << " " << fit;
        EXPECT_EQ(looked_.size(), row.seen[i]) << row.objects << " " << fit;
        EXPECT_EQ(visited_.size(), fit ? row.seen[i] : 0U) << row.objects;
      }
      EXPECT_TRUE(std::is_sorted(looked_.begin(), looked_.end()));
      EXPECT_EQ(std::adjacent_find(looked_.begin(), looked_.end()), looked_.end()) << "once each";
    }
  }
}

TEST_F(ObjectSweepTest, LongVisit_EndsTheTurn) {
  PutMany(20);
  visit_ = [&](const StoredObject& stored) {
    visited_.push_back(stored.key());
    PassTime();
    return true;
  };
  ObjectSweep sweep;
  for (std::size_t i = 1; i < 20; ++i) {
    EXPECT_FALSE(Run(sweep)) << i;
    ASSERT_EQ(visited_.size(), i);
  }
  EXPECT_TRUE(Run(sweep));
  EXPECT_THAT(visited_.front(), "ns/o10000");
  EXPECT_THAT(visited_.back(), "ns/o10019");
  EXPECT_EQ(visited_.size(), 20U);
}

TEST_F(ObjectSweepTest, LongLook_EndsTheTurnAfterABatch) {
  PutMany(40);
  fits_ = [&](const StoredObject& stored) {
    looked_.push_back(stored.key());
    if (looked_.size() % 16 == 1) PassTime();
    return false;
  };
  ObjectSweep sweep;
  EXPECT_FALSE(Run(sweep));
  EXPECT_EQ(looked_.size(), 16U);
  EXPECT_FALSE(Run(sweep));
  EXPECT_EQ(looked_.size(), 32U);
  EXPECT_TRUE(Run(sweep));
  EXPECT_EQ(looked_.size(), 40U);
  EXPECT_THAT(visited_, IsEmpty());
}

TEST_F(ObjectSweepTest, TurnThatIsOverAtItsStart_StillLooksAtABatch) {
  PutMany(40);
  fits_ = [&](const StoredObject& stored) {
    looked_.push_back(stored.key());
    return false;
  };
  ObjectSweep sweep;
  for (const std::size_t looked : {16U, 32U, 40U}) {
    const WorkSlice turn(sim_.env());
    PassTime();
    EXPECT_EQ(sweep.Run(store_, version_, turn, fits_, visit_), looked == 40);
    EXPECT_EQ(looked_.size(), looked);
  }
}

TEST_F(ObjectSweepTest, VisitorMayDeleteAndMakeObjects) {
  PutMany(600);
  const std::int64_t from = version_;
  const WorkSlice turn(sim_.env());
  visit_ = [&](const StoredObject& stored) {
    visited_.push_back(stored.key());
    store_.Delete(stored.AtResourceVersion(++version_, true), sim_.env().Now());
    Put("ns", "z" + std::to_string(visited_.size()));
    return true;
  };
  ObjectSweep sweep;
  EXPECT_FALSE(sweep.Run(store_, from, turn, fits_, visit_));
  EXPECT_TRUE(sweep.Run(store_, from, turn, fits_, visit_));
  EXPECT_EQ(visited_.size(), 600U) << "those made meanwhile are not part of it";
}

}  // namespace
}  // namespace kinformer::apiserver::testing
