// transport/header_key.h
//
// EscapedHeaderKey: a key of a user's extra fields, as part of a header's name.

#ifndef KINFORMER_TRANSPORT_HEADER_KEY_H_
#define KINFORMER_TRANSPORT_HEADER_KEY_H_

#include <string>
#include <string_view>

namespace kinformer::internal::transport {

// Returns the key in small letters, since names of headers have no case, and with each byte that a
// name cannot contain as %XX. A server that decodes the %XX gets the key back. Counterpart: the
// headerKeyEscape of client-go.
std::string EscapedHeaderKey(std::string_view key);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_HEADER_KEY_H_
