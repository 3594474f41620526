#include "base/core/printable.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::base {
namespace {

std::string Utf8(std::uint32_t code) {
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800)
    return {static_cast<char>(0xc0U | (code >> 6U)), static_cast<char>(0x80U | (code & 0x3fU))};
  return {static_cast<char>(0xe0U | (code >> 12U)),
          static_cast<char>(0x80U | ((code >> 6U) & 0x3fU)),
          static_cast<char>(0x80U | (code & 0x3fU))};
}

TEST(Printable, TextOfAllLanguages_StaysAsItIs) {
  for (const std::string text :
       {"", "web-0", "a\\b \"c\"", "gr\u00fc\u00df\u20ac\U0001f40b", "\u05e9\u05dc\u05d5\u05dd"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(Printable, ControlAndBidiCharacters_AreEscaped) {
  EXPECT_EQ(Printable("a\x1b[2Jb\x07\n\r\t\x7f"), "a\\x1b[2Jb\\x07\\n\\r\\t\\x7f");
  EXPECT_EQ(Printable("\u009b31mred\u0085"), "\\u009b31mred\\u0085");
  EXPECT_EQ(Printable("gpj\u202eexe.\u2066x\u2069"), "gpj\\u202eexe.\\u2066x\\u2069");
  EXPECT_EQ(Printable("a\u2028b\u2029c\u200ed\u200fe\u061cf\ufeff"),
            "a\\u2028b\\u2029c\\u200ed\\u200fe\\u061cf\\ufeff");
}

// Every code point below U+3000 either stays or leaves nothing but ASCII.
TEST(Printable, EachCodePoint_StaysOrIsAsciiAfterwards) {
  int escaped = 0;
  for (std::uint32_t code = 0; code < 0x3000; ++code) {
    const std::string text = Utf8(code);
    const std::string shown = Printable(text);
    EXPECT_EQ(shown == text, !IsUnprintable(code)) << code;
    if (shown == text) continue;
    ++escaped;
    for (const char c : shown) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << code;
  }
  EXPECT_EQ(escaped, 32 + 33 + 3 + 7 + 4);
}

// An older terminal takes such bytes for C1 control characters.
TEST(Printable, BytesThatAreNoUtf8_AreEscapedOneByOne) {
  EXPECT_EQ(Printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(Printable("cut\xe2\x82"), "cut\\xe2\\x82");
  EXPECT_EQ(Printable("\xc0\x80"), "\\xc0\\x80");           // longer than it needs to be
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half a pair of surrogates
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

}  // namespace
}  // namespace kinformer::internal::base
