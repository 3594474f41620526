// x509/address.h
//
// CanonicalAddress: the one text of an IP address that has several.

#ifndef KINFORMER_X509_ADDRESS_H_
#define KINFORMER_X509_ADDRESS_H_

#include <string>

namespace kinformer::internal::x509 {

// Returns the address as cert::NamesOf has it: "FD00:0::1" becomes "fd00::1". What is no address
// stays.
[[nodiscard]] std::string CanonicalAddress(const std::string& address);

}  // namespace kinformer::internal::x509

#endif  // KINFORMER_X509_ADDRESS_H_
