#include "transport/curl_error.h"

#include <cerrno>
#include <curl/curl.h>
#include <string_view>

#include "base/text/url.h"

namespace kinformer::internal::transport {

namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Returns the URL of the same server with the other scheme.
std::string WithOtherScheme(const std::string& server) {
  base::Url url = base::SplitUrl(server);
  if (url.scheme.empty()) return server;
  url.scheme = url.https() ? "http" : "https";
  return url.ToString();
}

// Advice if the server may expect the other protocol; empty with TLS.
std::string IfItSpeaksTls(const std::string& server) {
  if (base::SplitUrl(server).scheme != "http") return {};
  return ". If the server speaks TLS, its URL is " + WithOtherScheme(server) +
         " (cluster.server, --server)";
}

Error Untrusted(const std::string& detail, const std::string& at) {
  if (Contains(detail, "subject name") || Contains(detail, "match")) {
    return Error(Reason::kTransport,
                 at + "the server's certificate is for another name: " + detail +
                     ". Use a server URL that it names, or set tls-server-name to a name in it");
  }
  if (Contains(detail, "expired") || Contains(detail, "not yet valid")) {
    return Error(Reason::kTransport, at + "the server's certificate is not valid now: " + detail +
                                         ". Renew it, or set this machine's clock");
  }
  return Error(Reason::kTransport,
               at + "the server's certificate is not trusted: " + detail +
                   ". Set certificate-authority to the CA that signed it; for a test, "
                   "insecure-skip-tls-verify (--insecure-skip-tls-verify) turns the check off");
}

constexpr const char* kCheckProxy = ". Check proxy-url, HTTPS_PROXY and NO_PROXY";

// A handshake that failed for another reason than the server's certificate.
Error NoHandshake(const std::string& detail, const std::string& at, const std::string& server) {
  const auto failed = [&](const std::string& text) { return Error(Reason::kTransport, at + text); };
  if (Contains(detail, "wrong version number") || Contains(detail, "http request")) {
    return failed("the server does not speak TLS: " + detail +
                  ". If it serves plain HTTP, its URL is " + WithOtherScheme(server) +
                  " (cluster.server, --server)");
  }
  if (Contains(detail, "unsupported protocol") || Contains(detail, "protocol version")) {
    return failed("the server offers no version of TLS from 1.2 on: " + detail +
                  ". Allow TLS 1.2 or 1.3 on it, or on the balancer in front of it");
  }
  if (Contains(detail, "no application protocol")) {
    return failed("the server refuses h2 and http/1.1 (ALPN): " + detail +
                  ". Is this the API server's port? A balancer in front of it must let one pass");
  }
  if (Contains(detail, "handshake failure") || Contains(detail, "no shared cipher")) {
    return failed("the server accepts none of our ciphers, or wants a client certificate: " +
                  detail + ". Check its cipher suites, client-certificate and client-key");
  }
  if (Contains(detail, "SSL_ERROR_SYSCALL") || Contains(detail, "reset by peer") ||
      Contains(detail, "unexpected eof")) {
    return failed("the connection was closed during the TLS handshake: " + detail +
                  ". Is the server up? A balancer without a server behind it does this, too");
  }
  return failed("TLS handshake failed: " + detail);
}

// A proxy that does not lead to the server.
Error NoWayThrough(const std::string& detail, const std::string& at) {
  if (Contains(detail, "407") || Contains(detail, "User was rejected") ||
      Contains(detail, "No authentication method was acceptable")) {
    return Error(
        Reason::kTransport,
        at + "the proxy refuses our name and password: " + detail +
            ". Write them into its URL: http://NAME:PASSWORD@HOST (proxy-url, HTTPS_PROXY)");
  }
  return Error(Reason::kTransport, at + "no way through the proxy: " + detail + kCheckProxy);
}

}  // namespace

Error FromCurl(const CurlFailure& f, const std::string& server) {
  const std::string detail =
      f.detail.empty() ? curl_easy_strerror(static_cast<CURLcode>(f.code)) : f.detail;
  const std::string at = server + ": ";
  switch (static_cast<CURLcode>(f.code)) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return Error(Reason::kTransport, at + detail + ". Check the server's name, and DNS");
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Error(Reason::kTransport, at + detail + kCheckProxy);
    case CURLE_COULDNT_CONNECT:
      if (f.os_error == ECONNREFUSED && !f.through_proxy) {
        return Error(Reason::kConnectionRefused,
                     at + "connection refused. Is the server running, and is this its address?");
      }
      if (f.through_proxy) return NoWayThrough(detail, at);
      return Error(Reason::kTransport, at + detail);
    case CURLE_PROXY:
      return NoWayThrough(detail, at);
    case CURLE_OPERATION_TIMEDOUT:
      // The only timeout set in libcurl is that for connecting.
      return Error(Reason::kTransport,
                   at + "no connection in time: " + detail + ". Check address, firewall and proxy");
    case CURLE_PEER_FAILED_VERIFICATION:
      return Untrusted(detail, at);
    case CURLE_SSL_CACERT_BADFILE:
      return Error(Reason::kConfig, at + "certificate-authority is not usable: " + detail);
    case CURLE_SSL_CERTPROBLEM:
      return Error(Reason::kConfig,
                   at + "client-certificate or client-key is not usable: " + detail);
    case CURLE_SSL_CONNECT_ERROR:
      return NoHandshake(detail, at, server);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      // For example, a TLS alert in response to bytes that are not TLS.
      return Error(Reason::kTransport,
                   at + "the answer is not HTTP: " + detail + IfItSpeaksTls(server));
    default:
      break;
  }
  if (Contains(detail, "alert") && Contains(detail, "certificate")) {
    return Error(Reason::kTransport, at + "the server refused our client certificate: " + detail +
                                         ". Check client-certificate and client-key");
  }
  if (f.through_proxy && Contains(detail, "CONNECT")) return NoWayThrough(detail, at);
  if (!f.headers_seen) {
    const bool nothing = static_cast<CURLcode>(f.code) == CURLE_GOT_NOTHING;
    return Error(Reason::kTransport, at + "the connection broke before the response: " + detail +
                                         (nothing ? IfItSpeaksTls(server) : std::string()));
  }
  if (f.os_error == ECONNRESET) {
    return Error(Reason::kTransport, at + "the connection was reset: " + detail);
  }
  return Error(Reason::kUnexpectedEof, at + "the response ended in the middle: " + detail);
}

}  // namespace kinformer::internal::transport
