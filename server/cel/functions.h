// cel/functions.h
//
// The code of the functions, by families. Each family is a table of names.

#ifndef KINFORMER_CEL_FUNCTIONS_H_
#define KINFORMER_CEL_FUNCTIONS_H_

#include <span>
#include <string_view>

#include "cel/expression.h"

namespace kinformer::internal::cel {

struct FunctionEntry {
  std::string_view name;
  Function function;
};

using Arguments = std::span<const Value>;

std::span<const FunctionEntry> OperatorFunctions();
std::span<const FunctionEntry> ConversionFunctions();
std::span<const FunctionEntry> TextFunctions();
std::span<const FunctionEntry> ListFunctions();
std::span<const FunctionEntry> NetFunctions();
std::span<const FunctionEntry> QuantityFunctions();
std::span<const FunctionEntry> VersionFunctions();
std::span<const FunctionEntry> FormatFunctions();
std::span<const FunctionEntry> AccessFunctions();

// Computes "format.uuid()", for each format.
Value NamedFormatFunction(Evaluation& evaluation, const Node& call, Arguments arguments);

// Returns string(x) of a value; an error value where there is none.
Value TextOf(const Value& value);
// Formats values as "..".format([..]) does.
Value Formatted(Evaluation& evaluation, std::string_view format, const Value& arguments);

// Returns an error if not all arguments are of these kinds.
bool AreOf(Arguments arguments, std::initializer_list<ValueKind> kinds);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_FUNCTIONS_H_
