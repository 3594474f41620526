// x509/openssl.h
//
// Owners of OpenSSL's objects, their PEM forms, and its errors.

#ifndef KINFORMER_X509_OPENSSL_H_
#define KINFORMER_X509_OPENSSL_H_

#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string>

#include "kinformer/base/error.h"

namespace kinformer::internal::x509 {

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using CertPtr = std::unique_ptr<X509, Freer<X509_free>>;
using RequestPtr = std::unique_ptr<X509_REQ, Freer<X509_REQ_free>>;
using BioPtr = std::unique_ptr<BIO, Freer<BIO_free_all>>;

// Returns kConfig with `what` and OpenSSL's last message, and clears its messages.
Error TlsError(const std::string& what);

// Make a key of ECDSA P-256; null: OpenSSL has a message.
KeyPtr NewKey();

// Write PEM.
std::string CertText(X509* cert);
std::string KeyText(EVP_PKEY* key);
std::string RequestText(X509_REQ* request);

// Read the first of its kind; null: there is none, and OpenSSL has a message. A key that is
// protected by a pass phrase is none, and nobody is asked for it.
CertPtr CertOf(const std::string& pem);
KeyPtr KeyOf(const std::string& pem);
RequestPtr RequestOf(const std::string& pem);

}  // namespace kinformer::internal::x509

#endif  // KINFORMER_X509_OPENSSL_H_
