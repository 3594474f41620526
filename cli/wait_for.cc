#include "cli/wait_for.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kinformer/json/json.h"
#include "kinformer/json/jsonpath.h"

#include "object/values/text_forms.h"

namespace kinformer::cli {
namespace {

using wait::ObjectCondition;
using wait::ObservedObject;

constexpr std::chrono::hours kLongest(100 * 365 * 24);

Error Invalid(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Returns a condition of an existing object.
ObjectCondition OfExisting(ObjectCondition condition) {
  std::string what = condition.what();
  return {std::move(what),
          [condition = std::move(condition)](const ObservedObject& observed) -> Result<bool> {
            if (!observed.exists()) return Error(Reason::kNotFound, "not found");
            return condition.Holds(observed);
          }};
}

// Returns a scalar as kubectl compares it.
Result<std::string> ScalarText(const json::Value& value) {
  if (value.is_object() || value.is_array()) {
    return Invalid("jsonpath leads to a nested object or list which is not supported");
  }
  return value.is_string() ? value.StringOrEmpty() : value.Dump();
}

Result<json::JSONPath> PathOf(std::string_view text) {
  const Result<std::string> expression = json::RelaxedJSONPathExpression(text);
  if (!expression) return expression.error();
  return json::JSONPath::Parse(*expression, {.allow_missing_keys = true});
}

Result<WaitFor> ParseJsonPath(std::string_view text) {
  // {PATH}=VALUE, or PATH=VALUE; a path may have "=" within its braces.
  const std::size_t from = text.starts_with('{') ? text.find('}') : 0;
  const std::size_t equals = from == std::string_view::npos ? from : text.find('=', from);
  const std::string_view path = text.substr(0, equals);
  Result<json::JSONPath> parsed = PathOf(path);
  if (!parsed)
    return Invalid("--for=jsonpath=" + std::string(path) + ": " + parsed.error().message());
  std::optional<std::string> wanted;
  if (equals != std::string_view::npos) {
    std::string_view value = text.substr(equals + 1);
    for (const char quote : {'\'', '"'}) {
      if (value.size() > 1 && value.front() == quote && value.back() == quote) {
        value = value.substr(1, value.size() - 2);
      }
    }
    if (value.empty()) return Invalid("jsonpath wait has to have a value behind \"=\"");
    wanted = value;
  }
  ObjectCondition condition(
      std::string(text),
      [path = *std::move(parsed), wanted](const ObservedObject& observed) -> Result<bool> {
        const auto found = path.FindResults(observed.json());
        // An item that is not there yet is an error of the path, too.
        if (!found || found->empty() || found->front().empty()) return false;
        if (found->size() > 1 || found->front().size() > 1) {
          return Invalid("jsonpath leads to more than one value");
        }
        const json::Value& value = *found->front().front();
        if (value.is_null()) return false;
        if (!wanted) return true;
        const Result<std::string> scalar = ScalarText(value);
        if (!scalar) return scalar.error();
        return *scalar == *wanted;
      });
  return WaitFor{WaitFor::Form::kCondition, OfExisting(std::move(condition))};
}

}  // namespace

Result<WaitFor> ParseWaitFor(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string word = Lower(text.substr(0, equals));
  const std::string_view rest =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  if (equals == std::string_view::npos) {
    if (word == "delete") return WaitFor{WaitFor::Form::kDelete};
    if (word == "create") return WaitFor{WaitFor::Form::kCreate};
  } else if (word == "condition" && !rest.empty()) {
    const std::size_t second = rest.find('=');
    const std::string_view value =
        second == std::string_view::npos ? std::string_view("True") : rest.substr(second + 1);
    return WaitFor{WaitFor::Form::kCondition,
                   OfExisting(wait::conditions::StatusCondition(std::string(rest.substr(0, second)),
                                                                std::string(value)))};
  } else if (word == "jsonpath" && !rest.empty()) {
    return ParseJsonPath(rest);
  }
  return Invalid("unrecognized condition: \"" + std::string(text) +
                 "\"; write --for=condition=NAME[=VALUE], --for=jsonpath='{PATH}'[=VALUE], "
                 "--for=create or --for=delete");
}

Result<Duration> ParseWaitTimeout(std::string_view text) {
  const bool plain = text.find_first_not_of("0123456789.+-") == std::string_view::npos;
  const auto nanos = internal::ParseGoDuration(std::string(text) + (plain ? "s" : ""));
  if (!nanos) {
    return Invalid("\"" + std::string(text) + "\" is no duration; write it like 20s or 1m30s");
  }
  if (*nanos < 0) return Duration(std::chrono::hours(7 * 24));
  const std::chrono::nanoseconds wait(*nanos);
  if (wait > kLongest) return Invalid("\"" + std::string(text) + "\" is too long");
  return std::chrono::duration_cast<Duration>(wait);
}

}  // namespace kinformer::cli
