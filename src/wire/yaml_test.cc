#include "kinformer/json/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::yaml {
namespace {

std::string AsJson(std::string_view text) {
  const Result<json::Value> value = Parse(text);
  return value.ok() ? value->Dump({.escape_html = false}) : "error: " + value.error().message();
}

struct Scalar {
  const char* yaml;
  const char* json;
};

constexpr Scalar kScalars[] = {
    {"~", "null"},
    {"null", "null"},
    {"yes", "true"},
    {"On", "true"},
    {"FALSE", "false"},
    {"off", "false"},
    {"y", "true"},
    {"N", "false"},
    {"'n'", R"("n")"},
    {"yEs", R"("yEs")"},
    {"'yes'", R"("yes")"},
    {"\"1\"", R"("1")"},
    {"1", "1"},
    {"-12", "-12"},
    {"0x1F", "31"},
    {"010", "8"},
    {"0o17", "15"},
    {"0b11", "3"},
    {"1_000", "1000"},
    {"089", "89"},
    {"18446744073709551615", "18446744073709551615"},
    {"1.5", "1.5"},
    {".5", "0.5"},
    {"1.", "1"},
    {"1e3", "1e3"},
    {"+1.5e+3", "1.5e+3"},
    {"1.2.3", R"("1.2.3")"},
    {"500m", R"("500m")"},
    {"2001-12-14", R"("2001-12-14")"},
    {"12:30", R"("12:30")"},
    {"!!str 1", R"("1")"},
    {"|\n  a\n  b\n", R"("a\nb\n")"},
    {">-\n  a\n  b\n", R"("a b")"},
    {"nginx:1.25", R"("nginx:1.25")"},
    // Expected results are from YAMLToJSON of sigs.k8s.io/yaml 1.6.
    {"0777", "511"},
    {"08", "8"},
    {"-010", "-8"},
    {"+010", "8"},
    {"0o8", R"("0o8")"},
    {"0o1_0", "8"},
    {"0x", R"("0x")"},
    {"0xg", R"("0xg")"},
    {"0X1f", "31"},
    {"0x1_0", "16"},
    {"-0x10", "-16"},
    {"0xFFFFFFFFFFFFFFFF", "18446744073709551615"},
    {"0b2", R"("0b2")"},
    {"0b", R"("0b")"},
    {"_1", R"("_1")"},
    {"1_", "1"},
    {"1__0", "10"},
    {"1_000.5", "1000.5"},
    {"1,000", R"("1,000")"},
    {"190:20:30", R"("190:20:30")"},
    {"190:20:30.15", R"("190:20:30.15")"},
    {"2001-12-14t21:59:43.10-05:00", R"("2001-12-14t21:59:43.10-05:00")"},
    {"9223372036854775808", "9223372036854775808"},
    {"-9223372036854775808", "-9223372036854775808"},
    // Go converts it to a float; this library keeps the digits.
    {"123456789012345678901234567890", "123456789012345678901234567890"},
    {"1e400", R"("1e400")"},
    {"-1.5e999", R"("-1.5e999")"},
    {"1e", R"("1e")"},
    {"e3", R"("e3")"},
    {".", R"(".")"},
    {".inf", "error"},
    {"-.INF", "error"},
    {".nan", "error"},
    {"!!binary aGk=", R"("hi")"},
    {"!!binary |\n  aG\n  k=", R"("hi")"},
    {"!!binary aGk", "error"},
    {"!!binary a.k=", "error"},
    {"!!binary /w==", "error"},  // Go replaces invalid UTF-8 by U+FFFD
    {"!!int 1.5", "error"},
    {"!!bool 1", "error"},
    {"!!null x", "error"},
    {"!!float 1", "1"},
    {"!!timestamp 2001-01-01", R"("2001-01-01")"},
    {"!!timestamp x", "error"},
    {"!!str", R"("")"},
    {"! 1", R"("1")"},
    {"!<tag:yaml.org,2002:int> '7'", "7"},
    {R"("\x41\u00fc\U0001F40B\N\_\L\P\t\e")",
     "\"A\u00fc\U0001F40B\u0085\u00a0\u2028\u2029\\t\\u001b\""},
    {R"("\/")", "error"},
    {R"("\ud83d")", "error"},
    {R"("\x4")", "error"},
    {"0x1p3", R"("0x1p3")"},
    {"Infinity", R"("Infinity")"},
    {"nULL", R"("nULL")"},
    {"tRUE", R"("tRUE")"},
    {"oN", R"("oN")"},
    {"=", R"("=")"},
    {"'~'", R"("~")"},
    {"\"010\"", R"("010")"},
    {"!!int \"7\"", "7"},
    {"!!bool \"yes\"", "true"},
    {"!foo x", R"("x")"},
};

TEST(Yaml, PlainScalarsAreReadAsKubectlReadsThem) {
  for (const Scalar& c : kScalars) {
    if (std::string_view(c.json).starts_with("error")) {
      EXPECT_EQ(AsJson(std::string("v: ") + c.yaml).substr(0, 5), "error") << c.yaml;
      continue;
    }
    EXPECT_EQ(AsJson(std::string("v: ") + c.yaml), std::string("{\"v\":") + c.json + "}") << c.yaml;
  }
}

TEST(Yaml, Structures) {
  EXPECT_EQ(AsJson("a:\n- b: 1\n  c: [x, z]\n- {d: e}\nf: {}\n"),
            R"({"a":[{"b":1,"c":["x","z"]},{"d":"e"}],"f":{}})");
  EXPECT_EQ(AsJson("1: a\ntrue: b\n1.5: c\n"), R"({"1":"a","true":"b","1.5":"c"})");
  EXPECT_EQ(AsJson(""), "null");
  EXPECT_EQ(AsJson("# only a comment\n"), "null");
  EXPECT_EQ(AsJson("{\"a\": [1, 2]}"), R"({"a":[1,2]})");
  EXPECT_EQ(AsJson("{a: 1}"), R"({"a":1})");
}

TEST(Yaml, AnchorsAndMergeKeys) {
  EXPECT_EQ(AsJson("base: &b {x: 1, z: 2}\nuse: *b\nmerged:\n  <<: *b\n  z: 3\n"),
            R"({"base":{"x":1,"z":2},"use":{"x":1,"z":2},"merged":{"x":1,"z":3}})");
  EXPECT_NE(AsJson("a: {<<: 1}").find("<< takes a map"), std::string::npos);
}

TEST(Yaml, AliasesCannotMultiplyWithoutEnd) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? "," : "") + before;
    bomb += "]\n";
  }
  EXPECT_NE(AsJson(bomb).find("aliases multiply"), std::string::npos);
}

