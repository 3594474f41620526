// Compares Parse and ParseAll with the results of Go's readers for the same texts.

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

namespace kinformer::yaml {
namespace {

using json::Value;

// Converts a value to the form used in the file; numbers are compared by value.
void Canonicalize(Value& value) {
  if (value.is_number()) {
    value = Value(*value.AsDouble() + 0.0);  // without the sign of a zero
  } else if (json::Array* const items = value.IfArray()) {
    for (Value& item : *items) Canonicalize(item);
  } else if (json::Object* const members = value.IfObject()) {
    for (std::size_t i = 0; i < members->size(); ++i) Canonicalize(members->value(i));
  }
}

std::string Shown(Value value) {
  Canonicalize(value);
  return value.Dump({.sort_keys = true});
}

std::string AllOf(const std::string& text) {
  Result<std::vector<Value>> documents = ParseAll(text);
  if (!documents) return "\"error\"";
  Value list = Value::MakeArray();
  for (Value& document : *documents) list.Append(std::move(document));
  return Shown(std::move(list));
}

std::string OneOf(const std::string& text) {
  Result<Value> value = Parse(text);
  return value.ok() ? Shown(*std::move(value)) : "\"error\"";
}

// Texts that are read differently on purpose (docs/guide/yaml.md).
const std::set<std::string> kDifferentAsFiles = {
    ".inf: a",        // a number without a JSON form cannot be a key
    "{\"a\":1} # c",  // comments are recognized
};
const std::set<std::string> kDifferentAsBodies = {
    ".inf: a",
    // Go reads only the first document; here documents without content are ignored.
    "---\n---\na: 1\n---", "null\n---\n~\n---\na: 1", "a: 1\n---\nb: 2", "a: 1\n--- # c\nb: 2",
    "a: 1\n---  \nb: 2", "a: 1\n---\n# only\n---\n\n---\nb: 2",
    "a: 1\n---\n\ufeff"
    "b: 2",
    "{\"a\":1}{\"b\":2}", "{\"a\":1}\n{\"b\":2}\n\n{\"c\":3}", "{\"a\":1}\n---\n{\"b\":2}",
    "{\"a\":1}\n---\nb: 2"};

TEST(YamlReadings, TextsAreReadAsInGo) {
  std::ifstream cases(KINFORMER_YAML_READINGS);
  std::string line;
  int count = 0;
  std::size_t different = 0;
  while (std::getline(cases, line)) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    const std::size_t second = line.find('\t', tab + 1);
    ASSERT_NE(second, std::string::npos) << line;
    const std::string text = json::Parse(line.substr(0, tab)).OrExit().StringOrEmpty();
    const Value all = json::Parse(line.substr(tab + 1, second - tab - 1)).OrExit();
    const Value one = json::Parse(line.substr(second + 1)).OrExit();
    const bool is_file_like = kDifferentAsFiles.count(text) == 0;
    const bool is_body_like = kDifferentAsBodies.count(text) == 0;
    EXPECT_EQ(AllOf(text) == Shown(all), is_file_like) << line << "\n" << AllOf(text);
    EXPECT_EQ(OneOf(text) == Shown(one), is_body_like) << line << "\n" << OneOf(text);
    different += (is_file_like ? 0 : 1) + (is_body_like ? 0 : 1);
    ++count;
  }
  EXPECT_GT(count, 300);
  EXPECT_EQ(different, kDifferentAsFiles.size() + kDifferentAsBodies.size());
}

TEST(YamlReadings, Utf16BehindItsMark_IsRead) {
  const auto utf16 = [](std::u16string_view text, bool little) {
    std::string out;
    for (const char16_t unit : text) {
      const auto high = static_cast<char>(unit >> 8U);
      const auto low = static_cast<char>(unit & 0xffU);
      out += little ? low : high;
      out += little ? high : low;
    }
    return out;
  };
  for (const bool little : {true, false}) {
    const std::string text = utf16(u"\ufeffa: \u00fc\U0001f40b\r\n---\r\nb: 2\r\n", little);
    EXPECT_EQ(AllOf(text), Shown(*json::Parse("[{\"a\":\"\u00fc\U0001f40b\"},{\"b\":2}]")));
    EXPECT_EQ(OneOf(utf16(u"\ufeff{\"a\":1}", little)), R"({"a":1})");
    EXPECT_EQ(AllOf(text.substr(0, text.size() - 1)), "\"error\"") << "half a character";
    EXPECT_EQ(AllOf(utf16(u"\ufeffa: ", little) + utf16({u"\xd83d", 1}, little)), "\"error\"")
        << "half a pair";
  }
  EXPECT_EQ(Parse("\xff\xfe"
                  "a",
                  "x.yaml")
                .error()
                .message(),
            "x.yaml: the text begins as UTF-16, and is none; save it as UTF-8");
}

TEST(YamlReadings, DocumentsSayOnWhichLineTheyBegin) {
  const auto lines = [](std::string_view text) {
    std::string out;
    for (const Document& document : ParseDocuments(text).OrExit())
      out += std::to_string(document.line) + " ";
    return out;
  };
  EXPECT_EQ(lines("# c\na: 1\n---\n# d\n\nb: 2\n---\n---\n- c\n"), "2 6 9 ");
  EXPECT_EQ(lines("\n{\"a\":\n1}\n {\"b\":2}\n---\nc: 3"), "2 4 6 ");
}

}  // namespace
}  // namespace kinformer::yaml
