#include "testing/webhook_gate.h"

#include <string_view>
#include <utility>

namespace kinformer::testing {

// One call. Holds the response until it is complete and the delay has passed.
class WebhookGate::Call final : public HttpCall, public ResponseReceiver {
 public:
  Call(WebhookGate& gate, ResponseReceiver& server) : gate_(gate), server_(server) {
    gate_.calls_.push_back(this);
  }
  ~Call() override { std::erase(gate_.calls_, this); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void Ask(HttpRequest request) { inner_ = gate_.handler_->Start(std::move(request), *this); }
  void Break() {
    OnHeaders(500, {});
    OnData("the webhook is broken");
    OnDone({});
  }
  void Cut() {
    inner_.reset();
    Later(Duration(0), [this] {
      server_.OnDone(Error(Reason::kConnectionRefused, "connect: connection refused"));
    });
  }

  void OnHeaders(int status, const HttpHeaders& headers) override {
    status_ = status;
    headers_ = headers;
  }
  void OnData(std::string_view data) override { body_ += data; }
  void OnDone(Result<void> result) override {
    Later(gate_.delay_, [this, result = std::move(result)] {
      inner_.reset();
      if (gate_.running_ != nullptr && !gate_.running_()) return Cut();
      if (status_ != 0) server_.OnHeaders(status_, headers_);
      if (!body_.empty()) server_.OnData(body_);
      server_.OnDone(result);  // may destroy this
    });
  }

 private:
  void Later(Duration delay, std::function<void()> then) {
    timer_ = gate_.env_.loop().RunAt(gate_.env_.Now() + delay, [then = std::move(then)] {
      const std::function<void()> go = then;  // `then` may set the timer again
      go();
    });
  }

  WebhookGate& gate_;
  ResponseReceiver& server_;
  std::unique_ptr<HttpCall> inner_;
  int status_ = 0;
  HttpHeaders headers_{};
  std::string body_;
  Timer timer_;
};

WebhookGate::~WebhookGate() { Close(); }

std::unique_ptr<HttpCall> WebhookGate::Start(HttpRequest request, ResponseReceiver& receiver) {
  ++requests_;
  const SteadyTime now = env_.Now();
  auto call = std::make_unique<Call>(*this, receiver);
  if (handler_ == nullptr || !running_() || now < disconnected_until_) {
    call->Cut();
  } else if (now < failing_until_) {
    call->Break();
  } else {
    call->Ask(std::move(request));
  }
  return call;
}

void WebhookGate::Serve(Handler& handler, std::function<bool()> running) {
  Close();
  handler_ = NewInMemoryTransport(env_, handler);
  running_ = std::move(running);
}

void WebhookGate::Close() {
  for (Call* const call : calls_) call->Cut();
  if (handler_ != nullptr) handler_->Down();
  handler_ = nullptr;
}

void WebhookGate::Disconnect(SteadyTime until) {
  disconnected_until_ = until;
  for (Call* const call : calls_) call->Cut();
}

}  // namespace kinformer::testing
