// Edge cases of json::Value: numbers at the limits of their types, objects around the size at which
// they get an index, reads of missing values, and the exact texts of errors.

#include <cmath>
#include <csignal>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "wire/json_depth.h"

namespace kinformer::json {
namespace {

Value Number(std::string_view text) { return Parse(text).OrExit(); }

TEST(JsonNumber, RealsAreIntegersWithinTheBoundsOfTheType) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(Number("-9223372036854775808.0").AsInt64(), kLeast);
  EXPECT_EQ(Number("-9223372036854777856.0").AsInt64(), std::nullopt);
  EXPECT_EQ(Number("9223372036854774784.0").AsInt64(), 9223372036854774784);
  EXPECT_EQ(Number("9223372036854775808.0").AsInt64(), std::nullopt);
  EXPECT_EQ(Number("-2.5").AsInt64(), std::nullopt);
  EXPECT_EQ(Number("0.0").AsUint64(), 0U);
  EXPECT_EQ(Number("-1.0").AsUint64(), std::nullopt);
  EXPECT_EQ(Number("2.5").AsUint64(), std::nullopt);
  EXPECT_EQ(Number("9223372036854775808.0").AsUint64(), std::uint64_t{1} << 63U);
  EXPECT_EQ(Number("18446744073709549568.0").AsUint64(), 18446744073709549568U);
  EXPECT_EQ(Number("18446744073709551616.0").AsUint64(), std::nullopt);
  EXPECT_EQ(Number("-7").AsDouble(), -7.0);
  EXPECT_EQ(Number("18446744073709551615").AsDouble(), 18446744073709551616.0);
  EXPECT_EQ(Value("7").AsInt64(), std::nullopt);
  EXPECT_EQ(Value("7").AsUint64(), std::nullopt);
  EXPECT_EQ(Value(true).AsDouble(), std::nullopt);
}

// Small ones are zero and large ones infinite, whether digits or an exponent make them so.
TEST(JsonNumber, NumberBeyondDouble_IsZeroOrInfinite) {
  const std::string zeros(400, '0');
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const std::pair<std::string, double> cases[] = {
      {"1e400", kInfinite},
      {"-1E+400", -kInfinite},
      {"1" + zeros, kInfinite},
      {"-1" + zeros + ".5", -kInfinite},
      {"1" + zeros + "e-50", kInfinite},
      {"0.01e99999999999999999999", kInfinite},
      {"0." + zeros + "1e+800", kInfinite},
      {"1e-400", 0.0},
      {"-1E-400", -0.0},
      {"0." + zeros + "1", 0.0},
      {"-0." + zeros + "1e50", -0.0},
      {"100e-99999999999999999999", 0.0},
      {"0e400", 0.0},
  };
  for (const auto& [text, want] : cases) {
    const Value value = Number(text);
    ASSERT_TRUE(value.AsDouble()) << text;
    EXPECT_EQ(*value.AsDouble(), want) << text;
    EXPECT_EQ(std::signbit(*value.AsDouble()), std::signbit(want)) << text;
    EXPECT_EQ(value.NumberText(), text);
  }
}

TEST(JsonNumber, IntegersAreComparedToTheLastDigit) {
  EXPECT_EQ(Number("18446744073709551615"), Number("18446744073709551615"));
  EXPECT_FALSE(Number("18446744073709551615") == Number("18446744073709551614"));
  EXPECT_FALSE(Number("9223372036854775807") == Number("9223372036854775806"));
  EXPECT_FALSE(Number("9223372036854775808") == Number("9223372036854775807"));
  EXPECT_EQ(Number("18446744073709551615"), Number("18446744073709551616.0"));
}

// Objects of more than about two dozen members have an index, which every change must update.
TEST(JsonObject, FindsEachMemberAtEverySize) {
  constexpr int kMost = 60;
  const auto name = [](int i) { return "n" + std::to_string(i * 37 % kMost); };
  Object object;
  const auto check = [&](int from, int to) {
    ASSERT_EQ(object.size(), static_cast<std::size_t>(to - from));
    for (int i = 0; i < kMost; ++i) {
      const Value* const found = object.Find(name(i));
      ASSERT_EQ(found != nullptr, i >= from && i < to) << i << " of " << from << " to " << to;
      if (found != nullptr) {
        ASSERT_EQ(found->AsInt64(), i);
      }
    }
  };
  for (int i = 0; i < kMost; ++i) {
    object.Set(name(i), i);
    check(0, i + 1);
  }
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(object.Erase(name(i)));
    check(i + 1, kMost);
  }
  // Exceeds that size again.
  for (int i = 0; i < 50; ++i) object.Set(name(i), i);
  check(0, kMost);
  EXPECT_EQ(object.name(0), name(50));
  object.SortByName();
  check(0, kMost);
  EXPECT_EQ(object.name(0), "n0");
  EXPECT_EQ(object.name(2), "n10");
  object.Clear();
  check(0, 0);
  object.Ensure("again") = 1;
  EXPECT_EQ(object.size(), 1U);
}

