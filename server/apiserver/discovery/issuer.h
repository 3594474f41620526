// apiserver/discovery/issuer.h
//
// The documents by which others verify the tokens of service accounts: OpenID Connect's discovery
// document, and the keys.

#ifndef KINFORMER_APISERVER_DISCOVERY_ISSUER_H_
#define KINFORMER_APISERVER_DISCOVERY_ISSUER_H_

#include <string_view>

#include "kinformer/apiserver/api_server_options.h"

#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

constexpr std::string_view kIssuerPath = "/.well-known/openid-configuration";
constexpr std::string_view kKeysPath = "/openid/v1/jwks";

// Returns null for other paths, and if the options have no keys.
ResponsePtr AnswerIssuer(const ApiServerOptions& options, const RequestInfo& info);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_ISSUER_H_
