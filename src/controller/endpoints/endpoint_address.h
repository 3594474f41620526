// controller/endpoints/endpoint_address.h

#ifndef KINFORMER_CONTROLLER_ENDPOINTS_ENDPOINT_ADDRESS_H_
#define KINFORMER_CONTROLLER_ENDPOINTS_ENDPOINT_ADDRESS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "kinformer/base/result.h"

namespace kinformer::internal::endpoints {

struct EndpointAddress {
  std::string ip{};  // "::": all interfaces
  std::uint16_t port = 0;
};

// Parses the address for EndpointServer::Listen; nullopt means that nothing is opened. Whether `ip`
// is a valid address is checked when it is opened.
Result<std::optional<EndpointAddress>> ParseEndpointAddress(const std::string& text);

}  // namespace kinformer::internal::endpoints

#endif  // KINFORMER_CONTROLLER_ENDPOINTS_ENDPOINT_ADDRESS_H_
