// kinformer/internal/request_parts.h
//
// RequestParts: what a RestRequest has been given; and the tasks that send it.

#ifndef KINFORMER_INTERNAL_REQUEST_PARTS_H_
#define KINFORMER_INTERNAL_REQUEST_PARTS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/base/rate_limiter.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/block.h"
#include "kinformer/object/kind_info.h"

namespace kinformer {
struct RestResponse;  // rest_request.h
}  // namespace kinformer

namespace kinformer::internal {

class ClientCore;
struct BodySource;  // client/body_feed.h

template <class M>
std::string EncodeJson(const M& object);  // mutable_codec.h

// Paths are percent-encoded and begin with a slash; empty: not given.
struct RequestParts {
  std::shared_ptr<ClientCore> client{};
  std::string method{};
  std::string prefix{};
  std::optional<std::string> namespace_{};  // "": given, and empty
  std::string resource{};
  std::string name{};
  std::string subresource{};
  std::string suffix{};
  std::vector<std::pair<std::string, std::string>> query{};
  HttpHeaders headers{};
  // Make the body; empty: none. The second one is used where the server takes protobuf.
  std::function<std::string()> body{};
  std::function<std::string()> protobuf_body{};
  std::shared_ptr<BodySource> body_source{};  // in place of these: it comes piece by piece
  std::string content_type{};
  std::string protobuf_key{};  // under which a refusal of protobuf is remembered
  TimeSpan timeout{};
  std::optional<int> max_retries{};
  std::optional<std::shared_ptr<flowcontrol::RateLimiter>> limiter{};  // in place of the client's
  std::optional<Error> mistake{};                                      // the first one
};

// Return the path and query, or the mistake.
Result<std::string> TargetOf(const RequestParts& parts);

Task<Result<RestResponse>> SendForResponse(RequestParts parts, CallOptions call);
Task<Result<ObjectRef>> SendForObject(RequestParts parts, const KindInfo& type, CallOptions call);
// Calls `on_data` within the task.
Task<Result<void>> SendForStream(RequestParts parts, std::function<bool(std::string_view)> on_data,
                                 CallOptions call);

// Decodes an answer in JSON or protobuf.
Result<ObjectRef> DecodeResponse(const KindInfo& type, const HttpHeaders& headers,
                                 std::string_view body);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_REQUEST_PARTS_H_
