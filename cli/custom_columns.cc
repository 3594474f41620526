#include "cli/custom_columns.h"

#include <string>
#include <utility>
#include <vector>

#include "cli/age.h"
#include "cli/cells.h"
#include "cli/json_path.h"

namespace kinformer::cli {
namespace {

using json::Value;

struct CustomColumn {
  std::string type;
  std::string path;
};

std::string TextOf(const Value& value) {
  return value.is_string() ? value.StringOrEmpty() : value.Dump({.escape_html = false});
}

// As the API server fills such a cell: the first value for numbers, booleans and dates, all of them for texts; empty where the
// value is not of the column's type.
std::string Cell(const CustomColumn& column, const Value& object, WallTime now) {
  const std::vector<const Value*> found = FindByPath(object, column.path);
  if (found.empty() || found.front()->is_null()) return {};
  const Value& first = *found.front();
  if (column.type == "date") return first.is_string() ? AgeOf(first.StringOrEmpty(), now) : "";
  if (column.type == "boolean") return first.is_bool() ? TextOf(first) : "";
  if (column.type == "integer" || column.type == "number") {
    if (!first.is_number()) return {};
    const auto whole = first.AsDouble();
    return column.type == "integer" && !first.AsInt64() && whole
               ? std::to_string(static_cast<std::int64_t>(*whole))
               : first.NumberText();
  }
  std::string text;
  for (const Value* value : found) text += (text.empty() ? "" : " ") + TextOf(*value);
  return text;
}

std::string Upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

}  // namespace

Columns CustomColumns(const Value& definition, std::string_view version) {
  Columns out;
  out.columns.push_back({"NAME"});
  std::vector<CustomColumn> wanted;
  for (const Value& candidate : definition["spec"]["versions"].items()) {
    if (candidate["name"].StringOrEmpty() != version) continue;
    for (const Value& column : candidate["additionalPrinterColumns"].items()) {
      out.columns.push_back(
          {Upper(column["name"].StringOrEmpty()), column["priority"].AsInt64().value_or(0) > 0});
      wanted.push_back({column["type"].StringOrEmpty(), column["jsonPath"].StringOrEmpty()});
    }
  }
  if (wanted.empty()) {
    out.columns.push_back({"AGE"});
    wanted.push_back({"date", ".metadata.creationTimestamp"});
  }
  out.row = [wanted = std::move(wanted)](const Value& object, WallTime now) {
    std::vector<std::string> row{cells::Name(object)};
    for (const CustomColumn& column : wanted) row.push_back(Cell(column, object, now));
    return row;
  };
  return out;
}

}  // namespace kinformer::cli
