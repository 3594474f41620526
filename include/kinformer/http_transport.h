// kinformer/http_transport.h
//
// The Transport that reaches an API server over the network: HTTP/2 over TLS where the server
// speaks it, else HTTP/1.1.
//
//   HttpTransportOptions options = TransportOptionsFor(config).OrExit();  // config.h
//   std::unique_ptr<Transport> transport = NewHttpTransport(env, options).OrExit();

#ifndef KINFORMER_HTTP_TRANSPORT_H_
#define KINFORMER_HTTP_TRANSPORT_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/env.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer {

// How the server's certificate is checked and which one we show. PEM text wins over a file. Files
// are read when the transport is made and again while it is used, at most every
// `HttpTransportOptions::reload_period`; what cannot be read or parsed leaves the old content in
// place.
struct TlsOptions {
  bool insecure_skip_verify{false};
  // Checked and sent in place of the URL's host: a host's name or an IP address.
  std::string server_name{};
  std::string ca_pem{};  // with ca_file also empty: the system's certificates
  std::string ca_file{};
  std::string cert_pem{};  // client certificate, with its chain
  std::string cert_file{};
  std::string key_pem{};
  std::string key_file{};
};

// What a request says about its sender.
struct Credentials {
  std::string authorization{};  // value of the Authorization header: "Bearer ..."; empty: none
  std::string cert_pem{};  // client certificate and key, in place of TlsOptions' when not empty
  std::string key_pem{};
};

// Where Credentials come from when they can change: a token file, a plugin. Confined to the loop of
// the Env it is called with.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  // Calls `done` once on the loop: before returning where the answer is at hand, else later. Never
  // blocks.
  virtual void Fetch(Env& env, std::function<void(Result<Credentials>)> done) = 0;
  // The server answered 401 to this Authorization: the next Fetch is to find out anew, unless it
  // has changed since.
  virtual void Rejected(const std::string& authorization) = 0;
  // Can a Fetch after a 401 give something else? If not, trying again is in vain.
  [[nodiscard]] virtual bool CanRefresh() const = 0;
};

// What NewHttpTransport makes its connections by. TransportOptionsFor fills it from a Config.
struct HttpTransportOptions {
  // "https://host:port/prefix"; the prefix is put in front of every request's target.
  std::string base_url{};
  TlsOptions tls{};
  std::shared_ptr<CredentialSource>
      credentials{};      // empty: none. A request with an Authorization header does not ask it
  HttpHeaders headers{};  // added to every request that does not carry the name: impersonation
  std::string user_agent{};
  // http://, https:// or socks5://, with user and password. Empty: from HTTPS_PROXY, HTTP_PROXY and
  // NO_PROXY by Go's rules, read when the transport is made, unless told not to. NO_PROXY is about
  // the host of base_url, whatever tls.server_name is. ALL_PROXY means nothing; nor does
  // SSLKEYLOGFILE, but libcurl itself opens the file that it names, which stays empty.
  std::string proxy_url{};
  bool use_environment_proxy{true};
  bool disable_http2{false};

  internal::TimeSpan connect_timeout{std::chrono::seconds(30)};  // DNS, TCP and TLS together
  // TLS alone, once TCP stands; with a proxy only connect_timeout counts. 0: no limit of its own.
  internal::TimeSpan tls_handshake_timeout{std::chrono::seconds(10)};
  // A connection on which an answer is awaited and nothing has come for this long is asked for a
  // sign of life; 0: never.
  internal::TimeSpan read_idle_timeout{std::chrono::seconds(30)};
  // And is abandoned when none comes. An answer that has begun, is no granted watch, and of which
  // nothing more has come for both together, ends with kTransport even where the server is well.
  internal::TimeSpan ping_timeout{std::chrono::seconds(15)};

  // Over HTTP/2, until the server shows a lower limit; one more is for the probe.
  std::size_t watches_per_connection{99};
  // Over HTTP/1.1, one connection each: the next is kOverLimit; 0: no limit.
  std::size_t max_http1_watches{0};
  std::size_t max_connections{8};  // of each of the other pools; requests beyond wait
  internal::TimeSpan reload_period{std::chrono::seconds(10)};
};

// A transport on `env`'s loop, which must be a real one (Runtime). Reads the files of `options`;
// opens no connection yet.
//
// Guarantees: lists, watches, short requests and lease renewals use separate connections, so none
// waits behind another kind. Over HTTP/2 watches share connections. A server that stops answering,
// even frozen with its sockets open, ends its watches and other requests with kTransport within
// about read_idle_timeout + ping_timeout. Who gives up on a request after some seconds in which its
// connection was silent has found evidence: later requests go over other connections unless that
// one answers a question for a sign of life, and so do those of the server's other connections that
// have been silent as long. A connection that does not come about holds up its pool for two seconds
// only: others are tried beside it. Certificates are checked as Go does: a name that stands in the
// Common Name only does not count. Redirects are not followed. Names are resolved off the
// loop. Content-Encoding gzip is undone, if a request asked for it.
// Errors of the result: kConfig, naming the option (a bad URL, a CA file that is missing or not
// PEM, half a key pair). Loop-confined as every Transport; it may be destroyed on any thread while
// its Env lives; calls under way then end with kStopped.
// Counterpart: rest.TransportFor with its TLS and HTTP/2 settings.
Result<std::unique_ptr<Transport>> NewHttpTransport(Env& env, HttpTransportOptions options);

}  // namespace kinformer

#endif  // KINFORMER_HTTP_TRANSPORT_H_
