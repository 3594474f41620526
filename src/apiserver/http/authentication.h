// apiserver/http/authentication.h
//
// Who may send which request, by what the front end can tell: client certificate and bearer token.

#ifndef KINFORMER_APISERVER_HTTP_AUTHENTICATION_H_
#define KINFORMER_APISERVER_HTTP_AUTHENTICATION_H_

#include <functional>
#include <string>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/transport.h"

namespace kinformer::apiserver {

// Which bearer tokens the handler behind the front end accepts.
using AcceptsToken = std::function<bool(const std::string& bearer_token)>;

// Fills in request.user where the caller has proven who it is; false: it is to be refused.
// `certificate_user` is the common name of its certificate, or empty.
[[nodiscard]] bool Authenticate(const HttpServerOptions& options, const AcceptsToken& accepts,
                                const std::string& certificate_user, HttpRequest& request);

// Whether neither a token nor a certificate is needed.
[[nodiscard]] bool LetsAnybodyIn(const HttpServerOptions& options);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_AUTHENTICATION_H_
