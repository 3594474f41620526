// object/transcode/value_to_protobuf.h
//
// Converts a document in memory directly to the protobuf form of a message, without JSON text.

#ifndef KINFORMER_OBJECT_TRANSCODE_VALUE_TO_PROTOBUF_H_
#define KINFORMER_OBJECT_TRANSCODE_VALUE_TO_PROTOBUF_H_

#include <string>

#include "kinformer/base/result.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

namespace kinformer::internal {

// Returns the same as JsonToProtobuf (object/transcode/transcode.h) of the document's text.
// Thread-safe, does not block. Errors are kDecode, without the place that JsonToProtobuf names.
Result<std::string> ValueToProtobuf(const MessageDescriptor& message, const json::Value& object);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_VALUE_TO_PROTOBUF_H_
