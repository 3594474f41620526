// apiserver/plugins/node_tokens.h
//
// Checks of what kubelets request for the pods on their node: tokens and certificates.

#ifndef KINFORMER_APISERVER_PLUGINS_NODE_TOKENS_H_
#define KINFORMER_APISERVER_PLUGINS_NODE_TOKENS_H_

#include <string_view>

#include "kinformer/base/result.h"

#include "apiserver/plugins/plugin.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Checks a TokenRequest for a service account: it has to be bound to a pod on the node that uses
// the audience, or the node must have the right to that.
[[nodiscard]] Result<void> CheckNodeToken(const ServerState& state, std::string_view node,
                                          const PluginRequest& request);
// Checks a new PodCertificateRequest: a pod on the node must have a volume for that signer, or the
// node must have the right to that.
[[nodiscard]] Result<void> CheckPodCertificateRequest(const ServerState& state,
                                                      std::string_view node,
                                                      const PluginRequest& request);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_NODE_TOKENS_H_
