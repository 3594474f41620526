#include "kinformer/apiserver/service_account_keys.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <optional>
#include <utility>

#include "kinformer/json/json.h"

#include "x509/openssl.h"

namespace kinformer::apiserver {
namespace {

using internal::x509::CertOf;
using internal::x509::CertPtr;
using internal::x509::Freer;
using internal::x509::KeyOf;
using internal::x509::KeyPtr;
using internal::x509::TlsError;

using ContextPtr = std::unique_ptr<EVP_MD_CTX, Freer<EVP_MD_CTX_free>>;
using NumberPtr = std::unique_ptr<BIGNUM, Freer<BN_free>>;
using SignaturePtr = std::unique_ptr<ECDSA_SIG, Freer<ECDSA_SIG_free>>;

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

unsigned char* Bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Returns the number in big-endian order; `size`: at least so many bytes.
std::string NumberText(const BIGNUM* number, std::size_t size = 0) {
  std::string out(std::max(size, static_cast<std::size_t>(BN_num_bytes(number))), '\0');
  BN_bn2binpad(number, Bytes(out), static_cast<int>(out.size()));
  return out;
}

std::string ParameterOf(const EVP_PKEY* key, const char* name, std::size_t size = 0) {
  BIGNUM* number = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &number) != 1) return {};
  const NumberPtr owner(number);
  return NumberText(number, size);
}

// How a key signs.
struct Method {
  const char* algorithm;
  const EVP_MD* digest;
  const char* curve;  // null: RSA
  std::size_t size;   // of a coordinate
};

std::optional<Method> MethodOf(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA") == 1) {
    return Method{.algorithm = "RS256", .digest = EVP_sha256(), .curve = nullptr, .size = 0};
  }
  if (EVP_PKEY_is_a(key, "EC") != 1) return std::nullopt;
  std::array<char, 64> group{};
  if (EVP_PKEY_get_group_name(key, group.data(), group.size(), nullptr) != 1) return std::nullopt;
  const std::string_view curve(group.data());
  if (curve == "prime256v1" || curve == "P-256") {
    return Method{.algorithm = "ES256", .digest = EVP_sha256(), .curve = "P-256", .size = 32};
  }
  if (curve == "secp384r1" || curve == "P-384") {
    return Method{.algorithm = "ES384", .digest = EVP_sha384(), .curve = "P-384", .size = 48};
  }
  if (curve == "secp521r1" || curve == "P-521") {
    return Method{.algorithm = "ES512", .digest = EVP_sha512(), .curve = "P-521", .size = 66};
  }
  return std::nullopt;
}

struct Key {
  KeyPtr key;
  Method method;
  std::string id;
};

// Returns the hash of the public key, as in a cluster.
std::string IdOf(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  if (size <= 0) return {};
  std::string hash(EVP_MAX_MD_SIZE, '\0');
  unsigned length = 0;
  EVP_Digest(der, static_cast<std::size_t>(size), Bytes(hash), &length, EVP_sha256(), nullptr);
  OPENSSL_free(der);
  return Base64Url(std::string_view(hash).substr(0, length));
}

std::optional<Key> Usable(KeyPtr key) {
  if (key == nullptr) return std::nullopt;
  const std::optional<Method> method = MethodOf(key.get());
  if (!method) return std::nullopt;
  std::string id = IdOf(key.get());
  return Key{.key = std::move(key), .method = *method, .id = std::move(id)};
}

