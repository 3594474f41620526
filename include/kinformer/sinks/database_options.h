// kinformer/sinks/database_options.h
//
// DatabaseOptions: what sqlite_sink.h and postgres_sink.h have in common.
//
// A resource has a table, whose name is that of the resource with _ for other characters: pods,
// deployments_apps, widgets_example_com. Its columns are namespace, name, uid, resource_version,
// object (JSON), and those that SinkColumn adds. The table kinformer_resources has a row for each
// resource: resource, table_name, source, columns, resource_version and the time of its commit.

#ifndef KINFORMER_SINKS_DATABASE_OPTIONS_H_
#define KINFORMER_SINKS_DATABASE_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer {

// An additional column of a resource's table, which the database computes from the object.
struct SinkColumn {
  std::string resource{};  // as ExportedResource::name
  std::string name{};
  // Path of a field: .spec.nodeName, .status.podIPs[0].ip, .metadata.labels['app']. A dot in a name
  // is written \. or in quotes.
  std::string path{};
};

// Reads "pods:node=.spec.nodeName,phase=.status.phase". Errors are kInvalidArgument and name the
// column.
Result<std::vector<SinkColumn>> ParseSinkColumns(std::string_view text);

// Options of a sink in a database.
struct DatabaseOptions {
  // A target that has a table with other columns refuses these.
  std::vector<SinkColumn> columns{};
  // Keeps a table of all changes of each resource, named like its table with _history: id, time,
  // operation (upsert or remove), resource_version, namespace, name, uid, object. Nothing is ever
  // deleted from it; a program may do so.
  bool history{false};
};

}  // namespace kinformer

#endif  // KINFORMER_SINKS_DATABASE_OPTIONS_H_
