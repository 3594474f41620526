// kinformer/sinks/sqlite_sink.h
//
// OpenSqliteSink: a mirror in an SQLite database (database_options.h has its tables):
//
//   SELECT n.name, count(*) FROM nodes n JOIN pods p ON p.node = n.name GROUP BY n.name
//
// Link kinformer::sinks_sqlite.

#ifndef KINFORMER_SINKS_SQLITE_SINK_H_
#define KINFORMER_SINKS_SQLITE_SINK_H_

#include <memory>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/sinks/database_options.h"
#include "kinformer/sinks/snapshot_sink.h"

namespace kinformer {

// Opens or makes the file, which only its owner may read if it is new. Others may read it at any
// time, and see one version. A killed program leaves the last commit, and a crash of the machine an
// earlier one.
//
// Errors: kConfig if it is damaged, no database or cannot be opened; kTimeout if another program
// holds its lock for five seconds. Commit is kConflict if another export changes the same resource.
Result<std::shared_ptr<SnapshotSink>> OpenSqliteSink(const std::string& path,
                                                     DatabaseOptions options = {});

}  // namespace kinformer

#endif  // KINFORMER_SINKS_SQLITE_SINK_H_
