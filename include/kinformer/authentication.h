// kinformer/authentication.h
//
// Authentication: a webhook that an API server asks whose a bearer token is, and what it may answer
// (kube-apiserver's flag --authentication-token-webhook-config-file names it). Handlers are given
// to a WebhookServer (webhook_server.h).
//
//   webhooks.RegisterAuthentication("/authenticate", [](const authentication::Request& request) {
//     if (request.token != "s3cret") return authentication::Unauthenticated("an unknown token");
//     return authentication::Authenticated("", {.username = "ann", .groups = {"painters"}});
//   }).OrExit();
//
// Counterpart: controller-runtime's package webhook/authentication.

#ifndef KINFORMER_AUTHENTICATION_H_
#define KINFORMER_AUTHENTICATION_H_

#include <functional>
#include <string>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/user_info.h"
#include "kinformer/webhook_call.h"

namespace kinformer::authentication {

// What is to be judged. A plain value. Counterpart: authentication/v1 TokenReview.
struct Request {
  std::string uid{};    // of the review, if it has one: the answer has the same
  std::string token{};  // a secret: it belongs into no log and no message
  // Whom the token must be for, one of these at least. Empty: the API server itself.
  std::vector<std::string> audiences{};
  WebhookCall call{};
};

// The answer. A plain value. Counterpart: authentication/v1 TokenReviewStatus.
struct Response {
  bool authenticated{false};
  UserInfo user{};  // whose the token is
  // Those of the request's audiences that the token is for. Empty: the handler does not know of
  // audiences, and the API server takes the token for its own.
  std::vector<std::string> audiences{};
  std::string error{};  // why not; the API server logs it
};

// Judges. Runs on the Env's pool, several at once; may block. What it throws becomes an error in
// the answer.
using Handler = std::function<Response(const Request& request)>;

// The token is the user's. `reason` becomes Response::error, as of controller-runtime.
[[nodiscard]] Response Authenticated(std::string reason, UserInfo user);
// It is nobody's.
[[nodiscard]] Response Unauthenticated(std::string reason);
// It could not be judged.
[[nodiscard]] Response Errored(const Error& error);
// All of it.
[[nodiscard]] Response ReviewResponse(bool authenticated, UserInfo user, std::string error,
                                      std::vector<std::string> audiences = {});

}  // namespace kinformer::authentication

#endif  // KINFORMER_AUTHENTICATION_H_
