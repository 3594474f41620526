#include "kinformer/webhook/authentication.h"

#include <utility>

namespace kinformer::authentication {

Response Authenticated(std::string reason, UserInfo user) {
  return ReviewResponse(true, std::move(user), std::move(reason));
}

Response Unauthenticated(std::string reason) {
  return ReviewResponse(false, {}, std::move(reason));
}

Response Errored(const Error& error) { return ReviewResponse(false, {}, error.message()); }

Response ReviewResponse(bool authenticated, UserInfo user, std::string error,
                        std::vector<std::string> audiences) {
  return {.authenticated = authenticated,
          .user = std::move(user),
          .audiences = std::move(audiences),
          .error = std::move(error)};
}

}  // namespace kinformer::authentication
