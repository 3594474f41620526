#include "transport/tls_material.h"

#include <chrono>
#include <ctime>
#include <memory>
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/text/regular_file.h"

namespace kinformer::internal::transport {

namespace {

struct Free {
  void operator()(BIO* p) const { BIO_free(p); }
  void operator()(X509* p) const { X509_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
};

std::unique_ptr<BIO, Free> Open(const std::string& text) {
  return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Refuses keys that are protected by a pass phrase: OpenSSL would ask for it and block on a
// terminal that may not exist.
int NoPassPhrase(char*, int, int, void*) { return -1; }

std::unique_ptr<X509, Free> FirstCertificate(const std::string& pem) {
  const auto bio = Open(pem);
  std::unique_ptr<X509, Free> cert(PEM_read_bio_X509(bio.get(), nullptr, &NoPassPhrase, nullptr));
  ERR_clear_error();
  return cert;
}

Result<std::string> ReadFile(const std::string& path, const std::string& option) {
  // Far above the size of any certificate bundle.
  constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
  Result<std::string> text = base::ReadRegularFile(path, kMaxBytes);
  if (text) return text;
  return Error(Reason::kConfig,
               "unable to read " + option + " " + path + ": " + text.error().message());
}

Result<std::string> TextOf(const std::string& pem, const std::string& file, const char* option) {
  if (!pem.empty() || file.empty()) return pem;
  return ReadFile(file, option);
}

std::optional<std::int64_t> SecondsOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) {
    ERR_clear_error();
    return std::nullopt;
  }
  return timegm(&parts);
}

std::string From(const std::string& pem, const std::string& file) {
  return pem.empty() ? " (" + file + ")" : " (inline data)";
}

}  // namespace

Result<void> CheckKeyPair(const std::string& cert, const std::string& key,
                          const std::string& what) {
  const auto parsed = FirstCertificate(cert);
  if (parsed == nullptr) {
    return Error(Reason::kConfig,
                 what + ": the certificate is not PEM (-----BEGIN CERTIFICATE-----)");
  }
  const auto bio = Open(key);
  const std::unique_ptr<EVP_PKEY, Free> parsed_key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassPhrase, nullptr));
  ERR_clear_error();
  if (parsed_key == nullptr) {
    return Error(Reason::kConfig, what + ": the key is not a PEM private key without pass phrase");
  }
  const bool fits = X509_check_private_key(parsed.get(), parsed_key.get()) == 1;
  ERR_clear_error();
  if (!fits) return Error(Reason::kConfig, what + ": the private key is not the certificate's");
  return {};
}

Result<TlsMaterial> LoadTlsMaterial(const TlsOptions& options, CaResult* ca_result) {
  CaResult unused{};
  CaResult& became = ca_result == nullptr ? unused : *ca_result;
  TlsMaterial out;
  became = CaResult::kCannotRead;
  auto ca = TextOf(options.ca_pem, options.ca_file, "certificate-authority");
  if (!ca) return ca.error();
  out.ca = *std::move(ca);
  became = CaResult::kRead;
  const bool has_ca = !options.ca_pem.empty() || !options.ca_file.empty();
  if (has_ca && options.insecure_skip_verify) {
    return Error(
        Reason::kConfig,
        "certificate-authority and insecure-skip-tls-verify exclude each other: remove one");
  }
  if (has_ca && FirstCertificate(out.ca) == nullptr) {
    became = out.ca.empty() ? CaResult::kEmpty : CaResult::kNoPem;
    return Error(Reason::kConfig, "certificate-authority" + From(options.ca_pem, options.ca_file) +
                                      ": no PEM certificate in it (-----BEGIN CERTIFICATE-----)");
  }
  auto cert = TextOf(options.cert_pem, options.cert_file, "client-certificate");
  if (!cert) return cert.error();
  auto key = TextOf(options.key_pem, options.key_file, "client-key");
  if (!key) return key.error();
  out.cert = *std::move(cert);
  out.key = *std::move(key);
  const bool has_cert = !options.cert_pem.empty() || !options.cert_file.empty();
  const bool has_key = !options.key_pem.empty() || !options.key_file.empty();
  if (has_cert != has_key) {
    return Error(Reason::kConfig,
                 has_cert ? "client-certificate is given without client-key: give both"
                          : "client-key is given without client-certificate: give both");
  }
  if (has_cert) {
    const auto pair = CheckKeyPair(
        out.cert, out.key, "client-certificate" + From(options.cert_pem, options.cert_file));
    if (!pair) return pair.error();
  }
  return out;
}

bool UsesCaFile(const TlsOptions& options) {
  return options.ca_pem.empty() && !options.ca_file.empty();
}

bool UsesFiles(const TlsOptions& options) {
  return UsesCaFile(options) || (options.cert_pem.empty() && !options.cert_file.empty()) ||
         (options.key_pem.empty() && !options.key_file.empty());
}

std::optional<CertificateTimes> TimesOfCertificate(const std::string& pem) {
  const auto cert = FirstCertificate(pem);
  if (cert == nullptr) return std::nullopt;
  const auto begin = SecondsOf(X509_get0_notBefore(cert.get()));
  const auto end = SecondsOf(X509_get0_notAfter(cert.get()));
  if (!begin || !end) return std::nullopt;
  return CertificateTimes{.not_before = *begin, .not_after = *end};
}

}  // namespace kinformer::internal::transport
