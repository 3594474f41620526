// Limits of YAML, duplicate keys where they are allowed, and the values of aliases and <<.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/yaml.h"

namespace kinformer::yaml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string AsJson(std::string_view text) {
  const Result<json::Value> value = Parse(text);
  return value.ok() ? value->Dump({.escape_html = false}) : "error: " + value.error().message();
}

// Copies made by anchors, aliases and << are counted to the byte.
TEST(YamlLimits, CopiesTakeAtMost32MiB) {
  constexpr std::size_t kValue = sizeof(json::Value);
  constexpr std::size_t kEach = std::size_t{1} << 20U;
  const auto copies = [](const std::string& anchored, int aliases, const char* key = "- ") {
    std::string text = "a: &a " + anchored + "\nb:\n";
    for (int i = 0; i < aliases; ++i) text += std::string(key) + "*a\n";
    const Result<json::Value> read = Parse(text);
    return read.ok() ? std::string() : read.error().message();
  };
  // Each takes one megabyte: a text, a number that keeps its text, a list and a map with a text.
  for (const std::string& anchored :
       {"\"" + std::string(kEach - kValue, 'x') + "\"", "1." + std::string(kEach - kValue - 2, '0'),
        "[\"" + std::string(kEach - 2 * kValue, 'x') + "\"]",
        "{\"k\": \"" + std::string(kEach - 3 * kValue - 1, 'x') + "\"}"}) {
    EXPECT_EQ(copies(anchored, 31), "") << anchored.substr(0, 8);
    EXPECT_THAT(copies(anchored, 32),
                HasSubstr("line 34, column 3: aliases multiply what they name to more than 32 MiB"))
        << anchored.substr(0, 8);
    const std::string one_more = anchored.substr(0, 8) + anchored.substr(7);
    EXPECT_THAT(copies(one_more, 31), HasSubstr("line 33, column 3: aliases multiply"))
        << anchored.substr(0, 8);
  }
}

TEST(YamlLimits, CopiesOfAllDocumentsCountTogether) {
  const std::string document = "a: &a \"" + std::string(std::size_t{1} << 20U, 'x') +
                               "\"\nb: [*a, *a, *a, *a, *a, *a, *a]\n---\n";
  std::string text;
  for (int i = 0; i < 3; ++i) text += document;
  EXPECT_TRUE(ParseAll(text).ok());
  for (int i = 0; i < 3; ++i) text += document;
  const auto read = Parse(text);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message(), HasSubstr("aliases multiply what they name"));
}

TEST(YamlLimits, TagsAndMergesAreBounded) {
  const auto error = [](const std::string& text) {
    const Result<json::Value> read = Parse(text);
    return read.ok() ? std::string() : read.error().message();
  };
  EXPECT_THAT(error("%TAG !a! " + std::string(2000, 'x') + "\n---\na\n"), HasSubstr("%TAG"));
  std::string handles;
  for (int i = 0; i < 65; ++i) handles += "%TAG !h" + std::to_string(i) + "! x\n";
  EXPECT_THAT(error(handles + "---\na\n"), HasSubstr("%TAG"));
  // Each << copies all keys again.
  std::string keys;
  for (int i = 0; i < 20000; ++i) keys += "k" + std::to_string(i) + ": 1, ";
  std::string nested = "{" + keys + "}";
  for (int i = 0; i < 200; ++i) nested = "{<<: " + nested + "}";
  EXPECT_THAT(error(nested), HasSubstr("too many values"));
}

TEST(YamlLimits, AliasesNestAsDeepAsWhatTheyName) {
  const auto lists = [](std::size_t count, std::string_view inside) {
    return std::string(count, '[').append(inside).append(count, ']') + "\n";
  };
  // c has a depth of 404; the map around d and its lists make it 512, and one more list 513.
  const std::string text =
      "a: &a " + lists(4, "x") + "b: &b " + lists(200, "*a") + "c: &c " + lists(200, "*b");
  EXPECT_THAT(AsJson(text + "d: " + lists(107, "*c")), HasSubstr("[\"x\"]"));
  EXPECT_EQ(AsJson(text + "d: " + lists(108, "*c")),
            "error: YAML, line 4, column 112: nested deeper than 512 levels");
}