TEST(JsonValue, BracketsOfMutableValue_InsertNothing) {
  Value pod = Parse(R"({"spec":{"containers":[{"name":"web"}]},"phase":"Running"})").OrExit();
  const std::string before = pod.Dump();
  EXPECT_TRUE(pod["status"]["conditions"][0]["type"].is_null());
  EXPECT_TRUE(pod["spec"]["containers"][1]["name"].is_null());
  EXPECT_TRUE(pod["spec"]["containers"][-1].is_null());
  EXPECT_TRUE(pod["phase"]["of"]["what"][7].is_null());
  EXPECT_EQ(pod["spec"]["containers"][0]["name"].StringOrEmpty(), "web");
  EXPECT_EQ(pod.Dump(), before);
}

TEST(JsonValue, Ensure_MakesTheMembersOnTheWay) {
  Value job;
  job.Ensure("spec", "template", std::string("metadata"), std::string_view("name")) = "a";
  job.Ensure("spec", "list").Append(1);
  job.Ensure("spec", "list", 0) = 2;
  job.Ensure("spec", "list", 0, "was") = "a number";
  job.Ensure() = Value(job);
  EXPECT_EQ(job.Dump(),
            R"({"spec":{"template":{"metadata":{"name":"a"}},"list":[{"was":"a number"}]}})");
}

TEST(JsonValueDeathTest, EnsureOfAnItemThatIsNotThere_EndsWithThePathInWords) {
  Value pod = Parse(R"({"spec":{"containers":[{}],"a/b":1}})").OrExit();
  EXPECT_EXIT(pod.Ensure("spec", "containers", 1, "image"), ::testing::KilledBySignal(SIGABRT),
              "Ensure\\(/spec/containers/1\\): there is no such item, since /spec/containers is an "
              "array of 1; Append\\(\\) adds items");
  EXPECT_EXIT(pod.Ensure("spec", "containers", -1), ::testing::KilledBySignal(SIGABRT),
              "/spec/containers/-1");
  EXPECT_EXIT(pod.Ensure("spec", "a/b", 0), ::testing::KilledBySignal(SIGABRT),
              "/spec/a~1b/0.*, since /spec/a~1b is of type number");
  EXPECT_EXIT(Value().Ensure(0), ::testing::KilledBySignal(SIGABRT),
              "Ensure\\(/0\\): .*since the value is of type null");
}

TEST(JsonValue, APartOfAValueCanReplaceIt) {
  for (const char* const part : {"null", "true", "-1", "18446744073709551615", "1.50", R"("text")",
                                 R"([1,[2]])", R"({"b":{"c":"d"}})"}) {
    Value whole = Value::MakeObject({{"a", Parse(part).value()}});
    whole = whole["a"];
    EXPECT_EQ(whole.Dump(), part) << "copied";
    whole = Value::MakeArray({Parse(part).value(), 2});
    whole = std::move((*whole.IfArray())[0]);
    EXPECT_EQ(whole.Dump(), part) << "moved";
  }
}

TEST(JsonValue, EachTypeIsCopiedAndMovedOverEachOther) {
  const char* const texts[] = {"null",    "true",
                               "-1",      "18446744073709551615",
                               "1.50",    R"("some text that has memory of its own")",
                               "[1,[2]]", R"({"b":{"c":"d"}})"};
  for (const char* const from : texts) {
    for (const char* const to : texts) {
      const Value source = Parse(from).value();
      Value copied = Parse(to).value();
      copied = source;
      EXPECT_EQ(copied.Dump(), from);
      EXPECT_EQ(source.Dump(), from);
      Value moved = Parse(to).value();
      moved = Value(source);
      EXPECT_EQ(moved.Dump(), from);
      Value& same = moved;
      moved = std::move(same);
      EXPECT_EQ(moved.Dump(), from) << "moved to itself";
    }
  }
}

TEST(JsonValue, TypesHaveNamesAndScalarsNoMembers) {
  const std::pair<Value, const char*> cases[] = {
      {Value(), "null"},     {Value(false), "bool"},        {Value(1), "number"},
      {Value(""), "string"}, {Value::MakeArray(), "array"}, {Value::MakeObject(), "object"}};
  for (const auto& [value, name] : cases) {
    EXPECT_EQ(TypeName(value.type()), name);
    EXPECT_EQ(value.size(), 0U);
    EXPECT_FALSE(value.contains("a"));
    EXPECT_TRUE(value[0].is_null());
    EXPECT_TRUE(value["a"].is_null());
  }
  Value list = Value::MakeArray({1, 2});
  EXPECT_FALSE(list.Erase("a"));
  EXPECT_EQ(list.size(), 2U);
  const Value& same = list;
  EXPECT_EQ(same[1].AsInt64(), 2);
  EXPECT_TRUE(same[2].is_null());
  EXPECT_TRUE(same[-1].is_null());
  EXPECT_TRUE(same.At("/2").is_null());
}

