// kinformer/endpoints/endpoint_server.h
//
// EndpointServer: serves handlers of this process on a port: health checks (healthz.h) and metrics
// (metrics_server.h), which have examples.

#ifndef KINFORMER_ENDPOINTS_ENDPOINT_SERVER_H_
#define KINFORMER_ENDPOINTS_ENDPOINT_SERVER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer {

// Protocol and limits of an EndpointServer.
struct EndpointServerOptions {
  // TLS, 1.2 and up, with HTTP/2 for clients that offer it; else HTTP/1.1. The certificate is, in
  // this order: cert_pem; the files in the folder cert_dir, which are read again every
  // cert_read_interval, so that a renewed one is offered to new connections; one that the server
  // signs itself for localhost, new each time, which clients cannot check.
  bool tls{false};
  std::string cert_pem{};  // with its chain
  std::string key_pem{};
  std::string cert_dir{};
  std::string cert_name{"tls.crt"};
  std::string key_name{"tls.key"};
  TimeSpan cert_read_interval{std::chrono::seconds(10)};

  std::size_t max_connections{1000};
  std::size_t max_header_bytes{std::size_t{64} << 10};  // 431
  std::size_t max_body_bytes{std::size_t{1} << 20};     // 413
  TimeSpan header_timeout{std::chrono::seconds(32)};    // TLS handshake; request line and headers
  TimeSpan idle_timeout{std::chrono::seconds(90)};      // between requests
};

// Passes a request to the handler whose path is a prefix of the request's, or answers 404 if there
// is none. Accepts any Host, since probes and Prometheus use the pod's IP. Answers of more than 1
// KiB are compressed for clients that accept gzip.
//
// Runs on env's loop, which must be a Runtime's and must outlive it. Thread-safe. Destruction cuts
// all connections, and waits until the loop has done so and the handlers' own threads have
// finished; not for the loop's thread.
class EndpointServer {
 public:
  // Opens the port; clients can connect from then on. `address`:
  //   ":8080"           all interfaces, IPv4 and IPv6
  //   "127.0.0.1:8080"  one address; so "[::1]:8080", "localhost:8080" (which is 127.0.0.1)
  //   "127.0.0.1:0"     any free port: see port()
  //   "0"               none: the server takes handlers and does nothing. In a simulation, too
  // Errors name the address and say what to do: kConfig (an address that is none; certificates),
  // kTransport (the port is in use or not allowed), kInvalidArgument (a simulated Env).
  static Result<std::unique_ptr<EndpointServer>> Listen(Env& env, const std::string& address,
                                                        const EndpointServerOptions& options = {});
  ~EndpointServer();
  EndpointServer(const EndpointServer&) = delete;
  EndpointServer& operator=(const EndpointServer&) = delete;

  // Passes requests for `path`, and for paths below it, to `handler`: the longest path wins.
  // Replaces an earlier handler. The server keeps handlers until its own end.
  void Handle(const std::string& path, std::shared_ptr<Handler> handler);

  // Returns the port; 0 if the address was "0".
  [[nodiscard]] std::uint16_t port() const;

  // Accepts no more connections, lets clients finish running requests for at most `grace`, and cuts
  // the rest. Blocks; not for the loop's thread. May be called again.
  void Shutdown(Duration grace);

 private:
  struct Impl;
  explicit EndpointServer(std::unique_ptr<Impl> impl);
  const internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_ENDPOINTS_ENDPOINT_SERVER_H_
