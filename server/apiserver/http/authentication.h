// apiserver/http/authentication.h
//
// Authentication in the front end, by client certificate and bearer token.

#ifndef KINFORMER_APISERVER_HTTP_AUTHENTICATION_H_
#define KINFORMER_APISERVER_HTTP_AUTHENTICATION_H_

#include <functional>
#include <string>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/client/transport.h"

#include "http/peer_identity.h"

namespace kinformer::apiserver {

// The name of the user in the kubeconfig that the server writes, and of the one with the token.
inline constexpr char kKubeconfigUser[] = "kubernetes-admin";

// Returns whether the handler behind the front end accepts a bearer token.
using AcceptsToken = std::function<bool(const std::string& bearer_token)>;

// Sets request.user, and headers kGroupHeader for its groups, if the caller is authenticated.
// Returns false if the request is to be refused. `peer` is the subject of the client certificate,
// whose organizations are the groups. Such headers of the client are removed.
[[nodiscard]] bool Authenticate(const HttpServerOptions& options, const AcceptsToken& accepts,
                                const internal::http::PeerIdentity& peer, HttpRequest& request);

// Returns whether neither a token nor a certificate is required.
[[nodiscard]] bool LetsAnybodyIn(const HttpServerOptions& options);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_AUTHENTICATION_H_
