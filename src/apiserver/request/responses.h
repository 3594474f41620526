// apiserver/request/responses.h
//
// The plain kinds of response: a whole body, and one that is not known yet.

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

#include "kinformer/transport.h"

#include "apiserver/registry/server_state.h"
#include "transport/responses.h"

namespace kinformer::apiserver {

using ResponsePtr = std::unique_ptr<ResponseStream>;

using internal::transport::Deferred;

// A body that is there as a whole.
ResponsePtr WholeResponse(int status, std::string_view content_type, std::string body);
ResponsePtr WholeResponse(int status, HttpHeaders headers, std::string body);

// A Status in the encoding that the Accept header allows.
ResponsePtr ErrorResponse(const Error& error, std::string_view accept);

// Waits until the server has reached `version`, at most for `limit`, and then answers with what
// `answer` makes.
ResponsePtr WhenVersionReached(ServerState& state, std::int64_t version, Duration limit,
                               std::function<ResponsePtr(bool reached)> answer);

// Answers after `delay`.
ResponsePtr Delayed(ServerState& state, Duration delay, std::function<ResponsePtr()> answer);

// `inner` with an Audit-Id header.
ResponsePtr Audited(ResponsePtr inner, std::string id);

// `inner` with a Warning header: what its client should know.
ResponsePtr Warning(ResponsePtr inner, std::string_view text);
// Adds a header for each warning, of 4 KiB in sum: clients stop reading at headers that are too
// long. The last says how many more there are.
void AddWarnings(const std::vector<std::string>& warnings, HttpHeaders& headers);
ResponsePtr Warned(ResponsePtr inner, const std::vector<std::string>& warnings);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_RESPONSES_H_
