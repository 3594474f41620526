// controller/webhook/token_review.h
//
// TokenReview in JSON: the request of an API server, and the answer.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_TOKEN_REVIEW_H_
#define KINFORMER_CONTROLLER_WEBHOOK_TOKEN_REVIEW_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/webhook/authentication.h"

namespace kinformer::internal::webhook {

// A request, and the version of its review: v1 or v1beta1. The answer uses the same version.
struct TokenQuestion {
  std::string api_version{"authentication.k8s.io/v1"};
  authentication::Request request{};
};

// kBadRequest if the body is not a TokenReview with a token. Sets as much of `question` as could be
// read. Errors never quote the body, which contains a secret.
Result<void> ReadTokenReview(std::string_view body, TokenQuestion& question);

// Returns the answer, without the token.
[[nodiscard]] std::string WriteTokenReview(const TokenQuestion& question,
                                           const authentication::Response& response);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_TOKEN_REVIEW_H_
