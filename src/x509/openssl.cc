#include "x509/openssl.h"

#include <array>
#include <cstddef>
#include <openssl/err.h>
#include <openssl/pem.h>

namespace kinformer::internal::x509 {
namespace {

std::string TakeText(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

BioPtr Open(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

int NoPassPhrase(char*, int, int, void*) { return -1; }

}  // namespace

Error TlsError(const std::string& what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return Error(Reason::kConfig, what + ": " + text.data());
}

KeyPtr NewKey() { return KeyPtr(EVP_EC_gen("P-256")); }

std::string CertText(X509* cert) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), cert);
  return TakeText(bio.get());
}

std::string KeyText(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  // SEC1, which every client reads; some do not read PKCS#8 keys of this type.
  PEM_write_bio_PrivateKey_traditional(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return TakeText(bio.get());
}

std::string RequestText(X509_REQ* request) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509_REQ(bio.get(), request);
  return TakeText(bio.get());
}

CertPtr CertOf(const std::string& pem) {
  const BioPtr bio = Open(pem);
  return CertPtr(PEM_read_bio_X509(bio.get(), nullptr, &NoPassPhrase, nullptr));
}

KeyPtr KeyOf(const std::string& pem) {
  const BioPtr bio = Open(pem);
  return KeyPtr(PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassPhrase, nullptr));
}

RequestPtr RequestOf(const std::string& pem) {
  const BioPtr bio = Open(pem);
  return RequestPtr(PEM_read_bio_X509_REQ(bio.get(), nullptr, &NoPassPhrase, nullptr));
}

}  // namespace kinformer::internal::x509
