// http/tls_stream.h
//
// The server's side of TLS: one context for a server, one ByteStream for each of its connections.

#ifndef KINFORMER_HTTP_TLS_STREAM_H_
#define KINFORMER_HTTP_TLS_STREAM_H_

#include <memory>
#include <string>

#include <boost/asio/ip/tcp.hpp>

#include "kinformer/result.h"

#include "http/byte_stream.h"

struct ssl_ctx_st;

namespace kinformer::internal::http {

struct TlsServerMaterial {
  std::string cert_pem;
  std::string key_pem;
  std::string client_ca_pem;
};

// TLS 1.2 and up, HTTP/2 and HTTP/1.1 by ALPN, client certificates asked for and checked.
using TlsContext = std::shared_ptr<ssl_ctx_st>;
// Errors: kConfig, with OpenSSL's text.
Result<TlsContext> NewTlsContext(const TlsServerMaterial& material, bool http2);
// Whether its certificate is for that name or address.
[[nodiscard]] bool IsCertifiedFor(const TlsContext& context, const std::string& name);

// Nothing is copied between OpenSSL and the socket, and between records nothing is kept: a
// connection of asio's kind holds 70 KB of buffers for as long as it lives, which is what thousands
// of idle watches cannot have. Null when out of memory.
std::unique_ptr<ByteStream> NewTlsStream(boost::asio::ip::tcp::socket socket,
                                         const TlsContext& context);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_TLS_STREAM_H_
