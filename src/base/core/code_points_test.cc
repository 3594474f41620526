// Limits of UTF-8 and of unprintable characters.

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "base/core/printable.h"

namespace kinformer::internal::base {
namespace {

TEST(FirstCodePoint, AcceptsTheFirstAndLastOfEachLength) {
  struct Row {
    std::string text;
    std::uint32_t code;
    std::size_t size;
  };
  const Row rows[] = {
      {"", 0, 1},
      {std::string("\0", 1), 0, 1},
      {"a", 'a', 1},
      {"ab", 'a', 1},
      {"\x7f", 0x7f, 1},
      {"\xc2\x80", 0x80, 2},
      {"\xc2\x80x", 0x80, 2},
      {"\xc3\xbf", 0xff, 2},
      {"\xdf\xbf", 0x7ff, 2},
      {"\xe0\xa0\x80", 0x800, 3},
      {"\xe1\x80\x80", 0x1000, 3},
      {"\xed\x9f\xbf", 0xd7ff, 3},
      {"\xee\x80\x80", 0xe000, 3},
      {"\xef\xbf\xbf", 0xffff, 3},
      {"\xf0\x90\x80\x80", 0x10000, 4},
      {"\xf1\xaa\xa5\x95", 0x6a955, 4},
      {"\xf4\x8f\xbf\xbf", 0x10ffff, 4},
  };
  for (const Row& row : rows) {
    const CodePoint got = FirstCodePoint(row.text);
    EXPECT_TRUE(got.valid) << row.code;
    EXPECT_EQ(got.code, row.code);
    EXPECT_EQ(got.size, row.size) << row.code;
  }
}

TEST(FirstCodePoint, TakesOneByteOfWhatIsNoUtf8) {
  for (const char* text : {
           "\x80",
           "\xbf",
           "\xc0\x80",
           "\xc1\xbf",
           "\xc2",
           "\xc2\x7f",
           "\xc2\xc0",
           "\xdf\x00",
           "\xe0\x9f\xbf",
           "\xe0\x80\x80",
           "\xe1",
           "\xe1\x80",
           "\xe1\x80\x7f",
           "\xe1\xc0\x80",
           "\xed\xa0\x80",
           "\xed\xbf\xbf",
           "\xf0\x8f\xbf\xbf",
           "\xf0\x80\x80\x80",
           "\xf1\x80\x80",
           "\xf1\x80\x80\x41",
           "\xf4\x90\x80\x80",
           "\xf5\x80\x80\x80",
           "\xff",
           "\xfe\x80",
       }) {
    const CodePoint got = FirstCodePoint(text);
    EXPECT_FALSE(got.valid) << Printable(text);
    EXPECT_EQ(got.size, 1U) << Printable(text);
    EXPECT_EQ(got.code, static_cast<unsigned char>(*text)) << Printable(text);
  }
}

TEST(IsUnprintable, HasExactlyTheseRanges) {
  const std::pair<std::uint32_t, std::uint32_t> ranges[] = {
      {0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},
      {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff},
  };
  for (std::uint32_t code = 0; code < 0x11000; ++code) {
    bool want = false;
    for (const auto& [first, last] : ranges) want = want || (code >= first && code <= last);
    ASSERT_EQ(IsUnprintable(code), want) << code;
  }
}

TEST(AppendPrintable, EscapesWithAllDigits) {
  const std::pair<std::string, const char*> rows[] = {
      {std::string("\0", 1), "\\x00"},
      {"\x01", "\\x01"},
      {"\x1f", "\\x1f"},
      {"\x7f", "\\x7f"},
      {"\n", "\\n"},
      {"\r", "\\r"},
      {"\t", "\\t"},
      {"\x0b", "\\x0b"},
      {"\xc2\x80", "\\u0080"},
      {"\xc2\x9f", "\\u009f"},
      {"\xff", "\\xff"},
      {"\x80", "\\x80"},
      {"\xef\xbb\xbf", "\\ufeff"},
      {"\xe2\x80\xae", "\\u202e"},
      {"\xf0\x9f\x90\x8b", "\xf0\x9f\x90\x8b"},
      {"a\xf0\x9f\x90\x8b\n\xc2z", "a\xf0\x9f\x90\x8b\\n\\xc2z"},
  };
  for (const auto& [text, want] : rows) {
    std::string out = "before ";
    AppendPrintable(text, out);
    EXPECT_EQ(out, std::string("before ") + want);
    EXPECT_EQ(Printable(text), want);
  }
}

}  // namespace
}  // namespace kinformer::internal::base
