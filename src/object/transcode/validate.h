// object/transcode/validate.h
//
// Validation::kFull: checks a whole object against its schema, to the last byte. Also has what
// errors about objects share.

#ifndef KINFORMER_OBJECT_TRANSCODE_VALIDATE_H_
#define KINFORMER_OBJECT_TRANSCODE_VALIDATE_H_

#include <cstddef>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/internal/descriptor.h"

#include "object/transcode/json_tape.h"

namespace kinformer::internal {

// Maximum depth of messages: protobuf's own limit, and more than any kind of the API needs.
inline constexpr int kMaxMessageDepth = 100;

// kDecode, with the path and the byte offset in the innermost message, if a field is truncated or
// has another wire type than its schema says, if a text is not UTF-8, or if messages nest deeper
// than kMaxMessageDepth. Fields that the schema lacks only have to be well-formed.
Result<void> ValidateMessage(const MessageDescriptor& message, std::string_view bytes);

// Checks what the tape's parser does not: that the text `json` is UTF-8, and that
// metadata.managedFields[].fieldsV1 is valid JSON.
Result<void> ValidateJson(const JsonTape& tape, std::string_view json);

Error ObjectTooLarge(std::size_t size, std::size_t limit);

// Adds advice for bytes that are not a valid object.
void AddRemedy(Error& error);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_VALIDATE_H_
