#include "cli/size_strata.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kinformer::cli {
namespace {

struct Taken {
  std::vector<Pick> picks{};
  double sum = 0;  // of all sizes, estimated
  double error = 1;
};

using SizeOf = std::function<std::size_t(const std::string& name)>;

Taken Take(Strata& strata, std::size_t count, const SizeOf& size_of) {
  Taken taken;
  std::vector<std::size_t> sizes;
  while (taken.picks.size() < count) {
    const std::optional<Pick> pick = strata.Next();
    if (!pick) break;
    sizes.push_back(size_of(pick->name));
    strata.Note(pick->stratum, sizes.back());
    taken.picks.push_back(*pick);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    taken.sum += strata.Weight(taken.picks[i].stratum) * static_cast<double>(sizes[i]);
  }
  taken.error = strata.RelativeError();
  return taken;
}

TEST(PatternOf, RandomPartsAndDigits_AreLeftOut) {
  EXPECT_EQ(PatternOf("web-7d4b9c6f5d-x2x7q"), PatternOf("web-5c9f7b8d6c-lkz4w"));
  EXPECT_EQ(PatternOf("node-00017"), PatternOf("node-4"));
  EXPECT_EQ(PatternOf("lease.17ab03ff9c"), PatternOf("lease.99ab03ff90"));
  EXPECT_NE(PatternOf("settings-1"), PatternOf("ca-bundle-1"));
  EXPECT_NE(PatternOf("web"), PatternOf("web-abc"));
  EXPECT_EQ(PatternOf("a1-b2"), "a-b-");
}

TEST(StrataTest, FewLargeObjectsWithNamesOfTheirOwn_AreFoundBySmallSample) {
  Strata strata(1, 1000);
  for (int i = 0; i < 50'000; ++i) {
    strata.Add("default", "settings-" + std::to_string(i), "", 100);
  }
  for (int i = 0; i < 200; ++i) strata.Add("default", "bundle-" + std::to_string(i), "", 100);
  strata.Merge();
  EXPECT_EQ(strata.objects(), 50'200U);
  const auto size_of = [](const std::string& name) -> std::size_t {
    const bool large = name.starts_with("bundle");
    return large ? 150'000U + 1000U * static_cast<std::size_t>(name.back() - '0') : 300U;
  };
  const Taken taken = Take(strata, 100, size_of);
  EXPECT_EQ(taken.picks.size(), 100U);
  const double real = 50'000 * 300 + 200 * 154'500;
  EXPECT_NEAR(taken.sum / real, 1, 0.03);
  EXPECT_LT(taken.error, 0.03);
}

TEST(StrataTest, LargeObjectsThatNothingTellsApart_WidenTheInterval) {
  Strata strata(1, 5000);
  for (int i = 0; i < 20'000; ++i) strata.Add("default", "thing-" + std::to_string(i), "", 100);
  strata.Merge();
  EXPECT_EQ(strata.size(), 1U);
  const auto size_of = [](const std::string& name) -> std::size_t {
    return name.ends_with("00") ? 100'000 : 300;
  };
  const double early = Take(strata, 300, size_of).error;
  EXPECT_GT(early, 0.2);
  EXPECT_LT(Take(strata, 4000, size_of).error, early);
}

TEST(StrataTest, AllObjects_AreReturnedOnceAndLeaveNoError) {
  Strata strata(3, 1000);
  for (int i = 0; i < 300; ++i) {
    strata.Add("ns-" + std::to_string(i % 3), "name-" + std::to_string(i), i % 2 == 0 ? "Job" : "",
               static_cast<std::size_t>(50 + i));
  }
  strata.Merge();
  const Taken taken = Take(strata, 1000, [](const std::string& name) { return name.size(); });
  std::set<std::string> names;
  for (const Pick& pick : taken.picks) names.insert(pick.namespace_ + "/" + pick.name);
  EXPECT_EQ(names.size(), 300U);
  EXPECT_EQ(taken.error, 0);
  EXPECT_FALSE(strata.Next().has_value());
}

TEST(StrataTest, SameSeed_DrawsTheSameObjects) {
  const auto draw = [](std::uint64_t seed) {
    Strata strata(seed, 100);
    for (int i = 0; i < 5000; ++i) strata.Add("default", "name-" + std::to_string(i), "", 100);
    strata.Merge();
    std::vector<std::string> names;
    for (const Pick& pick : Take(strata, 50, [](const std::string&) { return 10U; }).picks) {
      names.push_back(pick.name);
    }
    return names;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

TEST(StrataTest, ManyPatterns_ShareStrataBySize) {
  Strata strata(1, 200);
  for (int i = 0; i < 4000; ++i) {
    const std::string word(1 + static_cast<std::size_t>(i % 800), 'a');
    strata.Add("default", word + "u" + std::to_string(i), "", 100);
  }
  strata.Merge();
  EXPECT_LE(strata.size(), 60U);
  const Taken taken = Take(strata, 200, [](const std::string&) { return 1000U; });
  EXPECT_NEAR(taken.sum, 4000 * 1000, 1);
}

TEST(StrataTest, ObjectsThatAreGone_AreStoodForByOthers) {
  Strata strata(1, 100);
  for (int i = 0; i < 100; ++i) strata.Add("default", "here-" + std::to_string(i), "", 100);
  for (int i = 0; i < 100; ++i) strata.Add("default", "gone-" + std::to_string(i), "", 100);
  strata.Merge();
  double sum = 0;
  std::vector<std::size_t> noted;
  for (int i = 0; i < 40; ++i) {
    const std::optional<Pick> pick = strata.Next();
    ASSERT_TRUE(pick.has_value());
    if (pick->name.starts_with("gone")) continue;
    strata.Note(pick->stratum, 10);
    noted.push_back(pick->stratum);
  }
  for (const std::size_t stratum : noted) sum += strata.Weight(stratum);
  EXPECT_NEAR(sum, 200, 1e-6);
}

}  // namespace
}  // namespace kinformer::cli
