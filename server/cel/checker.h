// cel/checker.h
//
// Check: finds the type of each expression of a tree, resolves its names, and reports what cannot
// be right.

#ifndef KINFORMER_CEL_CHECKER_H_
#define KINFORMER_CEL_CHECKER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "cel/expression.h"
#include "cel/parser.h"
#include "cel/type.h"

namespace kinformer::internal::cel {

struct Variable {
  std::string name{};
  TypePtr type{};
};

struct Checked {
  TypePtr type{};            // of the whole expression
  std::size_t slots = 0;     // for its variables and those of its macros
  std::vector<bool> used{};  // which of the variables occur in it
};

// Slots of variables are their positions; those of macros are behind them.
Checked Check(Node& root, const std::vector<Variable>& variables, std::vector<Problem>& problems);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_CHECKER_H_
