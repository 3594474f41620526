// cli/wait_for.h
//
// The condition and the time limit of `kinformer wait`, in kubectl's forms.

#ifndef KINFORMER_CLI_WAIT_FOR_H_
#define KINFORMER_CLI_WAIT_FOR_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/wait_conditions.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {

// A parsed --for.
struct WaitFor {
  enum class Form { kCondition, kCreate, kDelete };
  Form form = Form::kCondition;
  // Empty for the other forms. An object that does not exist is an error, kNotFound.
  std::optional<wait::ObjectCondition> condition{};
};

// Parses "create", "delete", "condition=NAME", "condition=NAME=VALUE", "jsonpath={PATH}" and
// "jsonpath={PATH}=VALUE". The first word may be in any case. kInvalidArgument.
Result<WaitFor> ParseWaitFor(std::string_view text);

// Parses a duration in Go's notation; a number without a unit is in seconds. 0: to check once.
// Negative: a week, as in kubectl. kInvalidArgument.
Result<Duration> ParseWaitTimeout(std::string_view text);

// A path to one value: {.status.phase}, .status.phase, .spec.containers[0].image, also with
// ['name'] and \. in names. To be replaced by json::JSONPath.
class FieldPath {
 public:
  static Result<FieldPath> Parse(std::string_view text);
  // Returns null if there is no such value.
  [[nodiscard]] const json::Value* Find(const json::Value& object) const;

 private:
  struct Step {
    std::string name{};
    std::optional<std::size_t> position{};
  };
  std::vector<Step> steps_{};
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_WAIT_FOR_H_
