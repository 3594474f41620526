#include "table/custom_columns.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/jsonpath.h"

#include "table/age.h"
#include "table/table_cells.h"

namespace kinformer::internal::table {
namespace {

using json::Value;

struct CustomColumn {
  std::string type;
  std::optional<json::JSONPath> path;  // none if it is malformed: the cells are empty
};

CustomColumn ParsedColumn(const std::string& type, const std::string& path) {
  auto parsed = json::JSONPath::Parse("{" + path + "}", {.allow_missing_keys = true});
  return {type, parsed ? std::optional(*std::move(parsed)) : std::nullopt};
}

std::string TextOf(const Value& value) {
  return value.is_string() ? value.StringOrEmpty() : value.Dump({.escape_html = false});
}

// Same rules as the API server: the first value for numbers, booleans and dates, all values for
// texts; empty if the value does not have the column's type.
std::string Cell(const CustomColumn& column, const Value& object, WallTime now) {
  if (!column.path) return {};
  const auto results = column.path->FindResults(object);
  if (!results || results->empty()) return {};
  const std::vector<const Value*>& found = results->front();
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

// Limit, because a definition may have thousands of columns that each print the whole object.
constexpr std::size_t kMostRowBytes = std::size_t{2} << 20;

}  // namespace

Columns CustomColumns(const Value& definition, std::string_view version) {
  for (const Value& candidate : definition["spec"]["versions"].items()) {
    if (candidate["name"].StringOrEmpty() == version) return CustomColumns(candidate);
  }
  return CustomColumns(Value());
}

Columns CustomColumns(const Value& version) {
  Columns out;
  out.columns.push_back({"Name"});
  std::vector<CustomColumn> wanted;
  for (const Value& column : version["additionalPrinterColumns"].items()) {
    const std::string& type = column["type"].StringOrEmpty();
    const std::string& path = column["jsonPath"].StringOrEmpty();
    const std::string& description = column["description"].StringOrEmpty();
    out.columns.push_back(
        {column["name"].StringOrEmpty(), column["priority"].AsInt64().value_or(0) > 0, type,
         description.empty() ? "Custom resource definition column (in JSONPath format): " + path
                             : description,
         column["format"].StringOrEmpty()});
    wanted.push_back(ParsedColumn(type, path));
  }
  if (wanted.empty()) {
    out.columns.push_back({"Age", false, "date"});
    wanted.push_back(ParsedColumn("date", ".metadata.creationTimestamp"));
  }
  out.row = [wanted = std::move(wanted)](const Value& object, WallTime now) {
    std::vector<std::string> row{cells::Name(object)};
    // Cells beyond the limit stay empty.
    std::size_t bytes = 0;
    for (const CustomColumn& column : wanted) {
      row.push_back(bytes > kMostRowBytes ? std::string() : Cell(column, object, now));
      bytes += row.back().size();
    }
    return row;
  };
  return out;
}

}  // namespace kinformer::internal::table
