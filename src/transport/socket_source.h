// transport/socket_source.h
//
// SocketSource: where the transport over libcurl gets its connections from in a simulation.

#ifndef KINFORMER_TRANSPORT_SOCKET_SOURCE_H_
#define KINFORMER_TRANSPORT_SOCKET_SOURCE_H_

#include <memory>

#include "kinformer/env.h"
#include "kinformer/http_transport.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer::internal::transport {

// Loop-confined.
class SocketSource {
 public:
  virtual ~SocketSource() = default;
  // A stream socket, connected and not blocking, which the caller closes; -1: refused.
  virtual int Open(ConnectionPool pool) = 0;
};

// As NewHttpTransport, but all connections are those of `sockets`, which must outlive it. The host
// of `options.base_url` has to be an IP address: names are asked for in real time.
Result<std::unique_ptr<Transport>> NewHttpTransportOver(Env& env, HttpTransportOptions options,
                                                        SocketSource& sockets);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_SOCKET_SOURCE_H_
