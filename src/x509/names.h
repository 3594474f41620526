// x509/names.h
//
// Names in certificates and in requests: the subject, and the alternative names of servers.

#ifndef KINFORMER_X509_NAMES_H_
#define KINFORMER_X509_NAMES_H_

#include <memory>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "kinformer/base/result.h"
#include "kinformer/certificate/cert.h"

#include "x509/openssl.h"

namespace kinformer::internal::x509 {

using NamesPtr = std::unique_ptr<GENERAL_NAMES, Freer<GENERAL_NAMES_free>>;

// Whether this is an IPv4 or IPv6 address.
[[nodiscard]] bool IsAddress(const std::string& host);
// Returns hosts as DNS names and IP addresses.
[[nodiscard]] cert::AltNames Sorted(const std::vector<std::string>& hosts);

// Write a subject. False: OpenSSL has a message.
[[nodiscard]] bool SetSubject(X509_NAME* name, const cert::Subject& subject);
// Returns the value of the extension subjectAltName; null if there are no names. kConfig, with the
// name: it is neither a DNS name nor an address.
Result<NamesPtr> AltNamesValue(const cert::AltNames& names);

// Read what these write.
[[nodiscard]] cert::Subject SubjectOf(const X509_NAME* name);
[[nodiscard]] cert::AltNames AltNamesOf(const GENERAL_NAMES* names);

}  // namespace kinformer::internal::x509

#endif  // KINFORMER_X509_NAMES_H_
