// client/status.h
//
// From a refused request or an ERROR event to an Error: the server's metav1.Status in any encoding,
// or what can be said without one.

#ifndef KINFORMER_CLIENT_STATUS_H_
#define KINFORMER_CLIENT_STATUS_H_

#include <optional>
#include <string>
#include <string_view>

#include "kinformer/result.h"

namespace kinformer::internal::client {

// The Error of a response with that status. `retry_after`: the header's seconds, if any. Of a body
// that is text and no Status, the first 2048 bytes are its message, as client-go has it.
Error ErrorOfResponse(std::string_view method, int http_status, std::string_view content_type,
                      std::string_view body, std::optional<int> retry_after);

// A Status as JSON, or as the bare protobuf message. Empty if the bytes are none, or it is a
// success.
std::optional<Error> ErrorOfJsonStatus(std::string_view json);
std::optional<Error> ErrorOfProtobufStatus(std::string_view message);

// The same refusal with what to change, where a server of TLS says that it was sent plain HTTP;
// empty otherwise. `server`: its URL.
std::optional<Error> AsForTls(const Error& refusal, const std::string& server);

// The reason that goes with a bare status code.
Reason ReasonOfHttpStatus(std::string_view method, int http_status);

// "application/json;stream=watch" is "application/json".
std::string_view MediaType(std::string_view content_type);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_STATUS_H_
