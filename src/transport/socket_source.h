// transport/socket_source.h
//
// SocketSource: provides the connections of the transport over libcurl in a simulation.

#ifndef KINFORMER_TRANSPORT_SOCKET_SOURCE_H_
#define KINFORMER_TRANSPORT_SOCKET_SOURCE_H_

#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/transport.h"

namespace kinformer::internal::transport {

// A local socket that accepts connections. Loop-confined.
class SocketSource {
 public:
  virtual ~SocketSource() = default;
  // Returns its abstract address, without the leading NUL.
  [[nodiscard]] virtual const std::string& name() const = 0;
  // Called before the transport connects; false refuses the connection.
  virtual bool Opens(ConnectionPool pool) = 0;
};

// Like NewHttpTransport, but all connections use `sockets`, which must outlive it.
Result<std::unique_ptr<Transport>> NewHttpTransportOver(Env& env, HttpTransportOptions options,
                                                        SocketSource& sockets);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_SOCKET_SOURCE_H_
