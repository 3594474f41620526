// test/network/client_calls.h
//
// ClientCalls: requests of one transport and their results, in simulated time.

#ifndef KINFORMER_TEST_NETWORK_CLIENT_CALLS_H_
#define KINFORMER_TEST_NETWORK_CLIENT_CALLS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

#include "network/socket_scene.h"

namespace kinformer::testing {

// One request and its answer.
class ClientCall final : public ResponseReceiver {
 public:
  explicit ClientCall(Env& env) : env_(env), begun_(env.Now()) {}
  void OnHeaders(int status, const HttpHeaders&) override { status_ = status; }
  void OnData(std::string_view data) override {
    bytes_ += data.size();
    heard_ = env_.Now();
  }
  void OnDone(Result<void> result) override {
    result_ = std::move(result);
    took_ = env_.Now() - begun_;
  }

  [[nodiscard]] bool done() const { return result_.has_value(); }
  [[nodiscard]] bool ok() const { return result_ && result_->ok() && status_ == 200; }
  [[nodiscard]] bool failed() const { return result_ && !result_->ok(); }
  [[nodiscard]] std::string error() const { return failed() ? result_->error().message() : ""; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] SteadyTime heard() const { return heard_; }
  [[nodiscard]] Duration took() const { return took_; }

  std::unique_ptr<HttpCall> call{};

 private:
  Env& env_;
  const SteadyTime begun_;
  int status_ = 0;
  std::size_t bytes_ = 0;
  SteadyTime heard_{};
  std::optional<Result<void>> result_{};
  Duration took_{0};
};

// Used by the test's thread. Its destructor ends its calls and its transport.
class ClientCalls {
 public:
  explicit ClientCalls(SocketScene& scene, HttpTransportOptions options = {})
      : scene_(scene), transport_(scene.NewTransport(std::move(options))) {}
  ~ClientCalls() {
    scene_.OnLoop([&] {
      calls_.clear();
      transport_.reset();
    });
    scene_.sim().RunFor(Duration(1));
  }
  ClientCalls(const ClientCalls&) = delete;
  ClientCalls& operator=(const ClientCalls&) = delete;

  ClientCall& Start(std::string target, ConnectionPool pool = ConnectionPool::kShort,
                    Duration timeout = Duration::zero()) {
    calls_.push_back(std::make_unique<ClientCall>(scene_.env()));
    ClientCall& call = *calls_.back();
    scene_.OnLoop([&] {
      call.call =
          transport_->Start({.target = std::move(target), .pool = pool, .timeout = timeout}, call);
    });
    return call;
  }
  // Waits for the answer for a limited time, and then gives up like a caller would.
  ClientCall& Try(std::string target, ConnectionPool pool = ConnectionPool::kShort,
                  Duration patience = std::chrono::seconds(5)) {
    ClientCall& call = Start(std::move(target), pool);
    scene_.sim().RunUntil([&] { return call.done(); }, patience);
    GiveUp(call);
    return call;
  }
  void GiveUp(ClientCall& call) {
    scene_.OnLoop([&] { call.call.reset(); });
  }
  [[nodiscard]] TransportStats Stats() const { return transport_->Stats(); }

 private:
  SocketScene& scene_;
  std::unique_ptr<Transport> transport_;
  std::vector<std::unique_ptr<ClientCall>> calls_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_CLIENT_CALLS_H_
