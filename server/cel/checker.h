// cel/checker.h
//
// Check: finds the type of each expression of a tree, resolves its names, and reports what cannot
// be right.

#ifndef KINFORMER_CEL_CHECKER_H_
#define KINFORMER_CEL_CHECKER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cel/expression.h"
#include "cel/parser.h"
#include "cel/type.h"

namespace kinformer::internal::cel {

struct Variable {
  std::string name{};
  TypePtr type{};
};

// Returns the type of the messages of this name, an object; null if there is none.
using MessageTypes = TypePtr (*)(std::string_view name);

// Names that an expression can use.
struct Environment {
  std::vector<Variable> variables{};
  MessageTypes messages = nullptr;  // null: there are none
};

struct Checked {
  TypePtr type{};            // of the whole expression
  std::size_t slots = 0;     // for its variables and those of its macros
  std::vector<bool> used{};  // which of the variables occur in it
};

// Slots of variables are their positions; those of macros are behind them.
Checked Check(Node& root, const Environment& environment, std::vector<Problem>& problems);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_CHECKER_H_
