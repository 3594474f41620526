// Evaluates expressions of CEL: reads lines of JSON, and answers each with one. It is the peer of
// test/realserver/cel, and what test/expressions/conformance asks.
//
//   {"schema": {...}, "object": ...}                the schema and value of `self` from now on
//   {"expression": "...", "variables": {"x": "1"}}  the variables' values are expressions, too;
//                                                   with "dyn": true, their types are not known
//
// Answers: {"error"} of the compiler, or {"type", "value", "fault", "estimate"}.

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/schema/structural_schema.h"
#include "cel/program.h"
#include "cel/type.h"
#include "cel/value.h"
#include "expressions/shown_value.h"

namespace kinformer::test {
namespace {

namespace cel = internal::cel;
using json::Value;

class Session {
 public:
  // Returns the answer to a line; null if none is due.
  Value Answer(const Value& line) {
    if (line.Find("schema") != nullptr) {
      Bind(line["schema"], line["object"]);
      return {};
    }
    cel::Environment environment;
    std::vector<cel::Value> values;
    if (schema_ != nullptr) {
      environment.variables.push_back({"self", type_});
      values.push_back(cel::Value::FromJson(object_, *type_));
    }
    std::vector<std::shared_ptr<const cel::Program>> programs;  // values may refer to them
    for (const auto& [name, expression] : line["variables"].members()) {
      const cel::Compiled compiled = cel::Program::Compile(expression.StringOrEmpty(), {});
      if (compiled.program == nullptr) {
        return Value::MakeObject(
            {{"error", "variable " + std::string(name) + ": " + compiled.error}});
      }
      programs.push_back(compiled.program);
      const bool dyn = line["dyn"].AsBool().value_or(false);
      environment.variables.push_back(
          {std::string(name), dyn ? cel::Plain(cel::TypeKind::kDyn)
                                  : std::make_shared<cel::Type>(compiled.program->type())});
      values.push_back(compiled.program->Evaluate({}, cel::kCallBudget).value);
    }
    return Evaluated(line["expression"].StringOrEmpty(), environment, values, type_);
  }

 private:
  void Bind(const Value& schema, const Value& object) {
    Value self = schema;
    self.Ensure("x-kubernetes-validations").Append(Value::MakeObject({{"rule", "true"}}));
    schema_ = std::make_unique<apiserver::StructuralSchema>(Value::MakeObject(
        {{"type", "object"}, {"properties", Value::MakeObject({{"self", self}})}}));
    type_ = schema_->root().FindProperty("self")->declared_type;
    object_ = object;
    if (type_ == nullptr) schema_ = nullptr;
  }

  static Value Evaluated(const std::string& text, const cel::Environment& environment,
                         const std::vector<cel::Value>& values, const cel::TypePtr& self) {
    const cel::Compiled compiled = cel::Program::Compile(text, environment);
    if (compiled.program == nullptr) {
      return Value::MakeObject({{"error", (compiled.fails ? "program: " : "") + compiled.error}});
    }
    const cel::Outcome outcome = compiled.program->Evaluate(values, cel::kCallBudget);
    Value answer = Value::MakeObject(
        {{"type", cel::TypeText(compiled.program->type())}, {"value", ShownValue(outcome.value)}});
    if (self != nullptr) {
      answer.Set("estimate", std::to_string(compiled.program->MaxCost(*self)));
    }
    if (outcome.value.is_error()) {
      answer.Set("fault", std::string(outcome.value.text()));
      answer.Set("value", "error");
    }
    return answer;
  }

  std::unique_ptr<apiserver::StructuralSchema> schema_;
  cel::TypePtr type_;
  Value object_;
};

}  // namespace
}  // namespace kinformer::test

int main() {
  kinformer::test::Session session;
  for (std::string line; std::getline(std::cin, line);) {
    const auto parsed = kinformer::json::Parse(line);
    if (!parsed) {
      std::cerr << "cel_evaluate: " << parsed.error().message() << '\n';
      return 1;
    }
    const kinformer::json::Value answer = session.Answer(*parsed);
    if (!answer.is_null()) std::cout << answer.Dump() << std::endl;
  }
  return 0;
}
