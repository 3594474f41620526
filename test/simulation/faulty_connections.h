// test/simulation/faulty_connections.h
//
// FaultyConnections: a Transport that puts the calls of another on connections as HTTP/2 does, and
// lets these fail: GOAWAY, streams that are refused or reset, connections that break or fall
// silent with all that they carry.

#ifndef KINFORMER_TEST_SIMULATION_FAULTY_CONNECTIONS_H_
#define KINFORMER_TEST_SIMULATION_FAULTY_CONNECTIONS_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/client/transport.h"

#include "simulation/dice.h"

namespace kinformer::testing {

class FaultyConnections final : public Transport {
 public:
  FaultyConnections(Env& env, std::shared_ptr<Transport> inner, std::uint64_t seed)
      : env_(env), inner_(std::move(inner)), dice_(seed, 7) {}

  // Makes a random connection fail in a random way, or refuses the next streams. A connection that
  // falls silent is closed 45 seconds later.
  void Disturb();
  // Stops refusing streams. Connections that are already silent are still closed later.
  void Calm();
  // Number of calls that a fault has hit so far.
  [[nodiscard]] std::uint64_t hits() const { return hits_; }

  // Transport
  [[nodiscard]] std::unique_ptr<HttpCall> Start(HttpRequest request,
                                                ResponseReceiver& receiver) override;
  [[nodiscard]] TransportStats Stats() const override { return inner_->Stats(); }
  [[nodiscard]] std::string Describe() const override { return inner_->Describe(); }

 private:
  class Stream;
  class Call;
  // Maximum number of streams of one connection; then another connection is opened.
  static constexpr std::size_t kMostStreams = 4;
  struct Connection {
    ConnectionPool pool;
    bool takes_more = true;  // until GOAWAY
    bool silent = false;
    Timer suspected{};  // fires when the transport begins to doubt the connection
    Timer noticed{};    // fires when the transport closes it
    std::vector<std::shared_ptr<Stream>> streams;
  };

  Connection& ConnectionFor(ConnectionPool pool);
  void Break(Connection& connection, const char* why);
  // An answer is missing: connections that were silent as long get no new requests.
  void SuspectTheSilent();

  Env& env_;
  const std::shared_ptr<Transport> inner_;
  Dice dice_;
  std::list<Connection> connections_;
  std::uint64_t refusals_ = 0;  // streams yet to be refused
  std::uint64_t hits_ = 0;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_FAULTY_CONNECTIONS_H_
