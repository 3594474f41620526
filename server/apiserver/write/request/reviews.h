// apiserver/write/request/reviews.h
//
// Reviews: resources that are only answered: token, self-subject and access reviews. There is no
// authorizer: everyone may do everything.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_REVIEWS_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_REVIEWS_H_

#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/write/request/service_account_tokens.h"

namespace kinformer::apiserver {

// Loop-confined. `tokens` must outlive it.
class Reviews {
 public:
  Reviews(ServerState& state, const ServiceAccountTokens& tokens)
      : state_(state), tokens_(tokens) {}

  // Fills in the status of an access, rules, token or self review, as the server's authorizer
  // decides; without one everything is allowed. `user`: the requester.
  Result<json::Value> Answer(const ResourceAt& at, std::string_view namespace_,
                             const UserInfo& user, json::Value review) const;

 private:
  [[nodiscard]] json::Value ReviewToken(const json::Value& spec) const;

  ServerState& state_;
  const ServiceAccountTokens& tokens_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_REVIEWS_H_
