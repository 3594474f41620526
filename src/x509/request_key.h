// x509/request_key.h
//
// SameKey: whether two requests are for one key.

#ifndef KINFORMER_X509_REQUEST_KEY_H_
#define KINFORMER_X509_REQUEST_KEY_H_

#include <string>

namespace kinformer::internal::x509 {

// False also if one of them (PEM) cannot be read. Signatures differ at each signing, so the texts
// cannot be compared.
[[nodiscard]] bool SameKey(const std::string& request, const std::string& other);

}  // namespace kinformer::internal::x509

#endif  // KINFORMER_X509_REQUEST_KEY_H_
