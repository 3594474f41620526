#include "transport/endpoint.h"

#include <curl/curl.h>
#include <memory>

namespace kinformer::internal::transport {

namespace {

std::string Part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  std::string out;
  if (curl_url_get(url, part, &text, 0) == CURLUE_OK && text != nullptr) out = text;
  curl_free(text);
  return out;
}

}  // namespace

std::string Endpoint::Bracketed() const {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

Result<Endpoint> ParseEndpoint(const std::string& url) {
  const auto bad = [&](const std::string& why) {
    return Error(Reason::kConfig,
                 "server URL \"" + url + "\": " + why + "; it must look like https://host:port");
  };
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), &curl_url_cleanup);
  if (parsed == nullptr) return bad("out of memory");
  // Any scheme is let through here so that the message below can name it.
  const CURLUcode code =
      curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME);
  if (code != CURLUE_OK) return bad(curl_url_strerror(code));
  const std::string scheme = Part(parsed.get(), CURLUPART_SCHEME);
  if (scheme != "https" && scheme != "http") return bad("scheme \"" + scheme + "\" is not known");
  Endpoint out;
  out.tls = scheme == "https";
  out.host = Part(parsed.get(), CURLUPART_HOST);
  if (out.host.size() > 2 && out.host.front() == '[')
    out.host = out.host.substr(1, out.host.size() - 2);
  if (out.host.empty()) return bad("it names no host");
  const std::string port = Part(parsed.get(), CURLUPART_PORT);
  out.port = !port.empty() ? port : out.tls ? "443" : "80";
  out.authority = port.empty() ? out.Bracketed() : out.Bracketed() + ":" + port;
  out.prefix = Part(parsed.get(), CURLUPART_PATH);
  while (!out.prefix.empty() && out.prefix.back() == '/') out.prefix.pop_back();
  out.loopback = out.host == "localhost" || out.host == "::1" || out.host.rfind("127.", 0) == 0;
  return out;
}

}  // namespace kinformer::internal::transport
