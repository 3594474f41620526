// Changes of YAML files: only the lines that must change do.

#include "config/yaml_edit.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/json/yaml.h"

namespace kinformer::internal::config {
namespace {

using json::Value;

// Returns the text after a change of what it reads as. Expects that it reads as the changed value.
std::string Edited(const std::string& text, const std::function<void(Value&)>& change) {
  const Value before = yaml::Parse(text).OrExit();
  Value after = before;
  change(after);
  std::string out = EditYaml(text, before, after);
  const Result<Value> read = yaml::Parse(out);
  EXPECT_TRUE(read.ok() && *read == after) << out;
  return out;
}

constexpr char kText[] = R"(# Mine.
apiVersion: v1
current-context: a   # the one
contexts:
# The first.
- name: a
  context:
    cluster: k  # far away
    namespace: "x"

    vendor: {kept: [1, 2]}
# The second.
- context: {cluster: k}
  name: b
# Others.
vendor.io/top: |
  # no comment
  text
)";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(EditYaml, WithoutAChange_ReturnsTheText) {
  EXPECT_EQ(Edited(kText, [](Value&) {}), kText);
  EXPECT_EQ(Edited("", [](Value&) {}), "");
}

TEST(EditYaml, ChangesOneLineOfAScalar_AndKeepsItsComment) {
  EXPECT_EQ(Edited(kText, [](Value& v) { v.Set("current-context", "b"); }),
            Replaced(kText, "current-context: a   # the one", "current-context: b   # the one"));
  EXPECT_EQ(Edited(kText, [](Value& v) { v.Ensure("contexts", 0, "context", "cluster") = "no"; }),
            Replaced(kText, "cluster: k  # far", "cluster: \"no\"  # far"));
  EXPECT_EQ(
      Edited(kText, [](Value& v) { v.Ensure("contexts", 0, "context", "namespace") = "y z"; }),
      Replaced(kText, "namespace: \"x\"", "namespace: y z"));
  EXPECT_EQ(Edited("a: 'x # y' # z\n", [](Value& v) { v.Set("a", 1); }), "a: 1 # z\n");
  EXPECT_EQ(Edited("a: 'it''s # x' # it's\n", [](Value& v) { v.Set("a", 1); }), "a: 1 # it's\n");
  EXPECT_EQ(Edited("a: \"\\\" # x\" # \"z\"\n", [](Value& v) { v.Set("a", 1); }), "a: 1 # \"z\"\n");
  EXPECT_EQ(Edited("a: # z\nb: 1\n", [](Value& v) { v.Set("a", true); }), "a: true # z\nb: 1\n");
}

TEST(EditYaml, AddsBehindTheLastMember_AndRemovesTheWholeMember) {
  EXPECT_EQ(
      Edited(kText, [](Value& v) { v.Ensure("contexts", 0, "context", "user") = "u"; }),
      Replaced(kText, "    vendor: {kept: [1, 2]}\n", "    vendor: {kept: [1, 2]}\n    user: u\n"));
  EXPECT_EQ(Edited(kText, [](Value& v) { v.Ensure("contexts", 0, "context").Erase("namespace"); }),
            Replaced(kText, "    namespace: \"x\"\n", ""));
  EXPECT_EQ(Edited(kText, [](Value& v) { v.Erase("vendor.io/top"); }),
            Replaced(kText, "vendor.io/top: |\n  # no comment\n  text\n", ""));
  EXPECT_EQ(Edited(kText, [](Value& v) { v.Set("new", Value::MakeArray({1})); }),
            std::string(kText) + "new:\n- 1\n");
}

