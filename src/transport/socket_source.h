// transport/socket_source.h
//
// SocketSource: where the transport over libcurl gets its connections from in a simulation.

#ifndef KINFORMER_TRANSPORT_SOCKET_SOURCE_H_
#define KINFORMER_TRANSPORT_SOCKET_SOURCE_H_

#include <memory>
#include <string>

#include "kinformer/env.h"
#include "kinformer/http_transport.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer::internal::transport {

// A local socket that accepts them. Loop-confined.
class SocketSource {
 public:
  virtual ~SocketSource() = default;
  // Its abstract address, without the NUL in front.
  [[nodiscard]] virtual const std::string& name() const = 0;
  // The transport is about to connect; false: it is refused.
  virtual bool Opens(ConnectionPool pool) = 0;
};

// Like NewHttpTransport, but all connections use `sockets`, which must outlive it.
Result<std::unique_ptr<Transport>> NewHttpTransportOver(Env& env, HttpTransportOptions options,
                                                        SocketSource& sockets);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_SOCKET_SOURCE_H_
