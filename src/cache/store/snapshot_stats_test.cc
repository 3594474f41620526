#include "kinformer/cache/snapshot_stats.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/indexer.h"

#include "base/core/testing/fields_log.h"
#include "cache/store/testing/test_objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using internal::cache::MakeThing;
using internal::cache::Thing;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SnapshotStatsTest : public ::testing::Test {
 protected:
  // Writes often enough for the store to check its pinned versions.
  void Write() {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(things_.Add(MakeThing("ns", "a", "1")));
  }
  void Pass(Duration time) {
    Write();
    sim_.RunFor(time);
    Write();
  }

  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.log = log_}};
  Indexer<Thing> things_{sim_.env()};
};

TEST_F(SnapshotStatsTest, CountsAgesAndBytes) {
  Write();
  EXPECT_EQ(SnapshotStatsOf(things_).held, 0U);
  std::optional<Snapshot<Thing>> first = things_.Snapshot();
  sim_.RunFor(minutes(1));
  SnapshotStats stats = SnapshotStatsOf(things_);
  EXPECT_EQ(stats.held, 1U);
  EXPECT_EQ(stats.oldest, Duration(0)) << "it is the current version";
  Write();
  std::optional<Snapshot<Thing>> second = things_.Snapshot();
  const auto copy = second;
  Pass(seconds(30));
  sim_.RunFor(seconds(5));
  stats = SnapshotStatsOf(things_);
  EXPECT_EQ(stats.held, 2U);
  EXPECT_EQ(stats.oldest, seconds(35)) << "it goes on between writes";
  EXPECT_GE(stats.bytes, 2 * first->Get("ns", "a")->block()->allocated_bytes());
  first.reset();
  Pass(seconds(1));
  EXPECT_EQ(SnapshotStatsOf(things_).held, 1U);
  EXPECT_EQ(SnapshotStatsOf(things_).oldest, seconds(36));
  second.reset();
  EXPECT_EQ(SnapshotStatsOf(things_).held, 1U) << "a copy has it";
}

TEST_F(SnapshotStatsTest, WithoutSnapshotsThereIsNoAge) {
  {
    const auto held = things_.Snapshot();
    Pass(seconds(30));
  }
  EXPECT_EQ(SnapshotStatsOf(things_).oldest, Duration(0));
  Write();
  const auto current = things_.Snapshot();
  EXPECT_EQ(SnapshotStatsOf(things_).oldest, Duration(0));
}

TEST_F(SnapshotStatsTest, OldSnapshots_AreLoggedOnceUntilNoneIsTooOld) {
  std::optional<Snapshot<Thing>> first = things_.Snapshot();
  Pass(minutes(10));
  EXPECT_THAT(log_->lines, IsEmpty()) << "by default, more than ten minutes";
  Pass(seconds(1));
  EXPECT_THAT(log_->lines, ElementsAre(::testing::AllOf(HasSubstr("store=indexer seconds=601"),
                                                        HasSubstr("snapshots=1 bytes="))));
  std::optional<Snapshot<Thing>> second = things_.Snapshot();
  Pass(minutes(20));
  EXPECT_EQ(log_->lines.size(), 1U);
  first.reset();
  Pass(seconds(1));
  EXPECT_EQ(log_->lines.size(), 1U) << "the second is too old as well";
  second.reset();
  Write();
  second = things_.Snapshot();
  SetSnapshotAgeLimit(things_, seconds(2));
  Pass(seconds(3));
  EXPECT_EQ(log_->lines.size(), 2U);
}

TEST_F(SnapshotStatsTest, ZeroTellsNothing) {
  SetSnapshotAgeLimit(things_, Duration(0));
  const auto held = things_.Snapshot();
  Pass(minutes(1000));
  Pass(minutes(1000));
  EXPECT_THAT(log_->lines, IsEmpty());
}

}  // namespace
}  // namespace kinformer