TEST(Yaml, Alias_NeedsEarlierAnchorThatIsComplete) {
  EXPECT_EQ(AsJson("a: &a [1, *a]\n"),
            "error: YAML, line 1, column 11: an alias inside what it stands for");
  EXPECT_EQ(AsJson("a: &a 1\nb: &a [2, *a]\n"),
            "error: YAML, line 2, column 11: an alias inside what it stands for");
  EXPECT_EQ(AsJson("a: *b\nb: &b 1\n"),
            "error: YAML, line 1, column 4: nothing in front of this alias has the anchor &b");
  EXPECT_EQ(AsJson("a: &a 1\nb: &a 2\nc: *a\n"), R"({"a":1,"b":2,"c":2})");
  EXPECT_EQ(AsJson("- &a x\n- &b ~\n- *a\n- *b\n"), R"(["x",null,"x",null])");
  EXPECT_EQ(AsJson("&a key: 1\nb: *a\n"), R"({"key":1,"b":"key"})");
}

TEST(Yaml, MergeKeys_AddMembersOfTheirMaps) {
  const std::string maps = "a: &a {x: 1, v: 2}\nb: &b {v: 3, z: 4}\n";
  const std::string as_json = R"({"a":{"x":1,"v":2},"b":{"v":3,"z":4},)";
  EXPECT_EQ(AsJson(maps + "c: {<<: [*a, *b], w: 0}\n"),
            as_json + R"("c":{"v":2,"z":4,"x":1,"w":0}})");
  EXPECT_EQ(AsJson(maps + "c: {<<: [*b, *a], x: 9}\n"), as_json + R"("c":{"x":9,"v":3,"z":4}})");
  // As in Go, the later one wins.
  EXPECT_EQ(AsJson(maps + "c:\n  <<: *a\n  <<: *b\n"), as_json + R"("c":{"x":1,"v":3,"z":4}})");
  EXPECT_EQ(AsJson(maps + "c: {x: 9, <<: *a}\n"), as_json + R"("c":{"x":1,"v":2}})");
  EXPECT_EQ(AsJson(maps + "c: {<<: {q: 1}}\n"), as_json + R"("c":{"q":1}})");
  EXPECT_EQ(AsJson("a: {<<: []}\n"), R"({"a":{}})");
  EXPECT_EQ(AsJson("a: {'<<': 1}\n"), R"({"a":{"<<":1}})") << "in quotes it is a key like others";
  EXPECT_EQ(AsJson("- <<\n"), R"(["<<"])");
  for (const char* bad :
       {"a: {<<: x}\n", "a: {<<: ~}\n", "a: {<<: [1]}\n", "a: {<<: [{}, [1]]}\n"}) {
    EXPECT_THAT(AsJson(bad), HasSubstr("<< takes a map or a list of maps")) << bad;
  }
}

TEST(Yaml, DuplicateKeys_LastWins) {
  const auto read = [](std::string_view text, std::vector<std::string>& repeated) {
    return Parse(text, {}, &repeated).OrExit().Dump();
  };
  std::vector<std::string> repeated;
  EXPECT_EQ(read("a: 1\nb: 2\na: 3\nc: 4\nb: 5\na: 6\n", repeated), R"({"a":6,"b":5,"c":4})");
  EXPECT_THAT(repeated, ElementsAre("line 3: key \"a\" already set in map",
                                    "line 5: key \"b\" already set in map",
                                    "line 6: key \"a\" already set in map"));
  repeated.clear();
  EXPECT_EQ(read("m:\n- {\"q\\\"\": 1,\n   \"q\\\"\": 2}\n- x\n", repeated),
            R"({"m":[{"q\"":2},"x"]})");
  EXPECT_THAT(repeated, ElementsAre("line 3: key \"q\\\"\" already set in map"));
  repeated.clear();
  EXPECT_EQ(read("{\"a\": 1,\n\"a\": 2}", repeated), R"({"a":2})");
  EXPECT_THAT(repeated, ElementsAre("line 2: key \"a\" already set in map"));
  repeated.clear();
  EXPECT_EQ(read("a: 1\nb: {c: 1}\n", repeated), R"({"a":1,"b":{"c":1}})");
  EXPECT_EQ(read("a: &a {c: 1, d: 2}\nb: {<<: *a, c: 3}\n", repeated),
            R"({"a":{"c":1,"d":2},"b":{"c":3,"d":2}})")
      << "what << brings in is there to be replaced";
  EXPECT_TRUE(repeated.empty());
  EXPECT_EQ(AsJson("a: 1\na: 2\n"), R"({"a":2})") << "without anybody who wants to know";
  EXPECT_EQ(ParseAll("a: 1\n---\nb: 1\n# c\nb: 2\n", {}, &repeated).OrExit().size(), 2U);
  EXPECT_THAT(repeated, ElementsAre("line 5: key \"b\" already set in map"));
}

