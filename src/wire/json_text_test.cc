// Basic forms of JSON text, tested at their limits.

#include "wire/json_text.h"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/json/json.h"

namespace kinformer::json {
namespace {

// Expected texts are from Go's json.Marshal.
TEST(JsonText, DoublesAreWrittenAsInGo) {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0"},
      {-0.0, "-0"},
      {1e-6, "0.000001"},
      {-1e-6, "-0.000001"},
      {9.99e-7, "9.99e-7"},
      {1e-9, "1e-9"},
      {1e-10, "1e-10"},
      {-2.5e-10, "-2.5e-10"},
      {1e-100, "1e-100"},
      {5e-324, "5e-324"},
      {1e20, "100000000000000000000"},
      // The fewest digits that identify the double.
      {999999999999999868928.0, "999999999999999900000"},
      {-999999999999999868928.0, "-999999999999999900000"},
      {1152921504606846976.0, "1152921504606847000"},
      {12345678901234567890.0, "12345678901234567000"},
      {9007199254740994.0, "9007199254740994"},
      {9007199254740992.0, "9007199254740992"},
      {-9007199254740991.0, "-9007199254740991"},
      {2251799813685249.5, "2251799813685249.5"},
      {1e21, "1e+21"},
      {-1e21, "-1e+21"},
      {1e100, "1e+100"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {std::numeric_limits<double>::infinity(), "null"},
      {std::numeric_limits<double>::quiet_NaN(), "null"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(DoubleText(value), text);
}

TEST(JsonText, HexDigitsAreThoseOfBothCases) {
  const std::string lower = "0123456789abcdef";
  const std::string upper = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::size_t at = std::min(lower.find(c), upper.find(c));
    EXPECT_EQ(HexDigit(c), at == std::string::npos ? -1 : static_cast<int>(at)) << byte;
  }
}

TEST(JsonText, ShowByte_QuotesPrintableBytes) {
  const std::pair<char, const char*> cases[] = {{' ', "' '"},          {'~', "'~'"},
                                                {'\x1f', "byte 0x1f"}, {'\x7f', "byte 0x7f"},
                                                {'\x0a', "byte 0x0a"}, {'\xff', "byte 0xff"}};
  for (const auto& [byte, text] : cases) EXPECT_EQ(ShowByte(byte), text);
}

// ASCII is read eight bytes at a time: the first invalid byte may be at any position of them.
TEST(JsonText, TheFirstByteThatIsNoUtf8IsFoundAtEveryPlace) {
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t behind = 0; behind < 20; ++behind) {
      for (const std::string_view middle : {"", "\u00e9", "\u20ac", "\U0001f600"}) {
        const std::string head = std::string(before, 'a').append(middle);
        const std::string tail(behind, 'b');
        EXPECT_EQ(FirstInvalidUtf8(head + tail), head.size() + tail.size());
        EXPECT_EQ(FirstInvalidUtf8(head + "\x80" + tail), head.size());
        EXPECT_EQ(FirstInvalidUtf8(head + "\xe2\x82" + tail), head.size());
        EXPECT_EQ(FirstInvalidUtf8(head + tail + "\xc3"), head.size() + tail.size());
      }
    }
  }
}

TEST(JsonText, LineSeparatorsAreEscapedWhereHtmlIs) {
  EXPECT_EQ(Value("a\u2028\u2029\u202a").Dump(), "\"a\\u2028\\u2029\u202a\"");
  EXPECT_EQ(Value("a\u2028\u2029").Dump({.escape_html = false}), "\"a\u2028\u2029\"");
  EXPECT_EQ(Value("\b\f\r\t\x1f\x7f").Dump(), "\"\\b\\f\\r\\t\\u001f\x7f\"");
}

// Returns the character of an escape, and the number of bytes that the escape has.
std::pair<std::string, std::ptrdiff_t> Escape(std::string_view text) {
  std::string out;
  const char* bad = nullptr;
  const char* const end = text.data() + text.size();
  const char* const after = ReadEscape(text.data(), end, &out, bad);
  EXPECT_NE(after, nullptr) << text;
  if (after == nullptr) return {};
  EXPECT_EQ(ReadEscape(text.data(), end, nullptr, bad), after)
      << "whether somebody wants it or not";
  return {out, after - text.data()};
}

TEST(JsonText, EscapesOfSurrogates) {
  using Read = std::pair<std::string, std::ptrdiff_t>;
  EXPECT_EQ(Escape(R"(\n\n)"), Read("\n", 2));
  EXPECT_EQ(Escape(R"(\ud7ff)"), Read("\ud7ff", 6));
  EXPECT_EQ(Escape(R"(\ue000)"), Read("\ue000", 6));
  // A surrogate pair may end the text.
  EXPECT_EQ(Escape(R"(\ud800\udc00)"), Read("\U00010000", 12));
  EXPECT_EQ(Escape(R"(\udbff\udfff)"), Read("\U0010ffff", 12));
  EXPECT_EQ(Escape(R"(\uD83D\uDE00x)"), Read("\U0001f600", 12));
  // An unpaired surrogate becomes U+FFFD, and the text behind it is read on its own.
  for (const char* half : {R"(\ud800)", R"(\udbff\udbff)", R"(\ud800\ue000)", R"(\udc00\udc00)",
                           R"(\udfff\udc00)", R"(\ud800\n\n\n)", R"(\ud800xudc00)",
                           R"(\ud800\Udc00)", R"(\ud800\udc0)", R"(\ud800\u)", R"(\ud800\udc0g)"}) {
    EXPECT_EQ(Escape(half), Read("\ufffd", 6)) << half;
  }
}

TEST(JsonText, InvalidEscapes_AreRefusedWithPlace) {
  const auto bad = [](std::string_view text) {
    const char* at = nullptr;
    EXPECT_EQ(ReadEscape(text.data(), text.data() + text.size(), nullptr, at), nullptr) << text;
    return at - text.data();
  };
  EXPECT_EQ(bad("\\"), 1);
  EXPECT_EQ(bad("\\u"), 2);
  EXPECT_EQ(bad("\\u00e"), 5);
  EXPECT_EQ(bad("\\u0x41"), 3);
  EXPECT_EQ(bad("\\u004G"), 5);
  EXPECT_EQ(bad("\\x41"), 0);
  EXPECT_EQ(bad("\\'"), 0);
}

TEST(JsonText, PrettyTextsAreIndentedByLevel) {
  const Value value = Parse(R"({"b":[1,[2]],"a":{"c":[],"d":{}}})").OrExit();
  EXPECT_EQ(value.Dump({.indent = 1, .sort_keys = true}),
            "{\n \"a\": {\n  \"c\": [],\n  \"d\": {}\n },\n \"b\": [\n  1,\n  [\n   2\n  ]\n ]\n}");
}

}  // namespace
}  // namespace kinformer::json
