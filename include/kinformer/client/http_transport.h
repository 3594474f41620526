// kinformer/client/http_transport.h
//
// Transport to an API server over the network: HTTP/2 over TLS if the server supports it, else
// HTTP/1.1.
//
//   HttpTransportOptions options = TransportOptionsFor(config).OrExit();  // config.h
//   std::unique_ptr<Transport> transport = NewHttpTransport(env, options).OrExit();

#ifndef KINFORMER_CLIENT_HTTP_TRANSPORT_H_
#define KINFORMER_CLIENT_HTTP_TRANSPORT_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/dialer.h"
#include "kinformer/client/transport.h"

namespace kinformer {

// Checks of the server's certificate, and the client certificate. PEM text wins over a file. Files
// are read when the transport is created, and again while it is used, at most every
// `HttpTransportOptions::reload_period`, and every 5 minutes while there are only watches; if one
// cannot be read or parsed, the old content stays in use. A new CA is for new connections; a new
// client certificate also ends the watches, which an informer resumes on new connections. Other
// requests end on their old ones.
struct TlsOptions {
  bool insecure_skip_verify{false};
  // Name to check and to send (SNI) instead of the URL's host: a host name or an IP address.
  std::string server_name{};
  std::string ca_pem{};  // if ca_file is empty too: the system's certificates
  std::string ca_file{};
  std::string cert_pem{};  // client certificate, with its chain
  std::string cert_file{};
  std::string key_pem{};
  std::string key_file{};
};

// Identity of the client in a request.
struct Credentials {
  std::string authorization{};  // value of the Authorization header: "Bearer ..."; empty: none
  std::string cert_pem{};  // client certificate and key, in place of TlsOptions' when not empty
  std::string key_pem{};
};

// Source of Credentials that can change, such as a token file or a plugin. Confined to the loop of
// the Env that it is called with.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  // Calls `done` once on the loop: before returning if the credentials are known, else later. Never
  // blocks.
  virtual void Fetch(Env& env, std::function<void(Result<Credentials>)> done) = 0;
  // Reports that the server answered 401 to this Authorization, which is empty if there was only a
  // certificate: the next Fetch must get new credentials, unless they have changed since.
  virtual void Rejected(const std::string& authorization) = 0;
  // Returns true if a Fetch after a 401 may return something else. If not, there is no retry.
  [[nodiscard]] virtual bool CanRefresh() const = 0;
};

// Options for connections to one server. TransportOptionsFor makes them from a Config.
struct HttpTransportOptions {
  // "https://host:port/prefix"; the prefix is added to every request's target.
  std::string base_url{};
  TlsOptions tls{};
  std::shared_ptr<CredentialSource>
      credentials{};      // empty: none. Not used by a request with an Authorization header
  HttpHeaders headers{};  // added to requests that lack the header: impersonation
  std::string user_agent{};
  // http://, https:// or socks5://, with user and password. Empty: from HTTPS_PROXY, HTTP_PROXY and
  // NO_PROXY by Go's rules, read when the transport is created, if use_environment_proxy. NO_PROXY
  // is compared with the host of base_url, whatever tls.server_name is. ALL_PROXY is ignored, and
  // so is SSLKEYLOGFILE, but libcurl itself opens the file named there, which stays empty. A proxy
  // with https:// may have a certificate of the system's CAs or of tls.ca_pem.
  std::string proxy_url{};
  bool use_environment_proxy{true};
  bool disable_http2{false};
  // Opens the connections, to the proxy if there is one; see dialer.h. Empty: the library does.
  DialFunc dial{};

  // DNS, TCP and TLS together; with `dial`, for that, and again for what follows it.
  TimeSpan connect_timeout{std::chrono::seconds(30)};
  // Limit for TLS alone, after TCP; not used with a proxy. 0: only connect_timeout counts.
  TimeSpan tls_handshake_timeout{std::chrono::seconds(10)};
  // Silence on a connection with an open request after which the server is probed (a ping or
  // probe_target); 0: never.
  TimeSpan read_idle_timeout{std::chrono::seconds(30)};
  // Time for the probe's answer, after which the connection is abandoned. A partial answer, other
  // than a watch's, that stalls for both times together is kTransport even if the server is well.
  TimeSpan ping_timeout{std::chrono::seconds(15)};

  // Limit for HTTP/2, until the server shows a lower one; one more stream is for the probe.
  std::size_t watches_per_connection{99};
  // Limit for HTTP/1.1, with one connection each; further watches are kOverLimit; 0: no limit.
  std::size_t max_http1_watches{0};
  std::size_t max_connections{8};  // of each of the other pools; further requests wait
  TimeSpan reload_period{std::chrono::seconds(10)};
};

// Creates a transport on `env`'s loop, which must be a real one (Runtime). Reads the files of
// `options`; opens no connection yet.
//
// Guarantees: lists, watches, short requests and lease renewals use separate connections, so that
// none waits behind another kind. Over HTTP/2, watches share connections. If a server stops
// answering, even frozen with its sockets open, its watches and other requests end with
// kTransport within about read_idle_timeout + ping_timeout. If a caller gives up after some
// seconds in which its request's connection was silent, that is taken as evidence: later requests
// use other connections unless that one answers a probe; the same holds for other connections to
// the server that were silent as long. A connection that takes long to open delays its pool for
// two seconds only: then others are tried too. Certificates are checked as in Go: a name that is
// only in the Common Name does not count. Redirects are not followed. Names are resolved off the
// loop. Content-Encoding gzip is decoded if a request asked for it. Errors of the result:
// kConfig, naming the option (a bad URL, a CA file that is missing or not PEM, half a key pair).
// Loop-confined as every Transport; it may be destroyed on any thread while its Env lives;
// running calls then end with kStopped. Counterpart: rest.TransportFor with its TLS and HTTP/2
// settings.
Result<std::unique_ptr<Transport>> NewHttpTransport(Env& env, HttpTransportOptions options);

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_HTTP_TRANSPORT_H_
