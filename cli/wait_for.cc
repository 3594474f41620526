#include "cli/wait_for.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace kinformer::cli {
namespace {

using wait::ObjectCondition;
using wait::ObservedObject;

constexpr double kMostSeconds = 100.0 * 365 * 24 * 3600;

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

Result<WaitFor> ParseJsonPath(std::string_view text) {
  // {PATH}=VALUE, or PATH=VALUE; a path may have "=" within its braces.
  const std::size_t from = text.starts_with('{') ? text.find('}') : 0;
  const std::size_t equals = from == std::string_view::npos ? from : text.find('=', from);
  const std::string_view path = text.substr(0, equals);
  Result<FieldPath> parsed = FieldPath::Parse(path);
  if (!parsed) return std::move(parsed).error();
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
        const json::Value* value = path.Find(observed.json());
        if (value == nullptr || value->is_null()) return false;
        if (!wanted) return true;
        const Result<std::string> found = ScalarText(*value);
        if (!found) return found.error();
        return *found == *wanted;
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
  const bool negative = text.starts_with('-');
  const auto bad = [&] {
    return Invalid("\"" + std::string(text) + "\" is no duration; write it like 20s or 1m30s");
  };
  std::string_view left = text.substr(negative ? 1 : 0);
  if (left.empty()) return bad();
  double seconds = 0;
  while (!left.empty()) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(left.data(), left.data() + left.size(), number, std::chars_format::fixed);
    if (error != std::errc() || number < 0 || !std::isfinite(number)) return bad();
    const bool alone = left.size() == text.size() - (negative ? 1 : 0);
    left.remove_prefix(static_cast<std::size_t>(end - left.data()));
    std::size_t letters = 0;
    while (letters < left.size() && std::isalpha(static_cast<unsigned char>(left[letters]))) {
      ++letters;
    }
    const std::string_view unit = left.substr(0, letters);
    left.remove_prefix(letters);
    if (unit.empty() && alone && left.empty()) {
      seconds += number;
    } else if (unit == "h") {
      seconds += number * 3600;
    } else if (unit == "m") {
      seconds += number * 60;
    } else if (unit == "s") {
      seconds += number;
    } else if (unit == "ms") {
      seconds += number / 1000;
    } else {
      return bad();
    }
  }
  if (seconds > kMostSeconds) return Invalid("\"" + std::string(text) + "\" is too long");
  if (negative && seconds > 0) return Duration(std::chrono::hours(7 * 24));
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

Result<FieldPath> FieldPath::Parse(std::string_view text) {
  const auto bad = [&](const std::string& why) {
    return Invalid("--for=jsonpath=" + std::string(text) + ": " + why);
  };
  std::string_view left = text;
  if (left.starts_with('{')) {
    if (!left.ends_with('}')) return bad("a brace is not closed");
    left = left.substr(1, left.size() - 2);
  }
  if (left.starts_with('$')) left.remove_prefix(1);
  FieldPath path;
  while (!left.empty()) {
    Step step;
    if (left.front() == '[') {
      const std::size_t close = left.find(']');
      if (close == std::string_view::npos) return bad("a bracket is not closed");
      const std::string_view inner = left.substr(1, close - 1);
      left.remove_prefix(close + 1);
      if (inner.size() > 1 && inner.front() == '\'' && inner.back() == '\'') {
        step.name = inner.substr(1, inner.size() - 2);
      } else {
        std::size_t position = 0;
        const auto [end, error] =
            std::from_chars(inner.data(), inner.data() + inner.size(), position);
        if (inner.empty() || error != std::errc() || end != inner.data() + inner.size()) {
          return bad("\"[" + std::string(inner) + "]\" is no position of an item");
        }
        step.position = position;
      }
    } else {
      if (left.front() == '.') left.remove_prefix(1);
      std::size_t at = 0;
      for (; at < left.size() && left[at] != '.' && left[at] != '['; ++at) {
        if (left[at] == '\\' && at + 1 < left.size()) ++at;
        step.name += left[at];
      }
      left.remove_prefix(at);
      if (step.name.empty() || step.name == "*") return bad("a member has no name");
    }
    path.steps_.push_back(std::move(step));
  }
  if (path.steps_.empty()) return bad("the path is empty");
  return path;
}

const json::Value* FieldPath::Find(const json::Value& object) const {
  const json::Value* value = &object;
  for (const Step& step : steps_) {
    if (step.position) {
      const json::Array* items = value->IfArray();
      if (items == nullptr || *step.position >= items->size()) return nullptr;
      value = &(*items)[*step.position];
    } else {
      value = value->Find(step.name);
      if (value == nullptr) return nullptr;
    }
  }
  return value;
}

}  // namespace kinformer::cli
