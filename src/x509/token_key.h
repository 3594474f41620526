// x509/token_key.h
//
// TokenKey: a key that signs or verifies JSON Web Tokens.

#ifndef KINFORMER_X509_TOKEN_KEY_H_
#define KINFORMER_X509_TOKEN_KEY_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinformer::internal::x509 {

// RSA, or a curve of P-256, P-384 and P-521. Copies are the same key. Thread-safe.
class TokenKey {
 public:
  // Reads a private key in PEM; nullopt: it is none of these kinds.
  static std::optional<TokenKey> Signing(const std::string& pem);
  // Reads each key in the PEM: private, public, or in a certificate; nullopt: one is none of these
  // kinds.
  static std::optional<std::vector<TokenKey>> Verifying(const std::string& pem);

  // Returns RS256, ES256, ES384 or ES512.
  [[nodiscard]] std::string_view algorithm() const;
  // Returns the SHA-256 of the public key.
  [[nodiscard]] std::string Hash() const;
  // Returns the curve, such as P-256; empty: RSA.
  [[nodiscard]] std::string_view curve() const;
  // Returns the bytes of x and y of a curve, or of n and e of RSA.
  [[nodiscard]] std::pair<std::string, std::string> Numbers() const;

  // Returns the signature, of fixed size for a curve; nullopt: it failed.
  [[nodiscard]] std::optional<std::string> Sign(std::string_view text) const;
  [[nodiscard]] bool Verify(std::string_view text, std::string signature) const;

 private:
  struct Impl;
  explicit TokenKey(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<const Impl> impl_;
};

}  // namespace kinformer::internal::x509

#endif  // KINFORMER_X509_TOKEN_KEY_H_
