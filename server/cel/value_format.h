// cel/value_format.h
//
// Formats of strings in schemas of custom resources: date-time, ipv4, uuid and so on.

#ifndef KINFORMER_CEL_VALUE_FORMAT_H_
#define KINFORMER_CEL_VALUE_FORMAT_H_

#include <string_view>

namespace kinformer::internal::cel {

// Returns whether the server checks that format of strings or numbers. Others are ignored, with a
// warning to the author of the schema.
bool IsKnownFormat(std::string_view format);

// Returns true for unknown formats. Linear in the text.
bool TextHasFormat(std::string_view format, std::string_view text);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_VALUE_FORMAT_H_
