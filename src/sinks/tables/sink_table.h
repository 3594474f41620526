// sinks/tables/sink_table.h
//
// SinkTable: the table of a resource, as far as all databases have it alike.

#ifndef KINFORMER_SINKS_TABLES_SINK_TABLE_H_
#define KINFORMER_SINKS_TABLES_SINK_TABLE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/sinks/database_options.h"
#include "kinformer/sinks/snapshot_sink.h"

#include "sinks/tables/field_path.h"

namespace kinformer::internal::sinks {

// Name of the table of resources.
inline constexpr std::string_view kResourcesTable = "kinformer_resources";

struct SinkTable {
  std::string name{};     // not quoted
  std::string columns{};  // the declared ones as text, to be compared: "node=.spec.nodeName"
  std::vector<std::pair<std::string, FieldPath>> declared{};

  [[nodiscard]] std::string history() const { return name + "_history"; }
};

// Columns of a row of kinformer_resources.
struct HeldTable {
  std::string source{};
  std::string columns{};
  std::string resource_version{};
};

// Returns the table of a resource. kInvalidArgument if a declared column has no name for a column,
// the name of another one, or a wrong path.
Result<SinkTable> TableOf(const std::string& resource, const DatabaseOptions& options);

// kConfig if the table was filled from another source, or has other columns. `target`: for the
// message.
Result<void> CheckHeld(const std::string& target, const ExportedResource& resource,
                       const SinkTable& table, const HeldTable& held);

// Returns the error of a table of that name that no export has made.
Error ForeignTable(const std::string& target, const SinkTable& table);

// Returns the error of a commit that found another version than that of its batch.
Error ChangedByOther(const std::string& target, const SinkBatch& batch, const std::string& found);

// Returns "name", with quotes inside doubled: an identifier of SQL.
std::string Quoted(std::string_view name);
// Returns 'text', with quotes inside doubled: a literal of SQL.
std::string Literal(std::string_view text);

}  // namespace kinformer::internal::sinks

#endif  // KINFORMER_SINKS_TABLES_SINK_TABLE_H_
