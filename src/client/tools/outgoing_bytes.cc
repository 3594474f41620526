#include "client/tools/outgoing_bytes.h"

namespace kinformer::internal::client {
namespace {

constexpr std::size_t kMostWaiting = std::size_t{1} << 20;

}  // namespace

Result<void> OutgoingBytes::Write(std::string_view bytes) {
  MonitorLock lock(*monitor_);
  while (!over_ && !closed_ && bytes_.size() > kMostWaiting) {
    if (env_.OnLoopThread()) {
      return Error(Reason::kWouldDeadlock,
                   reader_ +
                       " reads too slowly, and a loop must not wait; write from another "
                       "thread, or later");
    }
    lock.Wait();
  }
  if (over_) return Error(Reason::kStopped, reader_ + " reads no more: it has ended");
  if (closed_) return Error(Reason::kStopped, "what " + reader_ + " reads was closed before");
  bytes_.append(bytes);
  return {};
}

void OutgoingBytes::Close() {
  const MonitorLock lock(*monitor_);
  closed_ = true;
  monitor_->NotifyAll();
}

void OutgoingBytes::End() {
  const MonitorLock lock(*monitor_);
  over_ = true;
  bytes_.clear();
  monitor_->NotifyAll();
}

std::string OutgoingBytes::Take(std::size_t most) {
  const MonitorLock lock(*monitor_);
  std::string taken;
  if (bytes_.size() <= most) {
    taken.swap(bytes_);
  } else {
    taken = bytes_.substr(0, most);
    bytes_.erase(0, most);
  }
  if (bytes_.size() <= kMostWaiting) monitor_->NotifyAll();
  return taken;
}

bool OutgoingBytes::AtEnd() const {
  const MonitorLock lock(*monitor_);
  return closed_ && bytes_.empty();
}

}  // namespace kinformer::internal::client
