// http/server.h
//
// Server: serves a Handler on a TCP port over HTTP/1.1 or, with TLS, HTTP/2.

#ifndef KINFORMER_HTTP_SERVER_H_
#define KINFORMER_HTTP_SERVER_H_

#include <cstdint>
#include <memory>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"

#include "http/request_policy.h"
#include "http/tls_stream.h"

namespace kinformer::internal::http {

// For guarantees see apiserver::HttpServer (kinformer/apiserver/http_server.h). Uses address, port
// and limits of the options; `tls` is null for a server without TLS. Thread-safe.
class Server {
 public:
  // Returns kInvalidArgument if servers cannot listen in this Env, as Listen does. For callers with
  // other work to do before.
  static Result<void> CheckEnv(Env& env);
  // Opens the port; the handler receives requests from then on.
  static Result<std::unique_ptr<Server>> Listen(Env& env, Handler& handler,
                                                apiserver::HttpServerOptions options,
                                                std::shared_ptr<const RequestPolicy> policy,
                                                TlsContext tls);
  // Closes all connections, and blocks until the loop has done so.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // Replaces the certificate for new connections; present ones keep theirs. Does not block.
  // REQUIRES: a server with TLS, and a context with the same protocols.
  void SetTls(TlsContext tls);
  // Takes ownership of a connected stream socket of any family, and serves it like an accepted one.
  // Does not block.
  void Adopt(int socket);
  void CloseConnections();
  void GoAway();
  void SetMaxStreams(std::uint32_t streams);
  void Shutdown(Duration grace);
  [[nodiscard]] apiserver::HttpServerStats Stats() const;

 private:
  struct Impl;
  explicit Server(std::shared_ptr<Impl> impl);
  const std::shared_ptr<Impl> impl_;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_SERVER_H_
