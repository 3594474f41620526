// kinformer/client/dialer.h
//
// DialFunc: opens the connections of a client in place of the library: through a tunnel, to a Unix
// domain socket, to another address.
//
//   Config config = Config::LoadDefault().OrExit();
//   config.dial = DialUnixSocket("/run/apiserver.sock");
//   config.dial = DialAddress("127.0.0.1", 6443);  // TLS still checks the name in config.host
//   const std::shared_ptr<Tunnel> tunnel = OpenTunnel();  // of the program
//   config.dial = [tunnel](const DialTarget& to) { return tunnel->Open(to.host, to.port); };

#ifndef KINFORMER_CLIENT_DIALER_H_
#define KINFORMER_CLIENT_DIALER_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "kinformer/base/result.h"

namespace kinformer {

// Where a connection is to lead.
struct DialTarget {
  // The proxy's if there is one, else the server's: a name, which nobody has looked up, or an
  // address, without the brackets of IPv6.
  std::string host{};
  std::uint16_t port{0};
  // Requested when nobody waits for the connection any more: its requests were given up, or
  // connect_timeout is over.
  std::stop_token stop{};
};

// Returns the descriptor of a connected stream socket: TCP, a Unix domain socket, one end of a
// socketpair. The library owns and closes it, makes it non-blocking and close-on-exec, and speaks
// over it as it does over its own connections: TLS, which checks the name of the server's URL, and
// HTTP/2; or with the proxy, which still is between the two. Unlike a proxy it sees no request.
//
// Called once for each connection, not for each request, on threads of the library where it may
// block; never on a loop or on Env::pool(), whose threads may be waiting for the connection. Up to
// 16 calls of a transport run at once, further ones wait for these. A call that does not return
// keeps its thread, and the end of the Runtime waits for it; requests end at connect_timeout and at
// their own deadlines all the same. What it returns then is closed.
//
// An error that it returns is that of the requests that wait for the connection, with its reason;
// an exception becomes an error, is logged and counted. Counterpart: rest.Config.Dial.
using DialFunc = std::function<Result<int>(const DialTarget& to)>;

// Returns a function that connects to a Unix domain socket; a path that begins with '@' is an
// abstract name. The error names the path.
[[nodiscard]] DialFunc DialUnixSocket(std::string path);
// Returns a function that connects to this host and port over TCP, whatever the target. Tries the
// addresses of a name in turn, for up to 10 seconds each.
[[nodiscard]] DialFunc DialAddress(std::string host, std::uint16_t port);

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_DIALER_H_
