#include "kinformer/json/json.h"

#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <simdjson.h>
#include <sstream>

#include "wire/json_text.h"
#include "wire/testing/random_json.h"

namespace kinformer::json {
namespace {

Value MustParse(std::string_view text) {
  Result<Value> value = Parse(text);
  EXPECT_TRUE(value.ok()) << text << ": " << (value.ok() ? "" : value.error().message());
  return value.ok() ? *std::move(value) : Value();
}

TEST(JsonValue, ReadsWhatIsThereAndNullWhereNothingIs) {
  const Value pod = MustParse(R"({"spec":{"containers":[{"image":"nginx"}],"replicas":3}})");
  EXPECT_EQ(pod["spec"]["containers"][0]["image"].StringOrEmpty(), "nginx");
  EXPECT_EQ(pod["spec"]["replicas"].AsInt64(), 3);
  EXPECT_TRUE(pod["spec"]["nothing"]["here"][7].is_null());
  EXPECT_EQ(pod["spec"]["replicas"].AsString(), std::nullopt);
  EXPECT_EQ(pod["spec"]["containers"].items().size(), 1U);
  EXPECT_EQ(pod["spec"]["replicas"].items().size(), 0U);
}

TEST(JsonValue, BuildsWithBrackets) {
  Value v;
  v.Ensure("metadata", "name") = "a";
  v.Ensure("spec", "suspend") = true;
  v.Ensure("list").Append(1);
  v.Ensure("list").Append(2.5);
  EXPECT_EQ(v.Dump(), R"({"metadata":{"name":"a"},"spec":{"suspend":true},"list":[1,2.5]})");
  EXPECT_EQ(Value::MakeObject({{"b", 1}, {"a", nullptr}}).Dump({.sort_keys = true}),
            R"({"a":null,"b":1})");
}

TEST(JsonValue, IsInteger_AcceptsIntegersWithin64Bits) {
  for (const char* text : {"0", "-1", "9223372036854775807", "18446744073709551615"}) {
    EXPECT_TRUE(MustParse(text).is_integer()) << text;
    EXPECT_EQ(MustParse(text).type(), Type::kNumber) << text;
  }
  for (const char* text : {"1.0", "1e3", "123456789012345678901234567890", "null", "true", "\"1\"",
                           "[1]", "{\"a\":1}"}) {
    EXPECT_FALSE(MustParse(text).is_integer()) << text;
  }
}

TEST(JsonValue, NumbersKeepTheirValueAndTheirText) {
  for (const char* text :
       {"0", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "1.50",
        "1e3", "1E+3", "123456789012345678901234567890", "0.1", "1e400", "1e-400"}) {
    EXPECT_EQ(MustParse(text).Dump(), text);
  }
  EXPECT_EQ(MustParse("9223372036854775807").AsInt64(), INT64_MAX);
  EXPECT_EQ(MustParse("18446744073709551615").AsUint64(), UINT64_MAX);
  EXPECT_EQ(MustParse("18446744073709551615").AsInt64(), std::nullopt);
  EXPECT_EQ(MustParse("0").AsUint64(), 0U);
  EXPECT_EQ(MustParse("-1").AsUint64(), std::nullopt);
  EXPECT_EQ(MustParse("3.0").AsInt64(), 3);
  EXPECT_EQ(MustParse("3.5").AsInt64(), std::nullopt);
  EXPECT_EQ(MustParse("-0").Dump(), "0");
  EXPECT_EQ(Value(1.0).Dump(), "1");
  EXPECT_EQ(Value(1e21).Dump(), "1e+21");
  EXPECT_EQ(Value(1e-7).Dump(), "1e-7");
  EXPECT_EQ(MustParse("1"), MustParse("1.0"));
  EXPECT_FALSE(MustParse("1") == MustParse("1.5"));
}

TEST(JsonValue, EscapesAsGoDoes) {
  EXPECT_EQ(Value("<a&b>\u2028\x01\n\"\\").Dump(), R"("\u003ca\u0026b\u003e\u2028\u0001\n\"\\")");
  EXPECT_EQ(Value("<a>").Dump({.escape_html = false}), R"("<a>")");
  EXPECT_EQ(Value(std::string_view("a\xff"
                                   "b",
                                   3))
                .Dump(),
            R"("a\ufffdb")");
  EXPECT_EQ(Value("\u00e9\U0001f600").Dump(), "\"\u00e9\U0001f600\"");
}

TEST(JsonValue, UnescapesStrings) {
  EXPECT_EQ(MustParse(R"("\u0041\u00e9\ud83d\ude00\/\t")").StringOrEmpty(), "A\u00e9\U0001f600/\t");
  // The first and the last code point of each length in UTF-8.
  EXPECT_EQ(MustParse(R"("\u007f\u0080\u07ff\u0800\uffff\ud800\udc00")").StringOrEmpty(),
            "\x7f\u0080\u07ff\u0800\uffff\U00010000");
  EXPECT_EQ(MustParse(R"("\ud83dx")").StringOrEmpty(), "\ufffdx");
  EXPECT_EQ(MustParse(R"("\ude00")").StringOrEmpty(), "\ufffd");
  EXPECT_EQ(MustParse(R"("\ud83d\u0041")").StringOrEmpty(), "\ufffdA");
}

TEST(JsonValue, ErrorsSayWhere) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& c : {
           Case{"", "line 1, column 1 (byte 0): the text ends where a value should be"},
           Case{"{\"a\":1,\n \"b\" 2}",
                "line 2, column 6 (byte 13): found '2' where ':' should be"},
           Case{"[1 2]", "(byte 3): found '2' where ',' or ']' should be"},
           Case{"{\"a\":01}", "(byte 5): a number begins with a needless 0"},
           Case{"[1.]", "(byte 3): found ']' where a digit should be"},
           Case{"[tru]", "(byte 1): found 't' where a value should be"},
           Case{"\"a\nb\"", "(byte 2): byte 0x0a must be escaped in a string"},
           Case{"\"\\x\"", "(byte 1): there is no such escape as '\\x'"},
           Case{"[1],", "(byte 3): something follows the document"},
           Case{"\"abc", "(byte 4): the text ends inside a string"},
           Case{"[\"\xff\"]", "(byte 2): the text is not UTF-8"},
           Case{"{\"a\":1,}", "(byte 7): found '}' where a member's name should be"},
           Case{"[1,]", "(byte 3): found ']' where a value should be"},
       }) {
    const Result<Value> value = Parse(c.text);
    ASSERT_FALSE(value.ok()) << c.text;
    EXPECT_EQ(value.error().reason(), Reason::kDecode);
    EXPECT_NE(value.error().message().find(c.message), std::string::npos)
        << c.text << ": " << value.error().message();
  }
}

