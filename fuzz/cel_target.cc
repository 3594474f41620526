// Expressions of CEL, and rules of schemas: for any input, compiling and evaluating ends, within
// the budget, and with the same result again.

#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/schema/rule_validation.h"
#include "apiserver/schema/structural_schema.h"
#include "cel/program.h"
#include "cel/to_json.h"
#include "cel/type.h"
#include "cel/value.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {
namespace {

namespace cel = internal::cel;

// Small, so that a run is short.
constexpr std::uint64_t kBudget = 20'000;
// The most that one step may cost beyond the budget: a comparison of everything in the input.
constexpr std::uint64_t kStep = 1'000'000;

cel::TypePtr Messages(std::string_view name) {
  return name.starts_with("Object") ? cel::OpenObject(std::string(name)) : nullptr;
}

void Evaluate(std::string_view text, const json::Value& self, const cel::TypePtr& type) {
  const cel::Compiled compiled =
      cel::Program::Compile(text, {.variables = {{"self", type}}, .messages = Messages});
  Require((compiled.program == nullptr) == !compiled.error.empty(),
          "there is either a program or an error", compiled.error);
  if (compiled.program == nullptr) return;
  const std::vector<cel::Value> values = {cel::Value::FromJson(self, *type)};
  const cel::Outcome first = compiled.program->Evaluate(values, kBudget);
  const cel::Outcome second = compiled.program->Evaluate(values, kBudget);
  Require(first.cost < kBudget + kStep, "evaluation stops at its budget", text);
  Require(first.cost == second.cost && first.value.kind() == second.value.kind(),
          "a program does the same again", text);
  std::size_t bytes = 10'000;
  (void)cel::ToJson(first.value, bytes);
}

}  // namespace

void FuzzCel(std::string_view input) {
  // {"rule": "...", "schema": {...}, "object": ..., "old": ...}, or an expression.
  const Result<json::Value> parsed = json::Parse(input, {.max_depth = 100});
  const json::Value none;
  const cel::TypePtr& any = cel::Plain(cel::TypeKind::kDyn);
  if (!parsed || !parsed->is_object()) return Evaluate(input, none, any);
  const json::Value& object = (*parsed)["object"];
  const std::string& rule = (*parsed)["rule"].StringOrEmpty();
  Evaluate(rule, object, any);
  json::Value source = (*parsed)["schema"];
  source.Ensure("x-kubernetes-validations")
      .Append(json::Value::MakeObject({{"rule", rule}, {"messageExpression", rule}}));
  const apiserver::StructuralSchema schema(source);
  if (schema.root().declared_type != nullptr) {
    Evaluate(rule, object, schema.root().declared_type);
  }
  std::vector<std::string> warnings;
  const json::Value* const old = parsed->Find("old");
  (void)apiserver::ValidateRules(schema.root(), object, old, {}, warnings);
}

}  // namespace kinformer::fuzz
