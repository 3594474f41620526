#include "cel/value_format.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal::cel {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

struct Case {
  std::string_view format;
  std::vector<std::string_view> good;
  std::vector<std::string_view> bad;
};

void Expect(const Case& c) {
  for (const std::string_view text : c.good) {
    EXPECT_TRUE(TextHasFormat(c.format, text)) << c.format << ": " << text;
  }
  for (const std::string_view text : c.bad) {
    EXPECT_FALSE(TextHasFormat(c.format, text)) << c.format << ": " << text;
  }
}

// Returns all bytes that the format accepts where `text` puts them.
std::string Taken(std::string_view format, const std::function<std::string(char)>& text) {
  std::string taken;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if (TextHasFormat(format, text(c))) taken += c;
  }
  return taken;
}

std::string Bytes(int first, int last) {
  std::string bytes;
  for (int byte = first; byte <= last; ++byte) bytes += static_cast<char>(byte);
  return bytes;
}

TEST(ValueFormats, Date_OfAMonthThatHasTheDay_IsTaken) {
  Expect(
      {.format = "date",
       .good = {"0000-01-01", "9999-12-31", "2021-01-31", "2021-02-28", "2020-02-29", "2000-02-29",
                "2021-03-31", "2021-04-30", "2021-05-31", "2021-06-30", "2021-07-31", "2021-08-31",
                "2021-09-30", "2021-10-31", "2021-11-30", "2021-12-31"},
       .bad = {"2021-00-01", "2021-13-01", "2021-01-00", "2021-01-32", "2021-02-29", "2020-02-30",
               "1900-02-29", "2021-03-32", "2021-04-31", "2021-05-32", "2021-06-31", "2021-07-32",
               "2021-08-32", "2021-09-31", "2021-10-32", "2021-11-31", "2021-12-32"}});
}

TEST(ValueFormats, Date_InAnotherForm_IsRefused) {
  Expect({.format = "date",
          .good = {},
          .bad = {"", "2020-1-1", "2020-01-1", "2020-01-011", "2020/01-01", "2020-01/01",
                  "20200101", "-000-01-01", "-020-01-01", "+020-01-01", "2020--1-01", "2020-+1-01",
                  "2020-01--1", "20x0-01-01", "2020-0x-01", "2020-01-0x", "2020-01-01Z"}});
  EXPECT_EQ(Taken("date", [](char c) { return std::string("202") + c + "-01-01"; }), kDigits);
}

TEST(ValueFormats, DateTime_OfADayThatIsAndATimeThatIs_IsTaken) {
  for (const std::string_view format : {"date-time", "datetime"}) {
    Expect({.format = format,
            .good = {"2020-02-29T00:00:00Z", "2020-01-01t23:59:59z", "2020-01-01T00:00:00.0Z",
                     "2020-01-01T00:00:00.123456789Z", "2020-01-01T00:00:00+00:00",
                     "2020-01-01T00:00:00-23:59", "2020-01-01T00:00:00.123+01:00"},
            .bad = {"", "x", "2021-02-29T00:00:00Z", "2020-01-01T24:00:00Z", "2020-01-01T00:60:00Z",
                    "2020-01-01T00:00:60Z", "2020-01-01T-1:00:00Z", "2020-01-01T00:-1:00Z",
                    "2020-01-01T00:00:-1Z", "2020-01-01Tx0:00:00Z", "2020-01-01T00:x0:00Z",
                    "2020-01-01T00:00:x0Z"}});
  }
}

TEST(ValueFormats, DateTime_InAnotherForm_IsRefused) {
  Expect({.format = "date-time",
          .good = {},
          .bad = {"2020-01-01",
                  "2020-01-01 00:00:00Z",
                  "2020-01-01 00:00:00",
                  "2020-01-01T00:00:00",
                  "2020-01-01T00-00:00Z",
                  "2020-01-01T00:00-00Z",
                  "2020-01-01T00:00:00.Z",
                  "2020-01-01T00:00:00.1",
                  "2020-01-01T00:00:00.",
                  "2020-01-01T00:00:00.1x",
                  "2020-01-01T00:00:00Zx",
                  "2020-01-01T00:00:00+0000",
                  "2020-01-01T00:00:00+00-00",
                  "2020-01-01T00:00:00*00:00",
                  "2020-01-01T00:00:00+0x:00",
                  "2020-01-01T00:00:00+00:0x",
                  "2020-01-01T00:00:00+-1:00",
                  "2020-01-01T00:00:00+00:-1",
                  "2020-01-01T00:00:00+00:000",
                  "2020-01-01T00:00:00+0:00"}});
}

