#include "kinformer/apiserver/service_account_keys.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/registry/service_account_keys.h"
#include "x509/token_key.h"

namespace kinformer::apiserver {
namespace {

using internal::x509::TokenKey;

// A token is no larger than a header of HTTP.
constexpr std::size_t kMostBytes = std::size_t{64} << 10;

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string Base64Url(std::string_view bytes) {
  std::string out;
  unsigned held = 0;
  int bits = 0;
  for (const char c : bytes) {
    held = (held << 8U) | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) out += kLetters[(held >> (bits - 6)) & 63U];
  }
  if (bits > 0) out += kLetters[(held << (6 - bits)) & 63U];
  return out;
}

std::optional<std::string> BytesOf(std::string_view text) {
  std::string out;
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t value = kLetters.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    held = (held << 6U) | static_cast<unsigned>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>((held >> bits) & 255U);
  }
  return out;
}

json::Value JwkOf(const TokenKey& key) {
  const auto [first, second] = key.Numbers();
  const bool rsa = key.curve().empty();
  json::Value out = json::Value::MakeObject(
      {{"use", "sig"}, {"kty", rsa ? "RSA" : "EC"}, {"kid", Base64Url(key.Hash())}});
  if (!rsa) out.Set("crv", key.curve());
  out.Set("alg", key.algorithm());
  out.Set(rsa ? "n" : "x", Base64Url(first));
  out.Set(rsa ? "e" : "y", Base64Url(second));
  return out;
}

Error NotSigned() { return {Reason::kUnauthorized, "no key of this server has signed the token"}; }

// The first key signs.
class PemKeys final : public ServiceAccountKeys {
 public:
  explicit PemKeys(std::vector<TokenKey> keys) : keys_(std::move(keys)) {}

  [[nodiscard]] Result<std::string> Sign(std::string_view claims) const override {
    const TokenKey& key = keys_.front();
    const json::Value header =
        json::Value::MakeObject({{"alg", key.algorithm()}, {"kid", Base64Url(key.Hash())}});
    std::string text = Base64Url(header.Dump()) + "." + Base64Url(claims);
    const auto signature = key.Sign(text);
    if (!signature) {
      return Error(Reason::kInternalError, "a token of a service account cannot be signed")
          .WithHttpStatus(500);
    }
    return text + "." + Base64Url(*signature);
  }

  [[nodiscard]] Result<std::string> Verify(std::string_view token) const override {
    const std::size_t first = token.find('.');
    const std::size_t last = token.rfind('.');
    if (token.size() > kMostBytes || first == std::string_view::npos || first == last) {
      return NotSigned();
    }
    const auto header = BytesOf(token.substr(0, first));
    auto claims = BytesOf(token.substr(first + 1, last - first - 1));
    const auto signature = BytesOf(token.substr(last + 1));
    if (!header || !claims || !signature) return NotSigned();
    const Result<json::Value> names = json::Parse(*header);
    if (!names) return NotSigned();
    const std::string algorithm = (*names)["alg"].StringOrEmpty();
    for (const TokenKey& key : keys_) {
      if (algorithm == key.algorithm() && key.Verify(token.substr(0, last), *signature)) {
        return *std::move(claims);
      }
    }
    return NotSigned();
  }

  [[nodiscard]] std::string KeySet() const override {
    json::Value keys = json::Value::MakeArray();
    for (const TokenKey& key : keys_) keys.Append(JwkOf(key));
    return json::Value::MakeObject({{"keys", std::move(keys)}}).Dump();
  }

  [[nodiscard]] std::vector<std::string> Algorithms() const override {
    std::vector<std::string> out;
    for (const TokenKey& key : keys_) out.emplace_back(key.algorithm());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

 private:
  std::vector<TokenKey> keys_;
};

}  // namespace

Result<std::shared_ptr<const ServiceAccountKeys>> ReadServiceAccountKeys(
    const std::string& signing_key, const std::string& verifying_keys) {
  auto signing = TokenKey::Signing(signing_key);
  if (!signing) {
    return Error(Reason::kConfig,
                 "the key that signs tokens of service accounts is none: it must be an RSA key or "
                 "one of a curve P-256, P-384 or P-521, in PEM, without a pass phrase");
  }
  auto verifying = TokenKey::Verifying(verifying_keys);
  if (!verifying) {
    return Error(Reason::kConfig,
                 "a key that verifies tokens of service accounts is none: it must be an RSA key "
                 "or one of a curve P-256, P-384 or P-521, or a certificate, in PEM");
  }
  std::vector<TokenKey> keys;
  keys.push_back(*std::move(signing));
  for (TokenKey& key : *verifying) {
    const bool known = std::any_of(keys.begin(), keys.end(), [&](const TokenKey& other) {
      return other.Hash() == key.Hash();
    });
    if (!known) keys.push_back(std::move(key));
  }
  return std::make_shared<const PemKeys>(std::move(keys));
}

}  // namespace kinformer::apiserver
