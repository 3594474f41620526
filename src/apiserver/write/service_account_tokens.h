// apiserver/write/service_account_tokens.h
//
// ServiceAccountTokens: bearer tokens that were asked for by TokenRequest, and whom they prove.

#ifndef KINFORMER_APISERVER_WRITE_SERVICE_ACCOUNT_TOKENS_H_
#define KINFORMER_APISERVER_WRITE_SERVICE_ACCOUNT_TOKENS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/store/stored_object.h"
#include "apiserver/write/object_writer.h"

namespace kinformer::apiserver {

// What a valid token says: who its bearer is, and which of the audiences that were asked about it
// is for.
struct KnownToken {
  UserInfoPtr user{};
  std::vector<std::string> audiences{};
};

// Loop-confined. Tokens are kept in memory and nowhere else, and never logged. One is valid until
// it expires by the Env's clock, or the account, or the object that it is bound to, goes.
// Counterpart: pkg/serviceaccount's token generator and authenticator.
class ServiceAccountTokens {
 public:
  explicit ServiceAccountTokens(ServerState& state) : state_(state) {}

  // What a TokenRequest has by default.
  static void Default(json::Value& request);
  // Checks a TokenRequest for the service account of `target`, and fills in what it leaves out.
  Result<void> Complete(const WriteTarget& target, json::Value& request) const;
  // A token as such a complete one asks for. Gives it with its status.
  Result<json::Value> Issue(const WriteTarget& target, json::Value request);

  // No audiences: this server. Unauthorized, with the words of a TokenReview, where the token is
  // none, is no longer valid, or is for others.
  [[nodiscard]] Result<KnownToken> Authenticate(const std::string& secret,
                                                const std::vector<std::string>& audiences) const;

  // Whether this looks like a token of a kinformer server, valid or not.
  [[nodiscard]] static bool IsOne(std::string_view token);

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

    // Memory that it takes, about.
    [[nodiscard]] std::size_t Cost() const;
  };

  // Null where it is gone, or is another than it was.
  [[nodiscard]] StoredObjectPtr Find(std::string_view plural, std::string_view namespace_,
                                     std::string_view name, std::string_view uid) const;
  Result<void> Bind(const json::Value& reference, Token& token) const;
  void ForgetExpired();
  // Makes room for one more token of that account: others of it go before those of anybody else,
  // and those first that would expire first.
  void MakeRoom(const Token& token);

  ServerState& state_;
  std::unordered_map<std::string, Token> tokens_;
  std::size_t bytes_ = 0;        // of all tokens
  std::size_t sweep_at_ = 1024;  // how many tokens make it worth looking for expired ones
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_SERVICE_ACCOUNT_TOKENS_H_
