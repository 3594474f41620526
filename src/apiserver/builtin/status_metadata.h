// apiserver/builtin/status_metadata.h
//
// Which metadata a write to the subresource `status` leaves as it was: labels and the like are part
// of such a write for most kinds, and for some they are not.

#ifndef KINFORMER_APISERVER_BUILTIN_STATUS_METADATA_H_
#define KINFORMER_APISERVER_BUILTIN_STATUS_METADATA_H_

#include <span>
#include <string_view>

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// The members of metadata that a client could write with the object, and cannot with its status.
// Empty: the status brings all of its metadata with it.
[[nodiscard]] std::span<const std::string_view> MetadataKeptByStatus(
    const ServedResource& resource);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_STATUS_METADATA_H_
