#include "transport/peer_certificate.h"

#include <memory>
#include <openssl/x509v3.h>

namespace kinformer::internal::transport {
namespace {

bool LookForAlternativeName(SSL* tls) {
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get1_peer_certificate(tls),
                                                                &X509_free);
  if (certificate == nullptr) return false;
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)),
      &GENERAL_NAMES_free);
  if (names == nullptr) return false;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const int type = sk_GENERAL_NAME_value(names.get(), i)->type;
    if (type == GEN_DNS || type == GEN_IPADD) return true;
  }
  return false;
}

}  // namespace

bool HasAlternativeName(SSL* tls) {
  static const int mark = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  static int found;
  if (mark >= 0 && SSL_get_ex_data(tls, mark) == &found) return true;
  if (!LookForAlternativeName(tls)) return false;
  if (mark >= 0) SSL_set_ex_data(tls, mark, &found);
  return true;
}

}  // namespace kinformer::internal::transport
