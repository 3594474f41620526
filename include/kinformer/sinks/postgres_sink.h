// kinformer/sinks/postgres_sink.h
//
// OpenPostgresSink: a mirror in a PostgreSQL database (database_options.h has its tables; object is
// jsonb). It is there if libpq was when kinformer was built. Link kinformer::sinks_postgres.

#ifndef KINFORMER_SINKS_POSTGRES_SINK_H_
#define KINFORMER_SINKS_POSTGRES_SINK_H_

#include <memory>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/sinks/database_options.h"
#include "kinformer/sinks/snapshot_sink.h"

namespace kinformer {

// Connects to the database of a URL, such as postgresql://host:5432/mirror?user=exporter. The
// password is better in PGPASSWORD or ~/.pgpass than in the URL; no error shows it. A lost
// connection is made again. Readers see one version at any time. The character U+0000, which jsonb
// cannot have, becomes U+FFFD.
//
// Errors: kInvalidArgument if the URL is malformed; kConnectionRefused if it cannot connect.
// Commit is kConflict if another export changes the same resource.
Result<std::shared_ptr<SnapshotSink>> OpenPostgresSink(const std::string& url,
                                                       DatabaseOptions options = {});

}  // namespace kinformer

#endif  // KINFORMER_SINKS_POSTGRES_SINK_H_
