// config/oidc.h
//
// Id-tokens of OpenID Connect (auth-provider oidc), and how they are renewed.

#ifndef KINFORMER_CONFIG_OIDC_H_
#define KINFORMER_CONFIG_OIDC_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/config.h"

#include "config/shared_by_key.h"
#include "config/token_writer.h"
#include "transport/plain_exchange.h"

namespace kinformer::internal::config {

// Whether an id-token that expires then ends within 10 s, as in client-go, or has ended. One
// without an expiry never does: the server decides.
bool EndsSoon(const std::optional<WallTime>& expires, WallTime now);

// Sends a request as ExchangePlainly does; replaced in tests.
using IssuerExchange = std::function<Result<transport::PlainAnswer>(const transport::PlainRequest&,
                                                                    const std::stop_token&)>;

struct OidcTokens {
  std::string id_token{};
  std::string refresh_token{};  // the old one where the issuer gives no new one
};

// Gets a new id-token: finds the issuer's token endpoint (/.well-known/openid-configuration) and
// gives it the refresh token. Blocks like the exchange. Errors name the issuer and what to do, and
// contain no token and no secret.
Result<OidcTokens> RefreshIdToken(const OidcConfig& oidc, const std::string& refresh_token,
                                  const IssuerExchange& exchange, const std::stop_token& stop);

// Returns a text that is equal for equal settings, and for no others. It has secrets in it.
std::string OidcKey(const std::string& id_token, const OidcConfig& oidc);

// An id-token and its number: later tokens have larger ones, from 1 on.
struct NumberedToken {
  std::string token{};
  std::uint64_t number = 0;
};

// The tokens of one user, for all clients of the process that have them from the same settings: an
// issuer may accept a refresh token only once. Thread-safe. Lives as long as a client uses it.
class SharedIdToken {
 public:
  SharedIdToken(std::string id_token, OidcConfig oidc, IssuerExchange exchange, TokenWriter write);
  // Returns the one of these settings, which uses the network and files.
  static std::shared_ptr<SharedIdToken> For(const std::string& id_token, const OidcConfig& oidc);

  // Returns the current token if it does not end and is newer than that of number `used`, else a
  // new one. Blocks for that, also while another thread does the same. New tokens are
  // written to OidcConfig::kubeconfig; if that fails, there is a warning in the log.
  Result<NumberedToken> Obtain(Env& env, std::uint64_t used, const std::stop_token& stop);

 private:
  void Write(Env& env) const;

  const OidcConfig oidc_;
  const IssuerExchange exchange_;
  const TokenWriter write_;
  LongLock renewing_;  // held during a renewal; guards what follows
  NumberedToken current_;
  std::string refresh_token_;
};

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_OIDC_H_
