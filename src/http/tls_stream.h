// http/tls_stream.h
//
// The server's side of TLS: one context for a server, one ByteStream for each of its connections.

#ifndef KINFORMER_HTTP_TLS_STREAM_H_
#define KINFORMER_HTTP_TLS_STREAM_H_

#include <memory>
#include <string>

#include <boost/asio/ip/tcp.hpp>

#include "kinformer/base/result.h"

#include "http/byte_stream.h"

struct ssl_ctx_st;

namespace kinformer::internal::http {

struct TlsServerMaterial {
  std::string cert_pem;
  std::string key_pem;
  std::string client_ca_pem;
};

// Context with TLS 1.2 and later, ALPN for HTTP/2 and HTTP/1.1, optional client certificates.
using TlsContext = std::shared_ptr<ssl_ctx_st>;
// Errors: kConfig, with OpenSSL's message.
Result<TlsContext> NewTlsContext(const TlsServerMaterial& material, bool http2);
// Returns whether the context's certificate covers that name or address.
[[nodiscard]] bool IsCertifiedFor(const TlsContext& context, const std::string& name);

// Makes a stream that copies nothing between OpenSSL and the socket and keeps no buffers between
// records: asio's own holds 70 KB for its lifetime, too much for thousands of idle watches. Returns
// null when out of memory.
std::unique_ptr<ByteStream> NewTlsStream(boost::asio::ip::tcp::socket socket,
                                         const TlsContext& context);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_TLS_STREAM_H_
