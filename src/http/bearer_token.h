// http/bearer_token.h
//
// Bearer tokens: what a request shows of one, and whether it is the one that is expected.

#ifndef KINFORMER_HTTP_BEARER_TOKEN_H_
#define KINFORMER_HTTP_BEARER_TOKEN_H_

#include <string_view>

#include "kinformer/transport.h"

namespace kinformer::internal::http {

// The token of "Authorization: Bearer TOKEN"; empty: there is none.
std::string_view BearerToken(const HttpHeaders& headers);

// Takes the same time wherever they differ, so that nobody can guess a secret letter by letter.
bool EqualSecrets(std::string_view a, std::string_view b);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_BEARER_TOKEN_H_
