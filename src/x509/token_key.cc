#include "x509/token_key.h"

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

#include "x509/openssl.h"

namespace kinformer::internal::x509 {
namespace {

using ContextPtr = std::unique_ptr<EVP_MD_CTX, Freer<EVP_MD_CTX_free>>;
using NumberPtr = std::unique_ptr<BIGNUM, Freer<BN_free>>;
using SignaturePtr = std::unique_ptr<ECDSA_SIG, Freer<ECDSA_SIG_free>>;

// How a key signs.
struct Method {
  std::string_view group;  // of OpenSSL; empty: RSA
  std::string_view algorithm;
  std::string_view curve;
  std::size_t size;  // of a coordinate
  const EVP_MD* (*digest)();
};
constexpr std::array kMethods = {
    Method{"", "RS256", "", 0, &EVP_sha256},
    Method{"prime256v1", "ES256", "P-256", 32, &EVP_sha256},
    Method{"secp384r1", "ES384", "P-384", 48, &EVP_sha384},
    Method{"secp521r1", "ES512", "P-521", 66, &EVP_sha512},
};

unsigned char* Bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Returns the number in big-endian order; `size`: at least so many bytes.
std::string NumberText(const BIGNUM* number, std::size_t size) {
  std::string out(std::max(size, static_cast<std::size_t>(BN_num_bytes(number))), '\0');
  BN_bn2binpad(number, Bytes(out), static_cast<int>(out.size()));
  return out;
}

std::string ParameterOf(const EVP_PKEY* key, const char* name, std::size_t size) {
  BIGNUM* number = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &number) != 1) return {};
  const NumberPtr owner(number);
  return NumberText(number, size);
}

// Returns null for other kinds of keys.
const Method* MethodOf(const EVP_PKEY* key) {
  std::array<char, 64> group{};
  if (EVP_PKEY_is_a(key, "EC") == 1) {
    if (EVP_PKEY_get_group_name(key, group.data(), group.size(), nullptr) != 1) return nullptr;
    if (group[0] == '\0') return nullptr;
  } else if (EVP_PKEY_is_a(key, "RSA") != 1) {
    return nullptr;
  }
  const auto found = std::find_if(kMethods.begin(), kMethods.end(), [&](const Method& method) {
    return method.group == group.data();
  });
  return found == kMethods.end() ? nullptr : &*found;
}

// A signature of a curve has a fixed size in a token, and is DER in OpenSSL.
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
  if (pair == nullptr || r == nullptr || s == nullptr) return std::nullopt;
  // Owns both from here on; fails only if one is null.
  if (ECDSA_SIG_set0(pair.get(), r.release(), s.release()) != 1) return std::nullopt;
  unsigned char* der = nullptr;
  const int written = i2d_ECDSA_SIG(pair.get(), &der);
  if (written <= 0) return std::nullopt;
  std::string out(reinterpret_cast<const char*>(der), static_cast<std::size_t>(written));
  OPENSSL_free(der);
  return out;
}

// Returns the key of one block of PEM.
KeyPtr VerifyingKeyOf(const std::string& pem) {
  if (const CertPtr cert = CertOf(pem)) return KeyPtr(X509_get_pubkey(cert.get()));
  if (KeyPtr key = KeyOf(pem)) return key;
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
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

struct TokenKey::Impl {
  KeyPtr key;
  const Method& method;

  // Returns null for other kinds of keys.
  static std::shared_ptr<const Impl> Of(KeyPtr key) {
    const Method* const method = key == nullptr ? nullptr : MethodOf(key.get());
    ERR_clear_error();
    if (method == nullptr) return nullptr;
    return std::make_shared<const Impl>(Impl{.key = std::move(key), .method = *method});
  }
};

std::optional<TokenKey> TokenKey::Signing(const std::string& pem) {
  auto impl = Impl::Of(KeyOf(pem));
  if (impl == nullptr) return std::nullopt;
  return TokenKey(std::move(impl));
}

std::optional<std::vector<TokenKey>> TokenKey::Verifying(const std::string& pem) {
  std::vector<TokenKey> out;
  for (const std::string& block : BlocksOf(pem)) {
    auto impl = Impl::Of(VerifyingKeyOf(block));
    if (impl == nullptr) return std::nullopt;
    out.push_back(TokenKey(std::move(impl)));
  }
  return out;
}

std::string_view TokenKey::algorithm() const { return impl_->method.algorithm; }
std::string_view TokenKey::curve() const { return impl_->method.curve; }

std::string TokenKey::Hash() const {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(impl_->key.get(), &der);
  if (size <= 0) return {};
  std::string hash(EVP_MAX_MD_SIZE, '\0');
  unsigned length = 0;
  EVP_Digest(der, static_cast<std::size_t>(size), Bytes(hash), &length, EVP_sha256(), nullptr);
  OPENSSL_free(der);
  hash.resize(length);
  return hash;
}

std::pair<std::string, std::string> TokenKey::Numbers() const {
  const EVP_PKEY* const key = impl_->key.get();
  const std::size_t size = impl_->method.size;
  if (size == 0) {
    return {ParameterOf(key, OSSL_PKEY_PARAM_RSA_N, 0), ParameterOf(key, OSSL_PKEY_PARAM_RSA_E, 0)};
  }
  return {ParameterOf(key, OSSL_PKEY_PARAM_EC_PUB_X, size),
          ParameterOf(key, OSSL_PKEY_PARAM_EC_PUB_Y, size)};
}

std::optional<std::string> TokenKey::Sign(std::string_view text) const {
  const ContextPtr context(EVP_MD_CTX_new());
  std::size_t size = 0;
  std::string signature;
  bool made = context != nullptr &&
              EVP_DigestSignInit(context.get(), nullptr, impl_->method.digest(), nullptr,
                                 impl_->key.get()) == 1 &&
              EVP_DigestSign(context.get(), nullptr, &size, Bytes(text), text.size()) == 1;
  if (made) {
    signature.resize(size);
    made = EVP_DigestSign(context.get(), Bytes(signature), &size, Bytes(text), text.size()) == 1;
    signature.resize(size);
  }
  ERR_clear_error();
  if (!made) return std::nullopt;
  return impl_->method.size == 0 ? signature : ToFixed(signature, impl_->method.size);
}

bool TokenKey::Verify(std::string_view text, std::string signature) const {
  if (impl_->method.size > 0) {
    auto der = ToDer(signature, impl_->method.size);
    if (!der) return false;
    signature = *std::move(der);
  }
  const ContextPtr context(EVP_MD_CTX_new());
  const bool valid = context != nullptr &&
                     EVP_DigestVerifyInit(context.get(), nullptr, impl_->method.digest(), nullptr,
                                          impl_->key.get()) == 1 &&
                     EVP_DigestVerify(context.get(), Bytes(signature), signature.size(),
                                      Bytes(text), text.size()) == 1;
  ERR_clear_error();
  return valid;
}

}  // namespace kinformer::internal::x509
