// The exact text and the reason for each kind of failure that libcurl reports.

#include <cerrno>
#include <curl/curl.h>
#include <gtest/gtest.h>
#include <string>

#include "transport/curl_error.h"

namespace kinformer::internal::transport {
namespace {

struct Row {
  CurlFailure failure;
  const char* server;
  Reason reason;
  std::string message;
};

CurlFailure Failure(CURLcode code, std::string detail, int os_error = 0, bool headers_seen = false,
                    bool through_proxy = false) {
  CurlFailure out;
  out.code = code;
  out.detail = std::move(detail);
  out.os_error = os_error;
  out.headers_seen = headers_seen;
  out.through_proxy = through_proxy;
  return out;
}

TEST(CurlFailures, EachKind_HasItsReasonAndAdvice) {
  const std::string tls =
      ". If the server speaks TLS, its URL is https://h (cluster.server, --server)";
  const std::string untrusted =
      ". Set certificate-authority to the CA that signed it; for a test, insecure-skip-tls-verify "
      "(--insecure-skip-tls-verify) turns the check off";
  const std::string other_name =
      ". Use a server URL that it names, or set tls-server-name to a name in it";
  const std::string clock = ". Renew it, or set this machine's clock";
  const std::string proxy = ". Check proxy-url, HTTPS_PROXY and NO_PROXY";
  const std::string password =
      ". Write them into its URL: http://NAME:PASSWORD@HOST (proxy-url, HTTPS_PROXY)";
  const std::string old_tls = ". Allow TLS 1.2 or 1.3 on it, or on the balancer in front of it";
  const std::string closed =
      ". Is the server up? A balancer without a server behind it does this, too";
  const char* const https = "https://h";
  const char* const http = "http://h";
  const Row rows[] = {
      {Failure(CURLE_COULDNT_RESOLVE_HOST, "no h"), https, Reason::kTransport,
       "no h. Check the server's name, and DNS"},
      {Failure(CURLE_COULDNT_RESOLVE_PROXY, "no p"), https, Reason::kTransport,
       "no p. Check proxy-url, HTTPS_PROXY and NO_PROXY"},
      {Failure(CURLE_COULDNT_CONNECT, "x", ECONNREFUSED), https, Reason::kConnectionRefused,
       "connection refused. Is the server running, and is this its address?"},
      {Failure(CURLE_COULDNT_CONNECT, "x", ECONNREFUSED, false, true), https, Reason::kTransport,
       "no way through the proxy: x" + proxy},
      {Failure(CURLE_COULDNT_CONNECT, "x", EHOSTUNREACH, false, true), https, Reason::kTransport,
       "no way through the proxy: x" + proxy},
      {Failure(CURLE_PROXY, "x"), https, Reason::kTransport, "no way through the proxy: x" + proxy},
      {Failure(CURLE_PROXY, "User was rejected by the SOCKS5 server (1 1)."), https,
       Reason::kTransport,
       "the proxy refuses our name and password: User was rejected by the SOCKS5 server (1 1)." +
           password},
      {Failure(CURLE_RECV_ERROR, "CONNECT tunnel failed, response 407", 0, false, true), https,
       Reason::kTransport,
       "the proxy refuses our name and password: CONNECT tunnel failed, response 407" + password},
      {Failure(CURLE_RECV_ERROR, "CONNECT tunnel failed, response 403", 0, false, true), https,
       Reason::kTransport, "no way through the proxy: CONNECT tunnel failed, response 403" + proxy},
      {Failure(CURLE_RECV_ERROR, "CONNECT tunnel failed, response 403"), https, Reason::kTransport,
       "the connection broke before the response: CONNECT tunnel failed, response 403"},
      {Failure(CURLE_COULDNT_CONNECT, "x", EHOSTUNREACH), https, Reason::kTransport, "x"},
      {Failure(CURLE_OPERATION_TIMEDOUT, "x"), https, Reason::kTransport,
       "no connection in time: x. Check address, firewall and proxy"},
      {Failure(CURLE_PEER_FAILED_VERIFICATION, "the subject name is a"), https, Reason::kTransport,
       "the server's certificate is for another name: the subject name is a" + other_name},
      {Failure(CURLE_PEER_FAILED_VERIFICATION, "no match"), https, Reason::kTransport,
       "the server's certificate is for another name: no match" + other_name},
      {Failure(CURLE_PEER_FAILED_VERIFICATION, "has expired"), https, Reason::kTransport,
       "the server's certificate is not valid now: has expired" + clock},
      {Failure(CURLE_PEER_FAILED_VERIFICATION, "is not yet valid"), https, Reason::kTransport,
       "the server's certificate is not valid now: is not yet valid" + clock},
      {Failure(CURLE_PEER_FAILED_VERIFICATION, "unknown CA"), https, Reason::kTransport,
       "the server's certificate is not trusted: unknown CA" + untrusted},
      {Failure(CURLE_SSL_CACERT_BADFILE, "x"), https, Reason::kConfig,
       "certificate-authority is not usable: x"},
      {Failure(CURLE_SSL_CERTPROBLEM, "x"), https, Reason::kConfig,
       "client-certificate or client-key is not usable: x"},
      {Failure(CURLE_SSL_CONNECT_ERROR, "wrong version number"), https, Reason::kTransport,
       "the server does not speak TLS: wrong version number. If it serves plain HTTP, its URL is "
       "http://h (cluster.server, --server)"},
      {Failure(CURLE_SSL_CONNECT_ERROR, "http request"), https, Reason::kTransport,
       "the server does not speak TLS: http request. If it serves plain HTTP, its URL is http://h "
       "(cluster.server, --server)"},
      {Failure(CURLE_SSL_CONNECT_ERROR, "unsupported protocol"), https, Reason::kTransport,
       "the server offers no version of TLS from 1.2 on: unsupported protocol" + old_tls},
      {Failure(CURLE_SSL_CONNECT_ERROR, "alert protocol version"), https, Reason::kTransport,
       "the server offers no version of TLS from 1.2 on: alert protocol version" + old_tls},
      {Failure(CURLE_SSL_CONNECT_ERROR, "alert no application protocol"), https, Reason::kTransport,
       "the server refuses h2 and http/1.1 (ALPN): alert no application protocol. Is this the API "
       "server's port? A balancer in front of it must let one pass"},
      {Failure(CURLE_SSL_CONNECT_ERROR, "alert handshake failure"), https, Reason::kTransport,
       "the server accepts none of our ciphers, or wants a client certificate: alert handshake "
       "failure. Check its cipher suites, client-certificate and client-key"},
      {Failure(CURLE_SSL_CONNECT_ERROR, "SSL_ERROR_SYSCALL in connection"), https,
       Reason::kTransport,
       "the connection was closed during the TLS handshake: SSL_ERROR_SYSCALL in connection" +
           closed},
      {Failure(CURLE_SSL_CONNECT_ERROR, "Connection reset by peer"), https, Reason::kTransport,
       "the connection was closed during the TLS handshake: Connection reset by peer" + closed},
      {Failure(CURLE_SSL_CONNECT_ERROR, "unexpected eof while reading"), https, Reason::kTransport,
       "the connection was closed during the TLS handshake: unexpected eof while reading" + closed},
      {Failure(CURLE_SSL_CONNECT_ERROR, "x"), https, Reason::kTransport, "TLS handshake failed: x"},
      {Failure(CURLE_UNSUPPORTED_PROTOCOL, "x"), http, Reason::kTransport,
       "the answer is not HTTP: x" + tls},
      {Failure(CURLE_WEIRD_SERVER_REPLY, "x"), http, Reason::kTransport,
       "the answer is not HTTP: x" + tls},
      {Failure(CURLE_WEIRD_SERVER_REPLY, "x"), https, Reason::kTransport,
       "the answer is not HTTP: x"},
      {Failure(CURLE_RECV_ERROR, "alert bad certificate"), https, Reason::kTransport,
       "the server refused our client certificate: alert bad certificate. Check "
       "client-certificate and client-key"},
      {Failure(CURLE_RECV_ERROR, "alert", 0, true), https, Reason::kUnexpectedEof,
       "the response ended in the middle: alert"},
      {Failure(CURLE_RECV_ERROR, "certificate", 0, true), https, Reason::kUnexpectedEof,
       "the response ended in the middle: certificate"},
      {Failure(CURLE_GOT_NOTHING, "x"), http, Reason::kTransport,
       "the connection broke before the response: x" + tls},
      {Failure(CURLE_GOT_NOTHING, "x"), https, Reason::kTransport,
       "the connection broke before the response: x"},
      {Failure(CURLE_RECV_ERROR, "x"), http, Reason::kTransport,
       "the connection broke before the response: x"},
      {Failure(CURLE_RECV_ERROR, "x", ECONNRESET), http, Reason::kTransport,
       "the connection broke before the response: x"},
      {Failure(CURLE_RECV_ERROR, "x", ECONNRESET, true), http, Reason::kTransport,
       "the connection was reset: x"},
      {Failure(CURLE_RECV_ERROR, "x", EPIPE, true), http, Reason::kUnexpectedEof,
       "the response ended in the middle: x"},
  };
  for (const Row& row : rows) {
    const Error got = FromCurl(row.failure, row.server);
    EXPECT_EQ(got.message(), std::string(row.server) + ": " + row.message);
    EXPECT_EQ(got.reason(), row.reason) << row.message;
  }
}

TEST(CurlFailures, WithoutADetail_LibcurlsOwnTextIsUsed) {
  const Error got = FromCurl(Failure(CURLE_PARTIAL_FILE, "", 0, true), "https://h");
  EXPECT_EQ(got.message(), std::string("https://h: the response ended in the middle: ") +
                               curl_easy_strerror(CURLE_PARTIAL_FILE));
}

}  // namespace
}  // namespace kinformer::internal::transport
