// controller/webhook/token_review.h
//
// TokenReview on the wire: the question that an API server sends, and the answer.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_TOKEN_REVIEW_H_
#define KINFORMER_CONTROLLER_WEBHOOK_TOKEN_REVIEW_H_

#include <string>
#include <string_view>

#include "kinformer/authentication.h"
#include "kinformer/result.h"

namespace kinformer::internal::webhook {

// A question, and in which version it was put: v1 or v1beta1. The answer is given in the same.
struct TokenQuestion {
  std::string api_version{"authentication.k8s.io/v1"};
  authentication::Request request{};
};

// kBadRequest: the body is no TokenReview with a token. `question` has as much as could be read.
// No error quotes the body, which has a secret in it.
Result<void> ReadTokenReview(std::string_view body, TokenQuestion& question);

// Without the token.
[[nodiscard]] std::string WriteTokenReview(const TokenQuestion& question,
                                           const authentication::Response& response);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_TOKEN_REVIEW_H_
