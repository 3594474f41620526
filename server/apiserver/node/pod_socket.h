// apiserver/node/pod_socket.h
//
// The server's side of WebSockets to running pods: commands (v5.channel.k8s.io, v4) and ports (v4).

#ifndef KINFORMER_APISERVER_NODE_POD_SOCKET_H_
#define KINFORMER_APISERVER_NODE_POD_SOCKET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/apiserver/kubelet.h"
#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"

#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// The headers of a request about the protocol that it wants to change to.
struct UpgradeOffer {
  std::string protocol{};  // of the header Upgrade; empty: none
  std::string version{};
  std::string key{};
  std::vector<std::string> channels{};  // sub-protocols, the best first
};
[[nodiscard]] UpgradeOffer UpgradeOfferOf(const HttpRequest& request);

// Returns the first offered sub-protocol that commands, or ports, have. BadRequest: the request
// asks for no WebSocket; Forbidden: for none of these.
Result<std::string> ChannelsFor(const UpgradeOffer& offer, bool commands);

// Return the answers 101, and start the tasks.
ResponsePtr CommandSocket(Env& env, std::shared_ptr<Kubelet> kubelet, PodContainer container,
                          ExecRequest request, bool attaches, const UpgradeOffer& offer,
                          const std::string& channels);
ResponsePtr PortSocket(Env& env, const std::shared_ptr<Kubelet>& kubelet, PodPlace pod,
                       const std::vector<std::uint16_t>& ports, const UpgradeOffer& offer);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_NODE_POD_SOCKET_H_
