#include "object/values/text_forms.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>

namespace kinformer::internal {
namespace {

std::string Rfc3339(std::int64_t seconds) {
  std::string out;
  AppendRfc3339(seconds, out);
  return out;
}

// Compares with the calendar of <chrono> for every day near the present, and many others.
TEST(Rfc3339, DaysOfTheCalendar) {
  using std::chrono::sys_days;
  using std::chrono::year_month_day;
  const sys_days first = sys_days(std::chrono::year(0) / 1 / 1);
  const sys_days last = sys_days(std::chrono::year(9999) / 12 / 31);
  std::int64_t time_of_day = 0;
  for (sys_days day = first; day <= last;) {
    const year_month_day date(day);
    time_of_day = (time_of_day + 7919) % 86400;
    char want[64];
    std::snprintf(want, sizeof(want), "%04d-%02u-%02uT%02d:%02d:%02dZ",
                  static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()), static_cast<int>(time_of_day / 3600),
                  static_cast<int>(time_of_day / 60 % 60), static_cast<int>(time_of_day % 60));
    const std::int64_t seconds = day.time_since_epoch().count() * std::int64_t{86400} + time_of_day;
    ASSERT_EQ(Rfc3339(seconds), want);
    const auto read = ParseRfc3339(want);
    ASSERT_TRUE(read) << want;
    ASSERT_EQ(*read, (TimeStamp{seconds, 0})) << want;
    const bool near =
        date.year() > std::chrono::year(1890) && date.year() < std::chrono::year(2110);
    day += std::chrono::days(near ? 1 : 13);
  }
}

TEST(Rfc3339, Parse_AcceptsRfc3339TimesOnly) {
  const std::int64_t noon = 1'767'268'800;  // 2026-01-01T12:00:00Z
  const struct {
    const char* text;
    TimeStamp want;
  } kGood[] = {
      {"2026-01-01T12:00:00Z", {noon, 0}},
      {"2026-01-01T12:00:00+00:00", {noon, 0}},
      {"2026-01-01T12:00:00+02:30", {noon - 9000, 0}},
      {"2026-01-01T12:00:00-02:30", {noon + 9000, 0}},
      {"2026-01-01T12:00:00+24:59", {noon - 24 * 3600 - 59 * 60, 0}},
      {"2026-01-01T12:00:00.5Z", {noon, 500'000'000}},
      {"2026-01-01T12:00:00.000001Z", {noon, 1'000}},
      {"2026-01-01T12:00:00.123456789Z", {noon, 123'456'789}},
      {"2026-01-01T12:00:00.1234567899Z", {noon, 123'456'789}},
      {"2026-01-01T23:59:59Z", {noon + 43'199, 0}},
      {"2024-02-29T00:00:00Z", {1'709'164'800, 0}},
      {"2000-02-29T00:00:00Z", {951'782'400, 0}},
      {"0001-01-01T00:00:00Z", {kZeroTimeSeconds, 0}},
      {"0000-01-01T00:00:00Z", {-62'167'219'200, 0}},
      {"9999-12-31T23:59:59Z", {253'402'300'799, 0}},
  };
  for (const auto& row : kGood) {
    const auto read = ParseRfc3339(row.text);
    ASSERT_TRUE(read) << row.text;
    EXPECT_EQ(*read, row.want) << row.text;
  }
  for (const char* bad : {"",
                          "2026",
                          "2026-01-01",
                          "2026-01-01T12:00:00",
                          "2026-01-01 12:00:00Z",
                          "2026-01-01t12:00:00Z",
                          "2026-1-01T12:00:00Z",
                          "26-01-01T12:00:00Z",
                          "2026-00-01T12:00:00Z",
                          "2026-13-01T12:00:00Z",
                          "2026-01-00T12:00:00Z",
                          "2026-01-32T12:00:00Z",
                          "2026-04-31T12:00:00Z",
                          "2026-02-29T12:00:00Z",
                          "1900-02-29T12:00:00Z",
                          "2026-01-01T24:00:00Z",
                          "2026-01-01T12:60:00Z",
                          "2026-01-01T12:00:60Z",
                          "2026-01-01T12:00:00.Z",
                          "2026-01-01T12:00:00Zx",
                          "2026-01-01T12:00:00z",
                          "2026-01-01T12:00:00+2:30",
                          "2026-01-01T12:00:00+0230",
                          "2026-01-01T12:00:00+25:00",
                          "2026-01-01T12:00:00+02:60",
                          "2026-01-01T12:00:00*02:30",
                          "2026/01/01T12:00:00Z",
                          "2026-01/01T12:00:00Z",
                          "2026-01-01T12.00:00Z",
                          "2026-01-01T12:00.00Z",
                          "20x6-01-01T12:00:00Z",
                          "2026-01-01T12:00:0:Z",
                          "2026-01-01T12:00:00.1x",
                          "0000-01-01T00:00:00+00:01",
                          "9999-12-31T23:59:59-00:01"}) {
    EXPECT_FALSE(ParseRfc3339(bad)) << bad;
  }
}

TEST(Rfc3339, TheLastDayOfEachMonth) {
  const std::array<int, 12> last = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const auto day = [](int month, int number) {
    const auto two = [](int n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    return "2026-" + two(month) + "-" + two(number) + "T00:00:00Z";
  };
  for (int month = 1; month <= 12; ++month) {
    const int end = last[static_cast<std::size_t>(month) - 1];
    EXPECT_TRUE(ParseRfc3339(day(month, end))) << month;
    EXPECT_FALSE(ParseRfc3339(day(month, end + 1))) << month;
  }
  EXPECT_FALSE(ParseRfc3339(day(0, 1)));
  EXPECT_FALSE(ParseRfc3339(day(13, 1)));
  EXPECT_FALSE(ParseRfc3339(day(1, 0)));
}

TEST(Rfc3339, MicrosecondsHaveSixDigits) {
  for (const auto& [nanos, digits] :
       {std::pair(0, "000000"), std::pair(999, "000000"), std::pair(1'000, "000001"),
        std::pair(999'999'999, "999999"), std::pair(120'000'000, "120000")}) {
    std::string out = ">";
    AppendRfc3339Micro({-1, nanos}, out);
    EXPECT_EQ(out, std::string(">1969-12-31T23:59:59.") + digits + "Z");
  }
}

// ---- durations

TEST(GoDuration, FormsAndBounds) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const struct {
    std::int64_t nanos;
    const char* text;
  } kRows[] = {
      {0, "0s"},
      {1, "1ns"},
      {999, "999ns"},
      {1'000, "1\xc2\xb5s"},
      {1'500, "1.5\xc2\xb5s"},
      {999'999, "999.999\xc2\xb5s"},
      {1'000'000, "1ms"},
      {1'000'001, "1.000001ms"},
      {999'999'999, "999.999999ms"},
      {kSecond, "1s"},
      {59 * kSecond, "59s"},
      {60 * kSecond, "1m0s"},
      {61 * kSecond + 1, "1m1.000000001s"},
      {3'599 * kSecond, "59m59s"},
      {3'600 * kSecond, "1h0m0s"},
      {5'400 * kSecond, "1h30m0s"},
      {-1'500'000'000, "-1.5s"},
      {std::numeric_limits<std::int64_t>::max(), "2562047h47m16.854775807s"},
      {std::numeric_limits<std::int64_t>::min(), "-2562047h47m16.854775808s"},
  };
  for (const auto& row : kRows) {
    std::string text;
    AppendGoDuration(row.nanos, text);
    EXPECT_EQ(text, row.text);
    EXPECT_EQ(ParseGoDuration(row.text), row.nanos) << row.text;
  }
}

TEST(GoDuration, Parse_AcceptsGoDurationsOnly) {
  const struct {
    const char* text;
    std::int64_t nanos;
  } kGood[] = {
      {"0", 0},
      {"+0", 0},
      {"-0", 0},
      {"5ns", 5},
      {"5us", 5'000},
      {"5\xce\xbcs", 5'000},
      {"+1.5h", 5'400'000'000'000},
      {".5s", 500'000'000},
      {"1.s", 1'000'000'000},
      {"1h1h", 7'200'000'000'000},
      {"1m30s", 90'000'000'000},
      {"0.000000001s", 1},
      {"9223372036854775807ns", 9'223'372'036'854'775'807},
      {"-9223372036854775808ns", std::numeric_limits<std::int64_t>::min()},
  };
  for (const auto& row : kGood) EXPECT_EQ(ParseGoDuration(row.text), row.nanos) << row.text;
  for (const char* bad : {"", "+", "-", "s", ".s", "1", "1.5", "1x", "1 s", "1ss", "--1s", "1s1",
                          "9223372036854775808ns", "99999999999999999999ns", "2562048h",
                          "-2562048h", "2562047h47m16.854775808s", "00",
                          // The sum exceeds 64 bits and wraps around to a small value.
                          "2562047h2562047h2h", "-2562047h2562047h2h"}) {
    EXPECT_FALSE(ParseGoDuration(bad)) << bad;
  }
}

// ---- quantities, base64, compact JSON

TEST(QuantityText, IsQuantityText_AcceptsQuantitiesOnly) {
  for (const char* good : {"0",   "1",   "-1",  "+1",  "1.5", ".5",  "5.",   "1n",   "1u",
                           "1m",  "1k",  "1M",  "1G",  "1T",  "1P",  "1E",   "1Ki",  "1Mi",
                           "1Gi", "1Ti", "1Pi", "1Ei", "1e3", "1E3", "1e-3", "1e+3", "1.5e10"}) {
    EXPECT_TRUE(IsQuantityText(good)) << good;
  }
  for (const char* bad : {"", "-", "+", ".", "x", "1.2.3", "1K", "1ki", "1i", "1e", "1e-", "1e+",
                          "1e3x", "1mm", "--1", "1 m", "Ki", "1ei", "1f3"}) {
    EXPECT_FALSE(IsQuantityText(bad)) << bad;
  }
}

TEST(Base64, BothWays) {
  const struct {
    const char* bytes;
    const char* text;
  } kRows[] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
               {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xfb\xff\xbf", "+/+/"}};
  for (const auto& row : kRows) {
    std::string text;
    AppendBase64(row.bytes, text);
    EXPECT_EQ(text, row.text);
    EXPECT_EQ(Base64Decode(row.text), row.bytes);
  }
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::string bytes;
    for (auto n = random() % 40; n > 0; --n) bytes += static_cast<char>(random());
    std::string text;
    AppendBase64(bytes, text);
    EXPECT_EQ(text.size(), (bytes.size() + 2) / 3 * 4);
    EXPECT_EQ(Base64Decode(text), bytes);
  }
  EXPECT_EQ(Base64Decode("Zm\n9v\r\n"), "foo");
  for (const char* bad : {"Z",    "Zg",   "Zg=",   "Zg===",    "Zm8",  "Zm8==",     "Z===",
                          "====", "=",    "Zm9v=", "Zg==Zg==", "Z=g=", "Zm9v Zm9v", "Zm9*",
                          "Zm9-", "Zm9_", "Zm9@",  "Zm9[",     "Zm9`", "Zm9{",      "Zm9:"}) {
    EXPECT_FALSE(Base64Decode(bad)) << bad;
  }
}

TEST(CompactJson, DropsBlanksBetweenTokensAndEscapesAsGo) {
  const struct {
    const char* json;
    const char* want;
  } kRows[] = {
      {" { \"a\" :\t[ 1 ,\n2 ]\r}\n", R"({"a":[1,2]})"},
      {R"(" a \" b " )", R"(" a \" b ")"},
      {R"("\\" )", R"("\\")"},
      {R"("<a> & \u003c")", R"("\u003ca\u003e \u0026 \u003c")"},
      {"\"\xe2\x80\xa8 \xe2\x80\xa9 \xe2\x80\xa7\"", "\"\\u2028 \\u2029 \xe2\x80\xa7\""},
      {R"(["\n", " \t"])", R"(["\n"," \t"])"},
      {" true ", "true"},
  };
  for (const auto& row : kRows) {
    std::string out = ">";
    AppendCompactJson(row.json, out);
    EXPECT_EQ(out, std::string(">") + row.want);
  }
}

}  // namespace
}  // namespace kinformer::internal
