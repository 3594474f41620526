// Compares the two parsers of JsonTape with each other and with simdjson's parser.

#include "object/transcode/json_tape.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <simdjson.h>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object/transcode/backward_writer.h"
#include "object/transcode/json_tape_parsers.h"
#include "wire/json_index.h"
#include "wire/protobuf_writer.h"
#include "wire/testing/random_json.h"

namespace kinformer::internal {
namespace {

std::string Nodes(const JsonTape& tape) {
  std::string out;
  for (std::uint32_t i = 0; i < tape[0].next; ++i) {
    const JsonNode& node = tape[i];
    out += std::to_string(static_cast<int>(node.type)) + ":" + std::to_string(node.begin) + "-" +
           std::to_string(node.end) + ">" + std::to_string(node.next) + (node.plain ? " " : "e ");
  }
  return out;
}

// Whether the fast parser accepts the text; Parse falls back to the other one silently.
bool IsTakenByIndex(std::string_view text, std::size_t max_depth = 512) {
  const std::span<const std::uint32_t> positions = wire::IndexJson(text);
  std::vector<JsonNode> nodes(positions.size());
  return !positions.empty() && ParseIndexed(text, positions, max_depth, nodes.data());
}

TEST(JsonTape, FastPath_TakesAllValidJson) {
  testing::RandomJson random(9);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random.Make();
    ASSERT_TRUE(IsTakenByIndex(text)) << text;
  }
  for (const char* text :
       {"-0", "0.5e+3", "1E-2", " [ ] ", "{\"a\" : { } }", "\"\\\"\"", "[\"\\\\\", \"\\n\" ]",
        R"({"metadata":{"managedFields":[{"fieldsV1":{"f:a":{"b":[{}]}}},{"fieldsV1":{}}]}})"}) {
    EXPECT_TRUE(IsTakenByIndex(text)) << text;
  }
  EXPECT_TRUE(IsTakenByIndex(std::string(512, '[') + std::string(512, ']')));
  EXPECT_FALSE(IsTakenByIndex(std::string(513, '[') + std::string(513, ']'), 600));
  EXPECT_TRUE(IsTakenByIndex(R"({"a":[{}]})", 3));
  EXPECT_FALSE(IsTakenByIndex(R"({"a":[{}]})", 2));
  // Sizes up to 1 MiB, and a small one that reuses the memory of the longest.
  const auto of_size = [](std::size_t size) { return '"' + std::string(size - 2, 'x') + '"'; };
  for (const std::size_t size : {std::size_t{20} << 10, std::size_t{1} << 20, std::size_t{100}}) {
    EXPECT_TRUE(IsTakenByIndex(of_size(size))) << size;
  }
  EXPECT_FALSE(IsTakenByIndex(of_size((std::size_t{1} << 20) + 1)));
}

TEST(JsonTape, HoldsAsManyNodesAsThereAre) {
  for (const std::size_t count : {1000U, 1025U, 3000U, 200000U, 10U}) {
    std::string text = "[0";
    for (std::size_t i = 1; i < count; ++i) text += ",7";
    text += ']';
    const JsonTape tape = JsonTape::Parse(text).OrExit();
    ASSERT_EQ(tape[0].next, count + 1);
    ASSERT_EQ(tape.Text(static_cast<std::uint32_t>(count)), count > 1 ? "7" : "0");
    ASSERT_EQ(Nodes(tape), Nodes(JsonTape::ParseCarefully(text).OrExit()));
  }
}

TEST(JsonTape, BothWaysAgreeWithEachOtherAndWithSimdjson) {
  testing::RandomJson random(5);
  simdjson::dom::parser parser;
  int good = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string text = round % 2 == 1 ? random.MakeDamaged() : random.Make();
    const Result<JsonTape> tape = JsonTape::Parse(text);
    const Result<JsonTape> careful = JsonTape::ParseCarefully(text);
    ASSERT_EQ(tape.ok(), careful.ok()) << text;
    if (tape) {
      ASSERT_EQ(Nodes(*tape), Nodes(*careful)) << text;
    }
    simdjson::dom::element element;
    const bool theirs =
        parser.parse(simdjson::padded_string(text)).get(element) == simdjson::SUCCESS;
    if (tape.ok() != theirs) {
      // We accept what Go accepts: numbers out of range, unpaired surrogates, strings that are not
      // UTF-8.
      const bool lenient =
          text.find("\\u") != std::string::npos || text.find('e') != std::string::npos ||
          text.find('\xff') != std::string::npos || text.find('\xc3') != std::string::npos ||
          text.find('\xa9') != std::string::npos;
      ASSERT_TRUE(tape.ok() && lenient) << text;
    }
    if (tape) ++good;
  }
  EXPECT_GT(good, 10000);
}

