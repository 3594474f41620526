// apiserver/webhook/webhook_call.h
//
// WebhookCall, CallWebhook: one call of a webhook over its transport; returns the response body.

#ifndef KINFORMER_APISERVER_WEBHOOK_WEBHOOK_CALL_H_
#define KINFORMER_APISERVER_WEBHOOK_WEBHOOK_CALL_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/registry/webhook_place.h"
#include "apiserver/request/async.h"
#include "apiserver/webhook/value_count.h"

namespace kinformer::apiserver {

// Loop-confined. Destruction cancels the call.
class WebhookCall final : private ResponseReceiver {
 public:
  using Done = std::function<void(Result<std::string> body)>;
  // Calls `done` once, on the loop, never before returning: with the body of a 200, or with the
  // error of a real server's client. `done` may destroy this. The request has ended by then; it is
  // cancelled if the webhook exceeds its timeout.
  WebhookCall(ServerState& state, const WebhookPlace& place, std::string body, Done done);
  ~WebhookCall() override;
  WebhookCall(const WebhookCall&) = delete;
  WebhookCall& operator=(const WebhookCall&) = delete;

 private:
  void OnHeaders(int status, const HttpHeaders& headers) override;
  void OnData(std::string_view data) override;
  void OnDone(Result<void> result) override;
  void Finish(Result<std::string> body);
  // Ends the call with an error.
  void Fail(Reason reason, std::string_view why);
  void FailSoon(std::string why);

  ServerState& state_;
  const std::string url_;
  std::shared_ptr<Transport> transport_{};
  Done done_;
  Deadlines::Id deadline_{};
  int status_ = 0;
  std::string body_{};
  bool too_long_ = false;
  ValueCount values_{};
  std::unique_ptr<HttpCall> call_{};
};

// Awaits the response to one call.
[[nodiscard]] Called<Result<std::string>> CallWebhook(ServerState& state, const WebhookPlace& place,
                                                      std::string body);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WEBHOOK_WEBHOOK_CALL_H_
