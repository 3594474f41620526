// http/tls_handshake.h
//
// TlsHandshake: a new connection in its TLS handshake, which determines protocol and client
// certificate.

#ifndef KINFORMER_HTTP_TLS_HANDSHAKE_H_
#define KINFORMER_HTTP_TLS_HANDSHAKE_H_

#include <memory>

#include "http/connection.h"

namespace kinformer::internal::http {

// Makes a connection that is replaced by one of the negotiated protocol.
std::shared_ptr<Connection> NewTlsHandshake(ConnectionHost& host,
                                            std::unique_ptr<ByteStream> stream);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_TLS_HANDSHAKE_H_
