#include "config/oidc.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "kinformer/json/json.h"

#include "base/core/printable.h"
#include "base/text/redacted_url.h"
#include "config/jwt.h"
#include "config/kubeconfig.h"
#include "config/shared_by_key.h"
#include "object/values/text_forms.h"
#include "transport/query.h"

namespace kinformer::internal::config {

namespace {

using transport::PlainAnswer;
using transport::PlainRequest;

constexpr Duration kExpiryMargin = std::chrono::seconds(10);
constexpr std::size_t kMostQuoted = 200;  // bytes of an issuer's own words

Error Failed(const OidcConfig& oidc, const std::string& why) {
  return Error(Reason::kConfig, "OpenID issuer " + base::RedactedUrl(oidc.issuer_url) + ": " + why);
}

std::string Escaped(std::string_view text) {
  std::string out;
  transport::PercentEncode(text, transport::kUnreserved, out);
  return out;
}

// Describes a refusal by the issuer's own code and text (RFC 6749, 5.2).
std::string Refusal(const PlainAnswer& answer) {
  std::string out = "status " + std::to_string(answer.status);
  const auto parsed = json::Parse(answer.body);
  if (!parsed) return out;
  for (const char* field : {"/error", "/error_description"}) {
    const std::string text = parsed->At(field).StringOrEmpty().substr(0, kMostQuoted);
    if (!text.empty()) out += ", " + base::Printable(text);
  }
  return out;
}

struct Issuer {
  std::string token_endpoint{};
  bool basic = true;  // it takes the client's secret in a header, which is the default
};

Result<Issuer> Discover(const OidcConfig& oidc, const std::string& ca,
                        const IssuerExchange& exchange, const std::stop_token& stop) {
  std::string base = oidc.issuer_url;
  if (base.ends_with('/')) base.pop_back();
  const auto answer =
      exchange(PlainRequest{.url = base + "/.well-known/openid-configuration", .ca_pem = ca}, stop);
  if (!answer) return answer.error();
  if (answer->status != 200) {
    return Failed(oidc, "it does not describe itself (/.well-known/openid-configuration): status " +
                            std::to_string(answer->status) + "; check idp-issuer-url");
  }
  const auto parsed = json::Parse(answer->body);
  Issuer out;
  if (parsed) out.token_endpoint = parsed->At("/token_endpoint").StringOrEmpty();
  if (out.token_endpoint.empty()) {
    return Failed(oidc, "its openid-configuration has no token_endpoint; check idp-issuer-url");
  }
  const json::Value& methods = parsed->At("/token_endpoint_auth_methods_supported");
  if (!methods.is_array()) return out;
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(
        methods.items(), [&](const json::Value& method) { return method.StringOrEmpty() == name; });
  };
  out.basic = has("client_secret_basic") || !has("client_secret_post");
  return out;
}

PlainRequest RefreshRequest(const OidcConfig& oidc, const Issuer& issuer,
                            const std::string& refresh_token, const std::string& ca) {
  PlainRequest out{.url = issuer.token_endpoint,
                   .form = "grant_type=refresh_token&refresh_token=" + Escaped(refresh_token),
                   .ca_pem = ca};
  if (issuer.basic && !oidc.client_secret.empty()) {
    out.authorization = "Basic ";
    AppendBase64(Escaped(oidc.client_id) + ":" + Escaped(oidc.client_secret), out.authorization);
    return out;
  }
  out.form += "&client_id=" + Escaped(oidc.client_id);
  if (!oidc.client_secret.empty()) out.form += "&client_secret=" + Escaped(oidc.client_secret);
  return out;
}

}  // namespace

bool EndsSoon(const std::optional<WallTime>& expires, WallTime now) {
  return expires && now + kExpiryMargin >= *expires;
}

