// kinformer/apiserver/http_server.h
//
// HttpServer: serves a Handler, such as the embedded API server, on a TCP port, for kubectl,
// client-go and other clients that use HTTP/1.1 or, over TLS, HTTP/2.
//
//   auto http = HttpServer::Listen(env, api_server, {.tls = true, .bearer_token = token}).OrExit();
//   http->WriteKubeconfig("demo.kubeconfig").OrExit();
//   std::cout << "serving at " << http->url() << '\n';

#ifndef KINFORMER_APISERVER_HTTP_SERVER_H_
#define KINFORMER_APISERVER_HTTP_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer::apiserver {

// Guarantees: a response is pulled from the handler no faster than its client reads it, so a slow
// client costs one buffer of at most about 200 KB (with HTTP/2 also 64 KB per active stream), and
// an idle watch none; if a client disconnects, its responses are abandoned at once; a response that
// the handler aborts ends without its last chunk, or with RST_STREAM, so that the client notices.
//
// Runs on env's loop, which must be a Runtime's. Listen, destruction and all methods may be called
// from any thread; destruction closes all connections, waits until the loop has done so, and must
// come before the handler's.
class HttpServer {
 public:
  // Opens the port; requests are passed to the handler from then on. Errors: kConfig (certificates,
  // an invalid address), kTransport (the port is in use or not allowed), kInvalidArgument (a
  // simulated Env).
  static Result<std::unique_ptr<HttpServer>> Listen(Env& env, Handler& handler,
                                                    HttpServerOptions options = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // Returns "https://127.0.0.1:34567". A server on all interfaces returns the loopback address.
  [[nodiscard]] std::string url() const;
  // Returns the authority of the server's certificate, as PEM; empty without TLS, or if the caller
  // gave the certificate.
  [[nodiscard]] const std::string& ca_pem() const;

  // Returns a kubeconfig with which kubectl can connect: the address, the authority, and the token
  // or a client certificate. YAML. Contains credentials.
  [[nodiscard]] std::string Kubeconfig() const;
  // Writes the kubeconfig to a file that only its owner can read. Blocks on the disk.
  Result<void> WriteKubeconfig(const std::string& path) const;

  // Cuts all connections, in the middle of responses; new ones are accepted. For tests of clients.
  // Returns at once; the loop does the work.
  void CloseConnections();

  // Asks all connected clients to reconnect: GOAWAY, or Connection: close with the next answer,
  // after which an HTTP/1.1 connection ends. Running requests are completed. New connections are
  // accepted. Returns at once.
  void GoAway();
  // Limits each HTTP/2 connection, present ones included, to that many streams at once from now on.
  // Returns at once.
  void SetMaxStreams(std::uint32_t streams);
  // Accepts no more connections, asks clients to leave as GoAway does, and waits until they have
  // left or `grace` is over; then cuts the rest. End the handler's watches before
  // (ApiServer::CloseWatches). Blocks; not for the loop's thread.
  void Shutdown(Duration grace);

  [[nodiscard]] HttpServerStats Stats() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  const kinformer::internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_SERVER_H_
