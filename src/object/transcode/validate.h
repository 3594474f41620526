// object/transcode/validate.h
//
// Validation::kFull: an object checked against its schema, to the last byte. And what errors about
// objects have in common.

#ifndef KINFORMER_OBJECT_TRANSCODE_VALIDATE_H_
#define KINFORMER_OBJECT_TRANSCODE_VALIDATE_H_

#include <cstddef>
#include <string_view>

#include "kinformer/internal/descriptor.h"
#include "kinformer/result.h"

#include "object/transcode/json_tape.h"

namespace kinformer::internal {

// Messages in messages: protobuf's own limit, and more than any kind of the API needs.
inline constexpr int kMaxMessageDepth = 100;

// kDecode with the path and the byte offset in the innermost message if a field is cut off or has a
// wire type that the schema does not give it, a text is not UTF-8, or messages nest more than
// kMaxMessageDepth deep. Fields that the schema lacks may be anything well-formed.
Result<void> ValidateMessage(const MessageDescriptor& message, std::string_view bytes);

// What the tape's parser lets pass: the text `json` must be UTF-8, and
// metadata.managedFields[].fieldsV1 JSON.
Result<void> ValidateJson(const JsonTape& tape, std::string_view json);

Error ObjectTooLarge(std::size_t size, std::size_t limit);

// Says what can be done about bytes that are not what they should be.
void AddRemedy(Error& error);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_VALIDATE_H_
