// kinformer/apiserver/http_server_options.h
//
// HttpServerOptions: address, access control and limits of a server (http_server.h).

#ifndef KINFORMER_APISERVER_HTTP_SERVER_OPTIONS_H_
#define KINFORMER_APISERVER_HTTP_SERVER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/time_span.h"

namespace kinformer::apiserver {

// Address, access control and limits of a server.
struct HttpServerOptions {
  std::string address{"127.0.0.1"};  // an IP address; "0.0.0.0" or "::" for all interfaces
  std::uint16_t port{0};             // 0: any free one, see HttpServer::port

  // Enables TLS. If cert_pem is empty, the server creates an authority and certificates, in memory,
  // new at each start. If cert_dir, a folder, is set, the authority (ca.crt, ca.key) is stored
  // there and reused, so that clients of an earlier server keep working.
  bool tls{false};
  std::string cert_dir{};
  std::string cert_pem{};  // with its chain
  std::string key_pem{};
  // Authority for client certificates; empty: the server's own.
  std::string client_ca_pem{};
  // Further names and addresses of the server. They are added to its own certificate, and accepted
  // as Host where no authentication is required.
  std::vector<std::string> host_names{};

  // Access control. Without a token and without required certificates, all clients are accepted.
  // Requests to /livez, /readyz, /healthz and /version always pass. A client certificate is
  // optional but must be valid; its common name becomes HttpRequest::user, its organizations the
  // groups. Web pages of other origins are always refused (403). Without authentication, Host must
  // be localhost, a loopback address, `address`, one of `host_names` or a name in the certificate,
  // or any IP address if the server listens on all interfaces; otherwise the answer is 421. This
  // stops web pages that let their name resolve to this machine (DNS rebinding).
  std::string bearer_token{};
  bool require_client_certificate{false};
  // The handler itself decides who may do what, as an ApiServer does that authorizes by roles: a
  // server that listens beyond this machine does not warn then that it lets in everybody.
  bool handler_authorizes{false};

  // Limits. Requests that exceed them get a Status where possible, and the connection is closed.
  std::size_t max_connections{20'000};
  std::size_t max_header_bytes{std::size_t{64} << 10};  // 431
  std::size_t max_body_bytes{std::size_t{3} << 20};     // 413
  // The TLS handshake; the request line and the headers.
  TimeSpan header_timeout{std::chrono::seconds(32)};
  TimeSpan body_timeout{std::chrono::seconds(60)};  // the request's body
  TimeSpan idle_timeout{std::chrono::seconds(90)};  // between requests
  // Disconnects a client that reads nothing for so long.
  TimeSpan write_timeout{std::chrono::seconds(60)};

  // Offers HTTP/2 in the TLS handshake. Without TLS the server speaks HTTP/1.1 only, which is all
  // that client-go uses there.
  bool http2{true};
  std::uint32_t http2_max_streams{100};
  // Number of requests after which a client is asked to reconnect, to spread load over servers; 0:
  // never.
  std::uint64_t max_requests_per_connection{0};

  // Responses longer than this are compressed for clients that accept gzip. Watches are compressed
  // only if they begin with initial events and bookmarks: there every flush is a gzip member of its
  // own.
  std::size_t gzip_above_bytes{std::size_t{128} << 10};
};

// Counts since the server's start.
struct HttpServerStats {
  std::uint64_t connections_accepted = 0;
  std::uint64_t http2_connections_accepted = 0;  // among them
  std::uint64_t connections_open = 0;
  std::uint64_t requests = 0;
  std::uint64_t bytes_sent = 0;  // before TLS
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_SERVER_OPTIONS_H_
