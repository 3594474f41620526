// object/transcode/protobuf_to_value.h
//
// From the protobuf form of a message to a document that can be changed, without its text in
// between.

#ifndef KINFORMER_OBJECT_TRANSCODE_PROTOBUF_TO_VALUE_H_
#define KINFORMER_OBJECT_TRANSCODE_PROTOBUF_TO_VALUE_H_

#include <string_view>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::internal {

// What json::Parse makes of ProtobufToJson's text (object/transcode/transcode.h), with kind and
// apiVersion as its first members. Thread-safe, nothing blocks. Errors are kDecode and name the
// field.
Result<json::Value> ProtobufToValue(const MessageDescriptor& message, std::string_view bytes,
                                    std::string_view kind, std::string_view api_version);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_PROTOBUF_TO_VALUE_H_
