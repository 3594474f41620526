#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/client/port_forward.h"

#include "base/core/deadline.h"
#include "base/core/mutex.h"
#include "base/loop/signal.h"
#include "client/tools/outgoing_bytes.h"
#include "client/tools/port_call.h"
#include "client/tools/running_calls.h"

namespace kinformer {
namespace internal::client {
namespace {

constexpr std::size_t kMostReceived = std::size_t{256} << 10;

}  // namespace

// The state of a connection that the loop and the program's threads share.
class PodConnectionState final : public PortReceiver,
                                 public std::enable_shared_from_this<PodConnectionState> {
 public:
  explicit PodConnectionState(Env& env)
      : env_(env),
        monitor_(env.NewMonitor()),
        signal_(std::make_shared<base::Signal>()),
        outgoing_(env, "the pod"),
        calls_(std::make_shared<RunningCalls>(env)) {}

  static Task<Result<PodConnection>> Dial(ResourceClient<corev1::Pod> pods, std::string pod,
                                          std::uint16_t port, CallOptions call) {
    const auto self = std::make_shared<PodConnectionState>(pods.env());
    CallOptions whole = call;
    whole.timeout = TimeSpan();
    whole.stop = self->stop_.get_token();
    const Result<void> started =
        PortCall::Start(pods, pod, port, self, std::move(whole), self->calls_->Begin());
    if (!started) co_return started.error();
    const Check check = [self]() -> std::optional<Result<void>> {
      const MonitorLock lock(*self->monitor_);
      if (self->open_) return Result<void>();
      return self->end_;
    };
    const Result<void> open = co_await self->Until(call, check);
    if (!open) {
      self->Close();
      co_return open.error();
    }
    co_return PodConnection(self);
  }

  static Task<Result<std::string>> Read(std::shared_ptr<PodConnectionState> self,
                                        CallOptions call) {
    const Check check = [self]() -> std::optional<Result<void>> {
      const MonitorLock lock(*self->monitor_);
      if (self->received_.empty() && !self->end_) return std::nullopt;
      return Result<void>();
    };
    const Result<void> ready = co_await self->Until(call, check);
    if (!ready) co_return ready.error();
    co_return self->Taken();
  }

  Result<void> Write(std::string_view bytes) {
    if (bytes.empty()) return {};
    Result<void> written = outgoing_.Write(bytes);
    if (written) OnLoop([](PodConnectionState& self) { self.Flush(); });
    return written;
  }

  void Close() {
    SetEnd({});
    stop_.request_stop();
  }
  // Closes it for the last time: waits for the loop, but not on one.
  void End() {
    Close();
    calls_->Wait();
  }
  [[nodiscard]] Env& env() const { return env_; }

 private:
  using Check = std::function<std::optional<Result<void>>()>;

  void OnPortOpen(std::shared_ptr<PortCall> call) override {
    call_ = std::move(call);
    {
      const MonitorLock lock(*monitor_);
      open_ = true;
    }
    signal_->Notify();
    Flush();
  }
  void OnPortBytes(std::string_view bytes) override {
    bool full = false;
    {
      const MonitorLock lock(*monitor_);
      received_.append(bytes);
      full = received_.size() > kMostReceived && !paused_;
      if (full) paused_ = true;
    }
    if (full) call_->SetPaused(true);
    signal_->Notify();
  }
  void OnPortSent() override { Flush(); }
  void OnPortEnd(Result<void> result) override {
    SetEnd(std::move(result));
    call_.reset();
  }

  void SetEnd(Result<void> result) {
    {
      const MonitorLock lock(*monitor_);
      if (!end_) end_ = std::move(result);
    }
    outgoing_.End();
    signal_->Notify();
  }

  void Flush() {
    if (call_ != nullptr) call_->Send(outgoing_);
  }

  Result<std::string> Taken() {
    std::string taken;
    bool resumes = false;
    {
      const MonitorLock lock(*monitor_);
      if (received_.empty() && end_ && !*end_) return end_->error();
      taken.swap(received_);
      resumes = std::exchange(paused_, false);
    }
    if (resumes)
      OnLoop([](PodConnectionState& self) {
        if (self.call_ != nullptr) self.call_->SetPaused(false);
      });
    return taken;
  }

  Task<Result<void>> Until(const CallOptions& call, const Check& check) {
    std::optional<SteadyTime> deadline;
    if (call.timeout > Duration::zero()) deadline = base::After(env_.Now(), call.timeout);
    const Check limited = [&env = env_, deadline, stop = call.stop,
                           check]() -> std::optional<Result<void>> {
      if (std::optional<Result<void>> decided = check()) return decided;
      if (stop.stop_requested()) {
        return Error(Reason::kCanceled, "the caller has stopped the wait for the pod");
      }
      if (!deadline || env.Now() < *deadline) return std::nullopt;
      return Error(Reason::kDeadlineExceeded, "nothing came from the pod in time");
    };
    return base::AwaitUntil(env_, signal_, call.stop, deadline, limited);
  }

  template <class Do>
  void OnLoop(Do what) {
    env_.loop().Post([self = shared_from_this(), what] { what(*self); });
  }

  Env& env_;
  const std::unique_ptr<Monitor> monitor_;
  const std::shared_ptr<base::Signal> signal_;  // for the reader
  OutgoingBytes outgoing_;
  const std::shared_ptr<RunningCalls> calls_;
  std::stop_source stop_;
  std::shared_ptr<PortCall> call_;  // loop only; null before it is open, and once it has ended
  // Guarded by monitor_.
  std::string received_;
  std::optional<Result<void>> end_;
  bool open_ = false;
  bool paused_ = false;
};

}  // namespace internal::client

using internal::client::PodConnectionState;

Result<PodConnection> PodConnection::Dial(const ResourceClient<corev1::Pod>& pods,
                                          std::string_view pod, std::uint16_t port,
                                          const CallOptions& call) {
  return BlockOn(pods.env(), PodConnectionState::Dial(pods, std::string(pod), port, call));
}

AsyncCall<PodConnection> PodConnection::AsyncDial(const ResourceClient<corev1::Pod>& pods,
                                                  std::string_view pod, std::uint16_t port) {
  return {pods.env(), [pods, pod = std::string(pod), port](CallOptions call) {
            return PodConnectionState::Dial(pods, pod, port, std::move(call));
          }};
}

PodConnection& PodConnection::operator=(PodConnection&& other) noexcept {
  if (this == &other) return *this;
  if (state_ != nullptr) state_->End();
  state_ = std::move(other.state_);
  return *this;
}

PodConnection::~PodConnection() {
  if (state_ != nullptr) state_->End();
}

Result<std::string> PodConnection::Read(const CallOptions& call) {
  return BlockOn(state_->env(), PodConnectionState::Read(state_, call));
}

AsyncCall<std::string> PodConnection::AsyncRead() {
  return {state_->env(), [state = state_](CallOptions call) {
            return PodConnectionState::Read(state, std::move(call));
          }};
}

Result<void> PodConnection::Write(std::string_view bytes) { return state_->Write(bytes); }

void PodConnection::Close() { state_->Close(); }

}  // namespace kinformer
