// http/tls_handshake.h
//
// TlsHandshake: a connection of which nothing is known yet: who the client is and what it speaks
// is decided now.

#ifndef KINFORMER_HTTP_TLS_HANDSHAKE_H_
#define KINFORMER_HTTP_TLS_HANDSHAKE_H_

#include <memory>

#include "http/connection.h"

namespace kinformer::internal::http {

// Gives way to the connection of the protocol that was agreed upon.
std::shared_ptr<Connection> NewTlsHandshake(ConnectionHost& host,
                                            std::unique_ptr<ByteStream> stream);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_TLS_HANDSHAKE_H_