TEST(JsonValue, DepthIsLimited) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(Parse(nested(512)).ok());
  EXPECT_FALSE(Parse(nested(513)).ok());
  EXPECT_FALSE(Parse(std::string(1'000'000, '[')).ok());
  EXPECT_FALSE(Parse("[[]]", {.max_depth = 1}).ok());
}

TEST(JsonValue, DuplicateKeys) {
  const std::string text = R"({"a":{"b":1,"b":[2]},"a/c":[{"d":1,"d":2}]})";
  EXPECT_EQ(MustParse(text).Dump(), R"({"a":{"b":[2]},"a/c":[{"d":2}]})");
  EXPECT_FALSE(Parse(text, {.reject_duplicate_keys = true}).ok());
  std::vector<std::string> found;
  EXPECT_TRUE(Parse(text, {.duplicate_keys = &found}).ok());
  EXPECT_EQ(found, (std::vector<std::string>{"/a/b", "/a~1c/0/d"}));
}

TEST(JsonValue, DuplicateKeysAreNamedWithTheirPlaces) {
  std::vector<std::string> duplicates;
  const std::string text =
      R"({"a":[{"b":1},{"b/c":{"d":[1,{"e":2,"e":3}],"~":1,"~":2}}],"x":1,"a":{"b":4,"b":5}})";
  const Result<Value> value = Parse(text, {.duplicate_keys = &duplicates});
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(duplicates,
            (std::vector<std::string>{"/a/1/b~1c/d/1/e", "/a/1/b~1c/~0", "/a", "/a/b"}));
  EXPECT_EQ(value->Dump(), R"({"a":{"b":5},"x":1})");
}

