// object/values/dns_name.h

#ifndef KINFORMER_OBJECT_VALUES_DNS_NAME_H_
#define KINFORMER_OBJECT_VALUES_DNS_NAME_H_

#include <cstddef>
#include <string_view>

namespace kinformer::internal {

inline constexpr std::size_t kMaxDnsSubdomain = 253;

// Whether the text is valid as the name of most objects (RFC 1123): labels of lower case letters,
// digits and, inside, dashes, joined by dots. At most 253 characters; labels have no limit.
bool IsDnsSubdomain(std::string_view text);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_VALUES_DNS_NAME_H_
