// cli/go_template_functions.h
//
// The functions of Go templates (go_template.h) that do not look at the template.

#ifndef KINFORMER_CLI_GO_TEMPLATE_FUNCTIONS_H_
#define KINFORMER_CLI_GO_TEMPLATE_FUNCTIONS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {

// A value of a template: part of the document, or computed. Null: no value.
using TemplateValue = std::shared_ptr<const json::Value>;

// Returns a value that does not own `value`.
TemplateValue Borrowed(const json::Value& value);
TemplateValue Computed(json::Value value);

// Returns the value, or null if there is none.
const json::Value& ValueOf(const TemplateValue& value);

bool IsTemplateFunction(std::string_view name);
// Returns their names: "and, or, not".
std::string TemplateFunctions();

// Calls a function. `and` and `or` are not among them, since they need not evaluate all of their
// arguments. Errors are kInvalidArgument, without a place.
Result<TemplateValue> CallTemplateFunction(std::string_view name,
                                           const std::vector<TemplateValue>& arguments);

// As fmt.Sprintf. Arguments that are missing, surplus or of another type are shown in the output,
// as in Go: %!d(MISSING).
std::string GoPrintf(std::string_view format, const std::vector<TemplateValue>& arguments);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_GO_TEMPLATE_FUNCTIONS_H_