TEST(JsonTape, ManagedFieldsAreLeftUnreadOnlyInTheirPlace) {
  const std::string text =
      R"({"metadata":{"managedFields":[{"fieldsV1":{"f:a":{"k:{\"n\":1}":{}}},"manager":"m"},)"
      R"({"fieldsV1":"none"},{"x":{"y":1}}]},"spec":{"list":[{"fieldsV1":{"b":1}}]}})";
  const Result<JsonTape> tape = JsonTape::Parse(text);
  ASSERT_TRUE(tape) << tape.error();
  int unread = 0;
  int read = 0;
  std::string scratch;
  for (std::uint32_t i = 0; i < (*tape)[0].next; ++i) {
    if ((*tape)[i].type != JsonType::kString || tape->String(i, scratch) != "fieldsV1") continue;
    const JsonNode& value = (*tape)[i + 1];
    if (value.type != JsonType::kObject) continue;
    (value.next == i + 2 ? unread : read) += 1;
  }
  EXPECT_EQ(unread, 1);
  EXPECT_EQ(read, 1);
  EXPECT_FALSE(JsonTape::Parse(R"({"metadata":{"managedFields":[{"fieldsV1":{"a":{}]}})"));
}

TEST(JsonTape, LongTextsAndDepth) {
  const std::string large = "[\"" + std::string(std::size_t{2} << 20, 'x') + "\"]";
  EXPECT_TRUE(JsonTape::Parse(large));
  EXPECT_TRUE(JsonTape::Parse(std::string(512, '[') + std::string(512, ']')));
  const Result<JsonTape> deep = JsonTape::Parse(std::string(513, '[') + std::string(513, ']'));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().message(), "JSON: nested deeper than 512 levels at byte 512");
}

TEST(JsonTape, ErrorsSayWhere) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "unexpected end at byte 0"},
      {"  ", "unexpected end at byte 2"},
      {"{", "unexpected end at byte 1"},
      {"{\"a\"", "unexpected end at byte 4"},
      {"{\"a\":", "unexpected end at byte 5"},
      {"{\"a\":1", "unexpected end at byte 6"},
      {"[1", "unexpected end at byte 2"},
      {"[1,", "unexpected end at byte 3"},
      {"\"ab", "unexpected end at byte 3"},
      {"\"a\\", "unexpected end at byte 3"},
      {"\"\\u12", "unexpected end at byte 5"},
      {"-", "unexpected end at byte 1"},
      {"1.", "unexpected end at byte 2"},
      {"1e", "unexpected end at byte 2"},
      {"1E+", "unexpected end at byte 3"},
      {"tru", "an unknown word at byte 0"},
      {"[nul]", "an unknown word at byte 1"},
      {"truex", "more text after the value at byte 4"},
      {"1 2", "more text after the value at byte 2"},
      {"{}}", "more text after the value at byte 2"},
      {"01", "more text after the value at byte 1"},
      {"-x", "a digit is missing at byte 1"},
      {"1.x", "a digit is missing at byte 2"},
      {"1e+x", "a digit is missing at byte 3"},
      {"+1", "a value is missing at byte 0"},
      {"{\"a\":}", "a value is missing at byte 5"},
      {"[1,]", "a value is missing at byte 3"},
      {"[01]", "',' or ']' is missing at byte 2"},
      {"[1 2]", "',' or ']' is missing at byte 3"},
      {"[1}", "',' or ']' is missing at byte 2"},
      {"{1:2}", "a member's name is missing at byte 1"},
      {"{\"a\":1,}", "a member's name is missing at byte 7"},
      {"{\"a\" 1}", "':' is missing at byte 5"},
      {"{\"a\":1 \"b\"}", "',' or '}' is missing at byte 7"},
      {"{\"a\":1]", "',' or '}' is missing at byte 6"},
      {"\"\\q\"", "an unknown escape at byte 1"},
      {"\"\\u12\"", "\\u without four hex digits at byte 5"},
      {"\"\\u12g4\"", "\\u without four hex digits at byte 5"},
      {"\"a\x1f\"", "a control character in a string at byte 2"},
  };
  for (const auto& [text, message] : cases) {
    for (const bool careful : {false, true}) {
      const Result<JsonTape> tape =
          careful ? JsonTape::ParseCarefully(text) : JsonTape::Parse(text);
      ASSERT_FALSE(tape.ok()) << text;
      EXPECT_EQ(tape.error().message(), "JSON: " + std::string(message)) << text;
    }
  }
}

