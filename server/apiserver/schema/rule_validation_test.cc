// Objects and the rules of their schema (x-kubernetes-validations).

#include "apiserver/schema/rule_validation.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/yaml.h"

namespace kinformer::apiserver {
namespace {

using Strings = std::vector<std::string>;

class RuleValidation : public ::testing::Test {
 protected:
  // Returns the violations of an object with this spec, in an update unless `old` is empty.
  Strings Problems(std::string_view spec_schema, std::string_view spec, std::string_view old = {}) {
    json::Value source = yaml::Parse("{type: object, properties: {}}").OrExit();
    source.Ensure("properties", "spec") = yaml::Parse(spec_schema).OrExit();
    const StructuralSchema schema(source);
    const json::Value object = Object(spec);
    const json::Value before = old.empty() ? json::Value() : Object(old);
    return Lines(
        ValidateRules(schema.root(), object, old.empty() ? nullptr : &before, {}, warnings_));
  }

  static json::Value Object(std::string_view spec) {
    json::Value object =
        yaml::Parse("{apiVersion: x.io/v1, kind: W, metadata: {name: nn, labels: {a: b}}}")
            .OrExit();
    object.Set("spec", yaml::Parse(spec).OrExit());
    return object;
  }

  static Strings Lines(const std::vector<StatusCause>& causes) {
    Strings lines;
    for (const StatusCause& cause : causes) {
      lines.push_back(cause.field + " " + cause.reason + ": " + cause.message);
    }
    return lines;
  }

