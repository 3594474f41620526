// apiserver/discovery/discovery.h
//
// Discovery: the server's information about itself: versions, groups, resources, health, some
// metrics. For schemas see openapi.h.

#ifndef KINFORMER_APISERVER_DISCOVERY_DISCOVERY_H_
#define KINFORMER_APISERVER_DISCOVERY_DISCOVERY_H_

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/discovery/openapi.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Responds to /api, /apis, /api/v1, /apis/<group>[/<version>], /openapi/..., /version, /metrics,
// /healthz and similar paths. Returns null for other paths. Loop-confined.
class Discovery {
 public:
  // Both must outlive it.
  Discovery(ServerState& state, OffLoop& off_loop) : state_(state), openapi_(state, off_loop) {}
  ResponsePtr Answer(const RequestInfo& info, std::string_view accept,
                     std::string_view if_none_match);

 private:
  ResponsePtr Roots(bool core, std::string_view accept, std::string_view if_none_match);
  ResponsePtr Metrics();
  [[nodiscard]] std::string Aggregated(bool core, std::string_view version) const;
  [[nodiscard]] std::string Resources(std::string_view group, std::string_view version) const;
  [[nodiscard]] std::optional<std::string> Group(std::string_view group, bool standalone) const;
  [[nodiscard]] bool Serves(std::string_view group, std::string_view version) const;

  ServerState& state_;
  OpenApi openapi_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_DISCOVERY_H_
