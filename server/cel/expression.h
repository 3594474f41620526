// cel/expression.h
//
// Node: an expression as a tree. The parser makes it, the checker fills in what the evaluator
// needs.

#ifndef KINFORMER_CEL_EXPRESSION_H_
#define KINFORMER_CEL_EXPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cel/regular_expression.h"
#include "cel/type.h"
#include "cel/value.h"

namespace kinformer::internal::cel {

class Evaluation;
struct Node;
// Computes a function. No argument is an error value.
using Function = Value (*)(Evaluation& evaluation, const Node& call,
                           std::span<const Value> arguments);

enum class NodeKind : std::uint8_t {
  kLiteral,
  kIdentifier,
  kSelect,  // children: operand
  kHas,     // a select that asks whether the member exists
  kCall,    // children: the target, if is_member, and the arguments
  kAnd,     // two or more children
  kOr,
  kChoice,  // condition ? a : b
  kList,
  kMap,      // children: key, value, key, value...
  kMessage,  // children: the values of the fields
  kMacro,    // children: range, then the expressions over its items
};

enum class Macro : std::uint8_t {
  kAll,
  kExists,
  kExistsOne,
  kMap,  // map(x, e), map(x, condition, e): children: range, [condition,] e
  kFilter,
  kTransformList,
  kTransformMap,
  kTransformMapEntry,
  kSortBy,
  kOptMap,
  kOptFlatMap,
};

struct Node {
  NodeKind kind = NodeKind::kLiteral;
  // Where it stands in the text, in bytes.
  std::size_t offset = 0;
  // The depth of the tree below it.
  std::size_t depth = 1;
  std::vector<std::unique_ptr<Node>> children{};
  Value literal{};
  // The name in identifiers, selects and calls.
  std::string name{};
  bool is_member = false;  // of calls: a.f(b)
  bool is_global = false;  // of identifiers: .a, which is no variable of a macro
  // A '?' in selects: a.?b. In lists, maps and messages: which items (by number) have one.
  bool is_optional = false;
  std::vector<bool> optional_items{};
  std::vector<std::string> fields{};  // of messages: the names, for each child
  // Members of macros.
  Macro macro = Macro::kAll;
  std::vector<std::string> variables{};

  // ---- Filled in by the checker.
  std::size_t slot = 0;  // of identifiers: the variable; of macros: the first of its variables
  Function function = nullptr;
  TypePtr type{};  // of what it evaluates to
  // The forms of the function that fit a call (bit i: the i-th).
  std::uint32_t forms = 0;
  // Whether the second argument is evaluated depends on the first: an optional value and what
  // stands for it (or, orValue), or what is indexed.
  bool is_lazy = false;
  // The pattern of a call, if it is a literal.
  std::shared_ptr<const RegularExpression> pattern{};
};

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_EXPRESSION_H_
