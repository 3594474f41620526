// kinformer/client/port_forward.h
//
// Connections to the ports of a pod, through the API server: PodConnection for this program,
// PortForwarder for other programs of this machine. Each connection is a WebSocket of its own.
//
//   const auto pods = client.For<corev1::Pod>("default");
//   Result<PodConnection> redis = PodConnection::Dial(pods, "redis-0", 6379);
//   if (redis && redis->Write("PING\r\n")) std::cout << redis->Read().value_or("");
//   Result<PortForwarder> forwarder = PortForwarder::New(pods, "web-0", {"8080:80"});

#ifndef KINFORMER_CLIENT_PORT_FORWARD_H_
#define KINFORMER_CLIENT_PORT_FORWARD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/result.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/resource_client.h"

namespace kinformer {

namespace internal::client {
class PodConnectionState;
class PortForwarderState;
}  // namespace internal::client

// A connection to a port of a pod. Movable; destruction closes it, and waits until the loop has let
// go of it, unless it happens on a loop. Thread-safe, but for one reader at a time. Counterpart:
// httpstream.Connection of portforward's dialer.
class PodConnection {
 public:
  // Begins a connection. It is open once the API server has agreed; whether something listens in
  // the pod shows with the first Read. Blocks; kWouldDeadlock on the loop.
  static Result<PodConnection> Dial(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                                    std::uint16_t port, const CallOptions& call = {});
  // The same, awaited.
  [[nodiscard]] static AsyncCall<PodConnection> AsyncDial(const ResourceClient<corev1::Pod>& pods,
                                                          std::string_view pod, std::uint16_t port);
  PodConnection(PodConnection&&) noexcept = default;
  PodConnection& operator=(PodConnection&&) noexcept;
  ~PodConnection();

  // Returns what has come, at least a byte; empty: the pod has closed. Without a reader, the pod
  // has to wait once 256 KB are there. The error of the pod's side (nothing listens on the port) is
  // returned after what came before it. The stop request and the timeout of `call` end this wait
  // only. Blocks; kWouldDeadlock on the loop.
  Result<std::string> Read(const CallOptions& call = {});
  [[nodiscard]] AsyncCall<std::string> AsyncRead();
  // Sends bytes. Waits while more than a megabyte is unsent; on a loop it never waits, and
  // kWouldDeadlock says that nothing was taken. kStopped: the connection has ended.
  Result<void> Write(std::string_view bytes);
  // Ends both directions. A Read that waits returns what has come, or "".
  void Close();

 private:
  explicit PodConnection(std::shared_ptr<internal::client::PodConnectionState> state)
      : state_(std::move(state)) {}
  friend class internal::client::PodConnectionState;
  std::shared_ptr<internal::client::PodConnectionState> state_;
};

// A port of this machine, and the port of the pod that it leads to. Counterpart:
// portforward.ForwardedPort.
struct ForwardedPort {
  std::uint16_t local{0};
  std::uint16_t remote{0};
};

// Settings of a PortForwarder.
struct PortForwardOptions {
  // Addresses of this machine to listen on. "localhost": 127.0.0.1, and ::1 where that is there.
  std::vector<std::string> addresses{"localhost"};
  // Called on the loop when a connection could not be forwarded, or broke. Must not block. The log
  // has it as a warning in any case.
  std::function<void(const ForwardedPort& port, const Error& error)> on_error{};
};

// Listens on ports of this machine, and forwards each connection to a port of the pod, until it is
// closed. Outlives restarts of containers, not the pod: then each connection fails. When the local
// side has ended its direction, a connection goes on until the pod has been silent for ten seconds,
// since a WebSocket cannot tell the pod. Needs an Env with sockets: a Runtime's. Movable;
// thread-safe. Counterpart: portforward.PortForwarder, and kubectl port-forward.
class PortForwarder {
 public:
  // `ports`: "8080:80" (local:remote), "80" for the same port, ":80" for a free local port. Listens
  // when this returns. kInvalidArgument: a port or an address that cannot be read. kTransport: a
  // port is taken, or not allowed.
  static Result<PortForwarder> New(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                                   const std::vector<std::string>& ports,
                                   PortForwardOptions options = {});
  PortForwarder(PortForwarder&&) noexcept = default;
  PortForwarder& operator=(PortForwarder&&) noexcept;
  ~PortForwarder();

  // Returns the ports in the order of New; free ones with the number that was found.
  [[nodiscard]] const std::vector<ForwardedPort>& GetPorts() const;
  // Stops listening and ends the connections. Does not block. The destructor does the same, and
  // waits until the loop has done it, unless it runs on a loop.
  void Close();

 private:
  explicit PortForwarder(std::shared_ptr<internal::client::PortForwarderState> state)
      : state_(std::move(state)) {}
  std::shared_ptr<internal::client::PortForwarderState> state_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_PORT_FORWARD_H_