Result<OidcTokens> RefreshIdToken(const OidcConfig& oidc, const std::string& refresh_token,
                                  const IssuerExchange& exchange, const std::stop_token& stop) {
  std::string ca = oidc.ca_data;
  if (ca.empty() && !oidc.ca_file.empty()) {
    auto text = ReadConfigFile(oidc.ca_file, "idp-certificate-authority");
    if (!text) return text.error();
    ca = *std::move(text);
  }
  const auto unreached = [&](const Error& error) {
    if (error.reason() == Reason::kStopped) return error;
    return Failed(
        oidc, error.message() + "; check idp-issuer-url and idp-certificate-authority of the user");
  };
  const auto issuer = Discover(oidc, ca, exchange, stop);
  if (!issuer) {
    return issuer.error().reason() == Reason::kConfig ? issuer.error() : unreached(issuer.error());
  }
  const auto answer = exchange(RefreshRequest(oidc, *issuer, refresh_token, ca), stop);
  if (!answer) return unreached(answer.error());
  if (answer->status != 200) {
    return Failed(oidc, "it refuses the refresh token (" + Refusal(*answer) +
                            "); log in again, so that the kubeconfig gets a new one");
  }
  const auto parsed = json::Parse(answer->body);
  OidcTokens out;
  if (parsed) out.id_token = parsed->At("/id_token").StringOrEmpty();
  if (out.id_token.empty()) {
    return Failed(oidc,
                  "its answer has no id_token; the scope openid may be missing: log in again");
  }
  out.refresh_token = parsed->At("/refresh_token").StringOrEmpty();
  if (out.refresh_token.empty()) out.refresh_token = refresh_token;
  return out;
}

std::string OidcKey(const std::string& id_token, const OidcConfig& oidc) {
  std::string out;
  for (const std::string* text : {&id_token, &oidc.issuer_url, &oidc.client_id, &oidc.client_secret,
                                  &oidc.refresh_token, &oidc.ca_file, &oidc.ca_data}) {
    AppendToKey(*text, out);
  }
  return out;
}

SharedIdToken::SharedIdToken(std::string id_token, OidcConfig oidc, IssuerExchange exchange,
                             TokenWriter write)
    : oidc_(std::move(oidc)),
      exchange_(std::move(exchange)),
      write_(std::move(write)),
      current_{.token = std::move(id_token), .number = 0},
      refresh_token_(oidc_.refresh_token) {
  if (!current_.token.empty()) current_.number = 1;
}

std::shared_ptr<SharedIdToken> SharedIdToken::For(const std::string& id_token,
                                                  const OidcConfig& oidc) {
  // Never destroyed, since clients may outlive every other object.
  static auto& tokens = *new SharedByKey<SharedIdToken>;
  return tokens.Get(OidcKey(id_token, oidc), [&] {
    return std::make_shared<SharedIdToken>(id_token, oidc, &transport::ExchangePlainly,
                                           &WriteTokens);
  });
}

Result<NumberedToken> SharedIdToken::Obtain(Env& env, std::uint64_t used,
                                            const std::stop_token& stop) {
  const LongLock::Held held = renewing_.Acquire(stop);
  if (!held) {
    return Error(Reason::kStopped, "OpenID issuer: stopped before it had answered");
  }
  if (current_.number > used && !EndsSoon(JwtExpiry(current_.token), env.WallNow()))
    return current_;
  auto got = RefreshIdToken(oidc_, refresh_token_, exchange_, stop);
  if (!got) return got.error();
  current_ = {.token = std::move(got->id_token), .number = current_.number + 1};
  refresh_token_ = std::move(got->refresh_token);
  Write(env);
  return current_;
}

void SharedIdToken::Write(Env& env) const {
  if (oidc_.kubeconfig.empty()) return;
  const Result<void> done =
      write_(oidc_.kubeconfig, oidc_.user,
             {{"id-token", current_.token}, {"refresh-token", refresh_token_}});
  if (done) return;
  env.log().Log(
      LogLevel::kWarning,
      "cannot write new tokens to the kubeconfig, whose refresh token may be of no use any more",
      {{"user", oidc_.user}, {"err", done.error().message()}});
}

}  // namespace kinformer::internal::config
