#include "kinformer/client/port_forward.h"

#include <chrono>
#include <cstddef>
#include <fcntl.h>
#include <optional>
#include <set>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>

#include "base/core/user_call.h"
#include "base/loop/io_loop.h"
#include "client/tools/forwarded_connection.h"
#include "client/tools/forwarded_ports.h"
#include "client/tools/running_calls.h"

namespace kinformer {
namespace internal::client {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

template <class Socket>
void CloseOnExec(Socket& socket) {
  static_cast<void>(fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC));
}

}  // namespace

class PortForwarderState : public std::enable_shared_from_this<PortForwarderState> {
 public:
  PortForwarderState(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                     PortForwardOptions options, asio::io_context& io)
      : pods_(pods), pod_(pod), options_(std::move(options)), io_(io) {}

  Result<void> Listen(const ForwardedPort& wanted, const std::vector<LocalAddress>& addresses) {
    ForwardedPort port = wanted;
    std::optional<Error> first;
    std::size_t listening = 0;
    for (const LocalAddress& local : addresses) {
      // The second address gets the port that the first one found.
      Result<void> listens = ListenOn(local.address, port);
      if (listens) {
        ++listening;
      } else if (!local.optional) {
        return listens;
      } else if (!first) {
        first = std::move(listens).error();
      }
    }
    if (listening == 0) return *std::move(first);
    ports_.push_back(port);
    return {};
  }
  void Start() {
    pods_.env().loop().Post([self = shared_from_this()] {
      for (const std::shared_ptr<Acceptor>& acceptor : self->acceptors_) self->Accept(acceptor);
    });
  }
  void Close() {
    pods_.env().loop().Post([self = shared_from_this()] { self->CloseOnLoop(); });
  }
  // Closes it for the last time: waits for the loop, but not on one.
  void End() {
    pods_.env().loop().Post(
        [self = shared_from_this(), running = calls_->Begin()] { self->CloseOnLoop(); });
    calls_->Wait();
  }
  [[nodiscard]] const std::vector<ForwardedPort>& ports() const { return ports_; }

 private:
  struct Acceptor {
    tcp::acceptor socket;
    ForwardedPort port;
    Timer retry;
  };

  Result<void> ListenOn(const std::string& address, ForwardedPort& port) {
    error_code error;
    const auto acceptor = std::make_shared<Acceptor>(Acceptor{tcp::acceptor(io_), {}, {}});
    tcp::acceptor& socket = acceptor->socket;
    const tcp::endpoint endpoint(asio::ip::make_address(address), port.local);
    socket.open(endpoint.protocol(), error);
    if (!error) {
      CloseOnExec(socket);
      socket.set_option(tcp::acceptor::reuse_address(true), error);
    }
    if (!error && endpoint.protocol() == tcp::v6()) {
      socket.set_option(boost::asio::ip::v6_only(true), error);
    }
    if (!error) socket.bind(endpoint, error);
    if (!error) socket.listen(tcp::acceptor::max_listen_connections, error);
    if (error) {
      return Error(Reason::kTransport, "cannot listen on " + address + " port " +
                                           std::to_string(port.local) + ": " + error.message() +
                                           "; choose another local port, or \":" +
                                           std::to_string(port.remote) + "\" for any free one");
    }
    port.local = socket.local_endpoint(error).port();
    acceptor->port = port;
    acceptors_.push_back(acceptor);
    return {};
  }

  void Accept(const std::shared_ptr<Acceptor>& acceptor) {
    if (closed_) return;
    acceptor->socket.async_accept(
        [self = shared_from_this(), acceptor](const error_code& error, tcp::socket socket) {
          if (self->closed_) return;
          if (!error) {
            self->Take(acceptor->port, std::move(socket));
            return self->Accept(acceptor);
          }
          // Probably out of descriptors: accepting again at once would only spin.
          Env& env = self->pods_.env();
          acceptor->retry = env.loop().RunAt(env.Now() + std::chrono::milliseconds(100),
                                             [weak = self->weak_from_this(), acceptor] {
                                               if (const auto again = weak.lock()) {
                                                 again->Accept(acceptor);
                                               }
                                             });
        });
  }

