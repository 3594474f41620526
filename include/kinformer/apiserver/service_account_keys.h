// kinformer/apiserver/service_account_keys.h
//
// ReadServiceAccountKeys: reads the keys that sign and verify the tokens of service accounts, which
// are JSON Web Tokens then, as in a cluster.
//
//   auto keys = apiserver::ReadServiceAccountKeys(pem_of_private_key).OrExit();
//   apiserver::ApiServer server(env, {.service_account_keys = keys});
//
// Link kinformer::apiserver_http.

#ifndef KINFORMER_APISERVER_SERVICE_ACCOUNT_KEYS_H_
#define KINFORMER_APISERVER_SERVICE_ACCOUNT_KEYS_H_

#include <memory>
#include <string>

#include "kinformer/base/result.h"

namespace kinformer::apiserver {

class ServiceAccountKeys;  // what ApiServerOptions::service_account_keys takes

// Reads PEM: a private key that signs, RSA or of an elliptic curve, and any number of keys,
// private, public or in certificates, that verify, too. Blocks for a moment. kConfig: what is
// wrong, and what to do. Keys are never logged.
Result<std::shared_ptr<const ServiceAccountKeys>> ReadServiceAccountKeys(
    const std::string& signing_key, const std::string& verifying_keys = {});

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVICE_ACCOUNT_KEYS_H_
