// client/tools/forwarded_ports.h
//
// The arguments of PortForwarder::New as values.

#ifndef KINFORMER_CLIENT_TOOLS_FORWARDED_PORTS_H_
#define KINFORMER_CLIENT_TOOLS_FORWARDED_PORTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/port_forward.h"

namespace kinformer::internal::client {

// Returns the ports of "8080:80", "80" or ":80", whose local port is 0. kInvalidArgument: anything
// else.
Result<ForwardedPort> ParseForwardedPort(std::string_view text);

// An address to listen on.
struct LocalAddress {
  std::string address{};  // an IP address
  bool optional = false;  // the machine may not have it
};
// Returns the addresses that are meant, each once. kInvalidArgument: one is neither "localhost" nor
// an IP address, or there is none.
Result<std::vector<LocalAddress>> ParseLocalAddresses(const std::vector<std::string>& addresses);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TOOLS_FORWARDED_PORTS_H_
