#include "apiserver/node/pod_log.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/task.h"

#include "apiserver/node/stream_state.h"

namespace kinformer::apiserver {
namespace {

// The pod's output is written as it grows: neither cached nor of a known length.
HttpHeaders LogHeaders() {
  HttpHeaders headers;
  headers.Add("Content-Type", "text/plain; charset=utf-8");
  headers.Add("Cache-Control", "no-cache, private");
  return headers;
}

// Loop-confined.
class LogResponse final : public ResponseStream {
 public:
  LogResponse(std::shared_ptr<StreamState> state, std::shared_ptr<BytePipe> pipe,
              std::string accept)
      : state_(std::move(state)), pipe_(std::move(pipe)), accept_(std::move(accept)) {}

  [[nodiscard]] bool ready() const override {
    Decide();
    if (!begun_) state_->Arm();
    return begun_;
  }
  [[nodiscard]] int status() const override {
    return refusal_ == nullptr ? 200 : refusal_->status();
  }
  [[nodiscard]] const HttpHeaders& headers() const override {
    return refusal_ == nullptr ? headers_ : refusal_->headers();
  }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    Decide();
    if (refusal_ != nullptr) return refusal_->Read(max_bytes, out);
    const std::optional<Result<int>> end = state_->ResultOf(0);
    if (std::string text = pipe_->Take(max_bytes); !text.empty()) {
      out.push_back(BodyChunk::Of(std::move(text)));
      return State::kMore;
    }
    if (end) return end->ok() ? State::kEnd : State::kAbort;
    state_->Arm();
    return State::kWait;
  }
  void SetWake(std::function<void()> wake) override { state_->SetWake(std::move(wake)); }

 private:
  void Decide() const {
    if (begun_) return;
    const std::optional<Result<int>> end = state_->ResultOf(0);
    begun_ = end || !pipe_->empty();
    if (begun_ && pipe_->empty() && !end->ok()) refusal_ = ErrorResponse(end->error(), accept_);
  }

  StreamOwner state_;
  const std::shared_ptr<BytePipe> pipe_;
  const std::string accept_;
  const HttpHeaders headers_ = LogHeaders();
  mutable bool begun_ = false;
  mutable ResponsePtr refusal_{};
};

Task<Result<int>> Run(std::shared_ptr<Kubelet> kubelet, PodContainer container, LogRequest request,
                      std::shared_ptr<BytePipe> pipe) {
  const StreamOutput out(std::move(pipe));
  Result<void> end = co_await kubelet->Logs(std::move(container), std::move(request), out);
  if (!end) co_return end.error();
  co_return 0;
}

}  // namespace

ResponsePtr PodLogResponse(Env& env, std::shared_ptr<Kubelet> kubelet, PodContainer container,
                           LogRequest request, std::string accept) {
  const auto state = std::make_shared<StreamState>(env, 1);
  const std::shared_ptr<BytePipe> pipe = state->NewPipe(true);
  container.pod.stop = state->stop();
  Spawn<Result<int>>(env, env.pool(),
                     Run(std::move(kubelet), std::move(container), std::move(request), pipe),
                     [state](Result<int> end) { state->SetResult(0, std::move(end)); });
  return std::make_unique<LogResponse>(state, pipe, std::move(accept));
}

}  // namespace kinformer::apiserver
