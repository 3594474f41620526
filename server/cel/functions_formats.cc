// Functions of named formats: format.uuid().validate(text).

#include <string>
#include <utility>
#include <vector>

#include "cel/evaluator.h"
#include "cel/functions.h"
#include "cel/named_format.h"

namespace kinformer::internal::cel {
namespace {

using enum ValueKind;

Value Named(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString)) return NoSuchOverload();
  const NamedFormat* const format = FindNamedFormat(a[0].text());
  return format == nullptr ? Value::None() : Value::Some(Value::OfFormat(*format));
}

// Costs as much as the search for a pattern of the format's size.
Value Validate(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kNamedFormat, kString})) return NoSuchOverload();
  const NamedFormat& format = a[0].format();
  if (!evaluation.Charge((a[1].text().size() / 10 + 1) * (format.pattern_bytes / 4 + 1))) {
    return Evaluation::OverBudget();
  }
  std::vector<Value> problems;
  for (std::string& problem : format.check(a[1].text())) {
    problems.push_back(Value::String(std::move(problem)));
  }
  return problems.empty() ? Value::None() : Value::Some(Value::List(std::move(problems)));
}

}  // namespace

Value NamedFormatFunction(Evaluation& /*evaluation*/, const Node& call, Arguments /*arguments*/) {
  constexpr std::string_view kBefore = "format.";
  const NamedFormat* const format =
      FindNamedFormat(std::string_view(call.name).substr(kBefore.size()));
  return format == nullptr ? NoSuchOverload() : Value::OfFormat(*format);
}

std::span<const FunctionEntry> FormatFunctions() {
  static constexpr FunctionEntry kEntries[] = {{"format.named", Named}, {"validate", Validate}};
  return kEntries;
}

}  // namespace kinformer::internal::cel