// A signature of an elliptic curve has a fixed size here, and is DER in OpenSSL.
std::optional<std::string> ToFixed(std::string_view der, std::size_t size) {
  const unsigned char* at = Bytes(der);
  const SignaturePtr pair(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (pair == nullptr) return std::nullopt;
  return NumberText(ECDSA_SIG_get0_r(pair.get()), size) +
         NumberText(ECDSA_SIG_get0_s(pair.get()), size);
}

std::optional<std::string> ToDer(std::string_view fixed, std::size_t size) {
  if (fixed.size() != 2 * size) return std::nullopt;
  const SignaturePtr pair(ECDSA_SIG_new());
  const int length = static_cast<int>(size);
  NumberPtr r(BN_bin2bn(Bytes(fixed), length, nullptr));
  NumberPtr s(BN_bin2bn(Bytes(fixed.substr(size)), length, nullptr));
  if (pair == nullptr || ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1) return std::nullopt;
  static_cast<void>(r.release());
  static_cast<void>(s.release());
  unsigned char* der = nullptr;
  const int written = i2d_ECDSA_SIG(pair.get(), &der);
  if (written <= 0) return std::nullopt;
  std::string out(reinterpret_cast<const char*>(der), static_cast<std::size_t>(written));
  OPENSSL_free(der);
  return out;
}

bool IsSigned(const Key& key, std::string_view text, std::string signature) {
  if (key.method.curve != nullptr) {
    auto der = ToDer(signature, key.method.size);
    if (!der) return false;
    signature = *std::move(der);
  }
  const ContextPtr context(EVP_MD_CTX_new());
  const bool valid = context != nullptr &&
                     EVP_DigestVerifyInit(context.get(), nullptr, key.method.digest, nullptr,
                                          key.key.get()) == 1 &&
                     EVP_DigestVerify(context.get(), Bytes(signature), signature.size(),
                                      Bytes(text), text.size()) == 1;
  ERR_clear_error();
  return valid;
}

json::Value JwkOf(const Key& key) {
  json::Value out = json::Value::MakeObject({{"use", "sig"}});
  const auto set = [&](const char* member, const char* parameter) {
    out.Set(member, Base64Url(ParameterOf(key.key.get(), parameter, key.method.size)));
  };
  out.Set("kty", key.method.curve == nullptr ? "RSA" : "EC");
  out.Set("kid", key.id);
  if (key.method.curve != nullptr) out.Set("crv", key.method.curve);
  out.Set("alg", key.method.algorithm);
  if (key.method.curve == nullptr) {
    set("n", OSSL_PKEY_PARAM_RSA_N);
    set("e", OSSL_PKEY_PARAM_RSA_E);
  } else {
    set("x", OSSL_PKEY_PARAM_EC_PUB_X);
    set("y", OSSL_PKEY_PARAM_EC_PUB_Y);
  }
  return out;
}

Error NotSigned() { return {Reason::kUnauthorized, "no key of this server has signed the token"}; }

// The first key signs.
class PemKeys final : public ServiceAccountKeys {
 public:
  explicit PemKeys(std::vector<Key> keys) : keys_(std::move(keys)) {}

  [[nodiscard]] Result<std::string> Sign(std::string_view claims) const override {
    const Key& key = keys_.front();
    std::string text =
        Base64Url(
            json::Value::MakeObject({{"alg", key.method.algorithm}, {"kid", key.id}}).Dump()) +
        "." + Base64Url(claims);
    const ContextPtr context(EVP_MD_CTX_new());
    std::size_t size = 0;
    if (context == nullptr ||
        EVP_DigestSignInit(context.get(), nullptr, key.method.digest, nullptr, key.key.get()) !=
            1 ||
        EVP_DigestSign(context.get(), nullptr, &size, Bytes(std::string_view(text)), text.size()) !=
            1) {
      return TlsError("a token of a service account cannot be signed");
    }
    std::string signature(size, '\0');
    if (EVP_DigestSign(context.get(), Bytes(signature), &size, Bytes(std::string_view(text)),
                       text.size()) != 1) {
      return TlsError("a token of a service account cannot be signed");
    }
    signature.resize(size);
    if (key.method.curve != nullptr) {
      auto fixed = ToFixed(signature, key.method.size);
      if (!fixed) return TlsError("a token of a service account cannot be signed");
      signature = *std::move(fixed);
    }
    return text + "." + Base64Url(signature);
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
    for (const Key& key : keys_) {
      if (algorithm == key.method.algorithm && IsSigned(key, token.substr(0, last), *signature)) {
        return *std::move(claims);
      }
    }
    return NotSigned();
  }

  [[nodiscard]] std::string KeySet() const override {
    json::Value keys = json::Value::MakeArray();
    for (const Key& key : keys_) keys.Append(JwkOf(key));
    return json::Value::MakeObject({{"keys", std::move(keys)}}).Dump();
  }

  [[nodiscard]] std::vector<std::string> Algorithms() const override {
    std::vector<std::string> out;
    for (const Key& key : keys_) out.emplace_back(key.method.algorithm);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

 private:
  std::vector<Key> keys_;
};

// Returns the key of one block of PEM: private, public, or a certificate's.
KeyPtr VerifyingKeyOf(const std::string& pem) {
  if (const CertPtr cert = CertOf(pem)) return KeyPtr(X509_get_pubkey(cert.get()));
  if (KeyPtr key = KeyOf(pem)) return key;
  const internal::x509::BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return KeyPtr(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
}

// Splits PEM into blocks, each from its BEGIN to the next one's.
std::vector<std::string> BlocksOf(const std::string& pem) {
  std::vector<std::string> out;
  constexpr std::string_view kBegin = "-----BEGIN ";
  for (std::size_t at = pem.find(kBegin); at != std::string::npos;) {
    const std::size_t next = pem.find(kBegin, at + 1);
    const std::string block = pem.substr(at, next == std::string::npos ? next : next - at);
    // The parameters of a curve stand before its key in what OpenSSL writes.
    if (!block.starts_with("-----BEGIN EC PARAMETERS")) out.push_back(block);
    at = next;
  }
  return out;
}

}  // namespace

Result<std::shared_ptr<const ServiceAccountKeys>> ReadServiceAccountKeys(
    const std::string& signing_key, const std::string& verifying_keys) {
  std::vector<Key> keys;
  auto signing = Usable(KeyOf(signing_key));
  ERR_clear_error();
  if (!signing) {
    return Error(Reason::kConfig,
                 "the key that signs tokens of service accounts is none: it must be an RSA key or "
                 "one of a curve P-256, P-384 or P-521, in PEM, without a pass phrase");
  }
  keys.push_back(*std::move(signing));
  for (const std::string& block : BlocksOf(verifying_keys)) {
    auto key = Usable(VerifyingKeyOf(block));
    ERR_clear_error();
    if (!key) {
      return Error(Reason::kConfig,
                   "a key that verifies tokens of service accounts is none: it must be an RSA key "
                   "or one of a curve P-256, P-384 or P-521, or a certificate, in PEM");
    }
    const bool known = std::any_of(keys.begin(), keys.end(),
                                   [&](const Key& other) { return other.id == key->id; });
    if (!known) keys.push_back(*std::move(key));
  }
  return std::make_shared<const PemKeys>(std::move(keys));
}

}  // namespace kinformer::apiserver
