// table/columns.h
//
// Columns in which objects of a kind are shown: those of a real server for the most used kinds;
// name and age for all others. The server uses them for requests for a Table, and the command for
// objects from a cache.

#ifndef KINFORMER_TABLE_COLUMNS_H_
#define KINFORMER_TABLE_COLUMNS_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/json/json.h"

namespace kinformer::internal::table {

struct Column {
  std::string name;   // as in a Table; shown in capitals
  bool wide = false;  // only with -o wide: priority 1
  std::string type{"string"};
  std::string description{};
  std::string format{};
  bool literal = false;  // the cell is JSON's number or boolean, not a text
};

// Make a column with one of these types. The types are those of the real server, which declares
// some of its numbers as strings: such columns are Literal.
inline Column Integer(const char* name) { return {name, false, "integer"}; }
inline Column Boolean(const char* name) { return {name, false, "boolean"}; }
inline Column Literal(const char* name, bool wide = false) {
  return {name, wide, "string", {}, {}, true};
}

using RowFunction =
    std::function<std::vector<std::string>(const json::Value& object, WallTime now)>;

// One kind's table. A row has one cell for each column.
struct Columns {
  std::vector<Column> columns;
  RowFunction row{};
};

// By "Kind.group".
using ColumnsByKind = std::map<std::string, Columns, std::less<>>;
// Pods and the kinds that create them (workload_columns.cc).
void AddWorkloadTables(ColumnsByKind& tables);
// Kinds for administrators: storage, access, policy (cluster_columns.cc).
void AddClusterTables(ColumnsByKind& tables);
// The kinds that extend a cluster: admission, devices, drivers, flow control
// (extension_columns.cc).
void AddExtensionTables(ColumnsByKind& tables);
// Kinds that ask controllers for something: certificates of pods, migrations, taints of devices,
// groups of pods (request_columns.cc).
void AddRequestTables(ColumnsByKind& tables);

const Columns& ColumnsFor(std::string_view group, std::string_view kind);

// Titles and cells that are shown with -o wide or without it.
std::vector<std::string> TitlesOf(const Columns& columns, bool wide);
std::vector<std::string> CellsOf(const Columns& columns, const json::Value& object, bool wide,
                                 WallTime now);

}  // namespace kinformer::internal::table

#endif  // KINFORMER_TABLE_COLUMNS_H_
