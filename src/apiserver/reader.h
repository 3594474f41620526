// apiserver/reader.h
//
// Reader: get, list and watch: the tables of resourceVersion, resourceVersionMatch, limit, continue and sendInitialEvents.

#ifndef KINFORMER_SRC_APISERVER_READER_H_
#define KINFORMER_SRC_APISERVER_READER_H_

#include <memory>
#include <optional>
#include <string>

#include "kinformer/apiserver/faults.h"

#include "apiserver/negotiation.h"
#include "apiserver/request_info.h"
#include "apiserver/responses.h"
#include "apiserver/server_state.h"

namespace kinformer::apiserver {

// A request that has found its resource.
struct ResourceRequest {
  RequestInfo info{};
  ResourceAt at{};
  OutputFormat format{};
  std::string accept{};
  std::string content_type{};
  std::string user_agent{};
  std::string user{};  // empty: anonymous
  std::string body{};
  std::optional<FaultRule> fault{};
};

// Loop-confined. Errors come back as responses.
class Reader {
 public:
  explicit Reader(ServerState& state) : state_(state) {}

  ResponsePtr Get(const std::shared_ptr<const ResourceRequest>& request);
  ResponsePtr List(const std::shared_ptr<const ResourceRequest>& request);
  ResponsePtr Watch(const std::shared_ptr<const ResourceRequest>& request);

 private:
  ResponsePtr GetAt(const ResourceRequest& request, bool reached);
  ResponsePtr ListAt(const ResourceRequest& request, bool reached);
  // The version that the request's fault shows in place of the latest, at least `oldest`.
  [[nodiscard]] std::int64_t Earlier(const ResourceRequest& request, std::int64_t oldest) const;

  ServerState& state_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_READER_H_
