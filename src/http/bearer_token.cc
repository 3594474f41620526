#include "http/bearer_token.h"

#include <openssl/crypto.h>

#include "http/field_names.h"

namespace kinformer::internal::http {

std::string_view BearerToken(const HttpHeaders& headers) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = headers.Get("Authorization");
  if (!SameFieldName(authorization.substr(0, kBearer.size()), kBearer)) return {};
  return authorization.substr(kBearer.size());
}

bool EqualSecrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace kinformer::internal::http
