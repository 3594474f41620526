// client/status.h
//
// Conversion of refused requests and ERROR events to Errors: from the server's metav1.Status in any
// encoding, or without one from the response.

#ifndef KINFORMER_CLIENT_STATUS_H_
#define KINFORMER_CLIENT_STATUS_H_

#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"

namespace kinformer::internal::client {

// Returns the Error of a response. `retry_after`: seconds in the header, if any. If the body is
// text and no Status, its first 2048 bytes become the message, as in client-go.
Error ErrorOfResponse(std::string_view method, int http_status, std::string_view content_type,
                      std::string_view body, std::optional<int> retry_after);

// Return the Error of a Status in JSON, or as bare protobuf message; nullopt if the bytes are no
// Status, or it reports success.
std::optional<Error> ErrorOfJsonStatus(std::string_view json);
std::optional<Error> ErrorOfProtobufStatus(std::string_view message);

// Returns the refusal with a hint, if a TLS server reports that the request was plain HTTP; nullopt
// otherwise. `server`: its URL.
std::optional<Error> AsForTls(const Error& refusal, const std::string& server);

// Returns the reason for a status code without a Status.
Reason ReasonOfHttpStatus(std::string_view method, int http_status);

// Returns the type without parameters: "application/json;stream=watch" gives "application/json".
std::string_view MediaType(std::string_view content_type);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_STATUS_H_
