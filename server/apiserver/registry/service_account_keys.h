// apiserver/registry/service_account_keys.h
//
// ServiceAccountKeys: sign and verify the tokens of service accounts.

#ifndef KINFORMER_APISERVER_REGISTRY_SERVICE_ACCOUNT_KEYS_H_
#define KINFORMER_APISERVER_REGISTRY_SERVICE_ACCOUNT_KEYS_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer::apiserver {

// Thread-safe. Keys are never logged.
class ServiceAccountKeys {
 public:
  virtual ~ServiceAccountKeys() = default;

  // Returns a token with these claims, which are a JSON object.
  [[nodiscard]] virtual Result<std::string> Sign(std::string_view claims) const = 0;
  // Returns the claims of a token that one of the keys has signed. kUnauthorized: none has.
  [[nodiscard]] virtual Result<std::string> Verify(std::string_view token) const = 0;
  // Returns the public keys as a JSON Web Key Set.
  [[nodiscard]] virtual std::string KeySet() const = 0;
  // Returns the algorithms of the keys, each once, such as ES256.
  [[nodiscard]] virtual std::vector<std::string> Algorithms() const = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_SERVICE_ACCOUNT_KEYS_H_
