// kinformer/apiserver/http_server.h
//
// HttpServer: puts a Handler, such as the embedded API server, on a TCP port, for kubectl, client-go and everything else that
// speaks HTTP/1.1 or, over TLS, HTTP/2.
//
//   auto http = HttpServer::Listen(runtime.env(), api_server, {.tls = true, .bearer_token = token}).OrExit();
//   http->WriteKubeconfig("demo.kubeconfig").OrExit();
//   std::cout << "serving at " << http->url() << '\n';

#ifndef KINFORMER_APISERVER_HTTP_SERVER_H_
#define KINFORMER_APISERVER_HTTP_SERVER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer::apiserver {

struct HttpServerOptions {
  std::string address{"127.0.0.1"};  // an IP address; "0.0.0.0" or "::" for all interfaces
  std::uint16_t port{0};             // 0: any free one, see HttpServer::port

  // TLS. With cert_pem empty the server makes itself an authority and certificates, in memory, new each time.
  bool tls{false};
  std::string cert_pem{};  // with its chain
  std::string key_pem{};
  std::string
      client_ca_pem{};  // who may sign client certificates; empty: the server's own authority
  std::vector<std::string>
      host_names{};  // further names and addresses for the self-made certificate

  // Who is let in. Without a token and without required certificates: everybody. Requests to /livez, /readyz, /healthz and
  // /version always pass. A client certificate, where one is shown, must be valid; its common name becomes HttpRequest::user.
  std::string bearer_token{};
  bool require_client_certificate{false};
  std::string kubeconfig_user{
      "kubernetes-admin"};  // the name in the kubeconfig, and the user of the token

  // Bounds. What exceeds them is answered with a Status where possible, and the connection closed.
  std::size_t max_connections{20'000};
  std::size_t max_header_bytes{std::size_t{64} << 10};  // 431
  std::size_t max_body_bytes{std::size_t{3} << 20};     // 413
  Duration header_timeout{std::chrono::seconds(32)};    // TLS handshake; request line and headers
  Duration body_timeout{std::chrono::seconds(60)};      // the request's body
  Duration idle_timeout{std::chrono::seconds(90)};      // between requests
  Duration write_timeout{
      std::chrono::seconds(60)};  // a client that takes nothing for so long is gone

  // HTTP/2, for clients that offer it in the TLS handshake. Without TLS it is HTTP/1.1 only, as with client-go.
  bool http2{true};
  std::uint32_t http2_max_streams{100};  // of one connection at once
  // How many bytes of request bodies may be on their way: of one stream, of one connection.
  std::uint32_t http2_stream_window_bytes{std::uint32_t{256} << 10};
  std::uint32_t http2_connection_window_bytes{std::uint32_t{1} << 20};

  // After so many requests a client is asked to take a new connection, so that load spreads; 0: never.
  std::uint64_t max_requests_per_connection{0};

  // Responses longer than this are compressed for clients that accept gzip. Watches are not, but those that begin with initial
  // events and bookmarks: there every flush is a gzip member of its own.
  std::size_t gzip_above_bytes{std::size_t{128} << 10};
};

struct HttpServerStats {
  std::uint64_t connections_accepted = 0;
  std::uint64_t http2_connections_accepted = 0;  // among them
  std::uint64_t connections_open = 0;
  std::uint64_t requests = 0;
  std::uint64_t bytes_sent = 0;  // before TLS
};

// Guarantees: a response is pulled from the handler no faster than its client takes it, so a slow client costs one buffer of at
// most about 200 KB (and, with HTTP/2, 64 KB for each stream under way); an idle watch costs none; a client that goes away abandons its
// response at once; a response that the handler aborts ends without its last chunk, or with RST_STREAM, so the client notices.
//
// Runs on env's loop, which must be a Runtime's. Listen, destruction and all methods may be called from any thread; destruction
// closes all connections, waits for the loop to have done so, and must come before the handler's.
class HttpServer {
 public:
  // Opens the port; the handler gets requests from then on.
  // Errors: kConfig (certificates, an address that is none), kTransport (the port is in use or not allowed), kInvalidArgument
  // (a simulated Env).
  static Result<std::unique_ptr<HttpServer>> Listen(Env& env, Handler& handler,
                                                    HttpServerOptions options = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // "https://127.0.0.1:34567". For a server on all interfaces: the loopback's.
  [[nodiscard]] std::string url() const;
  // PEM of the authority that signed the server's certificate; empty without TLS or with a certificate of the caller's.
  [[nodiscard]] const std::string& ca_pem() const;

  // A kubeconfig with which kubectl gets in: the address, the authority, and the token or a client certificate. YAML. Holds
  // credentials.
  [[nodiscard]] std::string Kubeconfig() const;
  // Writes it to a file that only its owner can read. Blocks on the disk.
  Result<void> WriteKubeconfig(const std::string& path) const;

  // Cuts all connections, in the middle of whatever they carry; new ones are accepted. For tests of what clients do then. Returns
  // at once; it happens on the loop.
  void CloseConnections();

  // Asks all present clients to take new connections: GOAWAY, or Connection: close with the next answer. What is under way is
  // finished. New connections are accepted. Returns at once.
  void GoAway();
  // From now on each HTTP/2 connection, present ones included, takes that many streams at once. Returns at once.
  void SetMaxStreams(std::uint32_t streams);
  // Accepts no more connections, asks clients to go as GoAway does, and waits until they have or `grace` is over; then cuts the
  // rest. Let the handler end its watches before (ApiServer::CloseWatches). Blocks; not for the loop's thread.
  void Shutdown(Duration grace);

  [[nodiscard]] HttpServerStats Stats() const;

 private:
  struct Impl;
  explicit HttpServer(std::shared_ptr<Impl> impl);
  const std::shared_ptr<Impl> impl_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_SERVER_H_
