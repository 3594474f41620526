// apiserver/request/responses.h
//
// Basic kinds of responses: with a complete body, and available later.

#ifndef KINFORMER_APISERVER_REQUEST_RESPONSES_H_
#define KINFORMER_APISERVER_REQUEST_RESPONSES_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

#include "apiserver/registry/server_state.h"
#include "transport/responses.h"

namespace kinformer::apiserver {

using ResponsePtr = std::unique_ptr<ResponseStream>;

using internal::transport::Deferred;

// Makes a response with a complete body.
ResponsePtr WholeResponse(int status, std::string_view content_type, std::string body);
ResponsePtr WholeResponse(int status, HttpHeaders headers, std::string body);

// Makes a Status in an encoding that the Accept header allows.
ResponsePtr ErrorResponse(const Error& error, std::string_view accept);

// Waits until the server reaches `version`, for at most `limit`, and then responds with the result
// of `answer`.
ResponsePtr WhenVersionReached(ServerState& state, std::int64_t version, Duration limit,
                               std::function<ResponsePtr(bool reached)> answer);

// Responds after `delay`.
ResponsePtr Delayed(ServerState& state, Duration delay, std::function<ResponsePtr()> answer);

// Adds an Audit-Id header to `inner`.
ResponsePtr Audited(ResponsePtr inner, std::string id);
// Returns the same response with one more header.
ResponsePtr WithAddedHeader(ResponsePtr inner, std::string_view name, std::string value);

// Adds a Warning header, meant for the client's user, to `inner`.
ResponsePtr Warning(ResponsePtr inner, std::string_view text);
// Adds a header for each warning, up to 4 KiB in total, since clients reject headers that are too
// long. The last one reports how many were omitted.
void AddWarnings(const std::vector<std::string>& warnings, HttpHeaders& headers);
ResponsePtr Warned(ResponsePtr inner, const std::vector<std::string>& warnings);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_RESPONSES_H_
