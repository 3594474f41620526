// testing/webhook_gate.h
//
// WebhookGate: a transport between the server and its webhooks, which delays, fails or cuts calls
// as a test requests.

#ifndef KINFORMER_TESTING_WEBHOOK_GATE_H_
#define KINFORMER_TESTING_WEBHOOK_GATE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"

namespace kinformer::testing {

// Confined to the simulation's single running thread, as are all of these tests. All addresses in
// configurations lead to the same handler.
class WebhookGate final : public Transport {
 public:
  explicit WebhookGate(Env& env) : env_(env) {}
  ~WebhookGate() override;
  WebhookGate(const WebhookGate&) = delete;
  WebhookGate& operator=(const WebhookGate&) = delete;

  [[nodiscard]] std::unique_ptr<HttpCall> Start(HttpRequest request,
                                                ResponseReceiver& receiver) override;
  [[nodiscard]] TransportStats Stats() const override { return {.requests = requests_}; }
  [[nodiscard]] std::string Describe() const override { return "https://webhooks"; }

  // Sends calls to `handler` from now on; while `running` returns false, connections are refused.
  // `handler` must outlive this, or Close must be called before.
  void Serve(Handler& handler, std::function<bool()> running);
  // Removes the handler: connections are refused.
  void Close();
  void Delay(Duration delay) { delay_ = delay; }
  // Answers every call with a 500 until then.
  void Fail(SteadyTime until) { failing_until_ = until; }
  // Blocks all traffic until then. Also cuts the calls under way.
  void Disconnect(SteadyTime until);

 private:
  class Call;

  Env& env_;
  std::shared_ptr<InMemoryTransport> handler_;  // null: none
  std::function<bool()> running_;
  std::vector<Call*> calls_;  // in the order of their start
  std::uint64_t requests_ = 0;
  Duration delay_{0};
  SteadyTime failing_until_{};
  SteadyTime disconnected_until_{};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_WEBHOOK_GATE_H_