// The limit applies to the size and the depth of the values behind aliases, not to their number.
TEST(Yaml, AliasesOfLongTextsAndDeepListsAreBounded) {
  std::string texts = "a: &a \"" + std::string(1 << 20, 'x') + "\"\nb:\n";
  for (int i = 0; i < 100; ++i) texts += "- *a\n";
  EXPECT_NE(AsJson(texts).find("aliases multiply"), std::string::npos);
  std::string deep = "a0: &a0 [x]\n";
  for (int i = 1; i < 100; ++i) {
    const std::string n = std::to_string(i);
    deep += "a" + n + ": &a" + n + " [[[[[[[[[[*a" + std::to_string(i - 1) + "]]]]]]]]]]\n";
  }
  EXPECT_NE(AsJson(deep).find("512 levels"), std::string::npos);
  EXPECT_EQ(AsJson("a: &a [&b {c: d}]\ne: *a\nf: {<<: *b, g: h}\n"),
            R"({"a":[{"c":"d"}],"e":[{"c":"d"}],"f":{"c":"d","g":"h"}})");
}

TEST(Yaml, ErrorsNameTheLine) {
  EXPECT_EQ(AsJson("a: 1\nb: @2\n"),
            "error: YAML, line 2, column 4: no text begins with '@'; put it in quotes");
  EXPECT_NE(AsJson("a:\n  b: [1\nc: 2\n").find("error: YAML, line"), std::string::npos);
  EXPECT_NE(AsJson("a: .inf").find("no form in JSON"), std::string::npos);
  EXPECT_NE(AsJson("a: *nobody").find("error: YAML, line 1"), std::string::npos);
  EXPECT_NE(AsJson("? [a]\n: b\n").find("cannot be a key"), std::string::npos);
  EXPECT_NE(AsJson("a\n---\nb\n").find("2 documents"), std::string::npos);
  EXPECT_FALSE(Parse(std::string(100000, '[')).ok());
}