// A path may be as long as the text, so 100 KB of text could give 200 MB of paths.
TEST(JsonValue, DuplicateKeys_AtLongPath_AreNotAllNoted) {
  std::string text = "{\"" + std::string(100'000, 'n') + "\":{";
  for (int i = 0; i < 2'000; ++i) text += "\"a\":1,";
  std::vector<std::string> duplicates;
  EXPECT_TRUE(Parse(text + "\"b\":1}}", {.duplicate_keys = &duplicates}).ok());
  EXPECT_GT(duplicates.size(), 5U);
  EXPECT_LT(duplicates.size(), 20U);
}

TEST(JsonValue, ObjectsGiveAndTakeTheirMembers) {
  Object object;
  object.Reserve(40);
  for (int i = 0; i < 40; ++i) object.Add("m" + std::to_string(39 - i), Value(i)) = Value(i + 1);
  ASSERT_NE(object.Find("m7"), nullptr);
  EXPECT_EQ(object.Find("m7")->AsInt64(), 33);
  std::vector<Object::Member> members = std::move(object).Release();
  ASSERT_EQ(members.size(), 40U);
  EXPECT_EQ(members.front().first, "m39");
  std::swap(members.front(), members.back());
  Object again(std::move(members));
  EXPECT_EQ(again.name(0), "m0");
  EXPECT_EQ(again.Find("m0")->AsInt64(), 40);
  EXPECT_EQ(again.Find("m40"), nullptr);
  again.Set("m40", 5);
  EXPECT_EQ(again.Find("m40")->AsInt64(), 5);
  Value text(3);
  text.EnsureString() += "x";
  text.EnsureString() += "y";
  EXPECT_EQ(text.StringOrEmpty(), "xy");
}

// Reference implementation, byte by byte.
bool IsPlainByte(char c, bool escape_html) {
  const auto u = static_cast<unsigned char>(c);
  return u >= 0x20 && u < 0x80 && c != '"' && c != '\\' &&
         !(escape_html && (c == '<' || c == '>' || c == '&'));
}

TEST(JsonText, PlainPrefixesEndAtWhatNeedsAnEscape) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    for (std::size_t before = 0; before < 19; ++before) {
      for (const bool html : {false, true}) {
        const std::string text = std::string(before, 'a') + c + "~~~~~~~~~~";
        const std::size_t want = IsPlainByte(c, html) ? text.size() : before;
        ASSERT_EQ(PlainPrefix(text, html), want) << byte << " behind " << before;
        std::string quoted;
        AppendQuoted(quoted, text, html);
        ASSERT_EQ(quoted == "\"" + text + "\"", IsPlainByte(c, html)) << byte;
        if (byte < 0x80) {
          ASSERT_EQ(Parse(quoted)->StringOrEmpty(), text);
        }
      }
    }
  }
}

// Valid UTF-8 by the Unicode standard (table 3-7), computed from the code point.
std::size_t Utf8LengthAsDefined(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(text[i])};
  };
  if (byte(0) < 0x80) return 1;
  const auto length =
      static_cast<std::size_t>(std::countl_one(static_cast<unsigned char>(text[0])));
  if (length < 2 || length > 4 || length > text.size()) return 0;
  std::uint32_t code = byte(0) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kFirst[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code >= kFirst[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

TEST(JsonText, Utf8SequencesAreTheDefinedOnes) {
  constexpr unsigned char kTails[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
  std::string text(4, '\0');
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      for (const unsigned char third : kTails) {
        for (const unsigned char fourth : kTails) {
          text = {static_cast<char>(first), static_cast<char>(second), static_cast<char>(third),
                  static_cast<char>(fourth)};
          ASSERT_EQ(Utf8SequenceLength(text), Utf8LengthAsDefined(text)) << first << ' ' << second;
        }
      }
      for (std::size_t size = 1; size < 4; ++size) {
        const std::string cut = text.substr(0, size);
        ASSERT_EQ(Utf8SequenceLength(cut), Utf8LengthAsDefined(cut)) << first << ' ' << second;
      }
    }
  }
}

TEST(JsonText, SinksAppendWhatTheyAreGiven) {
  std::string out = "head";
  std::string want = out;
  {
    TextSink sink(out);
    for (std::size_t i = 0; i < 300; ++i) {
      sink.Put('x');
      sink.Put(' ', i % 5);
      sink.Put(std::string(i, 'y'));
      sink.PutValue(Value(static_cast<std::int64_t>(i)));
      want.append("x").append(i % 5, ' ').append(i, 'y').append(std::to_string(i));
      ASSERT_EQ(sink.size(), want.size());
    }
  }
  EXPECT_EQ(out, want);
}

TEST(JsonValue, Pointers) {
  Value v = MustParse(R"({"a":[1,{"b~/":2}]})");
  EXPECT_EQ(v.At("/a/1/b~0~1").AsInt64(), 2);
  EXPECT_TRUE(v.At("/a/2").is_null());
  EXPECT_EQ(v.FindPointer("a"), nullptr);
  EXPECT_EQ(v.FindPointer("/a/01"), nullptr);
  EXPECT_EQ(v.FindPointer(""), &v);
  EXPECT_TRUE(v.SetPointer("/a/-", 3).ok());
  EXPECT_TRUE(v.SetPointer("/x/y/z", "deep").ok());
  EXPECT_FALSE(v.SetPointer("/a/9", 1).ok());
  EXPECT_FALSE(v.SetPointer("/x/y/z/w", 1).ok());
  EXPECT_TRUE(v.ErasePointer("/a/0").ok());
  EXPECT_FALSE(v.ErasePointer("/nothing").ok());
  EXPECT_EQ(v.Dump(), R"({"a":[{"b~/":2},3],"x":{"y":{"z":"deep"}}})");
}

// All examples of RFC 6901, section 5.
TEST(JsonValue, PointersOfTheRfc) {
  const Value v =
      MustParse(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," )"
                R"(":7,"m~n":8})");
  EXPECT_EQ(v.FindPointer(""), &v);
  EXPECT_EQ(v.At("/foo").Dump(), R"(["bar","baz"])");
  EXPECT_EQ(v.At("/foo/0").StringOrEmpty(), "bar");
  const std::pair<const char*, int> numbers[] = {
      {"/", 0},     {"/a~1b", 1}, {"/c%d", 2}, {"/e^f", 3},  {"/g|h", 4},
      {"/i\\j", 5}, {"/k\"l", 6}, {"/ ", 7},   {"/m~0n", 8},
  };
  for (const auto& [pointer, number] : numbers)
    EXPECT_EQ(v.At(pointer).AsInt64(), number) << pointer;
  // ~01 decodes to ~1, not to /.
  EXPECT_EQ(MustParse(R"({"~1":1})").At("/~01").AsInt64(), 1);
  for (const char* bad : {"/~2", "/~", "foo", "/foo/-", "/foo/00", "/foo/ 1", "/foo/+1", "/foo/2",
                          "/foo/99999999999999999999"}) {
    EXPECT_EQ(v.FindPointer(bad), nullptr) << bad;
  }
}

