// Rules of schemas (x-kubernetes-validations) when the definition is checked.

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/schema/schema_check.h"
#include "apiserver/schema/structural_schema.h"
#include "apiserver/schema/validation_rules.h"

namespace kinformer::apiserver {
namespace {

using Strings = std::vector<std::string>;

// Returns the problems of a schema whose field `a` has this schema: field, reason, and the end of
// the message, from the last line's beginning on.
Strings Problems(std::string_view schema) {
  json::Value root = yaml::Parse("{type: object, properties: {}}").OrExit();
  root.Ensure("properties", "a") = yaml::Parse(schema).OrExit();
  constexpr std::string_view kAt = "@.properties[a]";
  Strings texts;
  for (const StatusCause& cause : CheckSchema(root, "@")) {
    EXPECT_TRUE(cause.field.starts_with(kAt)) << cause.field;
    const std::string line = cause.message.substr(0, cause.message.find('\n'));
    texts.push_back(cause.field.substr(kAt.size()) + ": " + line);
  }
  return texts;
}

std::string Quoted(std::string_view rule, std::string_view more = {}) {
  return R"(Invalid value: {"Rule":")" + std::string(rule) +
         (more.empty() ? R"(","Message":"","MessageExpression":"")" : R"(",)" + std::string(more)) +
         R"(,"Reason":null,"FieldPath":"","OptionalOldSelf":null}: )";
}

TEST(RuleCheck, Expressions_FitTheSchema) {
  const std::string rule = ".x-kubernetes-validations[0].rule: ";
  struct Row {
    const char* schema;
    std::string problem;
  };
  const std::string object =
      "{type: object, properties: {num: {type: integer}, s: {type: string}, a-b: {type: number}, "
      "for: "
      "{type: boolean}, either: {x-kubernetes-int-or-string: true}, any: "
      "{x-kubernetes-preserve-unknown-fields: true}}, x-kubernetes-validations: [{rule: \"";
  struct Rule {
    std::string text;
    std::string problem;
  };
  for (const Rule& row : {
           Rule{"self.num > 0 && self.s != '' && self.a__dash__b > 0.5 && self.__for__", ""},
           Rule{"self.either == 1 || self.either == 'a'", ""},
           Rule{"self.num >>> 0",
                Quoted("self.num \\u003e\\u003e\\u003e 0") +
                    "compilation failed: ERROR: <input>:1:11: Syntax error: mismatched input '>'"},
           Rule{"self.m > 0", Quoted("self.m \\u003e 0") +
                                  "compilation failed: ERROR: <input>:1:5: undefined field 'm'"},
           Rule{"has(self.m)", Quoted("has(self.m)") +
                                   "compilation failed: ERROR: <input>:1:4: undefined field 'm'"},
           Rule{"self.any == 1", Quoted("self.any == 1") +
                                     "compilation failed: ERROR: <input>:1:5: undefined field "
                                     "'any'"},
           Rule{"self.num == 'a'",
                Quoted("self.num == 'a'") +
                    "compilation failed: ERROR: <input>:1:10: found no matching overload for "
                    "'_==_' applied to '(int, string)'"},
           Rule{"self.num", Quoted("self.num") + "cel expression must evaluate to a bool"},
           Rule{"self.either", Quoted("self.either") + "cel expression must evaluate to a bool"},
       }) {
    const Strings wanted = row.problem.empty() ? Strings() : Strings{rule + row.problem};
    EXPECT_EQ(Problems(object + row.text + "\"}]}"), wanted) << row.text;
  }
}

TEST(RuleCheck, Parts_HaveTheirForm) {
  const std::string at = ".x-kubernetes-validations[0]";
  struct Row {
    const char* rule;
    Strings problems;
  };
  for (const Row& row : {
           Row{"rule: 'true', message: ' '",
               {at + ".message: Invalid value: \" \": must be non-empty if specified"}},
           Row{"rule: 'true', message: \"a\\nb\"",
               {at + ".message: Invalid value: \"a\\nb\": must not contain line breaks"}},
           Row{"rule: \"true\\n&& true\"",
               {at + ".message: Required value: message must be specified if rule contains line "
                     "breaks"}},
           Row{"rule: \"true\\n&& true\", message: m", {}},
           Row{"rule: 'true', messageExpression: ' '",
               {at + ".messageExpression: Required value: messageExpression must be non-empty if "
                     "specified"}},
           Row{"rule: 'true', reason: Nope",
               {at + ".reason: Unsupported value: \"Nope\": supported values: "
                     "\"FieldValueDuplicate\", \"FieldValueForbidden\", \"FieldValueInvalid\", "
                     "\"FieldValueRequired\""}},
           Row{"rule: 'true', reason: FieldValueForbidden", {}},
           Row{"rule: 'true', fieldPath: .num", {}},
           Row{"rule: 'true', fieldPath: \"['num']\"", {}},
           Row{"rule: 'true', fieldPath: .m.k", {}},
           Row{"rule: 'true', fieldPath: num",
               {at + ".fieldPath: Invalid value: \"num\": must be a valid path"}},
           Row{"rule: 'true', fieldPath: .x",
               {at + ".fieldPath: Invalid value: \".x\": must be a valid path"}},
           Row{"rule: 'true', messageExpression: '1'",
               {at +
                ".messageExpression: " + Quoted("true", R"("Message":"","MessageExpression":"1")") +
                "messageExpression must evaluate to a string"}},
           Row{"rule: 'true', messageExpression: '1 +'",
               {at + ".messageExpression: " +
                Quoted("true", R"("Message":"","MessageExpression":"1 +")") +
                "messageExpression compilation failed: ERROR: <input>:1:4: Syntax error: "
                "mismatched "
                "input '<EOF>'"}},
           Row{"rule: 'true', optionalOldSelf: true",
               {at + ".optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used "
                     "in rule"}},
           Row{"rule: 'oldSelf.hasValue()', optionalOldSelf: true", {}},
       }) {
    EXPECT_EQ(Problems("{type: object, properties: {num: {type: integer}, m: {type: object, "
                       "additionalProperties: {type: string}}}, x-kubernetes-validations: [{" +
                       std::string(row.rule) + "}]}"),
              row.problems)
        << row.rule;
  }
}

TEST(RuleCheck, OldSelf_ExistsWhereItemsCanBeToldApart) {
  const std::string rule = "x-kubernetes-validations: [{rule: 'self == oldSelf'}]";
  EXPECT_EQ(Problems("{type: array, " + rule + ", items: {type: string}}"), Strings());
  EXPECT_EQ(Problems("{type: object, maxProperties: 9, additionalProperties: {type: string, "
                     "maxLength: 9, " +
                     rule + "}}"),
            Strings());
  EXPECT_EQ(Problems("{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], "
                     "items: {type: object, required: [k], properties: {k: {type: string}}, " +
                     rule + "}}"),
            Strings());
  for (const char* kind : {"atomic", "set"}) {
    EXPECT_EQ(
        Problems("{type: array, maxItems: 9, x-kubernetes-list-type: " + std::string(kind) +
                 ", items: {type: string, maxLength: 9, " + rule + "}}"),
        Strings{".items.x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": "
                "oldSelf cannot be used on the uncorrelatable portion of the schema within "
                "@.properties[a]"})
        << kind;
  }
}

TEST(RuleCheck, Costs_HaveLimits) {
  const std::string expression = "x-kubernetes-validations: [{rule: 'self.all(x, x != \"\")'}]";
  // 100,000 texts, each compared, and a little more.
  EXPECT_EQ(Problems("{type: array, maxItems: 100000, items: {type: string}, " + expression + "}"),
            Strings());
  const std::string loops =
      "x-kubernetes-validations: [{rule: 'self.all(x, self.all(y, x != y))'}]";
  EXPECT_EQ(
      Problems("{type: array, maxItems: 10, items: {type: string, maxLength: 9}, " + loops + "}"),
      Strings());
  EXPECT_EQ(Problems("{type: array, maxItems: 10, items: {type: string}, " + loops + "}"),
            Strings{".x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds "
                    "budget by factor of 3.1x (try simplifying the rule, or adding maxItems, "
                    "maxProperties, and maxLength where arrays, maps, and strings are declared)"});
}

TEST(RuleCheck, ValuesWithoutAType_HaveNoRules) {
  EXPECT_EQ(
      Problems("{x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "
               "'true'}]}"),
      Strings{".x-kubernetes-validations: Internal error: internal error: failed to construct "
              "type information for x-kubernetes-validations rules: unable to convert "
              "structural schema to CEL declarations"});
}

TEST(RuleCheck, Defaults_SatisfyTheRules) {
  EXPECT_EQ(Problems("{type: integer, default: 0, x-kubernetes-validations: [{rule: 'self > 0'}]}"),
            Strings{".default: Invalid value: 0: failed rule: self > 0"});
}

TEST(RuleCheck, SchemasWithoutRules_HaveNoTypes) {
  const StructuralSchema plain(yaml::Parse("{type: object, properties: {a: {}}}").OrExit());
  EXPECT_EQ(plain.root().declared_type, nullptr);
  EXPECT_FALSE(plain.root().has_rules);
  const StructuralSchema ruled(
      yaml::Parse("{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "
                  "'self.size() > 1'}]}, b: {type: string}}}")
          .OrExit());
  EXPECT_TRUE(ruled.root().has_rules);
  EXPECT_TRUE(ruled.root().FindProperty("a")->has_rules);
  EXPECT_FALSE(ruled.root().FindProperty("b")->has_rules);
}

}  // namespace
}  // namespace kinformer::apiserver
