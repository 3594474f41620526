// apiserver/write/deletion_mark.h
//
// How an object that something holds back is marked as on its way out: its deletionTimestamp and
// its grace period.

#ifndef KINFORMER_APISERVER_WRITE_DELETION_MARK_H_
#define KINFORMER_APISERVER_WRITE_DELETION_MARK_H_

#include <cstdint>
#include <optional>

#include "kinformer/json.h"
#include "kinformer/time.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

[[nodiscard]] bool Terminating(const json::Value& object);

// How many seconds a pod gets that is deleted: `asked`, or what it says itself. One that no node
// has, or that has ended, gets none.
[[nodiscard]] std::int64_t GraceOf(const json::Value& pod, std::optional<std::int64_t> asked);

// `grace`: seconds from `now` on.
void MarkDeleted(const ServedResource& resource, WallTime now, std::int64_t grace,
                 json::Value& object);

// A later delete can only shorten the grace period. False: it does not.
bool ShortenGracePeriod(WallTime now, std::int64_t grace, json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_DELETION_MARK_H_