TEST(JsonTape, DepthIsLimitedWhateverNests) {
  const std::pair<const char*, int> cases[] = {
      {"7", 0},        {"[]", 1},          {"{}", 1},
      {"[1]", 1},      {"[[]]", 2},        {"[{}]", 2},
      {"[1,[2]]", 2},  {R"({"a":[]})", 2}, {R"({"a":{"b":[{}]}})", 4},
      {"[[],[[]]]", 3}};
  for (const auto& [text, depth] : cases) {
    for (int most = 0; most < 6; ++most) {
      EXPECT_EQ(JsonTape::Parse(text, most).ok(), most >= depth) << text << most;
      EXPECT_EQ(JsonTape::ParseCarefully(text, most).ok(), most >= depth) << text << most;
    }
  }
  EXPECT_EQ(JsonTape::Parse(R"({"a":[]})", 1).error().message(),
            "JSON: nested deeper than 1 levels at byte 5");
}

// Checks PathOf for all nodes against the path from the root.
void ExpectPaths(const JsonTape& tape, std::uint32_t node, const std::string& path) {
  EXPECT_EQ(tape.PathOf(node), path);
  std::string scratch;
  std::size_t index = 0;
  for (std::uint32_t at = node + 1; at < tape[node].next; at = tape[at].next) {
    if (tape[node].type == JsonType::kArray) {
      ExpectPaths(tape, at, path + "[" + std::to_string(index++) + "]");
      continue;
    }
    const std::string name(tape.String(at, scratch));
    const std::string inner = path.empty() ? name : path + "." + name;
    EXPECT_EQ(tape.PathOf(at), inner) << "the name itself";
    ExpectPaths(tape, ++at, inner);
  }
}

TEST(JsonTape, PathsOfAllNodes) {
  const std::string text =
      R"({"a":[1,[],{},[[2],{"b":3}]],"c":{"d":{"e":[{"f":null},{"g":"h"}]},"i\n":true},"":[{}]})";
  const JsonTape tape = JsonTape::Parse(text).OrExit();
  ExpectPaths(tape, 0, "");
  const JsonTape list = JsonTape::Parse(R"([[],{"a":[1]}])").OrExit();
  ExpectPaths(list, 0, "");
}

TEST(JsonTape, TypesAndTexts) {
  const std::string text = "[null,false,true,-1.5,\"a\\u00e9\xff\xc3\",{},[],\"plain\"]";
  const JsonTape tape = JsonTape::Parse(text).OrExit();
  std::vector<std::string_view> names;
  for (std::uint32_t at = 1; at < tape[0].next; at = tape[at].next)
    names.push_back(tape.TypeName(at));
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"null", "a boolean", "a boolean", "a number", "a string",
                                           "an object", "an array", "a string"}));
  std::string scratch;
  EXPECT_EQ(tape.String(5, scratch), "a\u00e9\ufffd\ufffd");
  EXPECT_FALSE(tape[5].plain);
  EXPECT_EQ(tape.String(8, scratch), "plain");
  EXPECT_TRUE(tape[8].plain);
  EXPECT_EQ(tape.Text(4), "-1.5");
  EXPECT_EQ(tape.Text(0), text);
}

// Writing backwards gives the same bytes, whatever the initial room.
TEST(BackwardWriter, WritesWhatTheOtherWriterWrites) {
  for (const std::size_t expected : {0U, 1U, 64U, 1000U}) {
    BackwardWriter backward(expected);
    for (int round = 0; round < 2; ++round) {
      std::string forward;
      wire::ProtobufWriter writer(forward);
      for (std::uint32_t i = 1; i <= 200; ++i) {
        writer.Nested(i, [i](wire::ProtobufWriter& w) {
          w.BytesField(1, std::string(i * 3 % 150, 's'));
          w.VarintField(2, std::uint64_t{1} << (i % 64));
          w.DoubleField(3, i);
        });
      }
      for (std::uint32_t i = 200; i >= 1; --i) {
        const std::size_t before = backward.size();
        backward.DoubleField(3, i);
        backward.VarintField(2, std::uint64_t{1} << (i % 64));
        backward.StringField(1, std::string(i * 3 % 150, 's'));
        backward.LengthAndTag(i, before);
      }
      ASSERT_EQ(backward.view(), forward) << expected;
      ASSERT_EQ(backward.size(), forward.size());
      backward.Clear();
      EXPECT_EQ(backward.size(), 0U);
      EXPECT_EQ(backward.view(), "");
    }
  }
  BackwardWriter large(0);
  large.Bytes(std::string(std::size_t{3} << 20, 'x'));
  large.Clear();
  large.Bytes("small");
  EXPECT_EQ(large.view(), "small");
}

}  // namespace
}  // namespace kinformer::internal
