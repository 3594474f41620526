// kinformer/webhook/authentication.h
//
// Authentication: a webhook by which an API server finds the user of a bearer token
// (kube-apiserver's flag --authentication-token-webhook-config-file names it). Handlers are given
// to a WebhookServer (webhook_server.h).
//
//   webhooks.RegisterAuthentication("/authenticate", [](const authentication::Request& request) {
//     if (request.token != "s3cret") return authentication::Unauthenticated("an unknown token");
//     return authentication::Authenticated("", {.username = "ann", .groups = {"painters"}});
//   }).OrExit();
//
// Counterpart: controller-runtime's package webhook/authentication.

#ifndef KINFORMER_WEBHOOK_AUTHENTICATION_H_
#define KINFORMER_WEBHOOK_AUTHENTICATION_H_

#include <functional>
#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/webhook/user_info.h"
#include "kinformer/webhook/webhook_call.h"

namespace kinformer::authentication {

// A question of the API server. A plain value. Counterpart: authentication/v1 TokenReview.
struct Request {
  std::string uid{};    // of the review, may be empty; the answer repeats it
  std::string token{};  // a secret: never log it or put it in a message
  // Accepted audiences: the token must be for at least one. Empty: for the API server itself.
  std::vector<std::string> audiences{};
  WebhookCall call{};
};

// An answer. A plain value. Counterpart: authentication/v1 TokenReviewStatus.
struct Response {
  bool authenticated{false};
  UserInfo user{};  // the token's user
  // The audiences of the request that the token is for. Empty: the handler does not know about
  // audiences, and the API server assumes that the token is for itself.
  std::vector<std::string> audiences{};
  std::string error{};  // reason of a refusal; the API server logs it
};

// Decides about one token. Runs on the Env's pool, several calls at once; may block. If it throws,
// the exception's text becomes the answer's error.
using Handler = std::function<Response(const Request& request)>;

// Returns an answer with the token's user; `reason` becomes Response::error, as in Go.
[[nodiscard]] Response Authenticated(std::string reason, UserInfo user);
// Returns an answer that rejects the token.
[[nodiscard]] Response Unauthenticated(std::string reason);
// Returns an answer for a token that could not be checked.
[[nodiscard]] Response Errored(const Error& error);
// Returns an answer with all its members given.
[[nodiscard]] Response ReviewResponse(bool authenticated, UserInfo user, std::string error,
                                      std::vector<std::string> audiences = {});

}  // namespace kinformer::authentication

#endif  // KINFORMER_WEBHOOK_AUTHENTICATION_H_
