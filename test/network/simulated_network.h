// test/network/simulated_network.h
//
// SimulatedNetwork: connections between a transport over libcurl and our server, in simulated time,
// each of which can be frozen, slowed down, cut and reset.

#ifndef KINFORMER_TEST_NETWORK_SIMULATED_NETWORK_H_
#define KINFORMER_TEST_NETWORK_SIMULATED_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"

#include "transport/socket_source.h"

namespace boost::asio {
class io_context;
}

namespace kinformer::testing {

// Uses local sockets of this process: the other end can read data at once, so only simulated time
// passes. Loop-confined, except for the constructor and the destructor; destroy it after the
// connections of the transport and of the server.
class SimulatedNetwork final : public internal::transport::SocketSource {
 public:
  // Takes over the server's end of a new connection.
  using Accept = std::function<void(int socket)>;
  // Behaviour of new connections.
  enum class Opening : std::uint8_t {
    kServed,
    kRefused,
    kHanging,  // connected, but no data passes
  };

  SimulatedNetwork(Env& env, boost::asio::io_context& io, Accept accept);
  ~SimulatedNetwork() override;
  SimulatedNetwork(const SimulatedNetwork&) = delete;
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;

  [[nodiscard]] const std::string& name() const override { return name_; }
  bool Opens(ConnectionPool pool) override;
  void SetOpening(Opening opening) { opening_ = opening; }

  // ---- Connections, numbered from 0
  [[nodiscard]] std::size_t opened() const { return links_.size(); }
  // Connections that the client has not closed and that were not cut.
  [[nodiscard]] std::vector<std::size_t> Open() const;
  // Accepts all data in both directions, but delivers it only after Thaw.
  void Freeze(std::size_t number);
  void FreezeAll();
  void Thaw(std::size_t number);
  // Limits each delivery, in both directions, to `bytes`; 0 removes the limit.
  void Drip(std::size_t number, std::size_t bytes, Duration every);
  // Both ends notice it.
  void Cut(std::size_t number);
  // The server's end forgets the connection, as after a crash of its machine: the client notices
  // nothing until it sends something, which a reset answers (ECONNRESET).
  void Reset(std::size_t number);

 private:
  class Link;
  struct Listener;
  void AcceptLater();
  void Take();

  Env& env_;
  boost::asio::io_context& io_;
  const Accept accept_;
  const std::string name_;
  const std::unique_ptr<Listener> listener_;
  std::deque<ConnectionPool> coming_;  // connected, but not accepted yet
  Opening opening_ = Opening::kServed;
  std::vector<std::shared_ptr<Link>> links_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_SIMULATED_NETWORK_H_