// As in sigs.k8s.io/yaml, a key is resolved like any scalar before it becomes a text.
TEST(Yaml, KeysAreResolved) {
  EXPECT_EQ(AsJson("on: 1\nn: 2\n0x10: 3\n'y': 4\n"), R"({"true":1,"false":2,"16":3,"y":4})");
}

// Lines of a document that is one text could look like document separators.
TEST(Yaml, ADocumentThatIsOneText) {
  for (const char* text : {"a\n---\nb\n", "...\n", "x\n...\ny"}) {
    const Result<json::Value> read = Parse(Dump(json::Value(text)));
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->StringOrEmpty(), text);
  }
}

TEST(Yaml, KeysThatAreNoText) {
  for (const char* text : {"~: 1\n", "null: 1\n", "? [a]\n: 1\n", "? {a: 1}\n: 1\n", ".nan: 1\n"}) {
    EXPECT_EQ(AsJson(text).substr(0, 5), "error") << text;
  }
  EXPECT_EQ(AsJson("'null': 1\n"), R"({"null":1})");
  // Two keys that are equal as JSON names are the same key.
  EXPECT_EQ(AsJson("1: a\n'1': b\n"), R"({"1":"b"})");
  EXPECT_EQ(AsJson("010: a\n8: b\n"), R"({"8":"b"})");
  EXPECT_EQ(AsJson("1e6: 1\n1e20: 3\n1.25e-7: 4\n0.5: 5\n100.0: 6\n"),
            R"({"1e+06":1,"1e+20":3,"1.25e-07":4,"0.5":5,"100":6})");
}

TEST(Yaml, ErrorsNameTheFile) {
  EXPECT_EQ(Parse("a: 1\nb:\n  c: 1\n  c\n", "deploy.yaml").error().message(),
            "deploy.yaml:4:3: expected a key and ':' here, in one line of at most 1024 characters");
  EXPECT_EQ(ParseAll("a: 1\n---\nb: .inf\n", "x.yaml").error().message(),
            "x.yaml:3:4: \".inf\" has no form in JSON; quote it if it is a string");
  EXPECT_EQ(ParseAll("{\"a\":1}\n{\"a\":2]}", "x.json").error().message(),
            "x.json:2:7: expected ',' or the '}' of the '{' in line 2");
  EXPECT_EQ(Parse("a: 1\n---\nb: 2\n", "x.yaml").error().message(),
            "x.yaml: 2 documents where one is expected");
}

TEST(Yaml, TwoHyphensBetweenDocumentsAreNamed) {
  const std::string want = ":1: three hyphens, ---, separate documents; here are two";
  EXPECT_EQ(ParseAll("a: 1\nb:\n  c: 1\n--\na: 2\n", "x.yaml").error().message(),
            "x.yaml:4" + want);
  EXPECT_EQ(ParseAll("a: 1\n---\na: 2\n--\na: 2\n", "x.yaml").error().message(), "x.yaml:4" + want);
  EXPECT_EQ(ParseAll("--\na: 1\n", "x.yaml").error().message(), "x.yaml:1" + want);
  EXPECT_EQ(ParseAll("a: 1\n-- \t\r\n- b\n", "x.yaml").error().message(), "x.yaml:2" + want);
  EXPECT_EQ(ParseAll("- a\n--\n- b\n", "x.yaml").error().message(), "x.yaml:2" + want);
  // It is an ordinary text where one is allowed, and no hint is given for other errors.
  EXPECT_EQ(AsJson("--\n"), R"("--")");
  EXPECT_EQ(AsJson("a: |\n  --\nb: -- x\n"), R"({"a":"--\n","b":"-- x"})");
  EXPECT_THAT(AsJson("a: 1\nb: --\nc\n"), testing::HasSubstr("expected a key and ':' here"));
  EXPECT_THAT(AsJson("a: |\n  --\n\nb\n"), testing::HasSubstr("expected a key and ':' here"));
}

