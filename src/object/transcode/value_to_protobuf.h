// object/transcode/value_to_protobuf.h
//
// From a document in memory to the protobuf form of a message, without its text in between.

#ifndef KINFORMER_OBJECT_TRANSCODE_VALUE_TO_PROTOBUF_H_
#define KINFORMER_OBJECT_TRANSCODE_VALUE_TO_PROTOBUF_H_

#include <string>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::internal {

// What JsonToProtobuf (object/transcode/transcode.h) makes of the document's text. Thread-safe,
// nothing blocks. Errors are kDecode; they do not say where, which JsonToProtobuf does.
Result<std::string> ValueToProtobuf(const MessageDescriptor& message, const json::Value& object);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_VALUE_TO_PROTOBUF_H_
