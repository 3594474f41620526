#include "apiserver/node/byte_pipe.h"

namespace kinformer::apiserver {
namespace {

Error ClientIsGone() { return Error(Reason::kStopped, "the client of this stream is gone"); }

}  // namespace

Task<Result<std::string>> BytePipe::Read(std::shared_ptr<BytePipe> self) {
  for (;;) {
    std::optional<Result<std::string>> read = self->TryRead();
    if (read) {
      self->TellLoop();  // there may be room
      co_return *std::move(read);
    }
    co_await self->signal_.Wait();
  }
}

Task<Result<void>> BytePipe::Write(std::shared_ptr<BytePipe> self, std::string bytes) {
  if (self->on_news_ == nullptr) co_return Result<void>();
  bool told = false;
  for (;;) {
    const bool adds = !bytes.empty();
    std::optional<Result<void>> written = self->TryWrite(bytes);
    if (adds || !told) self->TellLoop();
    told = true;
    if (written) co_return *std::move(written);
    co_await self->signal_.Wait();
  }
}

std::optional<Result<std::string>> BytePipe::TryRead() {
  const internal::base::MutexLock lock(mutex_);
  if (over_) return Result<std::string>(ClientIsGone());
  if (on_news_ == nullptr) return Result<std::string>(std::string());
  if (bytes_.empty() && !closed_) return std::nullopt;
  return Result<std::string>(std::exchange(bytes_, {}));
}

std::optional<Result<void>> BytePipe::TryWrite(std::string& bytes) {
  const internal::base::MutexLock lock(mutex_);
  if (over_) return Result<void>(ClientIsGone());
  if (!bytes.empty()) {
    if (bytes_.empty()) {
      bytes_ = std::move(bytes);
    } else {
      bytes_ += bytes;
    }
    bytes.clear();
  }
  if (bytes_.size() >= kMostWaiting) return std::nullopt;
  return Result<void>();
}

void BytePipe::Add(std::string_view bytes) {
  if (bytes.empty()) return;
  {
    const internal::base::MutexLock lock(mutex_);
    if (over_ || closed_ || on_news_ == nullptr) return;
    bytes_ += bytes;
  }
  signal_.Notify();
}

void BytePipe::Close() {
  {
    const internal::base::MutexLock lock(mutex_);
    closed_ = true;
  }
  signal_.Notify();
}

std::string BytePipe::Take(std::size_t most) {
  std::string taken;
  {
    const internal::base::MutexLock lock(mutex_);
    if (bytes_.size() <= most) {
      taken.swap(bytes_);
    } else {
      taken = bytes_.substr(0, most);
      bytes_.erase(0, most);
    }
  }
  if (!taken.empty()) signal_.Notify();
  return taken;
}

bool BytePipe::empty() const {
  const internal::base::MutexLock lock(mutex_);
  return bytes_.empty();
}

bool BytePipe::full() const {
  const internal::base::MutexLock lock(mutex_);
  return !over_ && bytes_.size() >= kMostWaiting;
}

void BytePipe::End() {
  {
    const internal::base::MutexLock lock(mutex_);
    over_ = true;
    bytes_.clear();
  }
  signal_.Notify();
}

Task<Result<WindowSize>> Terminal::Next(std::shared_ptr<Terminal> self) {
  for (;;) {
    std::optional<Result<WindowSize>> next = self->TryNext();
    if (next) co_return *std::move(next);
    co_await self->signal_.Wait();
  }
}

std::optional<Result<WindowSize>> Terminal::TryNext() {
  const internal::base::MutexLock lock(mutex_);
  if (over_) return Result<WindowSize>(ClientIsGone());
  if (!size_) return std::nullopt;
  return Result<WindowSize>(*std::exchange(size_, std::nullopt));
}

void Terminal::Set(WindowSize size) {
  {
    const internal::base::MutexLock lock(mutex_);
    size_ = size;
  }
  signal_.Notify();
}

void Terminal::End() {
  {
    const internal::base::MutexLock lock(mutex_);
    over_ = true;
  }
  signal_.Notify();
}

// ---- The handles of kubelets

Task<Result<std::string>> StreamInput::Read() const { return BytePipe::Read(pipe_); }

Task<Result<void>> StreamOutput::Write(std::string bytes) const {
  return BytePipe::Write(pipe_, std::move(bytes));
}

Task<Result<WindowSize>> ContainerStreams::NextSize() const { return Terminal::Next(terminal); }

// ---- Kubelet

namespace {

Error NotSupported(const char* what) {
  return Error(Reason::kUnknown, std::string("this kubelet does not support ") + what)
      .WithHttpStatus(501);
}

}  // namespace

Task<Result<void>> Kubelet::Logs(PodContainer /*container*/, LogRequest /*request*/,
                                 StreamOutput /*out*/) {
  co_return NotSupported("logs");
}

Task<Result<int>> Kubelet::Exec(PodContainer /*container*/, ExecRequest /*request*/,
                                ContainerStreams /*streams*/) {
  co_return NotSupported("exec");
}

Task<Result<int>> Kubelet::Attach(PodContainer /*container*/, ExecRequest /*request*/,
                                  ContainerStreams /*streams*/) {
  co_return NotSupported("attach");
}

Task<Result<void>> Kubelet::PortForward(PodPlace /*pod*/, std::uint16_t /*port*/,
                                        StreamInput /*in*/, StreamOutput /*out*/) {
  co_return NotSupported("port-forward");
}

}  // namespace kinformer::apiserver
