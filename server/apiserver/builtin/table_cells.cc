#include "apiserver/builtin/table_cells.h"

#include <algorithm>
#include <cstddef>

namespace kinformer::apiserver {

std::vector<std::string_view> WordsOf(std::string_view cell) {
  std::vector<std::string_view> out;
  while (!cell.empty()) {
    const std::string_view word = cell.substr(0, cell.find('|'));
    cell.remove_prefix(std::min(cell.size(), word.size() + 1));
    out.push_back(word);
  }
  return out;
}

bool IsAbsent(const json::Value& object, const internal::FieldDescriptor& field) {
  const json::Value* value = object.Find(field.json_name);
  return value == nullptr || IsAbsentValue(*value, field);
}

bool IsAbsentValue(const json::Value& value, const internal::FieldDescriptor& field) {
  if (value.is_null()) return true;
  if (field.repeated || field.map) return value.size() == 0;
  if (field.pointer) return false;
  if (value.is_string()) return value.StringOrEmpty().empty();
  if (value.is_object()) return value.size() == 0;
  if (const auto number = value.AsDouble()) return *number == 0;
  return !value.AsBool().value_or(true);
}

}  // namespace kinformer::apiserver
