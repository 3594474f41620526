// apiserver/errors/decode_error.h
//
// A transcoder's error about an object that does not fit its kind, as a client is told it.

#ifndef KINFORMER_APISERVER_ERRORS_DECODE_ERROR_H_
#define KINFORMER_APISERVER_ERRORS_DECODE_ERROR_H_

#include <string_view>

namespace kinformer::apiserver {

// "JSON: spec.x: expected a string at byte 17" without its head and its offset: that is one of a
// text which the server has made of the body, and nobody else has seen. Other texts stay.
std::string_view WithoutOffset(std::string_view why);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ERRORS_DECODE_ERROR_H_