TEST(ValueFormats, Addresses) {
  Expect({.format = "ipv4",
          .good = {"0.0.0.0", "1.2.3.4", "255.255.255.255"},
          .bad = {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "1.2.3.x", "1.2.3.4 ",
                  "1.2.3.4\0"sv, "::1"}});
  Expect({.format = "ipv6",
          .good = {"::", "::1", "2001:db8::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"},
          .bad = {"", "1.2.3.4", "g::", ":::", "1::2::3", "1:2:3:4:5:6:7", "fe80::1%eth0",
                  "::1\0"sv}});
  Expect({.format = "cidr",
          .good = {"0.0.0.0/0", "1.2.3.0/24", "1.2.3.4/32", "::/0", "::1/128"},
          .bad = {"", "1.2.3.4", "/24", "1.2.3.0/", "1.2.3.0/33", "::/129", "1.2.3.0/128",
                  "1.2.3.0/-1", "1.2.3.0/+1", "1.2.3.0/-0", "1.2.3.0/x", "1.2.3/24", "g::/64",
                  "1.2.3.0/24/8"}});
}

TEST(ValueFormats, Uri_IsAPathOrHasAScheme) {
  Expect({.format = "uri",
          .good = {"/", "/a", "http://a/b", "a:", "x-y+z.1:any", "/\xc3\xa9"},
          .bad = {"", "a", "a/b", ":", ":a", "a b", "/a b", " /a"}});
  EXPECT_EQ(Taken("uri", [](char c) { return c + std::string("a:"); }),
            "/" + std::string(kLetters));
  // Behind a colon everything goes.
  EXPECT_EQ(Taken("uri", [](char c) { return std::string("a") + c + ":"; }),
            "+-." + std::string(kDigits) + ":" + std::string(kLetters));
  EXPECT_EQ(Taken("uri", [](char c) { return std::string("/") + c; }),
            Bytes('!', '~') + Bytes(0x80, 0xff));
}

TEST(ValueFormats, Hostname_OfOneLabel_HasADashBehindItsFirstLetterAtMost) {
  const std::string word = std::string(kDigits) + std::string(kLetters) + Bytes(0x80, 0xff);
  const std::string longest(63, 'a');
  const std::string longer(64, 'a');
  Expect({.format = "hostname",
          .good = {"a", "0", "a-", "a-b", "ab", longest},
          .bad = {"", "-", "-a", "ab-c", "a--b", "a-b-c", "a_b", longer}});
  EXPECT_EQ(Taken("hostname", [](char c) { return std::string(1, c); }), word);
  EXPECT_EQ(Taken("hostname", [](char c) { return std::string("ab") + c; }), word);
  EXPECT_EQ(Taken("hostname", [](char c) { return std::string("a") + c + "b"; }), "-" + word);
}

TEST(ValueFormats, Hostname_OfSeveralLabels_EndsWithTwoLettersOrMore) {
  const std::string label(63, 'a');
  const std::string labels = label + "." + label + "." + label + ".";
  const std::string longest = labels + std::string(60, 'b') + ".co";
  const std::string longest_top = labels + label;
  const std::string longer = labels + std::string(61, 'b') + ".co";
  const std::string longer_label = label + "a.co";
  const std::string longer_top = "a." + label + "a";
  Expect(
      {.format = "hostname",
       .good = {"a.co", "0.co", "a-b.co", "a--b.co", "a.b.co", "a-b.c-d.co", longest, longest_top},
       .bad = {"a.c", "a.", ".co", "a..co", ".a.co", "-a.co", "a-.co", "a.-b.co", "a.b-.co",
               "a_b.co", "a.c0", "a.c-o", "a.-co", longer, longer_label, longer_top}});
  const std::string letters = std::string(kLetters) + Bytes(0x80, 0xff);
  EXPECT_EQ(Taken("hostname", [](char c) { return std::string("a.c") + c; }), letters);
}

