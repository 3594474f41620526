#include "client/tools/command_input.h"

#include <utility>

namespace kinformer::internal::client {

Result<void> CommandInputState::Write(std::string_view text) {
  if (text.empty()) return {};
  Result<void> written = text_.Write(text);
  if (written) Wake();
  return written;
}

void CommandInputState::Close() {
  text_.Close();
  Wake();
}

void CommandInputState::Resize(TerminalSize size) {
  {
    const base::MutexLock lock(mutex_);
    size_ = size;
  }
  Wake();
}

Result<void> CommandInputState::Attach(std::function<void()> wake) {
  const base::MutexLock lock(mutex_);
  if (std::exchange(attached_, true)) {
    return Error(Reason::kInvalidArgument,
                 "a CommandInput belongs to one command; make another one for this");
  }
  wake_ = std::move(wake);
  return {};
}

std::optional<TerminalSize> CommandInputState::TakeSize() {
  const base::MutexLock lock(mutex_);
  return std::exchange(size_, std::nullopt);
}

bool CommandInputState::TakeEnd() {
  if (!text_.AtEnd()) return false;
  const base::MutexLock lock(mutex_);
  return !std::exchange(end_taken_, true);
}

void CommandInputState::End() {
  text_.End();
  const base::MutexLock lock(mutex_);
  wake_ = nullptr;
}

void CommandInputState::Wake() {
  std::function<void()> wake;
  {
    const base::MutexLock lock(mutex_);
    wake = wake_;
  }
  if (wake) wake();
}

}  // namespace kinformer::internal::client
