#include "kinformer/base/stop.h"

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/core/real_thread.h"

namespace kinformer {

struct StopSource::State {
  void Wait() {
    std::unique_lock lock(mutex);
    condition.wait(lock, [this] { return source.stop_requested(); });
  }

  std::mutex mutex;
  std::condition_variable condition;
  std::stop_source source;
  struct Waker {
    State* state;
    void operator()() const {
      const std::lock_guard lock(state->mutex);
      state->condition.notify_all();
    }
  };
  std::stop_callback<Waker> waker{source.get_token(), Waker{this}};
};

StopSource::StopSource() : state_(std::make_shared<State>()) {}
std::stop_token StopSource::token() const { return state_->source.get_token(); }
void StopSource::RequestStop() {
  // Callbacks may destroy this object.
  const std::shared_ptr<State> state = state_;
  state->source.request_stop();
}
bool StopSource::stop_requested() const { return state_->source.stop_requested(); }
void StopSource::Wait() const { state_->Wait(); }

namespace {

std::atomic<int> signal_fd{-1};
std::atomic<int> signals_seen{0};
std::atomic<pid_t> stopping_process{0};
static_assert(std::atomic<int>::is_always_lock_free);

// Only async-signal-safe calls are allowed here. Stop callbacks are not, so a thread runs them.
extern "C" void KinformerOnStopSignal(int signal) {
  const int saved_errno = errno;
  if (::getpid() != stopping_process.load(std::memory_order_relaxed)) {
    // A forked child with the parent's descriptor: the signal is only for the child.
    const struct sigaction fallback{};  // SIG_DFL
    sigaction(signal, &fallback, nullptr);
    ::kill(::getpid(), signal);  // blocked until this returns
    errno = saved_errno;
    return;
  }
  if (signals_seen.fetch_add(1, std::memory_order_relaxed) > 0) _exit(128 + signal);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written =
      ::write(signal_fd.load(std::memory_order_relaxed), &one, sizeof(one));
  errno = saved_errno;
}

}  // namespace

StopSource StopOnSignals() {
  // Never destroyed: a signal may arrive while the process ends.
  static StopSource* const source = [] {
    auto* made = new StopSource();
    const int fd = ::eventfd(0, EFD_CLOEXEC);
    signal_fd.store(fd, std::memory_order_relaxed);
    stopping_process.store(::getpid(), std::memory_order_relaxed);
    internal::base::StartDetachedThread("kinformer/stop", [fd, copy = *made]() mutable {
      std::uint64_t count = 0;
      while (::read(fd, &count, sizeof(count)) < 0 && errno == EINTR) {
      }
      copy.RequestStop();
    });
    struct sigaction action{};
    action.sa_handler = &KinformerOnStopSignal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return made;
  }();
  return *source;
}

}  // namespace kinformer
