#include "kinformer/cache/index_key.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"

namespace kinformer {
namespace {

using namespace std::string_literals;

int Sign(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }
int Sign(int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

// Checks that the keys of the sorted `values` have the same order, for every pair.
template <class Value>
void ExpectOrder(const std::vector<Value>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const IndexKey a = IndexKey().Add(values[i]);
      const IndexKey b = IndexKey().Add(values[k]);
      EXPECT_EQ(Sign(a.bytes().compare(b.bytes())), Sign(i <=> k)) << i << " and " << k;
    }
  }
}

TEST(IndexKey, StringsAreInByteOrder) {
  ExpectOrder<std::string>({"", "\0"s, "\0\0"s, "\0\x01"s, "\0\xff"s, "\x01", "a", "a\0"s, "a\0b"s,
                            "a\x01", "aa", "b", "\x7f", "\x80", "\xff", "\xff\xff"});
}

TEST(IndexKey, IntegersOfAllKindsAreInOneOrder) {
  using Signed = std::numeric_limits<std::int64_t>;
  ExpectOrder<std::int64_t>({Signed::min(), Signed::min() + 1, -256, -255, -1, 0, 1, 255, 256,
                             65536, Signed::max() - 1, Signed::max()});
  EXPECT_EQ(IndexKey().Add(7), IndexKey().Add(std::uint8_t{7}));
  EXPECT_EQ(IndexKey().Add(-7), IndexKey().Add(std::int64_t{-7}));
  EXPECT_LT(IndexKey().Add(Signed::max()),
            IndexKey().Add(static_cast<std::uint64_t>(Signed::max()) + 1));
  EXPECT_LT(IndexKey().Add(Signed::max()), IndexKey().Add(UINT64_MAX));
  EXPECT_LT(IndexKey().Add(-1), IndexKey().Add(std::uint64_t{0}));
}

TEST(IndexKey, BoolsAndTimesAreInOrder) {
  EXPECT_LT(IndexKey().Add(false), IndexKey().Add(true));
  EXPECT_NE(IndexKey().Add(true), IndexKey().Add(1));
  ExpectOrder<metav1::Time>({metav1::Time(), metav1::Time(-1), metav1::Time(-1, 5), metav1::Time(0),
                             metav1::Time(0, 1), metav1::Time(1700000000),
                             metav1::Time(1700000000, 999999999), metav1::Time(1700000001)});
  const std::chrono::system_clock::time_point at{std::chrono::milliseconds(1500)};
  EXPECT_EQ(IndexKey().Add(at), IndexKey().Add(metav1::Time(1, 500000000)));
}

// Tuples of all kinds: the bytes compare as the tuples do.
TEST(IndexKey, TuplesHaveTheOrderOfTheirParts) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random()) % n; };
  using Tuple = std::tuple<std::string, std::int64_t, bool, std::string, std::uint64_t>;
  const auto make = [&] {
    const auto text = [&] {
      std::string s;
      for (std::uint32_t n = below(4); n > 0; --n)
        s.push_back(
            "\0\x01\xff"
            "ab"[below(5)]);
      return s;
    };
    return Tuple{text(), static_cast<std::int64_t>(below(5)) - 2, below(2) == 0, text(),
                 below(2) == 0 ? below(3) : UINT64_MAX - below(3)};
  };
  const auto key = [](const Tuple& t) {
    return std::apply(
        [](const auto&... part) {
          IndexKey k;
          (k.Add(part), ...);
          return k;
        },
        t);
  };
  const auto compare = [](const Tuple& a, const Tuple& b) {
    // char is signed here or there; bytes are not.
    const int first = std::get<0>(a).compare(std::get<0>(b));
    if (first != 0) return Sign(first);
    const auto middle =
        std::tie(std::get<1>(a), std::get<2>(a)) <=> std::tie(std::get<1>(b), std::get<2>(b));
    if (middle != 0) return Sign(middle);
    const int fourth = std::get<3>(a).compare(std::get<3>(b));
    return fourth != 0 ? Sign(fourth) : Sign(std::get<4>(a) <=> std::get<4>(b));
  };
  for (int i = 0; i < 20000; ++i) {
    const Tuple a = make();
    const Tuple b = make();
    ASSERT_EQ(Sign(key(a).bytes().compare(key(b).bytes())), compare(a, b)) << i;
  }
}

TEST(IndexKey, FewerPartsAreAPrefixAndHaveAnEnd) {
  const IndexKey node = IndexKey().Add("n");
  const IndexKey in = IndexKey().Add("n").Add(UINT64_MAX);
  EXPECT_TRUE(in.bytes().starts_with(node.bytes()));
  EXPECT_LT(in.bytes(), node.End().value());
  EXPECT_GT(IndexKey().Add("n\0"s).bytes(), node.End().value());
  EXPECT_FALSE(IndexKey().Add("na").bytes().starts_with(node.bytes()));
  EXPECT_TRUE(IndexKey().Add("na").bytes().starts_with(IndexKey().AddPrefix("n").bytes()));
  EXPECT_TRUE(IndexKey().Add("n\0"s).bytes().starts_with(IndexKey().AddPrefix("n\0"s).bytes()));
}

TEST(IndexKey, APrefixEndsWhereItsLastByteCanGrow) {
  EXPECT_EQ(IndexPrefixEnd("ab"), "ac");
  EXPECT_EQ(IndexPrefixEnd("a\xff\xff"), "b");
  EXPECT_EQ(IndexPrefixEnd("\x7f"), "\x80");
  EXPECT_EQ(IndexPrefixEnd("\xff"), std::nullopt);
  EXPECT_EQ(IndexPrefixEnd(""), std::nullopt);
}

}  // namespace
}  // namespace kinformer
