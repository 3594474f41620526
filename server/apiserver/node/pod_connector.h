// apiserver/node/pod_connector.h
//
// PodConnector: responds to requests about running pods: log, exec, attach and portforward.

#ifndef KINFORMER_APISERVER_NODE_POD_CONNECTOR_H_
#define KINFORMER_APISERVER_NODE_POD_CONNECTOR_H_

#include <memory>
#include <string_view>

#include "kinformer/apiserver/kubelet.h"

#include "apiserver/admission/admission.h"
#include "apiserver/conversion/object_converter.h"
#include "apiserver/node/pod_socket.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Loop-confined. Errors are returned as responses.
class PodConnector {
 public:
  // All must outlive it, except `off_loop`, which must be destroyed before it.
  PodConnector(ServerState& state, OffLoop& off_loop, ObjectConverter& converter)
      : state_(state), admission_({.state = state, .off_loop = off_loop, .converter = converter}) {}

  // Returns whether that subresource of pods is about a running pod.
  [[nodiscard]] static bool Serves(std::string_view subresource);
  // REQUIRES: `request` is for a subresource of pods that it serves.
  ResponsePtr Answer(ResourceRequest request, UpgradeOffer offer) {
    return Respond(state_.env, Connect(std::move(request), std::move(offer)));
  }

 private:
  Task<ResponsePtr> Connect(ResourceRequest request, UpgradeOffer offer);
  // Asks the webhooks about the options, and returns what they have made of them.
  Task<Result<json::Value>> Admitted(const ResourceRequest& request, json::Value options,
                                     std::vector<std::string>& warnings);
  [[nodiscard]] ResponsePtr Begin(const ResourceRequest& request, const UpgradeOffer& offer,
                                  const json::Value& options) const;

  ServerState& state_;
  Admission admission_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_NODE_POD_CONNECTOR_H_