TEST(ValueFormats, Email_HasOneAtInItsMiddle) {
  Expect({.format = "email",
          .good = {"a@b", "a@b.c", "first.last+tag@example.com"},
          .bad = {"", "x", "@", "@b", "a@", "a@b@c", "a@@b"}});
  const std::string refused = "\t\n\r (),;<>@";
  std::string others;
  for (const char c : Bytes(0, 255)) {
    if (refused.find(c) == std::string::npos) others += c;
  }
  EXPECT_EQ(Taken("email", [](char c) { return std::string("a") + c + "@b"; }), others);
  EXPECT_EQ(Taken("email", [](char c) { return std::string("a@b") + c; }), others);
}

TEST(ValueFormats, Byte_IsBase64InFoursWithItsPaddingAtTheEnd) {
  Expect({.format = "byte",
          .good = {"", "YQ==", "YWI=", "YWJj", "YWJjYQ==", "AZaz09+/"},
          .bad = {"Y", "YQ", "YWI", "YQ=", "YWJjY", "=", "==", "===", "====", "Y===", "=YWI",
                  "Y=WI", "YQ==YQ==", "YW I", "YWI\n", "YWJj\n"}});
  const std::string alphabet = "+/" + std::string(kDigits) + std::string(kLetters);
  EXPECT_EQ(Taken("byte", [](char c) { return std::string(4, c); }), alphabet);
  EXPECT_EQ(Taken("byte", [](char c) { return std::string("YW") + c + "="; }),
            "+/" + std::string(kDigits) + "=" + std::string(kLetters))
      << "the padding may be two";
}

// Each digit counts: with another in its place the number is none.
void ExpectEachDigitCounts(std::string_view format, std::string_view number) {
  ASSERT_TRUE(TextHasFormat(format, number)) << number;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (kDigits.find(number[i]) == std::string_view::npos) continue;
    for (const char digit : kDigits) {
      std::string other(number);
      other[i] = digit;
      EXPECT_EQ(TextHasFormat(format, other), other == number) << format << ": " << other;
    }
  }
}

TEST(ValueFormats, CheckedNumbers_WithOneDigitWrong_AreRefused) {
  for (const std::string_view number : {"4111 1111 1111 1111", "4539-1488-0343-6467"}) {
    ExpectEachDigitCounts("creditcard", number);
  }
  for (const std::string_view number : {"0306406152", "0-8044-2957-X", "080442957x"}) {
    ExpectEachDigitCounts("isbn10", number);
    ExpectEachDigitCounts("isbn", number);
  }
  for (const std::string_view number : {"978-3-16-148410-0", "978 0 306 40615 7"}) {
    ExpectEachDigitCounts("isbn13", number);
    ExpectEachDigitCounts("isbn", number);
  }
}

TEST(ValueFormats, CheckedNumbers_OfAnotherLengthOrForm_AreRefused) {
  const std::string zeros(20, '0');
  const std::string_view all = zeros;
  Expect({.format = "creditcard",
          .good = {all.substr(0, 12), all.substr(0, 19)},
          .bad = {"", all.substr(0, 11), all, "4111 1111 1111 111x", "4111.1111.1111.1111"}});
  Expect({.format = "isbn10",
          .good = {all.substr(0, 10)},
          .bad = {"", "978-3-16-148410-0", all.substr(0, 9), all.substr(0, 11), "030640615x",
                  "X306406152", "03064061Xx", "080442957Y", "0306.406152"}});
  Expect({.format = "isbn13",
          .good = {all.substr(0, 13)},
          .bad = {"", "0306406152", all.substr(0, 12), all.substr(0, 14), "978316148410x",
                  "978.3161484100"}});
  Expect({.format = "isbn", .good = {}, .bad = {"", "1", all.substr(0, 11), all.substr(0, 12)}});
}

