// cel/net.h
//
// Addresses and networks, as Kubernetes' extensions of the language read them.

#ifndef KINFORMER_CEL_NET_H_
#define KINFORMER_CEL_NET_H_

#include <optional>
#include <string>
#include <string_view>

#include "cel/value.h"

namespace kinformer::internal::cel {

// Without zones, and without addresses of IPv4 in those of IPv6.
std::optional<Ip> IpIn(std::string_view text);
// Returns what is wrong with a text that is no address.
std::string IpProblem(std::string_view text);
std::string IpText(const Ip& ip);
std::optional<Cidr> CidrIn(std::string_view text);
// Returns what is wrong with a text that is no network.
std::string CidrProblem(std::string_view text);
std::string CidrText(const Cidr& cidr);
Cidr Masked(const Cidr& cidr);
bool Contains(const Cidr& cidr, const Ip& ip);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_NET_H_
