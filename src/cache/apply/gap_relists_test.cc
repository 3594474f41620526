#include "cache/apply/gap_relists.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;

class GapRelistsTest : public testing::Test {
 protected:
  // A list is complete, and a gap follows at once.
  void ListedAndGap() {
    gaps_.Listed();
    EXPECT_TRUE(gaps_.Seen());
  }

  Simulation sim_;
  const SteadyTime begun_ = sim_.env().Now();
  std::vector<Duration> relists_;  // times of the relists
  GapRelists gaps_{sim_.env(), [this] { relists_.push_back(sim_.env().Now() - begun_); }};
};

TEST_F(GapRelistsTest, FirstGap_RelistsAtOnce_LaterGapsBackOff) {
  ListedAndGap();
  EXPECT_THAT(relists_, ElementsAre(Duration(0)));
  for (int i = 0; i < 6; ++i) {
    const std::size_t before = relists_.size();
    ListedAndGap();
    EXPECT_TRUE(sim_.RunUntil([&] { return relists_.size() > before; }, minutes(20)));
  }
  EXPECT_THAT(relists_, ElementsAre(minutes(0), minutes(1), minutes(3), minutes(7), minutes(15),
                                    minutes(25), minutes(35)));
}

TEST_F(GapRelistsTest, GapsBeforeNextList_CauseOneRelist) {
  ListedAndGap();
  EXPECT_FALSE(gaps_.Seen());
  sim_.RunFor(minutes(30));
  EXPECT_FALSE(gaps_.Seen());
  EXPECT_EQ(relists_.size(), 1U);
}

TEST_F(GapRelistsTest, ListForAnotherReason_CancelsPendingRelist) {
  ListedAndGap();
  ListedAndGap();
  gaps_.Listed();
  sim_.RunFor(minutes(30));
  EXPECT_EQ(relists_.size(), 1U) << "the one that was to come is not needed any more";
}

// After ten minutes without a relist that was allowed.
TEST_F(GapRelistsTest, QuietTime_ResetsPauses) {
  for (const bool quiet : {false, true}) {
    GapRelists gaps(sim_.env(), [this] { relists_.push_back(sim_.env().Now() - begun_); });
    EXPECT_TRUE(gaps.Seen());
    gaps.Listed();
    sim_.RunFor(minutes(11) - Duration(quiet ? 0 : 1));
    relists_.clear();
    EXPECT_TRUE(gaps.Seen());
    EXPECT_EQ(relists_.size(), 1U);
    gaps.Listed();
    EXPECT_TRUE(gaps.Seen());
    EXPECT_TRUE(sim_.RunUntil([&] { return relists_.size() > 1; }, minutes(20)));
    EXPECT_EQ(relists_[1] - relists_[0], quiet ? minutes(1) : minutes(2));
  }
}

TEST_F(GapRelistsTest, Seen_WorksWithoutCallback) {
  GapRelists gaps(sim_.env(), {});
  EXPECT_TRUE(gaps.Seen());
  EXPECT_FALSE(gaps.Seen());
}

}  // namespace
}  // namespace kinformer::internal::cache
