// apiserver/write/request/service_account_tokens.h
//
// ServiceAccountTokens: issues bearer tokens for TokenRequests, and authenticates them.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_SERVICE_ACCOUNT_TOKENS_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_SERVICE_ACCOUNT_TOKENS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/store/stored_object.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {

// Result of authentication: the token's bearer, and those of the requested audiences for which the
// token is valid.
struct KnownToken {
  UserInfoPtr user{};
  std::vector<std::string> audiences{};
};

// Loop-confined. Tokens are signed if the options have keys, and otherwise kept only in memory;
// they are never logged. A token is valid until it expires by the Env's clock, or its account or
// the object it is bound to is deleted; those of ApiServerOptions::token_users always are.
// Counterpart: pkg/serviceaccount's token generator and authenticator.
class ServiceAccountTokens {
 public:
  explicit ServiceAccountTokens(ServerState& state);

  // Sets the defaults of a TokenRequest.
  static void Default(json::Value& request);
  // Validates a TokenRequest for the service account of `target`, and fills in omitted fields.
  Result<void> Complete(const WriteTarget& target, json::Value& request) const;
  // Issues a token for a completed request. Returns the request with its status.
  Result<json::Value> Issue(const WriteTarget& target, json::Value request);

  // No audiences: this server. Returns Unauthorized, with the messages of a TokenReview, where the
  // token is malformed, no longer valid, or for other audiences.
  [[nodiscard]] Result<KnownToken> Authenticate(const std::string& secret,
                                                const std::vector<std::string>& audiences) const;

  // Returns whether it is a token of the options, or looks like one of a kinformer server, valid or
  // not.
  [[nodiscard]] bool IsOne(const std::string& token) const;

 private:
  struct Token {
    std::string namespace_;
    std::string account;
    std::string uid;
    std::string id;
    std::vector<std::string> audiences;
    WallTime expires;
    std::string bound_plural;  // empty: bound only to the account
    std::string bound_name;
    std::string bound_uid;
    std::string node_name;  // of the pod that it is bound to
    std::string node_uid;

    // Approximate memory of the token.
    [[nodiscard]] std::size_t Cost() const;
  };

  // Returns null if the object is gone, or has another uid.
  [[nodiscard]] StoredObjectPtr Find(std::string_view plural, std::string_view namespace_,
                                     std::string_view name, std::string_view uid) const;
  Result<void> Bind(const json::Value& reference, Token& token) const;
  // Signed tokens. Returns the claims of a token, and the token with these claims.
  [[nodiscard]] json::Value ClaimsOf(const Token& token) const;
  [[nodiscard]] Result<Token> Verified(const std::string& secret) const;
  // Returns what a secret stands for, expired or not.
  [[nodiscard]] Result<Token> Lookup(const std::string& secret) const;
  [[nodiscard]] bool IsAlive(const Token& token) const;
  void ForgetExpired();
  // Makes room for one more token of that account. Discards its own tokens before those of other
  // accounts, the first to expire first.
  void MakeRoom(const Token& token);

  ServerState& state_;
  std::unordered_map<std::string, UserInfoPtr> users_;  // those of the options
  std::unordered_map<std::string, Token> tokens_;
  std::size_t bytes_ = 0;        // of all tokens
  std::size_t sweep_at_ = 1024;  // number of tokens at which expired ones are removed
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_SERVICE_ACCOUNT_TOKENS_H_
