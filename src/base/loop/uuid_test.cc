#include "base/text/uuid.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer::internal::base {
namespace {

TEST(Uuid, IsRandomOfVersion4) {
  Simulation sim;
  std::vector<std::string> made;
  // Digits that have been seen at each place.
  std::vector<std::string> seen(36);
  for (int i = 0; i < 500; ++i) {
    const std::string text = NewUuid(sim.env());
    ASSERT_EQ(text.size(), 36U);
    EXPECT_EQ(text.c_str()[36], '\0');
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (seen[at].find(text[at]) == std::string::npos) seen[at] += text[at];
    }
    made.push_back(text);
  }
  std::sort(made.begin(), made.end());
  EXPECT_EQ(std::unique(made.begin(), made.end()), made.end());
  for (std::size_t at = 0; at < seen.size(); ++at) {
    std::sort(seen[at].begin(), seen[at].end());
    const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
    EXPECT_EQ(seen[at], dash ? "-" : at == 14 ? "4" : at == 19 ? "89ab" : "0123456789abcdef") << at;
  }
}

// Two calls for 30 random digits and two further bits.
TEST(Uuid, UsesEachRandomBitOnce) {
  Simulation sim;
  Simulation same;
  const std::string text = NewUuid(sim.env());
  std::vector<std::uint64_t> numbers = {same.env().Random(), same.env().Random()};
  std::size_t number = 0;
  unsigned used = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '-' || at == 14) continue;
    if (used == 16) {
      ++number;
      used = 0;
    }
    const std::uint64_t bits = numbers[number] >> (4 * used++) & 15;
    EXPECT_EQ(text[at], "0123456789abcdef"[at == 19 ? 8 | (bits & 3) : bits]);
  }
  EXPECT_EQ(number, 1U);
}

}  // namespace
}  // namespace kinformer::internal::base