  Strings warnings_;
};

// Go decodes 1e3 and 1.0 as numbers with a fraction.
TEST_F(RuleValidation, Integers_HaveNeitherFractionNorExponent) {
  const auto problems = [](std::string_view schema, std::string_view number) {
    json::Value source = yaml::Parse("{type: object, properties: {}}").OrExit();
    source.Ensure("properties", "spec") = yaml::Parse(schema).OrExit();
    json::Value object = Object("1");
    object.Set("spec", json::Parse(number).OrExit());
    std::vector<std::string> warnings;
    return Lines(ValidateRules(StructuralSchema(source).root(), object, nullptr, {}, warnings));
  };
  for (const char* const number : {"1e3", "1.0"}) {
    EXPECT_EQ(
        problems("{type: integer, x-kubernetes-validations: [{rule: 'self > 0'}]}", number),
        (Strings{"spec FieldValueInvalid: Invalid value: \"integer\": invalid data, expected int, "
                 "got float64 evaluating rule: self > 0"}));
    EXPECT_EQ(problems("{x-kubernetes-int-or-string: true, x-kubernetes-validations: [{rule: "
                       "'type(self) == int'}]}",
                       number),
              (Strings{"spec FieldValueInvalid: Invalid value: \"\": invalid data, expected "
                       "XIntOrString value to be either a string or integer evaluating rule: "
                       "type(self) == int"}));
  }
}

TEST_F(RuleValidation, Failures_HaveFieldReasonAndMessage) {
  struct Row {
    const char* schema;
    const char* spec;
    Strings problems;
  };
  for (const Row& row : {
           Row{"{type: integer, x-kubernetes-validations: [{rule: 'self > 0'}]}", "1", {}},
           Row{"{type: integer, x-kubernetes-validations: [{rule: ' self > 0 '}]}",
               "0",
               {"spec FieldValueInvalid: Invalid value: 0: failed rule: self > 0"}},
           Row{"{type: integer, x-kubernetes-validations: [{rule: 'self > 0', message: ' m '}]}",
               "0",
               {"spec FieldValueInvalid: Invalid value: 0: m"}},
           Row{"{type: string, x-kubernetes-validations: [{rule: 'self != \"x\"', "
               "messageExpression: '\" not \" + self '}]}",
               "x",
               {"spec FieldValueInvalid: Invalid value: \"x\": not x"}},
           Row{"{type: integer, x-kubernetes-validations: [{rule: 'self > 0', message: m, "
               "messageExpression: 'string(1 / self)'}]}",
               "0",
               {"spec FieldValueInvalid: Invalid value: 0: m"}},
           Row{"{type: integer, x-kubernetes-validations: [{rule: 'self > 0', messageExpression: "
               "'\"a\\nb\"'}]}",
               "0",
               {"spec FieldValueInvalid: Invalid value: 0: failed rule: self > 0"}},
           Row{"{type: boolean, x-kubernetes-validations: [{rule: self, reason: "
               "FieldValueForbidden}, {rule: self, reason: FieldValueRequired}, {rule: self, "
               "reason: FieldValueDuplicate}]}",
               "false",
               {"spec FieldValueForbidden: Forbidden: failed rule: self",
                "spec FieldValueRequired: Required value: failed rule: self",
                "spec FieldValueDuplicate: Duplicate value: false"}},
           Row{"{type: array, items: {type: string}, x-kubernetes-validations: [{rule: "
               "'self.size() "
               "< 2'}]}",
               "[a, b]",
               {"spec FieldValueInvalid: Invalid value: failed rule: self.size() < 2"}},
           Row{"{type: object, properties: {x: {type: integer}, a-b: {type: integer}}, "
               "x-kubernetes-validations: [{rule: 'self.x > 0', fieldPath: .x}, {rule: 'self.x > "
               "1', "
               "fieldPath: \"['a-b']\"}]}",
               "{x: 0}",
               {"spec.x FieldValueInvalid: Invalid value: failed rule: self.x > 0",
                "spec.a-b FieldValueInvalid: Invalid value: failed rule: self.x > 1"}},
       }) {
    EXPECT_EQ(Problems(row.schema, row.spec), row.problems) << row.schema;
  }
}

TEST_F(RuleValidation, Rules_StandAtAnyLevel) {
  const std::string_view schema =
      "{type: object, properties: {l: {type: array, items: {type: integer, "
      "x-kubernetes-validations: [{rule: 'self > 0'}]}}, m: {type: object, additionalProperties: "
      "{type: string, x-kubernetes-validations: [{rule: 'self.size() > 1'}]}}, nothing: {type: "
      "string, nullable: true, x-kubernetes-validations: [{rule: 'false'}]}, b: {type: string, "
      "format: byte, x-kubernetes-validations: [{rule: 'self == b\"hi\"'}]}, at: {type: string, "
      "format: date-time, x-kubernetes-validations: [{rule: 'self.getFullYear() > 2000'}]}}}";
  EXPECT_EQ(
      Problems(schema,
               "{l: [1, 0], m: {k: a, l: bb}, nothing: null, b: aGk=, at: "
               "'1999-01-01T00:00:00Z'}"),
      (Strings{"spec.l[1] FieldValueInvalid: Invalid value: 0: failed rule: self > 0",
               "spec.m[k] FieldValueInvalid: Invalid value: \"a\": failed rule: self.size() > 1",
               "spec.at FieldValueInvalid: Invalid value: \"1999-01-01T00:00:00Z\": failed "
               "rule: self.getFullYear() > 2000"}));
}

TEST_F(RuleValidation, Errors_NameTheRule) {
  struct Row {
    const char* rule;
    const char* problem;
  };
  for (const Row& row : {
           Row{"1 / self.x > 0",
               "Invalid value: \"object\": division by zero evaluating rule: 1 / self.x > 0"},
           Row{"self.why > 0",
               "Invalid value: \"object\": no such key: why evaluating rule: self.why > 0"},
           Row{"self.either > 0",
               "Invalid value: \"object\": 'no such overload': call arguments did not match a "
               "supported operator, function or macro signature for rule: self.either > 0"},
           Row{"lists.range(100000000).size() > 0",
               "Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no "
               "further validation rules will be run due to call cost exceeds limit for rule: "
               "lists.range(100000000).size() > 0"},
       }) {
    EXPECT_EQ(
        Problems("{type: object, properties: {x: {type: integer}, why: {type: integer}, either: "
                 "{x-kubernetes-int-or-string: true}}, x-kubernetes-validations: [{rule: '" +
                     std::string(row.rule) + "'}]}",
                 "{x: 0, either: a}"),
        Strings{"spec FieldValueInvalid: " + std::string(row.problem)})
        << row.rule;
  }
}

TEST_F(RuleValidation, Rules_SeeTheObjectsTypeAndName) {
  const StructuralSchema schema(
      yaml::Parse("{type: object, x-kubernetes-validations: [{rule: 'self.metadata.name == \"x\" "
                  "&& self.kind == \"W\" && self.apiVersion == \"x.io/v1\"'}], properties: {spec: "
                  "{type: object, x-kubernetes-embedded-resource: true, "
                  "x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "
                  "'self.kind == \"V\"'}]}}}")
          .OrExit());
  EXPECT_EQ(Lines(ValidateRules(schema.root(), Object("{kind: V}"), nullptr, {}, warnings_)),
            Strings{"<nil> FieldValueInvalid: Invalid value: failed rule: self.metadata.name == "
                    "\"x\" && self.kind == \"W\" && self.apiVersion == \"x.io/v1\""});
}

TEST_F(RuleValidation, RulesAboutChanges_NeedAnOldValue) {
  const std::string_view schema =
      "{type: object, properties: {num: {type: integer, x-kubernetes-validations: [{rule: 'self >= "
      "oldSelf'}]}, o: {type: integer, x-kubernetes-validations: [{rule: 'oldSelf.hasValue() || "
      "self == 1', optionalOldSelf: true}]}, l: {type: array, x-kubernetes-list-type: map, "
      "x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}, v: "
      "{type: integer}}, x-kubernetes-validations: [{rule: 'self.v >= oldSelf.v'}]}}}}";
  EXPECT_EQ(Problems(schema, "{num: 1, l: [{k: a, v: 1}]}"), Strings());
  EXPECT_EQ(Problems(schema, "{num: 1}", "{}"), Strings());
  EXPECT_EQ(
      Problems(schema, "{num: 1, l: [{k: b, v: 1}, {k: a, v: 1}]}", "{num: 2, l: [{k: a, v: 2}]}"),
      (Strings{"spec.num FieldValueInvalid: Invalid value: 1: failed rule: self >= oldSelf",
               "spec.l[1] FieldValueInvalid: Invalid value: failed rule: self.v >= oldSelf.v"}));
  const std::string rule = "failed rule: oldSelf.hasValue() || self == 1";
  EXPECT_EQ(Problems(schema, "{o: 2}"),
            Strings{"spec.o FieldValueInvalid: Invalid value: 2: " + rule});
  EXPECT_EQ(Problems(schema, "{o: 2}", "{}"),
            Strings{"spec.o FieldValueInvalid: Invalid value: 2: " + rule});
  EXPECT_EQ(Problems(schema, "{o: 2}", "{o: 3}"), Strings());
}

TEST_F(RuleValidation, WrongValues_MayStaySo) {
  const std::string_view schema =
      "{type: object, properties: {num: {type: integer, x-kubernetes-validations: [{rule: 'self > "
      "0'}]}, l: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: 'self > "
      "0'}]}}, s: {type: string}}}";
  EXPECT_EQ(Problems(schema, "{num: 0, l: [0], s: b}", "{num: 0, l: [0], s: a}"), Strings());
  EXPECT_EQ(warnings_, (Strings{"spec.num: Invalid value: 0: failed rule: self > 0",
                                "spec.l[0]: Invalid value: 0: failed rule: self > 0"}));
  warnings_.clear();
  EXPECT_EQ(Problems(schema, "{num: -1, l: [0, 1]}", "{num: 0, l: [0]}"),
            (Strings{"spec.num FieldValueInvalid: Invalid value: -1: failed rule: self > 0",
                     "spec.l[0] FieldValueInvalid: Invalid value: 0: failed rule: self > 0"}));
  EXPECT_EQ(warnings_, Strings());
}

TEST_F(RuleValidation, ObjectsThatAreWrongOtherwise_AreNotAsked) {
  const StructuralSchema schema(
      yaml::Parse("{type: object, x-kubernetes-validations: [{rule: 'false'}]}").OrExit());
  EXPECT_EQ(Lines(ValidateRules(schema.root(), Object("1"), nullptr,
                                {{.reason = "FieldValueRequired"}}, warnings_)),
            Strings{"<nil> FieldValueInvalid: Invalid value: null: some validation rules were not "
                    "checked because the object was invalid; correct the existing errors to "
                    "complete validation"});
  EXPECT_EQ(Lines(ValidateRules(schema.root(), Object("1"), nullptr,
                                {{.reason = "FieldValueInvalid"}}, warnings_))
                .size(),
            1U);
}

TEST_F(RuleValidation, AllRulesTogether_HaveABudget) {
  // Each rule costs less than one may, and all together more than they may.
  const std::string schema =
      "{type: array, items: {type: integer, x-kubernetes-validations: [{rule: "
      "'lists.range(100000).all(x, x >= 0)'}]}}";
  std::string items = "[1";
  for (int i = 0; i < 40; ++i) items += ", 1";
  const Strings problems = Problems(schema, items + "]");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("running out of cost budget, no further validation rules will be run"),
            std::string::npos)
      << problems[0];
}

}  // namespace
}  // namespace kinformer::apiserver
