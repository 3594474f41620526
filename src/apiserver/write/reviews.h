// apiserver/write/reviews.h
//
// Reviews: the resources that only answer: who a token is, what a user may do, and tokens for
// service accounts. There is no authorizer here: everybody may do everything.

#ifndef KINFORMER_APISERVER_WRITE_REVIEWS_H_
#define KINFORMER_APISERVER_WRITE_REVIEWS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/write/object_writer.h"

namespace kinformer::apiserver {

// Loop-confined. Tokens are kept in memory and nowhere else, and never logged.
class Reviews {
 public:
  explicit Reviews(ServerState& state) : state_(state) {}

  // Fills in the status of an access, rules, token or self review. `user`: who asks; empty:
  // anonymous.
  Result<json::Value> Answer(const ResourceAt& at, std::string_view namespace_,
                             std::string_view user, json::Value review) const;

  // A token for the service account of `target`, which Answer knows from then on: until it expires
  // by the Env's clock, or the account, or the object that it is bound to, goes. Gives the
  // TokenRequest with its status.
  Result<json::Value> RequestToken(const WriteTarget& target, json::Value request);

 private:
  struct Token {
    std::string namespace_;
    std::string account;
    std::string uid;
    std::string id;
    std::vector<std::string> audiences;
    WallTime expires;
    std::string bound_plural;  // empty: bound to nothing but the account
    std::string bound_name;
    std::string bound_uid;
  };

  [[nodiscard]] json::Value ReviewToken(const json::Value& spec) const;
  // Null where it is gone, or is another than it was.
  [[nodiscard]] StoredObjectPtr Find(std::string_view plural, std::string_view namespace_,
                                     std::string_view name, std::string_view uid) const;
  Result<void> Bind(const json::Value& reference, Token& token) const;
  void ForgetExpired();

  ServerState& state_;
  std::unordered_map<std::string, Token> tokens_;
  std::size_t sweep_at_ = 1024;  // how many tokens make it worth looking for expired ones
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REVIEWS_H_
