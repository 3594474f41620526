// Values of JSON, read by their types.

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "cel/testing.h"
#include "cel/value.h"

namespace kinformer::internal::cel {
namespace {

TypePtr Object(std::vector<std::pair<std::string, TypePtr>> members) {
  std::vector<Field> fields;
  for (auto& [name, type] : members) fields.push_back({EscapedName(name), name, std::move(type)});
  return ObjectOf("Thing", std::move(fields));
}

std::string OfObject(std::string_view json, const TypePtr& type, std::string_view text) {
  const json::Value parsed = json::Parse(json).OrExit();
  return Evaluated(text, {.variables = {{"self", type}}}, {Value::FromJson(parsed, *type)});
}

TEST(CelValues, AreReadByTheirTypes) {
  const TypePtr type = Object({{"n", Plain(TypeKind::kInt)},
                               {"d", Plain(TypeKind::kDouble)},
                               {"s", Plain(TypeKind::kString)},
                               {"b", Plain(TypeKind::kBytes)},
                               {"at", Plain(TypeKind::kTimestamp)},
                               {"for", Plain(TypeKind::kDuration)},
                               {"any", Plain(TypeKind::kDyn)},
                               {"list", ListOf(Plain(TypeKind::kString))},
                               {"map", MapOf(Plain(TypeKind::kString), Plain(TypeKind::kInt))},
                               {"a-b.c/d__e", Plain(TypeKind::kInt)}});
  const std::string_view json = R"({"n": 1, "d": 2, "s": "x", "b": "aGk=", "list": ["p", "q"],
      "at": "2026-01-02T03:04:05Z", "for": "90s", "any": {"x": [1, 1.5, null]},
      "map": {"k": 7}, "a-b.c/d__e": 5})";
  struct Row {
    const char* text;
    const char* result;
  };
  for (const Row& row : {
           Row{"self.n + 1", "2"},
           Row{"self.d / 4.0", "0.500000"},
           Row{"self.s + string(self.b)", "\"xhi\""},
           Row{"self.at.getFullYear()", "2026"},
           Row{"self.__for__ == duration('1m30s')", "true"},
           Row{"self.any.x[0] == 1 && self.any.x[1] == 1.5 && self.any.x[2] == null", "true"},
           Row{"self.list", "[\"p\", \"q\"]"},
           Row{"self.map.k + self.map['k']", "14"},
           Row{"self.map.map(k, k)", "[\"k\"]"},
           Row{"'x' in self.map", "false"},
           Row{"self.a__dash__b__dot__c__slash__d__underscores__e", "5"},
           Row{"has(self.n)", "true"},
           Row{"self == self", "true"},
           Row{"self.m", "compile: undefined field 'm'"},
           Row{"self.n == 'a'",
               "compile: found no matching overload for '_==_' applied to '(int, string)'"},
       }) {
    EXPECT_EQ(OfObject(json, type, row.text), row.result) << row.text;
  }
  EXPECT_EQ(OfObject("{}", type, "has(self.n)"), "false");
  EXPECT_EQ(OfObject("{}", type, "self.n"), "error: no such key: n");
  EXPECT_EQ(OfObject(R"({"n": "x"})", type, "self.n"),
            "error: invalid data, expected int, got string");
  EXPECT_EQ(OfObject(R"({"n": {}})", type, "has(self.n)"),
            "error: invalid data, expected int, got map[string]interface {}");
  EXPECT_EQ(OfObject(R"({"n": [], "s": 1.5})", type, "self.n"),
            "error: invalid data, expected int, got []interface {}");
  EXPECT_EQ(OfObject(R"({"s": 1.5})", type, "self.s"),
            "error: invalid data, expected string, got float64");
  EXPECT_EQ(OfObject(R"({"b": "!"})", type, "self.b"), "error: Invalid byte formatted string !");
}

TEST(CelValues, ListsAreComparedByTheirOrder) {
  Type set = *ListOf(Plain(TypeKind::kString));
  set.order = ListOrder::kSet;
  Type keyed = *ListOf(Object({{"k", Plain(TypeKind::kString)}, {"v", Plain(TypeKind::kInt)}}));
  keyed.order = ListOrder::kKeys;
  keyed.keys = {"k"};
  const TypePtr type = Object({{"a", std::make_shared<Type>(set)},
                               {"b", std::make_shared<Type>(set)},
                               {"c", std::make_shared<Type>(keyed)},
                               {"d", std::make_shared<Type>(keyed)}});
  const std::string_view json = R"({"a": ["x", "y"], "b": ["y", "x"],
      "c": [{"k": "1", "v": 1}, {"k": "2", "v": 2}],
      "d": [{"k": "2", "v": 2}, {"k": "1", "v": 1}]})";
  EXPECT_EQ(OfObject(json, type, "self.a == self.b"), "true");
  EXPECT_EQ(OfObject(json, type, "self.a + ['y', 'z']"), "[\"x\", \"y\", \"z\"]");
  EXPECT_EQ(OfObject(json, type, "self.c == self.d"), "true");
  EXPECT_EQ(OfObject(json, type, "(self.c + self.d).size()"), "2");
  EXPECT_EQ(OfObject(json, type, "self.a == ['y', 'x'] && self.a != ['y', 'y']"), "true");
}

TEST(CelTypes, NamesAreEscaped) {
  struct Row {
    const char* name;
    const char* escaped;
  };
  for (const Row& row :
       {Row{"a", "a"}, Row{"a-b", "a__dash__b"}, Row{"a__b", "a__underscores__b"},
        Row{"namespace", "__namespace__"}, Row{"int", "int"}, Row{"1a", ""}, Row{"a b", ""},
        Row{"", ""}, Row{"a___b", "a__underscores___b"}, Row{"in", "__in__"}}) {
    EXPECT_EQ(EscapedName(row.name), row.escaped) << row.name;
  }
}

}  // namespace
}  // namespace kinformer::internal::cel
