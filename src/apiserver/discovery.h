// apiserver/discovery.h
//
// What the server says about itself: versions, groups, resources, and the least of OpenAPI that kubectl wants to see.

#ifndef KINFORMER_SRC_APISERVER_DISCOVERY_H_
#define KINFORMER_SRC_APISERVER_DISCOVERY_H_

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/request_info.h"
#include "apiserver/responses.h"
#include "apiserver/server_state.h"

namespace kinformer::apiserver {

// Answers /api, /apis, /api/v1, /apis/<group>[/<version>], /openapi/..., /version, /healthz and their like. Null for any other
// path. Loop-confined.
class Discovery {
 public:
  explicit Discovery(ServerState& state) : state_(state) {}
  ResponsePtr Answer(const RequestInfo& info, std::string_view accept,
                     std::string_view if_none_match);

 private:
  ResponsePtr Roots(bool core, std::string_view accept, std::string_view if_none_match);
  ResponsePtr OpenApi(const RequestInfo& info);
  [[nodiscard]] std::string Aggregated(bool core, std::string_view version) const;
  [[nodiscard]] std::string Resources(std::string_view group, std::string_view version) const;
  [[nodiscard]] std::optional<std::string> Group(std::string_view group, bool standalone) const;
  [[nodiscard]] std::string OpenApiDocument(std::string_view group, std::string_view version) const;
  [[nodiscard]] bool Serves(std::string_view group, std::string_view version) const;

  ServerState& state_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_DISCOVERY_H_
