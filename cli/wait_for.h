// cli/wait_for.h
//
// The condition and the time limit of `kinformer wait`, in kubectl's forms.

#ifndef KINFORMER_CLI_WAIT_FOR_H_
#define KINFORMER_CLI_WAIT_FOR_H_

#include <optional>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/wait_conditions.h"

namespace kinformer::cli {

// A parsed --for.
struct WaitFor {
  enum class Form { kCondition, kCreate, kDelete };
  Form form = Form::kCondition;
  // Empty for the other forms. An object that does not exist is an error, kNotFound.
  std::optional<wait::ObjectCondition> condition{};
};

// Parses "create", "delete", "condition=NAME", "condition=NAME=VALUE", "jsonpath={PATH}" and
// "jsonpath={PATH}=VALUE". The first word may be in any case. A path that leads nowhere does not
// hold; one that leads to several values ends the wait with an error. kInvalidArgument.
Result<WaitFor> ParseWaitFor(std::string_view text);

// Parses a duration in Go's notation; a number without a unit is in seconds. 0: to check once.
// Negative: a week, as in kubectl. kInvalidArgument.
Result<Duration> ParseWaitTimeout(std::string_view text);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_WAIT_FOR_H_