std::string Refused(const Result<void>& done) {
  EXPECT_FALSE(done.ok());
  return done.ok() ? std::string() : done.error().message();
}

TEST(JsonPointer, EachNameHasItsOwnEscapes) {
  Value value;
  ASSERT_TRUE(value.SetPointer("/a~1b/c~0d/~01", Value(7)).ok());
  EXPECT_EQ(value.Dump(), R"({"a/b":{"c~d":{"~1":7}}})");
  EXPECT_EQ(value.At("/a~1b/c~0d/~01"), Value(7));
  ASSERT_TRUE(value.ErasePointer("/a~1b/c~0d").ok());
  EXPECT_EQ(value.Dump(), R"({"a/b":{}})");
}

TEST(JsonPointer, ErrorsSayWhatIsWrong) {
  Value v = Parse(R"({"a":[1],"s":"x"})").OrExit();
  const Value before = v;
  EXPECT_EQ(Refused(v.SetPointer("a", 1)), "JSON pointer \"a\": must begin with '/'");
  for (const char* bad : {"/~", "/a~2", "/s/~"}) {
    const std::string want =
        "JSON pointer \"" + std::string(bad) + "\": '~' must be written ~0, '/' ~1";
    if (bad[1] != 's') {
      EXPECT_EQ(Refused(v.SetPointer(bad, 1)), want);
    }
    EXPECT_EQ(Refused(v.ErasePointer(bad)), want);
  }
  EXPECT_EQ(Refused(v.SetPointer("/a/2", 1)),
            "JSON pointer \"/a/2\": \"2\" is no index of the array, which has 1 items");
  EXPECT_EQ(Refused(v.SetPointer("/a/x", 1)),
            "JSON pointer \"/a/x\": \"x\" is no index of the array, which has 1 items");
  EXPECT_EQ(Refused(v.SetPointer("/s/b", 1)),
            "JSON pointer \"/s/b\": \"b\" is looked for in a string");
  EXPECT_EQ(Refused(v.ErasePointer("a")), "JSON pointer \"a\": must begin with '/'");
  for (const char* absent : {"/a/1", "/a/-", "/a/x", "/x", "/s/x", "/x/y"}) {
    EXPECT_EQ(Refused(v.ErasePointer(absent)),
              "JSON pointer \"" + std::string(absent) + "\": there is nothing to remove");
  }
  EXPECT_EQ(v, before);
  // An index equal to the array's length appends, like "-".
  ASSERT_TRUE(v.SetPointer("/a/1", 2).ok());
  EXPECT_EQ(v["a"].Dump(), "[1,2]");
  ASSERT_TRUE(v.SetPointer("/a/1", 3).ok());
  EXPECT_EQ(v["a"].Dump(), "[1,3]");
  ASSERT_TRUE(v.ErasePointer("/a/1").ok());
  EXPECT_EQ(v["a"].Dump(), "[1]");
  ASSERT_TRUE(v.SetPointer("", 7).ok());
  EXPECT_EQ(v, Value(7));
  ASSERT_TRUE(v.ErasePointer("").ok());
  EXPECT_TRUE(v.is_null());
}

std::string ParseError(std::string_view text, const ParseOptions& options = {}) {
  const Result<Value> value = Parse(text, options);
  EXPECT_FALSE(value.ok()) << text;
  return value.ok() ? std::string() : value.error().message();
}

TEST(JsonParse, EveryLevelCountsWhetherObjectOrArray) {
  const auto nested = [](std::size_t objects, std::size_t arrays) {
    std::string text;
    for (std::size_t i = 0; i < objects; ++i) text += "{\"a\":";
    text += std::string(arrays, '[') + std::string(arrays, ']');
    if (arrays == 0) text += "1";
    return text + std::string(objects, '}');
  };
  for (const std::size_t objects : {std::size_t{512}, std::size_t{511}, std::size_t{100}}) {
    EXPECT_TRUE(Parse(nested(objects, 512 - objects)).ok()) << objects;
    const std::size_t byte = objects * 5 + 512 - objects;
    EXPECT_EQ(ParseError(nested(objects, 513 - objects)),
              "JSON, line 1, column " + std::to_string(byte + 1) + " (byte " +
                  std::to_string(byte) + "): nested deeper than 512 levels");
  }
  EXPECT_EQ(ParseError(nested(513, 0)),
            "JSON, line 1, column 2561 (byte 2560): nested deeper than 512 levels");
  EXPECT_TRUE(Parse(R"({"a":[1]})", {.max_depth = 2}).ok());
  EXPECT_EQ(ParseError(R"({"a":[1]})", {.max_depth = 1}),
            "JSON, line 1, column 6 (byte 5): nested deeper than 1 levels");
}