TEST(Yaml, InvalidYaml_IsRefusedWithItsPlace) {
  for (const char* text :
       {",", "]", "a: 1\n---\n]", ", a", "}", "a: 1\n]", "[a]]", "  a: 1\nb: 2"}) {
    const auto documents = ParseAll(text, "x.yaml");
    ASSERT_FALSE(documents.ok()) << text;
    EXPECT_EQ(documents.error().message().find("x.yaml:"), 0u) << documents.error().message();
  }
  EXPECT_EQ(ParseAll("a: 1\nb: \xff\n", "x.yaml").error().message(),
            "x.yaml:2: the text is not UTF-8");
  EXPECT_EQ(ParseAll(std::string_view("a\0b", 3), "x.yaml").error().message(),
            "x.yaml:1: a control character; in double quotes write it as an escape");
  for (const char* text : {"a: \x07", "a: '\x7f'", "a: \u009b", "a: \ufffe", "# \x01"}) {
    EXPECT_THAT(AsJson(text), testing::HasSubstr("line 1: a control character")) << text;
  }
  EXPECT_EQ(AsJson("a: \u0085"), R"({"a":null})") << "it ends a line";
}

TEST(Yaml, NumbersKeepTheirText) {
  for (const char* number : {"103E13", "1.5e-3", "-0.25", "1E+2"}) {
    EXPECT_EQ(Dump(*Parse(std::string("- ") + number + "\n")), std::string("- ") + number + "\n");
    EXPECT_EQ(Dump(*Parse(std::string("[") + number + "]")), std::string("- ") + number + "\n");
  }
}

TEST(Yaml, NumbersThatNoFloatHoldsAreTexts) {
  EXPECT_EQ(AsJson("[1E313]"), R"(["1E313"])");
  EXPECT_EQ(AsJson("- 1E313\n"), R"(["1E313"])");
  EXPECT_EQ(AsJson(R"({"a": [{"b": -1e999}, 1]})"), R"({"a":[{"b":"-1e999"},1]})");
}

TEST(Yaml, ManyDocuments) {
  const Result<std::vector<json::Value>> all =
      ParseAll("# head\n---\na: 1\n---\n# nothing\n---\nb: 2\n...\n");
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[0].Dump(), R"({"a":1})");
  EXPECT_EQ((*all)[1].Dump(), R"({"b":2})");
}

TEST(Yaml, DumpsAsKubectl) {
  const json::Value v =
      *json::Parse(R"({"spec":{"b":[{"image":"x:1","args":["-v","=a"]}],"a":{}},"kind":"Pod",)"
                   R"("n":1.50,"e":[],"t":"true","s":"","d":"2001-12-14","x":"l1\nl2\n"})");
  EXPECT_EQ(Dump(v),
            "d: \"2001-12-14\"\n"
            "e: []\n"
            "kind: Pod\n"
            "\"n\": 1.50\n"
            "s: \"\"\n"
            "spec:\n"
            "  a: {}\n"
            "  b:\n"
            "  - args:\n"
            "    - -v\n"
            "    - =a\n"
            "    image: x:1\n"
            "t: \"true\"\n"
            "x: |\n"
            "  l1\n"
            "  l2\n");
}

