// test/network/simulated_network.h
//
// SimulatedNetwork: connections between a transport over libcurl and a server of ours, in simulated
// time, with somebody in between who can freeze, slow down and break each of them.

#ifndef KINFORMER_TEST_NETWORK_SIMULATED_NETWORK_H_
#define KINFORMER_TEST_NETWORK_SIMULATED_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/transport.h"

#include "transport/socket_source.h"

namespace boost::asio {
class io_context;
}

namespace kinformer::testing {

// The sockets are local ones of this process: what one end writes the other can read at once, so no
// time passes but the Simulation's. Loop-confined, but for construction and destruction, which must
// come after the transport's and the server's connections.
class SimulatedNetwork final : public internal::transport::SocketSource {
 public:
  // Takes over one end of a new connection: the server.
  using Accept = std::function<void(int socket)>;
  // What becomes of connections that are opened.
  enum class Opening : std::uint8_t {
    kServed,
    kRefused,
    kHanging,  // they come about, and nothing passes
  };

  SimulatedNetwork(Env& env, boost::asio::io_context& io, Accept accept);
  ~SimulatedNetwork() override;
  SimulatedNetwork(const SimulatedNetwork&) = delete;
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;

  [[nodiscard]] const std::string& name() const override { return name_; }
  bool Opens(ConnectionPool pool) override;
  void SetOpening(Opening opening) { opening_ = opening; }

  // ---- connections, by their number from 0
  [[nodiscard]] std::size_t opened() const { return links_.size(); }
  // Those that the client has not closed, and that have not been cut.
  [[nodiscard]] std::vector<std::size_t> Open() const;
  // All that is sent either way is taken, and not passed on before Thaw.
  void Freeze(std::size_t number);
  void FreezeAll();
  void Thaw(std::size_t number);
  // At most so many bytes each time, either way; 0: as they come.
  void Drip(std::size_t number, std::size_t bytes, Duration every);
  // Both ends hear of it.
  void Cut(std::size_t number);

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
  std::deque<ConnectionPool> coming_;  // connected, and not taken yet
  Opening opening_ = Opening::kServed;
  std::vector<std::shared_ptr<Link>> links_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_SIMULATED_NETWORK_H_