TEST(Yaml, FirstInvalidByte_ErrorNamesItsLine) {
  const auto error = [](std::string_view text) {
    const Result<json::Value> read = Parse(text);
    return read.ok() ? std::string() : read.error().message();
  };
  EXPECT_EQ(error("a: \xff\n\nb: 1\n"), "YAML, line 1: the text is not UTF-8");
  EXPECT_EQ(error("a: 1\nb: \xff\nc: \xfe\n"), "YAML, line 2: the text is not UTF-8");
  EXPECT_EQ(error(std::string_view("a: 1\nb: \0\nc: \xff\n", 14)),
            "YAML, line 2: a control character; in double quotes write it as an escape");
  EXPECT_EQ(error(std::string_view("a: 1\nb: \xff\nc: \0\n", 14)),
            "YAML, line 2: the text is not UTF-8");
}

// Keys are sorted as by Go's writer: the first and last letters, and their neighbours in Unicode.
TEST(Yaml, DumpedKeys_LettersSortLast) {
  const std::vector<std::string> order = {
      "k@", "k[", "k`", "k{", "k\u00bf", "k\u00d7", "k\u00f7", "k\u2000", "k\u2bff", "k\U0001f000",
      "kA", "kZ", "ka", "kz", "k\u00c0", "k\u00d6", "k\u00d8", "k\u1fff", "k\u2c00", "k\U0001efff"};
  json::Value map = json::Value::MakeObject();
  for (std::size_t i = order.size(); i-- > 0;) map.Set(order[i], 1);
  const json::Value again = Parse(Dump(map)).OrExit();
  std::vector<std::string> names;
  for (const auto& [name, value] : again.members()) names.push_back(name);
  EXPECT_EQ(names, order);
}

TEST(Yaml, DocumentsMayBeEmptyListsAndMaps) {
  for (const char* text : {"[] # none", "{} # none", "---\n[]\n", "!!seq []"}) {
    EXPECT_EQ(ParseAll(text).OrExit().size(), 1U) << text;
  }
}

TEST(Yaml, KeysWithATagAreKeys) { EXPECT_EQ(Parse("!!int 5: x").OrExit().Dump(), R"({"5":"x"})"); }

// A text that is nearly a time stays an ordinary text; year 0 is valid.
TEST(Yaml, Dump_QuotesTextsThatLookLikeTimes) {
  for (const char* time :
       {"2026-01-01", "0000-01-01", "2026-1-1T1:00:00Z", "2026-01-01T10:00:00+02:30"}) {
    EXPECT_EQ(Dump(json::Value(time)), "\"" + std::string(time) + "\"\n");
  }
  for (const char* text : {"12345-01-01", "2026-01-012", "2026-01-01T012:00:00Z",
                           "2026-01-01T10:00:00+02:030", "2026-001-01"}) {
    EXPECT_EQ(Dump(json::Value(text)), std::string(text) + "\n");
  }
}

TEST(Yaml, BlanksAtTheEndOfALongTextStayInItsLine) {
  const std::string text = std::string(90, 'x') + " ";
  EXPECT_EQ(Dump(json::Value(text)), "'" + text + "'\n");
}

TEST(Yaml, NumbersInOtherForms) {
  const std::pair<const char*, const char*> cases[] = {
      {"-.5", "-0.5"},
      {"+.5", "0.5"},
      {"00.5", "0.5"},
      {"-00.25", "-0.25"},
      {"1.e3", "1e3"},
      {"1.5E-3", "1.5E-3"},
      {".e3", "\".e3\""},
      {"1e+", "\"1e+\""},
      {"1e3.5", "\"1e3.5\""},
      {"--1", "\"--1\""},
      {"+-1", "\"+-1\""},
      {"._5", "\"._5\""},
      {"1_.5", "1.5"},
      {"-0x8000000000000000", "-9223372036854775808"},
      {"-0x8000000000000001", "\"-0x8000000000000001\""},
      {"-0", "0"},
      {"0", "0"},
      {"0xffffffffffffffff0", "\"0xffffffffffffffff0\""},
      {"-9223372036854775807", "-9223372036854775807"},
      {"0B11", "3"},
      {"0O17", "15"},
      {"0x-1", "\"0x-1\""},
      {"0b+1", "\"0b+1\""},
      {"0_7", "7"}};
  for (const auto& [yaml, json] : cases) {
    EXPECT_EQ(AsJson(std::string("v: ") + yaml), std::string("{\"v\":") + json + "}") << yaml;
  }
}

}  // namespace
}  // namespace kinformer::yaml
