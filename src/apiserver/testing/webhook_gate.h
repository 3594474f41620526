// apiserver/testing/webhook_gate.h
//
// WebhookGate: what stands between the server and its webhooks, and does to them what a test asks
// for.

#ifndef KINFORMER_APISERVER_TESTING_WEBHOOK_GATE_H_
#define KINFORMER_APISERVER_TESTING_WEBHOOK_GATE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/transport.h"

namespace kinformer::testing {

// Confined to the simulation's one running thread, as all of these tests are. Whatever address a
// configuration names leads to the one handler.
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

  // Questions go there from now on; while it does not run, nobody is there. `handler` must outlive
  // this, or Close.
  void Serve(Handler& handler, std::function<bool()> running);
  // Nobody is there any more.
  void Close();
  void Delay(Duration delay) { delay_ = delay; }
  // Every question is answered with a 500 until then.
  void Fail(SteadyTime until) { failing_until_ = until; }
  // Nothing gets through until then. Cuts what is under way, too.
  void Disconnect(SteadyTime until);

 private:
  class Call;

  Env& env_;
  std::shared_ptr<InMemoryTransport> handler_;  // null: there is none
  std::function<bool()> running_;
  std::vector<Call*> calls_;  // in the order they began
  std::uint64_t requests_ = 0;
  Duration delay_{0};
  SteadyTime failing_until_{};
  SteadyTime disconnected_until_{};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_APISERVER_TESTING_WEBHOOK_GATE_H_
