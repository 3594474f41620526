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

}  // namespace

Error FromCurl(const CurlFailure& f, const std::string& server) {
  const std::string detail =
      f.detail.empty() ? curl_easy_strerror(static_cast<CURLcode>(f.code)) : f.detail;
  const std::string at = server + ": ";
  switch (static_cast<CURLcode>(f.code)) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return Error(Reason::kTransport, at + detail + ". Check the server's name, and DNS");
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Error(Reason::kTransport, at + detail + ". Check proxy-url, HTTPS_PROXY and NO_PROXY");
    case CURLE_COULDNT_CONNECT:
      if (f.os_error == ECONNREFUSED && !f.through_proxy) {
        return Error(Reason::kConnectionRefused,
                     at + "connection refused. Is the server running, and is this its address?");
      }
      return Error(Reason::kTransport, at + detail);
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
      if (Contains(detail, "wrong version number") || Contains(detail, "http request")) {
        return Error(Reason::kTransport, at + "the server does not speak TLS: " + detail +
                                             ". If it serves plain HTTP, its URL is " +
                                             WithOtherScheme(server) +
                                             " (cluster.server, --server)");
      }
      return Error(Reason::kTransport, at + "TLS handshake failed: " + detail);
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
