// kinformer/apiserver/http_server_options.h
//
// HttpServerOptions: where a server (http_server.h) listens, whom it lets in, and its bounds.

#ifndef KINFORMER_APISERVER_HTTP_SERVER_OPTIONS_H_
#define KINFORMER_APISERVER_HTTP_SERVER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/env.h"

namespace kinformer::apiserver {

// Where a server listens, whom it lets in, and its bounds.
struct HttpServerOptions {
  std::string address{"127.0.0.1"};  // an IP address; "0.0.0.0" or "::" for all interfaces
  std::uint16_t port{0};             // 0: any free one, see HttpServer::port

  // TLS. With cert_pem empty the server makes itself an authority and certificates, in memory, new
  // each time; with cert_dir, a folder, the authority (ca.crt, ca.key) is kept there and taken up
  // again, so that clients of an earlier server go on.
  bool tls{false};
  std::string cert_dir{};
  std::string cert_pem{};  // with its chain
  std::string key_pem{};
  // Who may sign client certificates; empty: the server's own authority.
  std::string client_ca_pem{};
  // Further names and addresses by which clients reach the server: they stand in the self-made
  // certificate, and are taken as Host where everybody is let in.
  std::vector<std::string> host_names{};

  // Who is let in. Without a token and without required certificates: everybody. Requests to
  // /livez, /readyz, /healthz and /version always pass. A client certificate, where one is shown,
  // must be valid; its common name becomes HttpRequest::user. Requests that a web page of another
  // origin sends are refused always (403). Where everybody is let in, Host must be localhost, a
  // loopback address, `address`, one of `host_names` or a name in the certificate, or any address
  // where the server listens on all interfaces; else the answer is 421. So no page in a browser on
  // this machine gets in by having its own name resolve to it.
  std::string bearer_token{};
  bool require_client_certificate{false};

  // Bounds. What exceeds them is answered with a Status where possible, and the connection closed.
  std::size_t max_connections{20'000};
  std::size_t max_header_bytes{std::size_t{64} << 10};  // 431
  std::size_t max_body_bytes{std::size_t{3} << 20};     // 413
  Duration header_timeout{std::chrono::seconds(32)};    // TLS handshake; request line and headers
  Duration body_timeout{std::chrono::seconds(60)};      // the request's body
  Duration idle_timeout{std::chrono::seconds(90)};      // between requests
  // A client that takes nothing for so long is gone.
  Duration write_timeout{std::chrono::seconds(60)};

  // HTTP/2, for clients that offer it in the TLS handshake. Without TLS it is HTTP/1.1 only, as
  // with client-go.
  bool http2{true};
  std::uint32_t http2_max_streams{100};  // of one connection at once

  // After so many requests a client is asked to take a new connection, so that load spreads; 0:
  // never.
  std::uint64_t max_requests_per_connection{0};

  // Responses longer than this are compressed for clients that accept gzip. Watches are not, but
  // those that begin with initial events and bookmarks: there every flush is a gzip member of its
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
