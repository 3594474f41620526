#include "cli/export_target.h"

#include "kinformer/sinks/json_lines_sink.h"
#include "kinformer/sinks/postgres_sink.h"
#include "kinformer/sinks/sqlite_sink.h"

namespace kinformer::cli {

std::string ExportTarget::Name() const { return kind == Kind::kPostgres ? "the database" : place; }

Result<ExportTarget> ReadExportTarget(const std::string& text) {
  if (text.starts_with("postgresql://") || text.starts_with("postgres://")) {
    return ExportTarget{.kind = ExportTarget::Kind::kPostgres, .place = text};
  }
  for (const char* const ending : {".sqlite", ".sqlite3", ".db"}) {
    if (text.ends_with(ending)) {
      return ExportTarget{.kind = ExportTarget::Kind::kSqlite, .place = text};
    }
  }
  if (text.ends_with(".jsonl")) {
    return ExportTarget{.kind = ExportTarget::Kind::kLines, .place = text};
  }
  if (const std::size_t scheme = text.find("://"); scheme != std::string::npos) {
    return Error(Reason::kInvalidArgument, "--to: databases of " + text.substr(0, scheme + 3) +
                                               " are not known: write postgresql://USER@HOST/DB");
  }
  return Error(
      Reason::kInvalidArgument,
      "--to: \"" + text + "\" is neither FILE.sqlite nor FILE.jsonl nor postgresql://USER@HOST/DB");
}

Result<std::shared_ptr<SnapshotSink>> OpenExportTarget(const ExportTarget& target,
                                                       const DatabaseOptions& options) {
  switch (target.kind) {
    case ExportTarget::Kind::kSqlite:
      return OpenSqliteSink(target.place, options);
    case ExportTarget::Kind::kLines:
      if (!options.columns.empty() || options.history) {
        return Error(Reason::kInvalidArgument,
                     "--columns and --history are for databases: a .jsonl file has the objects "
                     "and every change anyway");
      }
      return OpenJsonLinesSink(target.place);
    case ExportTarget::Kind::kPostgres:
#ifdef KINFORMER_CLI_POSTGRES
      return OpenPostgresSink(target.place, options);
#else
      break;
#endif
  }
  return Error(Reason::kInvalidArgument,
               "--to: this program was built without libpq, so it knows no PostgreSQL");
}

}  // namespace kinformer::cli
