#include "sinks/tables/sink_table.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kinformer::internal::sinks {
namespace {

constexpr std::array<std::string_view, 5> kOwnColumns = {"namespace", "name", "uid",
                                                         "resource_version", "object"};

bool IsColumnName(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
         });
}

std::string Enclosed(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

}  // namespace

Result<SinkTable> TableOf(const std::string& resource, const DatabaseOptions& options) {
  SinkTable table{.name = resource};
  for (char& c : table.name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  for (const SinkColumn& column : options.columns) {
    if (column.resource != resource) continue;
    const auto wrong = [&](const std::string& why) {
      return Error(Reason::kInvalidArgument,
                   "column " + column.name + " of " + resource + ": " + why);
    };
    if (!IsColumnName(column.name)) {
      return wrong("its name may have lower-case letters, digits and _");
    }
    const auto same = [&](const auto& other) { return other.first == column.name; };
    if (std::find(kOwnColumns.begin(), kOwnColumns.end(), column.name) != kOwnColumns.end() ||
        std::any_of(table.declared.begin(), table.declared.end(), same)) {
      return wrong("the table has a column of this name already: choose another one");
    }
    Result<FieldPath> path = ParseFieldPath(column.path);
    if (!path) return wrong(path.error().message());
    table.declared.emplace_back(column.name, *std::move(path));
    if (!table.columns.empty()) table.columns += ',';
    table.columns += column.name + "=" + column.path;
  }
  return table;
}

Result<void> CheckHeld(const std::string& target, const ExportedResource& resource,
                       const SinkTable& table, const HeldTable& held) {
  if (held.source != resource.source) {
    return Error(Reason::kConfig, target + ": its table " + table.name + " has " + resource.name +
                                      " of another source (" + held.source + ", not " +
                                      resource.source + "): export them to another place");
  }
  if (held.columns != table.columns) {
    const auto named = [](const std::string& columns) {
      return columns.empty() ? std::string("none") : columns;
    };
    return Error(Reason::kConfig, target + ": its table " + table.name +
                                      " has other additional columns (" + named(held.columns) +
                                      ", not " + named(table.columns) +
                                      "): ask for the same ones, or export to another place");
  }
  return {};
}

Error ForeignTable(const std::string& target, const SinkTable& table) {
  return {Reason::kConfig, target + ": it has a table " + table.name +
                               " that no export has made: rename that, or export to another place"};
}

Error ChangedByOther(const std::string& target, const SinkBatch& batch, const std::string& found) {
  return {Reason::kConflict, target + ": " + batch.resource.name + " stands at version " + found +
                                 ", not at " + batch.from +
                                 ": another export writes there, too; end one of the two"};
}

std::string Quoted(std::string_view name) { return Enclosed(name, '"'); }
std::string Literal(std::string_view text) { return Enclosed(text, '\''); }

}  // namespace kinformer::internal::sinks
