// cel/program.h
//
// Program: a compiled expression of CEL, the Common Expression Language. Rules of
// CustomResourceDefinitions are written in it.
//
//   Environment environment{.variables = {{"self", ListOf(Plain(TypeKind::kInt))}}};
//   Compiled compiled = Program::Compile("self.all(x, x > 0)", environment);
//   if (compiled.program == nullptr) return compiled.error;     // names line, column and reason
//   Outcome outcome = compiled.program->Evaluate({list}, 1'000'000);
//   if (outcome.value.is_true()) ...

#ifndef KINFORMER_CEL_PROGRAM_H_
#define KINFORMER_CEL_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/checker.h"
#include "cel/expression.h"
#include "cel/type.h"
#include "cel/value.h"

namespace kinformer::internal::cel {

// The budget of one evaluation, as in kube-apiserver: an expression that reaches it has run for
// some 30 ms.
inline constexpr std::uint64_t kCallBudget = 1'000'000;

struct Outcome {
  // May refer to the program and to what the variables refer to.
  Value value{};
  std::uint64_t cost = 0;
};

class Program;

struct Compiled {
  std::shared_ptr<const Program> program{};  // null if there is an error
  std::string error{};
  // The expression is right, but a literal in it cannot be converted, or is no pattern.
  bool fails = false;
};

// Immutable and thread-safe. Parsing is bounded by kMaxTextBytes and kMaxDepth, evaluation by the
// budget. Counterpart: cel-go's cel.Program.
class Program {
 public:
  static Compiled Compile(std::string_view text, const Environment& environment);

  // `values` are those of the environment's variables, in their order; more are not needed.
  [[nodiscard]] Outcome Evaluate(std::span<const Value> values, std::uint64_t budget) const;

  [[nodiscard]] const Type& type() const { return *checked_.type; }
  [[nodiscard]] std::size_t depth() const { return root_->depth; }
  // Returns what an evaluation costs at worst, if the first variable is of that type, which a
  // schema declares.
  [[nodiscard]] std::uint64_t MaxCost(const Type& self) const;
  // Returns whether the i-th variable occurs in the expression.
  [[nodiscard]] bool Uses(std::size_t variable) const { return checked_.used[variable]; }

 private:
  Program(std::unique_ptr<const Node> root, Checked checked, std::vector<Variable> variables);

  std::unique_ptr<const Node> root_;
  Checked checked_;
  std::vector<Variable> variables_;  // keeps their types
};

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_PROGRAM_H_