// Texts that YAML 1.1 would read as something else are quoted, in the way kubectl does it.
TEST(Yaml, QuotesWhereTheyAreNeeded) {
  const struct {
    std::string text;
    const char* want;
  } kCases[] = {
      // Keywords, numbers, dates, base 60.
      {"yes", "\"yes\""},
      {"No", "\"No\""},
      {"n", "\"n\""},
      {"oFF", "oFF"},
      {"", "\"\""},
      {"~", "\"~\""},
      {"null", "\"null\""},
      {"NULl", "NULl"},
      {".inf", "\".inf\""},
      {"NaN", "NaN"},
      {"12", "\"12\""},
      {"-1.5", "\"-1.5\""},
      {"5.", "\"5.\""},
      {"1_000", "\"1_000\""},
      {"_1", "_1"},
      {"1e3", "\"1e3\""},
      {"1e1000", "1e1000"},
      {"1e", "1e"},
      {"0x1F", "\"0x1F\""},
      {"0x", "0x"},
      {"0o17", "\"0o17\""},
      {"0o8", "0o8"},
      {"0b2", "0b2"},
      {"08", "\"08\""},
      {"10Mi", "10Mi"},
      {"1.2.3", "1.2.3"},
      {"2001-12-14", "\"2001-12-14\""},
      {"2001-2-30", "2001-2-30"},
      {"2001-1-1 1:2:3.5", "\"2001-1-1 1:2:3.5\""},
      {"2001-12-14T21:59:43Z", "\"2001-12-14T21:59:43Z\""},
      {"2001-12-14t21:59:43-05:00", "\"2001-12-14t21:59:43-05:00\""},
      {"2001-12-14T21:59:43", "2001-12-14T21:59:43"},
      {"2001-12-14T2:3:4Z", "\"2001-12-14T2:3:4Z\""},
      {"2001-12-14T2:3:004Z", "2001-12-14T2:3:004Z"},
      {"2001-12-14 2:003:4", "2001-12-14 2:003:4"},
      {"2001-12-14 21:59:43,5", "\"2001-12-14 21:59:43,5\""},
      {"2001-12-14 21:59:43.", "2001-12-14 21:59:43."},
      {"2001-12-14 21:59:43.x5", "2001-12-14 21:59:43.x5"},
      {"2001-12-14 21:59:43;5", "2001-12-14 21:59:43;5"},
      {"2001-12-14 21:59:435", "2001-12-14 21:59:435"},
      {"2001-12-14 23:59:59", "\"2001-12-14 23:59:59\""},
      {"2001-12-14 24:59:59", "2001-12-14 24:59:59"},
      {"2001-12-14 23:60:59", "2001-12-14 23:60:59"},
      {"2001-12-14 23:59:60", "2001-12-14 23:59:60"},
      {"2001-12-14T21:59:43+24:59", "\"2001-12-14T21:59:43+24:59\""},
      {"2001-12-14T21:59:43+25:00", "2001-12-14T21:59:43+25:00"},
      {"2001-12-14T21:59:43+01:60", "2001-12-14T21:59:43+01:60"},
      {"2001-12-14T21:59:43+1:00", "2001-12-14T21:59:43+1:00"},
      {"2001-12-14T21:59:43*01:00", "2001-12-14T21:59:43*01:00"},
      {"2000-2-29", "\"2000-2-29\""},
      {"2004-02-29", "\"2004-02-29\""},
      {"1900-2-29", "1900-2-29"},
      {"2001-02-29", "2001-02-29"},
      {"2001-1-31", "\"2001-1-31\""},
      {"2001-1-32", "2001-1-32"},
      {"2001-1-0", "2001-1-0"},
      {"2001-0-1", "2001-0-1"},
      {"2001-13-1", "2001-13-1"},
      {"201-12-14", "201-12-14"},
      {"2001-12-14x", "2001-12-14x"},
      {"12:30", "\"12:30\""},
      {"-12:30", "\"-12:30\""},
      {"+12:30", "\"+12:30\""},
      {"1_0:30", "\"1_0:30\""},
      {"1x:30", "1x:30"},
      {"1:5", "\"1:5\""},
      {"1:5x", "1:5x"},
      {"1:x", "1:x"},
      {"1:59.5_0", "\"1:59.5_0\""},
      {"1:59.5x", "1:59.5x"},
      {"x:30", "x:30"},
      {"+-1", "+-1"},
      {"0x-1", "0x-1"},
      {"0b+1", "0b+1"},
      {"12:60", "12:60"},
      {"190:20:30.15", "\"190:20:30.15\""},
      {"3d0e4a5c-7c7b-4b39-9b42-5d5d6f4c3e11", "3d0e4a5c-7c7b-4b39-9b42-5d5d6f4c3e11"},
      {"12345678-1234-1234-1234-123456789012", "12345678-1234-1234-1234-123456789012"},
      // Indicator characters.
      {"- x", "'- x'"},
      {"-x", "-x"},
      {"?x", "?x"},
      {"a: b", "'a: b'"},
      {"a:b", "a:b"},
      {"a #b", "'a #b'"},
      {"a#b", "a#b"},
      {"<<", "<<"},
      {"=", "="},
      {"'a'", "'''a'''"},
      {"it's", "it's"},
      {"\"", "'\"'"},
      {"a\\b", "a\\b"},
      {" a", "' a'"},
      {"a ", "'a '"},
      {"<a&b>", "<a&b>"},
      {"--- a", "'--- a'"},
      {"é", "é"},
      {"\u00a0", "\u00a0"},
      // Characters that must be escaped.
      {"\t", "\"\\t\""},
      {"\x01\x1b\x7f", "\"\\x01\\e\\x7F\""},
      {"\u0085", "\"\\u0085\""},
      {"\u2028", "\"\\u2028\""},
      {"\ufeff", "\"\\uFEFF\""},
      {"😀", "\"\\U0001F600\""},
      // Texts with line breaks.
      {"a\nb", "|-\n  a\n  b"},
      {"a\n\n b\n", "|\n  a\n\n   b"},
      {"a\n\n", "|+\n  a\n"},
      {"\na", "|2-\n\n  a"},
      {" a\n", "|2\n   a"},
      {"a \nb", "\"a \\nb\""},
      {"a\n\tb", "\"a\\n\\tb\""},
  };
  for (const auto& c : kCases) {
    const json::Value map = json::Value::MakeObject({{"k", c.text}});
    EXPECT_EQ(Dump(map), std::string("k: ") + c.want + "\n");
    const Result<json::Value> again = Parse(Dump(map));
    ASSERT_TRUE(again.ok()) << c.want << ": " << again.error().message();
    EXPECT_EQ(*again, map) << c.want;
  }
}

