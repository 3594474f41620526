#include "client/tools/command_input.h"

#include <cstddef>

namespace kinformer::internal::client {
namespace {

// Bytes that may wait for the connection.
constexpr std::size_t kMostWaiting = std::size_t{1} << 20;

}  // namespace

Result<void> CommandInputState::Write(std::string_view text) {
  if (text.empty()) return {};
  std::function<void()> wake;
  {
    MonitorLock lock(*monitor_);
    while (!over_ && !closed_ && text_.size() > kMostWaiting) {
      if (env_.OnLoopThread()) {
        return Error(Reason::kWouldDeadlock,
                     "the command reads its stdin too slowly, and a loop must not wait; write from "
                     "another thread, or later");
      }
      lock.Wait();
    }
    if (over_) return Error(Reason::kStopped, "the command is over, so nobody reads its stdin");
    if (closed_) return Error(Reason::kStopped, "the command's stdin was closed before");
    text_.append(text);
    wake = wake_;
  }
  if (wake) wake();
  return {};
}

void CommandInputState::Close() {
  std::function<void()> wake;
  {
    MonitorLock lock(*monitor_);
    closed_ = true;
    wake = wake_;
    monitor_->NotifyAll();
  }
  if (wake) wake();
}

void CommandInputState::Resize(TerminalSize size) {
  std::function<void()> wake;
  {
    MonitorLock lock(*monitor_);
    size_ = size;
    wake = wake_;
  }
  if (wake) wake();
}

Result<void> CommandInputState::Attach(std::function<void()> wake) {
  MonitorLock lock(*monitor_);
  if (std::exchange(attached_, true)) {
    return Error(Reason::kInvalidArgument,
                 "a CommandInput belongs to one command; make another one for this");
  }
  wake_ = std::move(wake);
  return {};
}

std::string CommandInputState::Take(std::size_t most) {
  MonitorLock lock(*monitor_);
  std::string taken;
  if (text_.size() <= most) {
    taken.swap(text_);
  } else {
    taken = text_.substr(0, most);
    text_.erase(0, most);
  }
  if (text_.size() <= kMostWaiting) monitor_->NotifyAll();
  return taken;
}

std::optional<TerminalSize> CommandInputState::TakeSize() {
  MonitorLock lock(*monitor_);
  return std::exchange(size_, std::nullopt);
}

bool CommandInputState::TakeEnd() {
  MonitorLock lock(*monitor_);
  if (!closed_ || !text_.empty()) return false;
  return !std::exchange(end_taken_, true);
}

void CommandInputState::End() {
  MonitorLock lock(*monitor_);
  over_ = true;
  wake_ = nullptr;
  text_.clear();
  monitor_->NotifyAll();
}

}  // namespace kinformer::internal::client
