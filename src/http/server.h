// http/server.h
//
// Server: puts a Handler on a TCP port, for clients that speak HTTP/1.1 or, over TLS, HTTP/2.

#ifndef KINFORMER_HTTP_SERVER_H_
#define KINFORMER_HTTP_SERVER_H_

#include <cstdint>
#include <memory>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/env.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

#include "http/request_policy.h"
#include "http/tls_stream.h"

namespace kinformer::internal::http {

// apiserver::HttpServer (kinformer/apiserver/http_server.h) says what it guarantees. Of the options
// it reads address, port and bounds; `tls` is null for a server without TLS. Thread-safe.
class Server {
 public:
  // kInvalidArgument: no server can listen in this Env, which Listen says, too. For who would begin
  // something else before.
  static Result<void> CheckEnv(Env& env);
  // Opens the port; the handler gets requests from then on.
  static Result<std::unique_ptr<Server>> Listen(Env& env, Handler& handler,
                                                apiserver::HttpServerOptions options,
                                                std::shared_ptr<const RequestPolicy> policy,
                                                TlsContext tls);
  // Closes all connections and waits until the loop has done so.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // Connections that come from now on are offered that certificate; those that are there keep
  // theirs. Returns at once. REQUIRES: a server with TLS, and a context of the same protocols.
  void SetTls(TlsContext tls);
  // Takes over a stream socket that is connected already, of whatever family, as one that was
  // accepted. Returns at once.
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