TEST(EditYaml, MatchesItemsByName) {
  EXPECT_EQ(
      Edited(kText,
             [](Value& v) {
               v.Ensure("contexts").EnsureArray().erase(v.Ensure("contexts").EnsureArray().begin());
             }),
      Replaced(kText,
               "- name: a\n  context:\n    cluster: k  # far away\n    namespace: \"x\"\n\n"
               "    vendor: {kept: [1, 2]}\n",
               ""));
  EXPECT_EQ(
      Edited(kText,
             [](Value& v) { v.Ensure("contexts").Append(Value::MakeObject({{"name", "c"}})); }),
      Replaced(kText, "  name: b\n", "  name: b\n- name: c\n"));
  EXPECT_EQ(
      Edited(kText, [](Value& v) { v.Ensure("contexts", 1, "context", "user") = "u"; }),
      Replaced(kText, "- context: {cluster: k}\n", "- context:\n    cluster: k\n    user: u\n"));
  EXPECT_EQ(
      Edited(kText, [](Value& v) { v.Set("contexts", Value::MakeArray()); }).find("contexts: []\n"),
      std::string(kText).find("contexts:"));
}

TEST(EditYaml, ItemsWithoutNames_AreMatchedByPosition) {
  const std::string text = "a:\n  - x # one\n  - y\n  # two\nb: 1\n";
  EXPECT_EQ(Edited(text, [](Value& v) { v.Ensure("a", 1) = "z"; }),
            "a:\n  - x # one\n  - z\n  # two\nb: 1\n");
  EXPECT_EQ(Edited(text, [](Value& v) { v.Ensure("a").Append("z"); }),
            "a:\n  - x # one\n  - y\n  - z\n  # two\nb: 1\n");
  EXPECT_EQ(Edited(text, [](Value& v) { v.Ensure("a").EnsureArray().pop_back(); }),
            "a:\n  - x # one\n  # two\nb: 1\n");
  EXPECT_EQ(Edited("a:\n-\n  b: 1\n- c: 2\n", [](Value& v) { v.Ensure("a", 1, "c") = 3; }),
            "a:\n-\n  b: 1\n- c: 3\n");
}

TEST(EditYaml, WritesAllOfAnEmptyFile_BehindItsComments) {
  EXPECT_EQ(Edited("", [](Value& v) { v.Set("a", 1); }), "a: 1\n");
  EXPECT_EQ(Edited("# mine\n", [](Value& v) { v.Set("a", 1); }), "# mine\na: 1\n");
  EXPECT_EQ(Edited("{}\n", [](Value& v) { v.Set("a", 1); }), "{\n  \"a\": 1\n}\n");
}

TEST(EditYaml, KeepsJson_InItsOrder) {
  EXPECT_EQ(Edited("{\"b\":1,\"a\":{\"c\":2}}", [](Value& v) { v.Ensure("a", "c") = 3; }),
            "{\n  \"b\": 1,\n  \"a\": {\n    \"c\": 3\n  }\n}\n");
}

TEST(EditYaml, KeepsMarkersAndLineBreaksOfWindows) {
  EXPECT_EQ(Edited("---\na: 1\nb: 2\n", [](Value& v) { v.Set("a", 3); }), "---\na: 3\nb: 2\n");
  EXPECT_EQ(Edited("a: 1 # x\r\nb: 2\r\n", [](Value& v) { v.Set("a", 3); }),
            "a: 3 # x\r\nb: 2\r\n");
}

TEST(EditYaml, ReadsRight_EvenIfItMustWriteTheTextAnew) {
  for (const char* text : {
           "a: &x {k: 1}\nb: *x\n",
           "a: &x\n  k: 1\nb:\n  <<: *x\n",
           "? a\n: {k: 1}\nb: 2\n",
           "\"a\": {k: 1}\n'b': 2\n",
           "a: {k: 1,\n j: 2}\nb: \"two\n  lines\"\n",
           "a:\n  k: >\n    folded\n\n    text\nb: 2\n",
           "\"\\x61\": {k: 1}\nb: 2\n",
           "a: # x\n   k: 1\n   # deep\n# out\nb: 2",
           "\n\n  a: {k: 1}\n  b: 2\n",
       }) {
    Edited(text, [](Value& v) { v.Ensure("a", "k") = "new\nlines"; });
    Edited(text, [](Value& v) { v.Set("a", Value()); });
    Edited(text, [](Value& v) { v.Set("b", "x: y #"); });
    Edited(text, [](Value& v) { v.Erase("a"); });
    Edited(text, [](Value& v) { v = Value::MakeObject(); });
  }
}

}  // namespace
}  // namespace kinformer::internal::config
