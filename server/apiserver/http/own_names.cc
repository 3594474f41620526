#include "apiserver/http/own_names.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <optional>
#include <utility>

#include "base/text/url.h"
#include "http/field_names.h"
#include "http/host_header.h"

namespace kinformer::apiserver {
namespace {

using internal::http::HostName;
using internal::http::LowerCase;
using internal::http::SameFieldName;

// Returns a name in lower case, without the final dot; addresses in their usual form.
std::string Canonical(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(), &LowerCase);
  if (text.size() > 1 && text.back() == '.') text.pop_back();
  in6_addr address{};
  if (::inet_pton(AF_INET6, text.c_str(), &address) == 1) {
    std::array<char, INET6_ADDRSTRLEN> written{};
    text = ::inet_ntop(AF_INET6, &address, written.data(), written.size());
  }
  return text;
}

bool IsIpv4(const std::string& name) {
  in_addr address{};
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1;
}

bool IsAddress(const std::string& name) {
  return IsIpv4(name) || name.find(':') != std::string::npos;
}

bool IsLoopback(const std::string& name) {
  return name == "localhost" || name.ends_with(".localhost") || name == "::1" ||
         (IsIpv4(name) && name.starts_with("127."));
}

std::vector<std::string> NamesOf(const HttpServerOptions& options) {
  std::vector<std::string> names = {Canonical(options.address)};
  for (const std::string& name : options.host_names) names.push_back(Canonical(name));
  return names;
}

}  // namespace

OwnNames::OwnNames(const HttpServerOptions& options,
                   std::function<bool(const std::string&)> certified)
    : names_(NamesOf(options)),
      all_interfaces_(options.address == "0.0.0.0" || options.address == "::"),
      certified_(std::move(certified)) {}

bool OwnNames::Include(std::string_view host) const {
  if (host.empty()) return true;
  const std::optional<std::string_view> given = HostName(host);
  if (!given) return false;
  const std::string name = Canonical(*given);
  if (IsLoopback(name) || std::find(names_.begin(), names_.end(), name) != names_.end()) {
    return true;
  }
  // A Host that is an address involved no name server, so DNS rebinding is impossible.
  if (all_interfaces_ && IsAddress(name)) return true;
  return certified_ && certified_(name);
}

bool IsLoopbackAddress(const std::string& address) { return IsLoopback(Canonical(address)); }

bool HasForeignOrigin(const HttpHeaders& headers) {
  const std::string_view host = headers.Get("host");
  for (const auto& [name, value] : headers) {
    if (!SameFieldName(name, "origin")) continue;
    const internal::base::Url origin = internal::base::SplitUrl(value);
    // False for "null", too: a page that hides its origin.
    const bool only_a_host = origin.scheme.size() + 3 + origin.host.size() == value.size();
    if (host.empty() || !only_a_host || !SameFieldName(origin.host, host)) return true;
  }
  return false;
}

}  // namespace kinformer::apiserver
