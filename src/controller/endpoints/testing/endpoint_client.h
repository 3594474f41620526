// controller/endpoints/testing/endpoint_client.h
//
// EndpointClient: sends requests to a handler in memory, in simulated time.

#ifndef KINFORMER_CONTROLLER_ENDPOINTS_TESTING_ENDPOINT_CLIENT_H_
#define KINFORMER_CONTROLLER_ENDPOINTS_TESTING_ENDPOINT_CLIENT_H_

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/simulation.h"
#include "kinformer/client/transport.h"

namespace kinformer::testing {

// A request, pending or answered. Its destructor abandons the request. Belongs to the thread of the
// simulation.
class Asked final : private ResponseReceiver {
 public:
  Asked(Env& env, Handler& handler, HttpRequest request)
      : transport_(NewInMemoryTransport(env, handler)),
        call_(transport_->Start(std::move(request), *this)) {}

  int status = 0;  // 0: no answer yet
  HttpHeaders headers{};
  std::string body{};
  bool done = false;

 private:
  void OnHeaders(int code, const HttpHeaders& fields) override {
    status = code;
    headers = fields;
  }
  void OnData(std::string_view data) override { body.append(data); }
  void OnDone(Result<void> result) override { done = result.ok(); }

  std::unique_ptr<InMemoryTransport> transport_;
  std::unique_ptr<HttpCall> call_;
};

// Sends a request without waiting for the answer.
inline std::unique_ptr<Asked> Start(Simulation& sim, Handler& handler, std::string target,
                                    const std::string& token = {}) {
  HttpRequest request{.target = std::move(target)};
  if (!token.empty()) request.headers.Add("Authorization", "Bearer " + token);
  std::unique_ptr<Asked> asked;
  sim.env().loop().Post(
      [&] { asked = std::make_unique<Asked>(sim.env(), handler, std::move(request)); });
  sim.RunReady();
  return asked;
}

// Sends a request and waits at most one minute for the answer.
inline std::unique_ptr<Asked> Ask(Simulation& sim, Handler& handler, std::string target,
                                  const std::string& token = {}) {
  std::unique_ptr<Asked> asked = Start(sim, handler, std::move(target), token);
  sim.RunUntil([&] { return asked->done; }, std::chrono::minutes(1));
  return asked;
}

}  // namespace kinformer::testing

#endif  // KINFORMER_CONTROLLER_ENDPOINTS_TESTING_ENDPOINT_CLIENT_H_
