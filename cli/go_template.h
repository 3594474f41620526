// cli/go_template.h
//
// Go templates for `-o go-template=`, in the subset of text/template that
// docs/guide/command-get.md lists: fields, variables, pipelines, if, with, range, break, continue,
// comments, trim markers, and functions (go_template_functions.h).

#ifndef KINFORMER_CLI_GO_TEMPLATE_H_
#define KINFORMER_CLI_GO_TEMPLATE_H_

#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {

struct ParsedGoTemplate;

struct GoTemplateOptions {
  // A member that an object lacks is an error, instead of <no value>.
  bool missing_keys_fail = false;
};

// A parsed template. A value; copies share it. Thread-safe. Unlike in Go, whole and other numbers
// compare, and the verbs of printf for one kind of number print the other.
class GoTemplate {
 public:
  // Errors are kInvalidArgument, with line and column.
  static Result<GoTemplate> Parse(std::string_view text, const GoTemplateOptions& options = {});

  // Errors as above.
  [[nodiscard]] Result<std::string> Execute(const json::Value& data) const;

 private:
  GoTemplate(std::shared_ptr<const ParsedGoTemplate> parsed, const GoTemplateOptions& options);

  std::shared_ptr<const ParsedGoTemplate> parsed_;
  GoTemplateOptions options_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_GO_TEMPLATE_H_
