// apiserver/errors/decode_error.h
//
// Messages for clients about objects that do not fit their kind, made from transcoder errors.

#ifndef KINFORMER_APISERVER_ERRORS_DECODE_ERROR_H_
#define KINFORMER_APISERVER_ERRORS_DECODE_ERROR_H_

#include <string_view>

namespace kinformer::apiserver {

// Returns "JSON: spec.x: expected a string at byte 17" without prefix and offset, as the offset
// refers to a text made by the server, which the client does not know. Other texts are unchanged.
std::string_view WithoutOffset(std::string_view why);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ERRORS_DECODE_ERROR_H_
