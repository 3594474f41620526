// cli/go_template_parser.h
//
// The parts of a Go template (go_template.h), and their parser.

#ifndef KINFORMER_CLI_GO_TEMPLATE_PARSER_H_
#define KINFORMER_CLI_GO_TEMPLATE_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {

struct TemplatePipe;

// An operand of a command, with the members that stand behind it: .a.b, $x.c, (index . 0).d.
struct TemplateOperand {
  enum class Kind : std::uint8_t { kDot, kVariable, kLiteral, kNil, kFunction, kPipe };
  Kind kind = Kind::kDot;
  std::size_t at = 0;  // position in the template
  std::string name{};  // of the variable or function
  json::Value literal{};
  std::shared_ptr<const TemplatePipe> pipe{};  // for kPipe
  std::vector<std::string> members{};
};

// An operand, or a function and its arguments.
using TemplateCommand = std::vector<TemplateOperand>;

// Commands, each with the value of the one before as its last argument.
struct TemplatePipe {
  std::vector<std::string> variables{};
  bool declares = false;  // :=, not =
  std::vector<TemplateCommand> commands{};
};

struct TemplateNode {
  enum class Kind : std::uint8_t { kText, kAction, kIf, kWith, kRange, kBreak, kContinue };
  Kind kind = Kind::kText;
  std::size_t at = 0;
  std::string text{};
  TemplatePipe pipe{};
  std::vector<TemplateNode> body{};
  std::vector<TemplateNode> otherwise{};
};

struct ParsedGoTemplate {
  std::string text{};
  std::vector<TemplateNode> nodes{};
};

// An error with line and column of a position in the template.
Error TemplateError(std::string_view text, std::size_t at, const std::string& what);

Result<ParsedGoTemplate> ParseGoTemplate(std::string_view text);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_GO_TEMPLATE_PARSER_H_
