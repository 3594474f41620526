// config/oidc_keys.h
//
// Conversions between the keys of auth-provider oidc in a kubeconfig and an OidcConfig.

#ifndef KINFORMER_CONFIG_OIDC_KEYS_H_
#define KINFORMER_CONFIG_OIDC_KEYS_H_

#include <map>
#include <string>

#include "kinformer/client/clientcmd_api.h"
#include "kinformer/client/config.h"

namespace kinformer::internal::config {

// Returns the id-token of auth-provider oidc; empty if there is none.
std::string IdTokenOf(const clientcmdapi::AuthInfo& user);
// Returns the settings with which it is renewed. A path of a certificate becomes absolute, by the
// folder of the file that the user was read from. kubeconfig and user stay empty.
OidcConfig OidcOf(const clientcmdapi::AuthInfo& user);

// Returns the keys that say the same as the Config; none if that has neither.
std::map<std::string, std::string> OidcKeys(const Config& config);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_OIDC_KEYS_H_
