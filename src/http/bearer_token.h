// http/bearer_token.h
//
// Bearer tokens: extraction from a request, and comparison with a secret.

#ifndef KINFORMER_HTTP_BEARER_TOKEN_H_
#define KINFORMER_HTTP_BEARER_TOKEN_H_

#include <string_view>

#include "kinformer/client/transport.h"

namespace kinformer::internal::http {

// Returns the token in "Authorization: Bearer TOKEN"; empty if there is none.
std::string_view BearerToken(const HttpHeaders& headers);

// Compares in time that is independent of where they differ, so that timing reveals nothing.
bool EqualSecrets(std::string_view a, std::string_view b);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_BEARER_TOKEN_H_