TEST(ValueFormats, Identifiers) {
  Expect(
      {.format = "uuid",
       .good = {"123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"},
       .bad = {"", "x", "123e4567-e89b-12d3-a456-42661417400",
               "g23e4567-e89b-12d3-a456-"
               "426614174000",
               "123e4567-e89b-12d3-a456-4266141740000", "123e4567--e89b-12d3-a456-426614174000"}});
  Expect({.format = "uuid3",
          .good = {"123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-32d3-0456-426614174000"},
          .bad = {"123e4567-e89b-42d3-a456-426614174000"}});
  for (const std::string_view format : {"uuid4", "uuid5"}) {
    const char version = format.back();
    const auto with = [version](char variant) {
      return std::string("123e4567-e89b-") + version + "2d3-" + variant + "456-426614174000";
    };
    EXPECT_EQ(Taken(format, with), "89ABab") << format;
    EXPECT_EQ(
        Taken(format,
              [](char c) { return std::string("123e4567-e89b-") + c + "2d3-8456-426614174000"; }),
        std::string(1, version))
        << format;
  }
  Expect({.format = "bsonobjectid",
          .good = {"507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011"},
          .bad = {"", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111",
                  "507f1f77bcf86cd79943901g"}});
  Expect({.format = "ssn",
          .good = {"111-22-3333", "111 22 3333", "111223333"},
          .bad = {"", "11-22-3333", "111-2-3333", "111-22-333", "111-22-33333", "11x-22-3333",
                  "111.22.3333"}});
  Expect({.format = "mac",
          .good = {"01:23:45:67:89:ab", "01-23-45-67-89-AB", "01:23:45:67:89:ab:cd:ef",
                   "0123.4567.89ab", "0123.4567.89ab.cdef"},
          .bad = {"", "x", "01:23:45:67:89", "01:23:45:67:89:ag", "0123.4567", "01:23:45:67:89:a",
                  "01:23:45:67:89:ab:cd:ef:01"}});
}

TEST(ValueFormats, Colors) {
  Expect({.format = "hexcolor",
          .good = {"#fff", "FFF", "#012345", "abcDEF"},
          .bad = {"", "#", "#ff", "#ffff", "#fffffff", "#ggg", "##fff"}});
  Expect({.format = "rgbcolor",
          .good = {"rgb(0,0,0)", "rgb( 255 , 255 , 255 )"},
          .bad = {"", "rgb(0,0)", "rgb(0,0,0,0)", "rgb(1000,0,0)", "rgb(x,0,0)", "0,0,0"}});
}

TEST(ValueFormats, Duration_IsGosOrInWords) {
  Expect({.format = "duration",
          .good = {"0", "3s", "1h2m", "-1.5h", "+2ms", ".5s", "1.s", "1us", "1µs", "1ns", "3 days",
                   "1 week", "2 hrs 5 mins", "10 milliseconds"},
          .bad = {"", "x", "3", "s", "1.5", ".s", "--1s", "3 fortnights", "-3 days", "1h 2"}});
}

TEST(ValueFormats, NamesOfKubernetes) {
  const std::string longest(63, 'a');
  const std::string longer(64, 'a');
  Expect({.format = "k8s-short-name",
          .good = {"a", "0", "a-b", "a--b", longest},
          .bad = {"", "-a", "a-", "A", "a.b", "a_b", longer}});
  Expect({.format = "k8s-long-name",
          .good = {"a", "a.b", "a-b.c-d.0", longer},
          .bad = {"", ".a", "a.", "a..b", "a.-b", "a-.b", "A.b", "a_b"}});
}

TEST(ValueFormats, AnyText_HasAFormatOfNumbersOrOneThatNobodyKnows) {
  for (const std::string_view format :
       {"password", "int32", "int64", "float", "double", "odd", ""}) {
    Expect({.format = format, .good = {"", "x"}, .bad = {}});
  }
}

TEST(ValueFormats, Names_ThatTheServerLooksAt_AreKnown) {
  for (const std::string_view format :
       {"date",         "date-time", "datetime",     "ipv4",     "ipv6",     "cidr",
        "uri",          "hostname",  "email",        "byte",     "isbn",     "isbn10",
        "isbn13",       "password",  "creditcard",   "int32",    "int64",    "float",
        "double",       "mac",       "bsonobjectid", "uuid",     "uuid3",    "uuid4",
        "uuid5",        "ssn",       "hexcolor",     "rgbcolor", "duration", "k8s-short-name",
        "k8s-long-name"}) {
    EXPECT_TRUE(IsKnownFormat(format)) << format;
  }
  EXPECT_FALSE(IsKnownFormat("odd"));
  EXPECT_FALSE(IsKnownFormat(""));
}

}  // namespace
}  // namespace kinformer::internal::cel
