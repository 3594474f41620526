// http/http1_connection.h
//
// Http1Connection: a connection that speaks HTTP/1.1: handles one request and its response after
// the other.

#ifndef KINFORMER_HTTP_HTTP1_CONNECTION_H_
#define KINFORMER_HTTP_HTTP1_CONNECTION_H_

#include <memory>

#include "http/connection.h"
#include "http/peer_identity.h"

namespace kinformer::internal::http {

// Takes ownership of a connected socket. `peer`: subject of the client's certificate. Requests
// received during a response are handled after it. Short responses are written together.
std::shared_ptr<Connection> NewHttp1Connection(ConnectionHost& host,
                                               std::unique_ptr<ByteStream> stream,
                                               PeerIdentity peer);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_HTTP1_CONNECTION_H_
