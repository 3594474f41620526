// object/transcode/drop_unknown.h
//
// DropUnknownMembers: reduces an object to the fields that a server with this schema stores.

#ifndef KINFORMER_OBJECT_TRANSCODE_DROP_UNKNOWN_H_
#define KINFORMER_OBJECT_TRANSCODE_DROP_UNKNOWN_H_

#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

namespace kinformer::internal {

// Removes the members that JsonToProtobuf (object/transcode/transcode.h) would report as unknown,
// at any depth, in one pass.
void DropUnknownMembers(const MessageDescriptor& message, json::Value& object);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_DROP_UNKNOWN_H_
