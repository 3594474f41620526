// client/exchange_call.h
//
// ExchangeCall: one request for which a task waits. Derived classes take the answer.

#ifndef KINFORMER_CLIENT_EXCHANGE_CALL_H_
#define KINFORMER_CLIENT_EXCHANGE_CALL_H_

#include <memory>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"

#include "client/engine.h"
#include "client/loop_call.h"

namespace kinformer::internal::client {

// Derived classes implement OnHeaders and OnData. Those and what they call run on the loop.
class ExchangeCall : public LoopCall, public ResponseReceiver {
 protected:
  ExchangeCall(std::shared_ptr<Engine> engine, ExchangeRequest&& request)
      : LoopCall(engine->env()), engine_(std::move(engine)), request_(std::move(request)) {}

  // Null before the call begins, and once it has ended.
  [[nodiscard]] Exchange* exchange() const { return exchange_.get(); }

 protected:
  void End() override { exchange_.reset(); }

 private:
  void Begin() override {
    if (request_.feed != nullptr) {
      request_.feed->SetWake([weak = weak_from_this()] {
        const std::shared_ptr<LoopCall> self = weak.lock();
        if (self != nullptr) static_cast<ExchangeCall&>(*self).Wake();
      });
    }
    // Moved: the last hold of an engine must not end within a callback of its transport, as that of
    // a call does which the loop completes.
    exchange_ = std::make_unique<Exchange>(std::move(engine_), std::move(request_), *this);
    exchange_->Start();
  }
  void OnDone(Result<void> result) override { Complete(std::move(result)); }

  std::shared_ptr<Engine> engine_;  // until the request begins
  ExchangeRequest request_;
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_EXCHANGE_CALL_H_
