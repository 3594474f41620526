// kinformer/internal/call_gate.h
//
// CallGate: lets calls through that come from other threads, until their owner ends.

#ifndef KINFORMER_INTERNAL_CALL_GATE_H_
#define KINFORMER_INTERNAL_CALL_GATE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace kinformer::internal {

// Thread-safe. A call must be short, and must not close the gate.
class CallGate {
 public:
  // Returns a function that calls `call` unless the gate is closed by then. It may outlive this.
  [[nodiscard]] std::function<void()> Guard(std::function<void()> call) const {
    return [state = state_, call = std::move(call)] {
      const std::lock_guard lock(state->mutex);
      if (!state->closed) call();
    };
  }
  // Waits for a call that is inside.
  void Close() {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
  }

 private:
  struct State {
    std::mutex mutex;
    bool closed = false;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_CALL_GATE_H_
