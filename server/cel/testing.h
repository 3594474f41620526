// cel/testing.h
//
// Expressions in tests: their results as texts.

#ifndef KINFORMER_CEL_TESTING_H_
#define KINFORMER_CEL_TESTING_H_

#include <string>
#include <string_view>

#include "cel/evaluator.h"
#include "cel/functions.h"
#include "cel/program.h"

namespace kinformer::internal::cel {

// Returns a value as format's %s in a list shows it, or "error: message".
inline std::string Shown(const Value& value) {
  if (value.is_error()) return "error: " + std::string(value.text());
  if (value.is(ValueKind::kOptional)) {
    return value.content() == nullptr ? "none" : "some(" + Shown(*value.content()) + ")";
  }
  if (value.is(ValueKind::kUint)) return std::to_string(value.unsigned_integer()) + "u";
  if (value.is(ValueKind::kQuantity)) return value.quantity().ToString();
  Evaluation evaluation(0, kCallBudget);
  const Value shown = Formatted(evaluation, "%s", Value::List({Value::List({value})}));
  const std::string_view text = shown.text();
  return shown.is_error() ? "error: " + std::string(text)
                          : std::string(text.substr(1, text.size() - 2));
}

// Evaluates an expression over no variables; the compiler's message is "compile: message".
inline std::string Evaluated(std::string_view text, const Environment& environment = {},
                             const std::vector<Value>& values = {}) {
  const Compiled compiled = Program::Compile(text, environment);
  if (compiled.program == nullptr) {
    // The first line, without the place.
    const std::string line = compiled.error.substr(0, compiled.error.find('\n'));
    if (compiled.fails) return "program: " + line;
    return "compile" + line.substr(line.find(": ", line.find(":", 15)));
  }
  return Shown(compiled.program->Evaluate(values, kCallBudget).value);
}

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_TESTING_H_
