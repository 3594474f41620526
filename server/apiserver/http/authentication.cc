#include "apiserver/http/authentication.h"

#include <string_view>

#include "apiserver/registry/user_info.h"
#include "http/bearer_token.h"

namespace kinformer::apiserver {
namespace {

// Probes and version checks need no credentials, as in a cluster.
bool IsPublic(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  for (const std::string_view allowed : {"/livez", "/readyz", "/healthz"}) {
    if (path == allowed || (path.starts_with(allowed) && path[allowed.size()] == '/')) return true;
  }
  return path == "/version" || path == "/version/";
}

}  // namespace

bool Authenticate(const HttpServerOptions& options, const AcceptsToken& accepts,
                  const internal::http::PeerIdentity& peer, HttpRequest& request) {
  if (request.headers.Has(kGroupHeader)) request.headers.Remove(kGroupHeader);
  if (!peer.common_name.empty()) {
    request.user = peer.common_name;
    for (const std::string& group : peer.organizations) request.headers.Add(kGroupHeader, group);
    return true;
  }
  if (LetsAnybodyIn(options)) return true;
  if (const std::string_view token = internal::http::BearerToken(request.headers); !token.empty()) {
    if (!options.bearer_token.empty() &&
        internal::http::EqualSecrets(token, options.bearer_token)) {
      request.user = kKubeconfigUser;
      request.headers.Add(kGroupHeader, kPrivilegedGroup);
      return true;
    }
    if (accepts(std::string(token))) return true;
    // If a token is required, a wrong one is refused even for public paths.
    if (!options.bearer_token.empty()) return false;
  }
  return IsPublic(request.target);
}

bool LetsAnybodyIn(const HttpServerOptions& options) {
  return options.bearer_token.empty() && !options.require_client_certificate;
}

}  // namespace kinformer::apiserver
