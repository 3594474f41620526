#include "apiserver/node/stream_state.h"

namespace kinformer::apiserver {

using internal::base::MutexLock;

std::shared_ptr<BytePipe> StreamState::NewPipe(bool wanted) {
  if (!wanted) return std::make_shared<BytePipe>(nullptr);
  pipes_.push_back(std::make_shared<BytePipe>([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->News();
  }));
  return pipes_.back();
}

std::shared_ptr<Terminal> StreamState::NewTerminal() {
  terminal_ = std::make_shared<Terminal>();
  return terminal_;
}

void StreamState::News() {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(posted_, true)) return;
  }
  env_.loop().Post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Wake();
  });
}

void StreamState::Wake() {
  {
    const MutexLock lock(mutex_);
    posted_ = false;
  }
  if (wake_ && std::exchange(armed_, false)) wake_();
}

void StreamState::SetResult(std::size_t task, Result<int> result) {
  {
    const MutexLock lock(mutex_);
    results_.at(task) = std::move(result);
  }
  News();
}

std::optional<Result<int>> StreamState::ResultOf(std::size_t task) const {
  const MutexLock lock(mutex_);
  return results_.at(task);
}

void StreamState::End() {
  wake_ = nullptr;
  for (const auto& pipe : pipes_) pipe->End();
  if (terminal_ != nullptr) terminal_->End();
  stop_.request_stop();
}

}  // namespace kinformer::apiserver