TEST(JsonParse, ErrorsSayExactlyWhere) {
  const std::pair<const char*, const char*> cases[] = {
      {"\n\n [1,\n}", "line 4, column 1 (byte 7): found '}' where a value should be"},
      {"\n", "line 2, column 1 (byte 1): the text ends where a value should be"},
      {"[1", "column 3 (byte 2): the text ends where ',' or ']' should be"},
      {"{\"a\":1", "column 7 (byte 6): the text ends where ',' or '}' should be"},
      {"{\"a\"", "column 5 (byte 4): the text ends where ':' should be"},
      {"{\"a\":", "column 6 (byte 5): the text ends where a value should be"},
      {"{", "column 2 (byte 1): the text ends where a member's name should be"},
      {"[", "column 2 (byte 1): the text ends where a value should be"},
      {"-", "column 2 (byte 1): the text ends where a digit should be"},
      {"1.", "column 3 (byte 2): the text ends where a digit should be"},
      {"1e+", "column 4 (byte 3): the text ends where a digit should be"},
      {"1ex", "column 3 (byte 2): found 'x' where a digit should be"},
      {"-00", "column 2 (byte 1): a number begins with a needless 0"},
      {"+1", "column 1 (byte 0): found '+' where a value should be"},
      {"nul", "column 1 (byte 0): found 'n' where a value should be"},
      {"\x7f", "column 1 (byte 0): found byte 0x7f where a value should be"},
      {"\"\\", "column 3 (byte 2): the text ends inside a string"},
      {"\"\\u", "column 4 (byte 3): the text ends inside a string"},
      {"\"\\u12", "column 6 (byte 5): the text ends inside a string"},
      {"\"\\u12g4\"",
       "column 6 (byte 5): found 'g' where one of four hexadecimal digits should be"},
      {"\"\\u\"", "column 4 (byte 3): found '\"' where one of four hexadecimal digits should be"},
      {"\"\\ud83d\\u00\"",
       "column 12 (byte 11): found '\"' where one of four hexadecimal digits should be"},
      {"\"ab\\qc\"", "column 4 (byte 3): there is no such escape as '\\q'"},
      {"\"0123456789\x1f\"", "column 12 (byte 11): byte 0x1f must be escaped in a string"},
      {"\"\xc3\xa9\xe9\"", "column 4 (byte 3): the text is not UTF-8"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_NE(ParseError(text).find(message), std::string::npos) << text << ParseError(text);
  }
  EXPECT_EQ(ParseError(R"({"a":{"b":1,"c":2,"b":3}})", {.reject_duplicate_keys = true}),
            "JSON, line 1, column 19 (byte 18): the member \"b\" occurs twice");
}

// Strings are read eight bytes at a time: each of them may be the one that ends a run.
TEST(JsonParse, RunsOfStringsEndAtEveryPlace) {
  for (std::size_t before = 0; before < 20; ++before) {
    const std::string text(before, 'a');
    for (std::size_t behind = 0; behind < 12; ++behind) {
      const std::string more(behind, 'b');
      EXPECT_EQ(Parse("\"" + text + "\\n" + more + "\"")->StringOrEmpty(), text + "\n" + more);
      EXPECT_EQ(Parse("[\"" + text + "\",\"" + more + "\"]")->Dump(),
                "[\"" + text + "\",\"" + more + "\"]");
      EXPECT_EQ(Parse("\"" + text + "\x7f\u00e9" + more + "\"")->StringOrEmpty(),
                text + "\x7f\u00e9" + more);
      for (const char control : {'\x01', '\x1f'}) {
        EXPECT_FALSE(Parse("\"" + text + control + more + "\"").ok());
      }
    }
  }
}

TEST(JsonDepth, CountsLevelsAndValues) {
  const auto depth = [](std::string_view text, std::size_t& values) {
    return DepthOf(Parse(text).OrExit(), values);
  };
  std::size_t values = 0;
  EXPECT_EQ(depth("7", values), 0U);
  EXPECT_EQ(values, 1U);
  EXPECT_EQ(depth("[]", values), 1U);
  EXPECT_EQ(values, 2U);
  EXPECT_EQ(depth(R"([1,[2],{"a":{"b":[]}},3])", values), 4U);
  EXPECT_EQ(values, 10U);
  EXPECT_EQ(depth(R"({"a":[[1]],"b":{}})", values), 3U);
  EXPECT_EQ(values, 15U);
  EXPECT_EQ(LevelsOf(""), 0U);
  EXPECT_EQ(LevelsOf("/a/b"), 2U);
}

}  // namespace
}  // namespace kinformer::json
