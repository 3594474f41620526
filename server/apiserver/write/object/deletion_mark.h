// apiserver/write/object/deletion_mark.h
//
// Marking of objects that are deleted but cannot be removed yet: sets their deletionTimestamp and
// their grace period.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_DELETION_MARK_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_DELETION_MARK_H_

#include <cstdint>
#include <optional>

#include "kinformer/json/json.h"
#include "kinformer/object/time.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

[[nodiscard]] bool Terminating(const json::Value& object);

// Returns the grace period in seconds of a deleted pod: `asked`, or the pod's own. Zero if it is
// not assigned to a node, or has ended.
[[nodiscard]] std::int64_t GraceOf(const json::Value& pod, std::optional<std::int64_t> asked);

// `grace`: seconds from `now`.
void MarkDeleted(const ServedResource& resource, WallTime now, std::int64_t grace,
                 json::Value& object);

// Returns false if the grace period would not become shorter, which is the only allowed change.
bool ShortenGracePeriod(WallTime now, std::int64_t grace, json::Value& object);

// Returns whether an object being deleted was waiting only for this change.
bool MayGo(const ServedResource& resource, const json::Value& before, const json::Value& after);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_DELETION_MARK_H_
