// apiserver/schema/value_format.h
//
// The formats that schemas of custom resources may ask of texts: date-time, ipv4, uuid and so on.

#ifndef KINFORMER_APISERVER_SCHEMA_VALUE_FORMAT_H_
#define KINFORMER_APISERVER_SCHEMA_VALUE_FORMAT_H_

#include <string_view>

namespace kinformer::apiserver {

// Whether the server looks at that format at all, of texts or of numbers; others are ignored, with
// a warning to whoever writes the schema.
bool IsKnownFormat(std::string_view format);

// True for formats that are not known. Linear in the text.
bool TextHasFormat(std::string_view format, std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_VALUE_FORMAT_H_
