#include "x509/request_key.h"

#include <openssl/err.h>

#include "x509/openssl.h"

namespace kinformer::internal::x509 {

bool SameKey(const std::string& request, const std::string& other) {
  const RequestPtr one = RequestOf(request);
  const RequestPtr two = RequestOf(other);
  const bool same =
      one != nullptr && two != nullptr &&
      EVP_PKEY_eq(X509_REQ_get0_pubkey(one.get()), X509_REQ_get0_pubkey(two.get())) == 1;
  ERR_clear_error();
  return same;
}

}  // namespace kinformer::internal::x509