TEST(Yaml, KeysInTheOrderOfKubectl) {
  const json::Value v = *json::Parse(
      R"({"a10":1,"a2":2,"A":3,"a.b":4,"ab":5,"1":6,"10":7,"9":8,"":9,"yes":10,"<<":{},"é":11})");
  EXPECT_EQ(Dump(v),
            "\"\": 9\n'<<': {}\n\"1\": 6\n\"9\": 8\n\"10\": 7\nA: 3\na.b: 4\na2: 2\na10: 1\n"
            "ab: 5\n\"yes\": 10\né: 11\n");
  EXPECT_EQ(*Parse(Dump(v)), v);
}

TEST(Yaml, LongTextsAreFolded) {
  const std::string words = "0123456789 0123456789 0123456789 0123456789 ";
  const json::Value v = json::Value::MakeObject(
      {{"a", words + words + "end"},
       {"b", words + words + "# end"},
       {"c", words + words + "\tend"},
       {std::string(130, 'k'), json::Value::MakeArray({json::Value("x")})}});
  std::string line = words + words;
  line.pop_back();
  EXPECT_EQ(Dump(v), "a: " + line + "\n  end\nb: '" + line + "\n  # end'\nc: \"" + line +
                         "\n  \\tend\"\n? " + std::string(130, 'k') + "\n: - x\n");
  EXPECT_EQ(*Parse(Dump(v)), v);
}

