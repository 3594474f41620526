#include "transport/proxy.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdlib>
#include <curl/curl.h>
#include <memory>
#include <optional>

#include "base/text/number_in.h"
#include "base/text/redacted_url.h"
#include "base/text/url.h"

namespace kinformer::internal::transport {
namespace {

// IPv4 addresses are stored in their IPv6 form, so that there is one type.
using Address = std::array<unsigned char, 16>;

std::optional<Address> ParseAddress(const std::string& text) {
  Address out{};
  if (inet_pton(AF_INET6, text.c_str(), out.data()) == 1) return out;
  if (inet_pton(AF_INET, text.c_str(), out.data() + 12) != 1) return std::nullopt;
  out[10] = out[11] = 0xff;
  return out;
}

bool IsLoopback(const Address& address) {
  constexpr Address kSix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  constexpr std::array<unsigned char, 13> kFour = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127};
  return address == kSix || std::equal(kFour.begin(), kFour.end(), address.begin());
}

bool SameFront(const Address& a, const Address& b, unsigned bits) {
  for (unsigned i = 0; i < bits; ++i) {
    const auto mask = static_cast<unsigned char>(0x80U >> (i % 8));
    if (((a[i / 8] ^ b[i / 8]) & mask) != 0) return false;
  }
  return true;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Handles "10.0.0.0/8", "fd00::/8". Without a slash, both parts are the whole entry, which cannot
// be an address and a number.
bool InNetwork(const std::string& entry, const Address& address) {
  const auto slash = entry.find('/');
  const std::string network = entry.substr(0, slash);
  const std::string length = entry.substr(slash + 1);
  const std::optional<Address> start = ParseAddress(network);
  const auto bits = base::NumberIn<unsigned>(length);
  if (!start || !bits) return false;
  const bool four = network.find(':') == std::string::npos;
  if (*bits > (four ? 32U : 128U)) return false;
  return SameFront(*start, address, four ? *bits + 96 : *bits);
}

// Splits "host:port" and "[::1]:port"; without a port, `port` stays as it is.
void SplitPort(const std::string& entry, std::string& host, std::string& port) {
  host = entry;
  const auto colon = entry.find(':', entry.find(']') + 1);
  // Several colons are an IPv6 address.
  if (colon != std::string::npos && entry.rfind(':') == colon) {
    host = entry.substr(0, colon);
    port = entry.substr(colon + 1);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
}

// "example.com" matches itself and subdomains, ".example.com" and "*.example.com" only subdomains.
bool InDomain(std::string_view domain, std::string_view host) {
  if (domain.starts_with("*.")) domain.remove_prefix(1);
  const bool itself_too = domain.front() != '.';
  if (itself_too && host == domain) return true;
  if (!host.ends_with(domain)) return false;
  return !itself_too || host[host.size() - domain.size() - 1] == '.';
}

bool Matches(const std::string& entry, const Endpoint& endpoint, const std::string& host,
             const std::optional<Address>& address) {
  if (entry == "*") return true;
  if (address && InNetwork(entry, *address)) return true;
  std::string name;
  std::string port;
  SplitPort(entry, name, port);
  if (name.empty() || (!port.empty() && port != endpoint.port)) return false;
  if (const std::optional<Address> named = ParseAddress(name)) return address && *named == *address;
  return InDomain(name, host);
}

std::string Variable(const char* name, const char* lower) {
  for (const char* each : {name, lower}) {
    if (const char* value = std::getenv(each); value != nullptr && *value != '\0') return value;
  }
  return {};
}

// `from`: source of the setting. With `lenient` a missing scheme means http, as in Go.
Result<std::string> Checked(const std::string& proxy, const std::string& from, bool lenient) {
  const auto bad = [&] {
    return Error(Reason::kConfig, from + " \"" + base::RedactedUrl(proxy) +
                                      "\" is no URL of a proxy; it must begin with http://, "
                                      "https:// or socks5:// and name a host");
  };
  Result<base::Url> url = base::ParseUrl(proxy, from);
  if (!url) return url.error();
  if (lenient && url->scheme.empty()) url->scheme = "http";
  const std::string& scheme = url->scheme;
  if (scheme != "http" && scheme != "https" && scheme != "socks5" && scheme != "socks5h") {
    return bad();
  }
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), &curl_url_cleanup);
  if (curl_url_set(parsed.get(), CURLUPART_URL, url->ToString().c_str(),
                   CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
    return bad();
  }
  // Go passes the name to a SOCKS proxy, which is socks5h in libcurl.
  if (scheme == "socks5") url->scheme = "socks5h";
  return url->ToString();
}

}  // namespace

ProxyEnvironment ProxyEnvironment::OfProcess() {
  return {Variable("HTTPS_PROXY", "https_proxy"),
          // In a CGI program, this variable contains the Proxy header of a request.
          std::getenv("REQUEST_METHOD") != nullptr ? std::string()
                                                   : Variable("HTTP_PROXY", "http_proxy"),
          Variable("NO_PROXY", "no_proxy")};
}

bool IsDirect(const Endpoint& endpoint, std::string_view no_proxy) {
  const std::string host = Lower(endpoint.host);
  const std::optional<Address> address = ParseAddress(host);
  if (host == "localhost" || (address && IsLoopback(*address))) return true;
  while (!no_proxy.empty()) {
    const auto comma = std::min(no_proxy.find(','), no_proxy.size());
    const std::string entry = Lower(Trim(no_proxy.substr(0, comma)));
    if (!entry.empty() && Matches(entry, endpoint, host, address)) return true;
    no_proxy.remove_prefix(std::min(comma + 1, no_proxy.size()));
  }
  return false;
}

Result<std::string> ProxyFor(const Endpoint& endpoint, const HttpTransportOptions& options,
                             const ProxyEnvironment& environment) {
  if (!options.proxy_url.empty()) return Checked(options.proxy_url, "proxy-url", false);
  if (!options.use_environment_proxy) return std::string();
  const std::string& proxy = endpoint.tls ? environment.https_proxy : environment.http_proxy;
  if (proxy.empty() || IsDirect(endpoint, environment.no_proxy)) return std::string();
  return Checked(proxy, endpoint.tls ? "HTTPS_PROXY" : "HTTP_PROXY", true);
}

}  // namespace kinformer::internal::transport
