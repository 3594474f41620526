// http/http1_connection.h
//
// Http1Connection: a connection that speaks HTTP/1.1: handles one request and its response after
// the other.

#ifndef KINFORMER_HTTP_HTTP1_CONNECTION_H_
#define KINFORMER_HTTP_HTTP1_CONNECTION_H_

#include <memory>
#include <string>

#include "http/connection.h"

namespace kinformer::internal::http {

// Takes ownership of a connected socket. `peer_user`: common name of the client's certificate, or
// empty. Requests received during a response are handled after it. Short responses are written
// together.
std::shared_ptr<Connection> NewHttp1Connection(ConnectionHost& host,
                                               std::unique_ptr<ByteStream> stream,
                                               std::string peer_user);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_HTTP1_CONNECTION_H_