// Columns count characters, not bytes; an escape is as wide as its text.
TEST(Yaml, ColumnsAreCountedInCharacters) {
  const auto words = [](std::string_view word, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text.append(i > 0 ? " " : "").append(word);
    return text;
  };
  const auto dump = [](const std::string& text) {
    return Dump(json::Value::MakeObject({{"k", text}}));
  };
  // Each word takes ten columns; the text begins in column 3, or 4 with quotes.
  const std::string wide = "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9";
  const std::string plain = "abcdefghi";
  for (const std::string& word : {plain, wide}) {
    EXPECT_EQ(dump(words(word, 10)), "k: " + words(word, 8) + "\n  " + words(word, 2) + "\n");
    // A blank at column 80 does not fold: the limit is not exceeded.
    const std::string even = words(word, 7) + " " + word.substr(0, word.size() / 9 * 7);
    EXPECT_EQ(dump(even + " end"), "k: " + even + " end\n");
    EXPECT_EQ(dump(even + word.substr(0, word.size() / 9) + " end"),
              "k: " + even + word.substr(0, word.size() / 9) + "\n  end\n");
    const std::string quoted = words(word, 10) + ": ";
    EXPECT_EQ(dump(quoted + "x"), "k: '" + words(word, 8) + "\n  " + words(word, 2) + ": x'\n");
    const std::string escaped = words(word, 8) + " \x01 " + words(word, 2);
    EXPECT_EQ(dump(escaped), "k: \"" + words(word, 8) + "\n  \\x01 " + words(word, 2) + "\"\n");
  }
  // Words of six and of four columns.
  std::string lines;
  std::string controls;
  for (int i = 0; i < 13; ++i) lines += "\u0085";
  for (int i = 0; i < 20; ++i) controls += '\x01';
  std::string shown;
  for (int i = 0; i < 13; ++i) shown += "\\u0085";
  EXPECT_EQ(dump(lines + " a b"), "k: \"" + shown + "\n  a b\"\n");
  EXPECT_EQ(dump(lines.substr(2) + "a b"), "k: \"" + shown.substr(6) + "a b\"\n");
  shown.clear();
  for (int i = 0; i < 20; ++i) shown += "\\x01";
  EXPECT_EQ(dump(controls + " a b"), "k: \"" + shown + "\n  a b\"\n");
  EXPECT_EQ(dump(controls.substr(1) + " a b"), "k: \"" + shown.substr(4) + " a\n  b\"\n");
}

TEST(Yaml, Dump_ReadsBackEqual) {
  for (const char* text :
       {R"({"a":"yes","b":"0x1f","c":"1e3","d":".5","e":"~","f":"- x","g":"a: b","h":"a #b"})",
        R"({"i":" x","j":"x ","k":"a\tb","l":"a'b","m":"\"q\"","n":"\\","o":"é","p":"\u0001"})",
        R"({"q":"a\nb","r":"a\n\nb\n\n","s":"\na","t":" a\nb","u":"a \nb","v":"\n","w":"<<"})",
        R"({"x":"1_000","y":"12:30:45","z":"0o7","A":"!t","B":"&a","C":"*a","D":"%",)"
        R"("E":"@","F":"`"})",
        R"({"1":2,"true":3,"":4,"a b":5,"k:":6,"- l":7,"null":[null,true,[[1],[]],{"a":[{}]}]})",
        R"(["a",["b",["c"]],{"d":{"e":"f\ng"}}])", R"("just text")",
        R"({"tag":"=","less":"<a&b>"})", R"({"... ,":1,"...":"... x","---":"--- x","...a":"...a"})",
        R"({"line":"a\u2028b\nc","nel":"a\u0085b\nc","bom":"\ufeffa\nb","crlf":"a\r\nb\r\n"})"}) {
    const json::Value v = *json::Parse(text);
    const Result<json::Value> again = Parse(Dump(v));
    ASSERT_TRUE(again.ok()) << Dump(v) << again.error().message();
    EXPECT_EQ(*again, v) << Dump(v);
  }
}

}  // namespace
}  // namespace kinformer::yaml
