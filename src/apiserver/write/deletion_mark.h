// apiserver/write/deletion_mark.h
//
// How an object that something holds back is marked as on its way out: its deletionTimestamp and
// its grace period.

#ifndef KINFORMER_APISERVER_WRITE_DELETION_MARK_H_
#define KINFORMER_APISERVER_WRITE_DELETION_MARK_H_

#include <cstdint>

#include "kinformer/json.h"
#include "kinformer/time.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

[[nodiscard]] bool Terminating(const json::Value& object);

// `grace`: seconds from `now` on.
void MarkDeleted(const ServedResource& resource, WallTime now, std::int64_t grace,
                 json::Value& object);

// A later delete can only shorten the grace period. False: it does not.
bool ShortenGracePeriod(WallTime now, std::int64_t grace, json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_DELETION_MARK_H_
