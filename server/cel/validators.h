// cel/validators.h
//
// Reasons to refuse an expression whose types are right.

#ifndef KINFORMER_CEL_VALIDATORS_H_
#define KINFORMER_CEL_VALIDATORS_H_

#include <string>
#include <vector>

#include "cel/expression.h"
#include "cel/parser.h"

namespace kinformer::internal::cel {

// Adds the problems of literals: times and regular expressions that are none, lists and maps whose
// items are of several types, formats that do not fit what is formatted. Compiles the regular
// expressions. Counterpart: cel-go's AST validators.
void Validate(Node& root, std::vector<Problem>& problems);

// Returns the error of a conversion of a literal, string("a") or int(string(1)), or of the pattern
// of a call of find; empty if there is none. cel-go evaluates these when it makes a program.
std::string FailedConversion(const Node& root);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_VALIDATORS_H_
