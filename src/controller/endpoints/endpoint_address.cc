#include "controller/endpoints/endpoint_address.h"

#include <cstddef>
#include <string_view>

#include "base/text/number_in.h"

namespace kinformer::internal::endpoints {
namespace {

Error NoAddress(const std::string& text) {
  return {Reason::kConfig, "\"" + text +
                               "\" is no address to listen on: write \":8080\", "
                               "\"127.0.0.1:8080\" or \"[::1]:8080\", or \"0\" for none"};
}

}  // namespace

Result<std::optional<EndpointAddress>> ParseEndpointAddress(const std::string& text) {
  if (text == "0") return std::optional<EndpointAddress>();
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return NoAddress(text);
  std::string_view host = std::string_view(text).substr(0, colon);
  const auto port = base::NumberIn<std::uint16_t>(std::string_view(text).substr(colon + 1));
  if (!port) return NoAddress(text);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return NoAddress(text);
  }
  if (host.empty()) host = "::";
  if (host == "localhost") host = "127.0.0.1";
  return std::optional<EndpointAddress>({.ip = std::string(host), .port = *port});
}

}  // namespace kinformer::internal::endpoints