  void Take(const ForwardedPort& port, tcp::socket socket) {
    CloseOnExec(socket);
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const auto connection = std::make_shared<ForwardedConnection>(
        pods_.env(), std::move(socket),
        [weak = weak_from_this(), port](ForwardedConnection& ended, const Result<void>& end) {
          const auto self = weak.lock();
          if (self == nullptr) return;
          self->connections_.erase(ended.shared_from_this());
          if (!end) self->Report(port, end.error());
        });
    connections_.insert(connection);
    connection->Begin(pods_, pod_, port.remote, calls_->Begin());
  }

  void Report(const ForwardedPort& port, const Error& error) {
    Env& env = pods_.env();
    env.log().Log(LogLevel::kWarning, "a connection was not forwarded to the pod, or broke",
                  {{"namespace", std::string(pods_.namespace_())},
                   {"pod", pod_},
                   {"local_port", std::to_string(port.local)},
                   {"port", std::to_string(port.remote)},
                   {"err", error.ToString()}});
    if (!options_.on_error) return;
    static_cast<void>(base::CallUser(env, "PortForwardOptions::on_error",
                                     [&] { options_.on_error(port, error); }));
  }

  void CloseOnLoop() {
    if (std::exchange(closed_, true)) return;
    error_code ignored;
    for (const std::shared_ptr<Acceptor>& acceptor : acceptors_) {
      acceptor->retry.Cancel();
      acceptor->socket.close(ignored);
    }
    acceptors_.clear();
    for (const auto& connection : std::exchange(connections_, {})) connection->Close();
  }

  const ResourceClient<corev1::Pod> pods_;
  const std::string pod_;
  const PortForwardOptions options_;
  asio::io_context& io_;
  const std::shared_ptr<RunningCalls> calls_ = std::make_shared<RunningCalls>(pods_.env());
  std::vector<ForwardedPort> ports_;  // constant once it has started
  // Loop only, once it has started.
  std::vector<std::shared_ptr<Acceptor>> acceptors_;
  std::set<std::shared_ptr<ForwardedConnection>> connections_;
  bool closed_ = false;
};

}  // namespace internal::client

using internal::client::PortForwarderState;

Result<PortForwarder> PortForwarder::New(const ResourceClient<corev1::Pod>& pods,
                                         std::string_view pod,
                                         const std::vector<std::string>& ports,
                                         PortForwardOptions options) {
  boost::asio::io_context* const io = internal::base::IoContextOf(pods.env());
  if (io == nullptr) {
    return Error(Reason::kInvalidArgument,
                 "a PortForwarder needs sockets, which a Simulation has not: use a Runtime, or "
                 "PodConnection");
  }
  if (ports.empty()) {
    return Error(Reason::kInvalidArgument, "there is no port to forward: name one, as in 8080:80");
  }
  const auto addresses = internal::client::ParseLocalAddresses(options.addresses);
  if (!addresses) return addresses.error();
  const auto state = std::make_shared<PortForwarderState>(pods, pod, std::move(options), *io);
  for (const std::string& text : ports) {
    const Result<ForwardedPort> port = internal::client::ParseForwardedPort(text);
    if (!port) return port.error();
    if (const Result<void> listens = state->Listen(*port, *addresses); !listens) {
      return listens.error();
    }
  }
  state->Start();
  return PortForwarder(state);
}

PortForwarder& PortForwarder::operator=(PortForwarder&& other) noexcept {
  if (this == &other) return *this;
  if (state_ != nullptr) state_->End();
  state_ = std::move(other.state_);
  return *this;
}

PortForwarder::~PortForwarder() {
  if (state_ != nullptr) state_->End();
}

const std::vector<ForwardedPort>& PortForwarder::GetPorts() const { return state_->ports(); }

void PortForwarder::Close() { state_->Close(); }

}  // namespace kinformer