// All examples of RFC 7396 (which replaces 7386), appendix A.
TEST(JsonValue, MergePatch) {
  const char* const cases[][3] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", R"(null)", R"(null)"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const auto& c : cases) {
    Value v = MustParse(c[0]);
    v.MergePatch(MustParse(c[1]));
    EXPECT_EQ(v.Dump(), c[2]) << c[0] << " + " << c[1];
  }
}

TEST(JsonValue, LargeObjectsKeepOrderAndFind) {
  Value v = Value::MakeObject();
  for (int i = 0; i < 200; ++i) v.Ensure("key" + std::to_string((i * 37) % 200)) = i;
  EXPECT_EQ(v.size(), 200U);
  EXPECT_EQ(v.members().begin()->first, "key0");
  for (int i = 0; i < 200; ++i) EXPECT_EQ(v["key" + std::to_string((i * 37) % 200)].AsInt64(), i);
  for (int i = 0; i < 190; ++i) EXPECT_TRUE(v.Erase("key" + std::to_string(i)));
  EXPECT_FALSE(v.Erase("key0"));
  EXPECT_EQ(v.size(), 10U);
  EXPECT_TRUE(v.contains("key199"));
}

TEST(JsonValue, PrettyPrintsAsKubectl) {
  EXPECT_EQ(MustParse(R"({"a":{"b":[1,{}],"c":[]}})").DumpPretty(),
            "{\n  \"a\": {\n    \"b\": [\n      1,\n      {}\n    ],\n    \"c\": []\n  }\n}");
}

// For random documents and copies with one byte changed, simdjson must accept the same ones.
TEST(JsonValue, AgreesWithSimdjson) {
  testing::RandomJson random(20240611);
  simdjson::dom::parser parser;
  int good = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string out = round % 2 == 1 ? random.MakeDamaged() : random.Make();
    simdjson::dom::element element;
    const bool theirs =
        parser.parse(simdjson::padded_string(out)).get(element) == simdjson::SUCCESS;
    const Result<Value> ours = Parse(out);
    if (ours.ok() != theirs) {
      // The two known differences: numbers out of range, and unpaired surrogates, which Go accepts
      // as well.
      if (ours.ok() && (out.find("\\u") != std::string::npos || out.find('e') != std::string::npos))
        continue;
      FAIL() << out << "\nours: " << (ours.ok() ? "good" : ours.error().message());
    }
    if (!theirs) continue;
    ++good;
    std::ostringstream text;
    text << simdjson::minify(element);
    const Result<Value> again = Parse(text.str());
    ASSERT_TRUE(again.ok()) << text.str();
    // The changed byte may create duplicate names, which the two ways handle differently.
    if (round % 2 == 0) {
      EXPECT_EQ(*ours, *again) << out;
    }
    EXPECT_EQ(*Parse(ours->Dump()), *ours) << out;
    EXPECT_EQ(*Parse(ours->DumpPretty()), *ours) << out;
  }
  EXPECT_GT(good, 10000);
}

TEST(JsonParse, HexDigitsOfEscapes) {
  EXPECT_EQ(Parse(R"("\u00e9\u00C9\u0041\u004a")")->StringOrEmpty(), "éÉAJ");
  // Characters that are next to digits and letters in ASCII.
  for (const char c : {'/', ':', '@', 'G', '`', 'g', '~', ' ', '"'}) {
    EXPECT_FALSE(Parse(std::string(R"("\u00)") + c + R"(0")")) << c;
    EXPECT_FALSE(Parse(std::string(R"("\u000)") + c + '"')) << c;
  }
}

}  // namespace
}  // namespace kinformer::json
