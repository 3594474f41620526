#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/testing.h"
#include "cel/to_json.h"

namespace kinformer::internal::cel {
namespace {

// Any "Open", and "Pair", which has two fields.
TypePtr Types(std::string_view name) {
  if (name == "Open" || name.starts_with("Open.")) return OpenObject(std::string(name));
  if (name != "Pair") return nullptr;
  return ObjectOf(
      "Pair", {{"text", "text", Plain(TypeKind::kString)}, {"any", "any", Plain(TypeKind::kDyn)}});
}

std::string Json(std::string_view text) {
  const Compiled compiled = Program::Compile(text, {.messages = Types});
  if (compiled.program == nullptr) {
    const std::string line = compiled.error.substr(0, compiled.error.find('\n'));
    return line.substr(line.find(": ", line.find(':', 15)) + 2);
  }
  const Outcome outcome = compiled.program->Evaluate({}, kCallBudget);
  std::size_t bytes = 1'000'000;
  const Result<json::Value> json = ToJson(outcome.value, bytes);
  return json.ok() ? json->Dump() : "error: " + json.error().message();
}

TEST(Messages, AreMadeOfTheirFields) {
  for (const auto& [text, json] : std::vector<std::pair<const char*, const char*>>{
           {"Open{}", "{}"},
           {"Open{a: 1, b: Open.b{c: 'd'}, e: [Open.e{}], f: {'g': true},}",
            R"({"a":1,"b":{"c":"d"},"e":[{}],"f":{"g":true}})"},
           {"Open{?a: optional.of(1), ?b: optional.none()}", R"({"a":1})"},
           {"Pair{text: 'a', any: null}", R"({"text":"a","any":null})"},
           {"[Pair{text: 'a'}, Pair{any: 2.5}]", R"([{"text":"a"},{"any":2.5}])"},
           {"true ? [Pair{}] : []", "[{}]"},
           {"Open{a: 1} == Open{a: 1}", "true"},
           {"dyn(Open{}) == Open.a{}", "false"},
           {"Pair{text: 'a'}.text + 'b'", R"("ab")"},
           {"Open{a: 1}.a == 1 && has(Open{a: 1}.a) && !has(Open{}.a)", "true"},
           {"Open{a: b'a', b: duration('1s'), c: timestamp('2020-01-01T00:00:00Z'), d: 1u}",
            R"({"a":"YQ==","b":"1s","c":"2020-01-01T00:00:00Z","d":1})"},
           {"Open{a: {1: 2}}", "error: map key is of type int, not string"},
           {"Open{a: int}", "error: cannot convert type to JSON"},
           {"Open{a: 1 / 0}", "error: division by zero"},
           {"jsonpatch.escapeKey('a/b~c')", R"("a~1b~0c")"},
       }) {
    EXPECT_EQ(Json(text), json) << text;
  }
}

// Each step uses the list before it twice.
std::string Doubled(int times) {
  std::string text = "[[1]]";
  for (int i = 0; i < times; ++i) text += ".map(x, [x, x])";
  return text;
}

TEST(Messages, LargeValues_AreNotSpelledOut) {
  EXPECT_EQ(Json(Doubled(2)), "[[[[1],[1]],[[1],[1]]]]");
  EXPECT_EQ(Json(Doubled(50)), "error: the value is too large");
  EXPECT_EQ(Json(Doubled(50) + " == " + Doubled(50)),
            "error: operation cancelled: actual cost limit exceeded");
}

TEST(Messages, MistakesAreFoundWhenTheyAreCompiled) {
  for (const auto& [text, error] : std::vector<std::pair<const char*, const char*>>{
           {"Other{}", "undeclared reference to 'Other' (in container '')"},
           {"Pair{number: 1}", "undefined field 'number'"},
           {"Pair{text: 1}",
            "expected type of field 'text' is 'string' but provided type is 'int'"},
           {"[Pair{}, Open{}]", "expected type 'Pair' but found 'Open'"},
           {"Open{?a: 1}", "expected type 'optional_type(dyn)' but found 'int'"},
           {"Open{1: 2}", "Syntax error: mismatched input '1'"},
           {"Open{a 2}", "Syntax error: mismatched input '2'"},
           {"Open{a: 2", "Syntax error: mismatched input '<EOF>'"},
           {"1{}", "Syntax error: mismatched input '{'"},
       }) {
    EXPECT_EQ(Json(text), error) << text;
  }
}

TEST(Messages, DoNotExistWhereNoneAreDeclared) {
  EXPECT_EQ(Evaluated("Open{}"), "compile: undeclared reference to 'Open' (in container '')");
  EXPECT_EQ(Evaluated("jsonpatch.escapeKey('a')"),
            "compile: undeclared reference to 'jsonpatch.escapeKey' (in container '')");
}

TEST(Messages, DepthIsBounded) {
  std::string text = "1";
  for (int i = 0; i < 300; ++i) text = "Open{a: " + text + "}";
  EXPECT_EQ(Json(text), "expression recursion limit exceeded: 200");
}

}  // namespace
}  // namespace kinformer::internal::cel
