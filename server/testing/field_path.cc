#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/document_checks.h"
#include "kinformer/json/jsonpath.h"

namespace kinformer::internal::kit {
namespace {

// Returns the length of the path's first step, with the dot or bracket that it begins with.
std::size_t StepLength(std::string_view path) {
  char quote = 0;
  const bool bracket = path.front() == '[';
  for (std::size_t i = 1; i < path.size(); ++i) {
    const char c = path[i];
    if (!bracket) {
      if (c == '\\') {
        ++i;
      } else if (c == '.' || c == '[') {
        return i;
      }
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ']') {
      return i + 1;
    }
  }
  return path.size();
}

// Returns copies of the values at a path, in document order; kInvalidArgument if it is malformed.
// An item that an array does not have is no value.
Result<std::vector<json::Value>> ValuesAt(const json::Value& object, std::string_view path) {
  const auto text = json::RelaxedJSONPathExpression(path);
  if (!text) return text.error();
  const auto parsed = json::JSONPath::Parse(*text, {.allow_missing_keys = true});
  if (!parsed) return parsed.error();
  std::vector<json::Value> values;
  const auto results = parsed->FindResults(object);
  if (!results || results->empty()) return values;
  for (const json::Value* value : results->front()) values.push_back(*value);
  return values;
}

// Returns what stands where the path ends: members of an object, or the length of an array.
std::string Described(const json::Value& value) {
  if (const json::Object* members = value.IfObject()) {
    std::string names;
    for (const auto& [name, member] : *members) names += (names.empty() ? "" : ", ") + name;
    return names.empty() ? "an empty object" : "an object with " + names;
  }
  if (value.is_array()) {
    const std::size_t n = value.size();
    return "a list of " + std::to_string(n) + (n == 1 ? " item" : " items");
  }
  return value.Dump();
}

// Returns the first step that leads nowhere: "has no .spec.x: .spec is an object with replicas".
std::string WhereItEnds(const json::Value& object, std::string_view path) {
  std::size_t end = 0;
  json::Value before = object;
  while (end < path.size()) {
    const std::string_view so_far = path.substr(0, end);
    end += StepLength(path.substr(end));
    auto found = ValuesAt(object, path.substr(0, end));
    if (!found || found->empty()) {
      return "has no " + std::string(path.substr(0, end)) + ": " +
             (so_far.empty() ? "the object" : std::string(so_far)) + " is " + Described(before);
    }
    before = std::move(found->front());
  }
  return "has no " + std::string(path);
}

}  // namespace

DocumentCheck HasValueAt(std::string path, ValueCheck value) {
  if (!path.empty() && path.front() == '{' && path.back() == '}') {
    path = path.substr(1, path.size() - 2);
  }
  if (!path.empty() && path.front() == '$') path.erase(0, 1);
  return {.expected = "has at " + path + " a value that " + value.expected,
          .refused = "has at " + path + " no value that " + value.expected,
          .run = [path, value = std::move(value)](const json::Value& object) -> Verdict {
            const auto found = ValuesAt(object, path);
            if (!found) return {.holds = false, .found = found.error().message()};
            if (found->empty()) return {.holds = false, .found = WhereItEnds(object, path)};
            std::string seen;
            for (const json::Value& one : *found) {
              const Verdict verdict = value.run(one);
              std::string text = one.Dump();
              if (!verdict.found.empty()) text += ", " + verdict.found;
              if (verdict.holds) return {.holds = true, .found = "has at " + path + " " + text};
              seen += (seen.empty() ? "" : "; ") + text;
            }
            return {.holds = false, .found = "has at " + path + " " + seen};
          }};
}

}  // namespace kinformer::internal::kit
