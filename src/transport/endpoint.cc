#include "transport/endpoint.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <curl/curl.h>
#include <memory>
#include <netinet/in.h>

#include "base/text/redacted_url.h"
#include "base/text/url.h"

namespace kinformer::internal::transport {

namespace {

std::string Part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  std::string out;
  if (curl_url_get(url, part, &text, 0) == CURLUE_OK) out = text;
  curl_free(text);
  return out;
}

}  // namespace

std::string Bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

std::string Endpoint::Bracketed() const { return transport::Bracketed(host); }

Result<Endpoint> ParseEndpoint(const std::string& url) {
  const auto bad = [&](const std::string& why) {
    return Error(Reason::kConfig, "server URL \"" + base::RedactedUrl(url) + "\": " + why +
                                      "; it must look like https://host:port");
  };
  const Result<base::Url> taken_apart = base::ParseUrl(url, "server URL");
  if (!taken_apart) return taken_apart.error();
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), &curl_url_cleanup);
  // Accepts any scheme here, so that the message below can name it.
  const CURLUcode code = curl_url_set(parsed.get(), CURLUPART_URL, taken_apart->ToString().c_str(),
                                      CURLU_NON_SUPPORT_SCHEME);
  if (code != CURLUE_OK) return bad(curl_url_strerror(code));
  const std::string scheme = Part(parsed.get(), CURLUPART_SCHEME);
  if (scheme != "https" && scheme != "http") return bad("scheme \"" + scheme + "\" is not known");
  Endpoint out;
  out.tls = scheme == "https";
  out.host = Part(parsed.get(), CURLUPART_HOST);
  if (out.host.starts_with('[')) out.host = out.host.substr(1, out.host.size() - 2);
  const std::string port = Part(parsed.get(), CURLUPART_PORT);
  out.port = !port.empty() ? port : out.tls ? "443" : "80";
  out.authority = port.empty() ? out.Bracketed() : out.Bracketed() + ":" + port;
  out.prefix = Part(parsed.get(), CURLUPART_PATH);
  while (!out.prefix.empty() && out.prefix.back() == '/') out.prefix.pop_back();
  return out;
}

bool Endpoint::IsAddress() const {
  in_addr four{};
  in6_addr six{};
  return inet_pton(AF_INET, host.c_str(), &four) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &six) == 1;
}

Result<std::string> ParseServerName(const std::string& name) {
  std::string host = name;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (in6_addr six{}; inet_pton(AF_INET6, host.c_str(), &six) == 1) {
    // libcurl compares the address with this text.
    std::array<char, INET6_ADDRSTRLEN> text{};
    return std::string(inet_ntop(AF_INET6, &six, text.data(), text.size()));
  }
  const bool plain = !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
  if (plain && host == name) return host;
  return Error(Reason::kConfig, "tls-server-name \"" + base::RedactedUrl(name) +
                                    "\" is no host name and no IP address; give a name that the "
                                    "server's certificate has, without scheme, port or path");
}

}  // namespace kinformer::internal::transport
