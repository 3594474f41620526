#include "cli/go_value.h"

#include <map>
#include <string_view>

#include "kinformer/json/jsonpath.h"

namespace kinformer::cli {

std::string GoText(const json::Value& value) {
  if (value.is_null()) return "<nil>";
  std::string text;
  if (value.is_array()) {
    for (const json::Value& item : value.items()) text += " " + GoText(item);
    return "[" + text.substr(text.empty() ? 0 : 1) + "]";
  }
  if (value.is_object()) {
    std::map<std::string_view, const json::Value*> sorted;
    for (const auto& [name, member] : value.members()) sorted.emplace(name, &member);
    for (const auto& [name, member] : sorted) {
      text += (text.empty() ? "" : " ") + std::string(name) + ":" + GoText(*member);
    }
    return "map[" + text + "]";
  }
  return json::EvalToText(value);
}

bool IsTrue(const json::Value& value) {
  if (value.is_null()) return false;
  if (const auto truth = value.AsBool()) return *truth;
  if (value.is_number()) return value.AsDouble().value_or(0) != 0;
  if (value.is_string()) return !value.StringOrEmpty().empty();
  return value.size() != 0;
}

}  // namespace kinformer::cli
