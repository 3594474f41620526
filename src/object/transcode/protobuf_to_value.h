// object/transcode/protobuf_to_value.h
//
// Converts the protobuf form of a message directly to a document that can be changed, without JSON
// text in between.

#ifndef KINFORMER_OBJECT_TRANSCODE_PROTOBUF_TO_VALUE_H_
#define KINFORMER_OBJECT_TRANSCODE_PROTOBUF_TO_VALUE_H_

#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

namespace kinformer::internal {

// Returns the same as json::Parse of the text of ProtobufToJson (object/transcode/transcode.h),
// with kind and apiVersion as the first members. Thread-safe, does not block. Errors are kDecode
// and name the field.
Result<json::Value> ProtobufToValue(const MessageDescriptor& message, std::string_view bytes,
                                    std::string_view kind, std::string_view api_version);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_PROTOBUF_TO_VALUE_H_
