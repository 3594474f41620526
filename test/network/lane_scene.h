// test/network/lane_scene.h
//
// LaneScene: lanes of libcurl connections without the transport around them, in simulated time.

#ifndef KINFORMER_TEST_NETWORK_LANE_SCENE_H_
#define KINFORMER_TEST_NETWORK_LANE_SCENE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/transport.h"

#include "http/server.h"
#include "network/paced_handler.h"
#include "network/simulated_network.h"
#include "transport/curl_lane.h"
#include "transport/curl_loop.h"
#include "transport/curl_transfer.h"

namespace kinformer::testing {

// An exchange and what came of it.
class LaneCall final : public ResponseReceiver {
 public:
  void OnHeaders(int status, const HttpHeaders&) override;
  void OnData(std::string_view data) override;
  void OnDone(Result<void> result) override;

  [[nodiscard]] bool done() const { return result_.has_value(); }
  [[nodiscard]] bool ok() const { return result_ && result_->ok() && status_ == 200; }
  [[nodiscard]] bool failed() const { return result_ && !result_->ok(); }
  [[nodiscard]] std::string error() const { return failed() ? result_->error().message() : ""; }
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  std::function<void()> on_head{};
  std::function<void()> on_data{};
  std::shared_ptr<internal::transport::CurlTransfer> transfer{};

 private:
  int status_ = 0;
  std::size_t bytes_ = 0;
  std::optional<Result<void>> result_{};
};

struct LaneSetup {
  bool tls = true;
  bool server_http2 = true;
  HttpTransportOptions options{};
  std::string proxy{};
  std::string host = "127.0.0.1";
  std::string port = "6443";
  internal::transport::SocketSource* sockets = nullptr;  // null: the scene's network
  bool real_sockets = false;
};

// Everything runs on the Simulation's loop. Its server is a PacedHandler's, over TLS.
class LaneScene {
 public:
  using CurlLane = internal::transport::CurlLane;
  using CurlTransfer = internal::transport::CurlTransfer;

  explicit LaneScene(LaneSetup setup = {});
  // Destroys the lanes.
  ~LaneScene();
  LaneScene(const LaneScene&) = delete;
  LaneScene& operator=(const LaneScene&) = delete;

  [[nodiscard]] Env& env() { return sim_.env(); }
  [[nodiscard]] SteadyTime Now() { return env().Now(); }
  [[nodiscard]] SimulatedNetwork& network() { return *network_; }
  [[nodiscard]] PacedHandler& handler() { return handler_; }
  [[nodiscard]] TransportStats& stats() { return shared_->stats; }
  [[nodiscard]] Simulation& sim() { return sim_; }
  [[nodiscard]] const std::shared_ptr<internal::transport::CurlShared>& shared() const {
    return shared_;
  }
  [[nodiscard]] internal::transport::CurlLoop& loop() { return *loop_; }
  // Number of tasks posted and timers set through the lanes' Env.
  [[nodiscard]] int posted() const;

  CurlLane& NewLane(ConnectionPool pool = ConnectionPool::kShort);
  // Destroys a lane in a task.
  void Destroy(CurlLane& lane);
  // Makes an exchange, of no lane yet.
  LaneCall& Make(std::string target, std::string method = "GET",
                 ConnectionPool pool = ConnectionPool::kShort);
  LaneCall& Add(CurlLane& lane, std::string target, std::string method = "GET");
  void Add(CurlLane& lane, LaneCall& call);
  void Remove(CurlLane& lane, LaneCall& call);
  // Runs `work` as a task of the loop. Sockets are not looked at before RunFor.
  void OnLoop(const std::function<void()>& work);
  void RunFor(Duration duration);
  // Runs for ten milliseconds.
  void RunSoon();

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
  Simulation sim_;
  PacedHandler handler_{sim_.env()};
  std::unique_ptr<internal::http::Server> server_;
  std::unique_ptr<SimulatedNetwork> network_;
  std::shared_ptr<internal::transport::CurlShared> shared_;
  std::unique_ptr<internal::transport::CurlLoop> loop_;
  std::vector<std::unique_ptr<LaneCall>> calls_;
  std::vector<std::unique_ptr<CurlLane>> lanes_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_LANE_SCENE_H_
