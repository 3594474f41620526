// kinformer/sinks/json_lines_sink.h
//
// OpenJsonLinesSink: a file with a line of JSON for each change, and one for each commit:
//
// {"resource":"pods","op":"upsert","namespace":"default","name":"web-0","uid":"9…",
//  "resourceVersion":"7","object":{…}}
// {"resource":"pods","op":"remove","namespace":"default","name":"web-0","uid":"9…",
//  "resourceVersion":"8"}
// {"resource":"pods","op":"commit","from":"6","to":"8","complete":false,"source":"…"}
//
// Each is one line in the file. Lines behind the last commit of the file are not valid yet.

#ifndef KINFORMER_SINKS_JSON_LINES_SINK_H_
#define KINFORMER_SINKS_JSON_LINES_SINK_H_

#include <memory>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/sinks/snapshot_sink.h"

namespace kinformer {

// Opens or makes the file, which only its owner may read if it is new, and reads it once: lines
// that no commit follows are cut off. It only grows. It keeps name, uid and version of each object
// in memory. `complete` in a line of a commit: the lines since the commit before are the whole
// collection of that resource.
//
// Errors: kConfig if it cannot be opened, or has lines of another program; kConflict if another
// program has it open.
Result<std::shared_ptr<SnapshotSink>> OpenJsonLinesSink(const std::string& path);

}  // namespace kinformer

#endif  // KINFORMER_SINKS_JSON_LINES_SINK_H_
