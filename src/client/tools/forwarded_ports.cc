#include "client/tools/forwarded_ports.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <boost/asio/ip/address.hpp>

#include "base/core/printable.h"
#include "base/text/number_in.h"

namespace kinformer::internal::client {
namespace {

Error NoPort(std::string_view text) {
  return {Reason::kInvalidArgument,
          "\"" + base::Printable(text) +
              "\" names no ports: write 80 for the same port on both sides, 8080:80 for local port "
              "8080 and port 80 of the pod, or :80 for any free local port"};
}

}  // namespace

Result<ForwardedPort> ParseForwardedPort(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view local = text.substr(0, colon);
  const std::string_view remote = colon == std::string_view::npos ? text : text.substr(colon + 1);
  const bool any = colon != std::string_view::npos && local.empty();
  const std::optional<std::uint16_t> near = any ? 0 : base::NumberIn<std::uint16_t>(local);
  const std::optional<std::uint16_t> far = base::NumberIn<std::uint16_t>(remote);
  if (!near || !far || *far == 0) return NoPort(text);
  return ForwardedPort{.local = *near, .remote = *far};
}

Result<std::vector<LocalAddress>> ParseLocalAddresses(const std::vector<std::string>& addresses) {
  std::vector<LocalAddress> found;
  const auto add = [&found](std::string address, bool optional) {
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const auto& other) { return other.address == address; });
    if (!known) found.push_back({std::move(address), optional});
  };
  for (const std::string& address : addresses) {
    boost::system::error_code error;
    const auto parsed = boost::asio::ip::make_address(address, error);
    if (address == "localhost") {
      add("127.0.0.1", false);
      add("::1", true);
    } else if (error) {
      return Error(Reason::kInvalidArgument,
                   "\"" + base::Printable(address) +
                       "\" is not an address to listen on: write localhost, or an IP address of "
                       "this machine");
    } else {
      add(parsed.to_string(), false);
    }
  }
  if (found.empty()) {
    return Error(Reason::kInvalidArgument,
                 "there is no address to listen on: write localhost, or leave addresses out");
  }
  return found;
}

}  // namespace kinformer::internal::client
