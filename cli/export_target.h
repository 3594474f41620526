// cli/export_target.h
//
// The target of `kinformer export --to`: a file, or the URL of a database.

#ifndef KINFORMER_CLI_EXPORT_TARGET_H_
#define KINFORMER_CLI_EXPORT_TARGET_H_

#include <memory>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/sinks/database_options.h"
#include "kinformer/sinks/snapshot_sink.h"

namespace kinformer::cli {

struct ExportTarget {
  enum class Kind { kSqlite, kLines, kPostgres };
  Kind kind = Kind::kSqlite;
  std::string place{};  // file or URL

  // Returns the file, or "the database": a URL may have a password in it.
  [[nodiscard]] std::string Name() const;
};

// Reads --to. Errors are kInvalidArgument.
Result<ExportTarget> ReadExportTarget(const std::string& text);

// Opens it. Options that it cannot have are kInvalidArgument.
Result<std::shared_ptr<SnapshotSink>> OpenExportTarget(const ExportTarget& target,
                                                       const DatabaseOptions& options);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_EXPORT_TARGET_H_
