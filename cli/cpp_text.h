// cli/cpp_text.h
//
// Texts of C++ sources that `kinformer crd types` writes: names, literals, comments.

#ifndef KINFORMER_CLI_CPP_TEXT_H_
#define KINFORMER_CLI_CPP_TEXT_H_

#include <set>
#include <string>
#include <string_view>

#include "kinformer/json/json.h"

namespace kinformer::cli {

// Returns a name in C++ for a name in JSON: "class_" for "class", "_ref" for "$ref".
std::string CppName(std::string_view name);
// Returns the name with its first letter in upper case, for types: "Spec".
std::string CppTypeName(std::string_view name);
// Returns `name`, or `name` with a number, so that it is not yet in `used`, and adds it there.
std::string NewName(const std::string& name, std::set<std::string>& used);

// Returns a string literal: "a", or R"(^\d+$)".
std::string CppLiteral(std::string_view text);
// Returns a comment of lines of at most 100 columns, each with its end; empty for no text.
std::string CppComment(std::string_view text, std::string_view indent);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_CPP_TEXT_H_
