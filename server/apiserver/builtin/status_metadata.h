// apiserver/builtin/status_metadata.h
//
// Metadata that a write of the subresource `status` does not change: for most kinds, such a write
// includes labels and other metadata; for some it does not.

#ifndef KINFORMER_APISERVER_BUILTIN_STATUS_METADATA_H_
#define KINFORMER_APISERVER_BUILTIN_STATUS_METADATA_H_

#include <span>
#include <string_view>

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Returns the members of metadata that clients can change with the object, but not with its status.
// Empty: a write of the status sets all of the metadata.
[[nodiscard]] std::span<const std::string_view> MetadataKeptByStatus(
    const ServedResource& resource);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_STATUS_METADATA_H_
