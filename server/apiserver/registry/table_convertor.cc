#include "apiserver/registry/table_convertor.h"

#include <utility>

namespace kinformer::apiserver {
namespace {

using internal::table::Column;
using internal::table::Columns;

const Columns& ColumnsOf(const ResourceAt& at) {
  if (at.resource->custom) return at.version->columns;
  // Rows are made from the stored form.
  const auto& stored = at.resource->stored;
  return internal::table::ColumnsFor(stored == nullptr ? at.resource->group : stored->group,
                                     at.version->kind);
}

// Numbers and booleans keep their types in the table; an empty cell is null unless it is a string.
json::Value Cell(const Column& column, std::string text) {
  if (column.type == "string" && !column.literal) return text;
  if (text.empty()) return nullptr;
  if (column.type == "date") return text;
  Result<json::Value> value = json::Parse(text);
  return value ? *std::move(value) : json::Value(std::move(text));
}

}  // namespace

std::string ColumnDefinitionsJson(const ResourceAt& at) {
  json::Value columns = json::Value::MakeArray();
  for (const Column& column : ColumnsOf(at).columns) {
    columns.Append(json::Value::MakeObject(
        {{"name", column.name},
         {"type", column.type},
         {"format", column.name == "Name" ? "name" : column.format},
         {"description", column.description.empty() ? column.name : column.description},
         {"priority", column.wide ? 1 : 0}}));
  }
  return columns.Dump();
}

json::Value TableCells(const ResourceAt& at, const json::Value& object, WallTime now) {
  const Columns& columns = ColumnsOf(at);
  std::vector<std::string> row = columns.row(object, now);
  json::Value cells = json::Value::MakeArray();
  for (std::size_t i = 0; i < columns.columns.size() && i < row.size(); ++i) {
    cells.Append(Cell(columns.columns[i], std::move(row[i])));
  }
  return cells;
}

}  // namespace kinformer::apiserver
