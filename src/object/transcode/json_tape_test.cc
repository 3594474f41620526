// The two ways in which JsonTape reads, against each other and against simdjson's own parser.

#include "object/transcode/json_tape.h"

#include <gtest/gtest.h>
#include <simdjson.h>

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
      // We let pass what Go lets pass: numbers out of range, halves of surrogate pairs, strings
      // that are not UTF-8.
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

}  // namespace
}  // namespace kinformer::internal
