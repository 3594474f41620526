// test/network/socket_scene.h
//
// SocketScene: a Simulation with a server behind a SimulatedNetwork, and transports over libcurl
// that reach it over TLS.

#ifndef KINFORMER_TEST_NETWORK_SOCKET_SCENE_H_
#define KINFORMER_TEST_NETWORK_SOCKET_SCENE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/transport.h"

#include "http/server.h"
#include "network/simulated_network.h"

namespace kinformer::testing {

// Everything runs on the Simulation's loop, in the thread that drives it.
class SocketScene {
 public:
  explicit SocketScene(std::uint64_t seed, std::shared_ptr<LogSink> log = nullptr);
  // Destroy the transports first.
  ~SocketScene();
  SocketScene(const SocketScene&) = delete;
  SocketScene& operator=(const SocketScene&) = delete;

  [[nodiscard]] Simulation& sim() { return sim_; }
  [[nodiscard]] Env& env() { return sim_.env(); }
  [[nodiscard]] SimulatedNetwork& network() { return *network_; }
  // Call once, before the first connection. `handler` must live until StopServing. Not on the loop.
  void Serve(Handler& handler);
  void StopServing();
  // As NewHttpTransport, with this scene's server and network.
  [[nodiscard]] std::unique_ptr<Transport> NewTransport(HttpTransportOptions options = {});
  // Returns a new client certificate for `name`, which the server trusts.
  [[nodiscard]] static Credentials ClientCertificate(const std::string& name);
  // Runs `work` as a task of the loop.
  void OnLoop(const std::function<void()>& work);

 private:
  struct Sockets;
  const std::unique_ptr<Sockets> sockets_;
  Simulation sim_;
  std::unique_ptr<internal::http::Server> server_;
  std::unique_ptr<SimulatedNetwork> network_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_SOCKET_SCENE_H_
