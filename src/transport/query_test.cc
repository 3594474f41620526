#include "transport/query.h"

#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kinformer::internal::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Nothing: it cannot be decoded.
std::optional<std::string> Decoded(std::string_view text, bool plus_is_space = false) {
  std::string out;
  if (!PercentDecode(text, plus_is_space, out)) return std::nullopt;
  return out;
}

TEST(PercentDecode, EachByte_InEitherCaseOfItsDigits_IsDecoded) {
  for (const std::string_view digits : {"0123456789abcdef", "0123456789ABCDEF"}) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::string text = std::string("a%") + digits[byte / 16] + digits[byte % 16] + "z";
      const std::string want = std::string("a") + static_cast<char>(byte) + "z";
      EXPECT_EQ(Decoded(text), want) << text;
    }
  }
}

TEST(PercentDecode, BadDigit_InEitherPlace_IsRefused) {
  constexpr std::string_view kDigits = "0123456789ABCDEFabcdef";
  std::string first;
  std::string second;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if (Decoded(std::string("%") + c + "0")) first += c;
    if (Decoded(std::string("%0") + c)) second += c;
  }
  EXPECT_EQ(first, kDigits);
  EXPECT_EQ(second, kDigits);
}

TEST(PercentDecode, CutOffAtTheEnd_IsRefused) {
  EXPECT_EQ(Decoded(""), "");
  EXPECT_EQ(Decoded("a%41"), "aA");
  for (const char* text : {"%", "%4", "a%", "a%4", "%41%", "%41%4", "%%", "%4%41"}) {
    EXPECT_EQ(Decoded(text), std::nullopt) << text;
  }
}

// The bytes behind the text belong to somebody else.
TEST(PercentDecode, EndOfTheText_IsNotReadBeyond) {
  constexpr std::string_view kText = "a%41";
  for (const std::size_t size : {2U, 3U}) {
    EXPECT_EQ(Decoded(kText.substr(0, size)), std::nullopt) << size;
  }
  EXPECT_EQ(Decoded(kText.substr(0, 1)), "a");
}

TEST(PercentDecode, APlus_IsASpaceWhereThatIsSaid) {
  EXPECT_EQ(Decoded("a+b%2B+", true), "a b+ ");
  EXPECT_EQ(Decoded("a+b%2B+", false), "a+b++");
}

TEST(PercentDecode, DecodedText_IsAppended) {
  std::string out = "/";
  EXPECT_TRUE(PercentDecode("%41", false, out));
  EXPECT_EQ(out, "/A");
}

TEST(Query, Pairs_AreDecodedAndKeptInOrder) {
  const Query query("a=1&b=x%20y+z&a=2&c&d=&=e&f=g=h&&p+q%2Br=7");
  EXPECT_EQ(query.Get("p q+r"), "7");
  EXPECT_EQ(query.Get("a"), "1");
  EXPECT_THAT(query.All("a"), ElementsAre("1", "2"));
  EXPECT_EQ(query.Get("b"), "x y z");
  EXPECT_EQ(query.Get("f"), "g=h");
  for (const char* name : {"c", "d"}) {
    EXPECT_TRUE(query.Has(name)) << name;
    EXPECT_EQ(query.Get(name), "") << name;
  }
  EXPECT_THAT(query.All(""), ElementsAre("e"));
  EXPECT_FALSE(query.Has("g"));
  EXPECT_EQ(query.Get("g"), "");
  EXPECT_THAT(query.All("g"), IsEmpty());
}

// As Go's url.Values has it.
TEST(Query, Pairs_ThatCannotBeDecoded_AreLeftOut) {
  const Query query("a=%zz&%z=1&b=2&c=%");
  EXPECT_FALSE(query.Has("a"));
  EXPECT_FALSE(query.Has("%z"));
  EXPECT_FALSE(query.Has("c"));
  EXPECT_EQ(query.Get("b"), "2");
}

TEST(Query, Booleans_AreFalseWhereTheySaySo) {
  const std::pair<const char*, std::optional<bool>> cases[] = {
      {"", std::nullopt},     {"b=1", std::nullopt}, {"watch", true},        {"watch=", true},
      {"watch=1", true},      {"watch=no", true},    {"watch=fals", true},   {"watch=falsey", true},
      {"watch=00", true},     {"watch=0", false},    {"watch=false", false}, {"watch=FaLsE", false},
      {"watch=FALSE", false},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(Query(text).GetBool("watch"), want) << text;
  }
}

TEST(Query, Integers_AreWholeOrRefused) {
  const std::pair<const char*, std::optional<std::int64_t>> cases[] = {
      {"", std::nullopt},
      {"limit=", std::nullopt},
      {"limit=0", 0},
      {"limit=-5", -5},
      {"limit=9223372036854775807", std::int64_t{9223372036854775807}},
  };
  for (const auto& [text, want] : cases) {
    const auto got = Query(text).GetInt("limit");
    ASSERT_TRUE(got.ok()) << got.error();
    EXPECT_EQ(*got, want) << text;
  }
  for (const char* text : {"limit=x", "limit=1x", "limit=%201", "limit=1.5", "limit=--1",
                           "limit=9223372036854775808"}) {
    const auto got = Query(text).GetInt("limit");
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_THAT(got.error().message(), HasSubstr("limit=")) << text;
    EXPECT_THAT(got.error().message(), HasSubstr("is not an integer")) << text;
  }
}

TEST(Query, Set_ReplacesTheFirstOrAddsOne) {
  Query query("a=1&b=2&a=3");
  query.Set("a", "4");
  query.Set("c", "5");
  EXPECT_THAT(query.All("a"), ElementsAre("4", "3"));
  EXPECT_EQ(query.Get("b"), "2");
  EXPECT_EQ(query.Get("c"), "5");
}

}  // namespace
}  // namespace kinformer::internal::transport
