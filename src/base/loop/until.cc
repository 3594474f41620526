#include "kinformer/base/until.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/core/backoff.h"
#include "base/core/deadline.h"

namespace kinformer {
namespace {

// A wait that ends when stop is requested.
class StoppableWait {
 public:
  StoppableWait(Env& env, const std::stop_token& stop)
      : env_(env), stop_(stop), monitor_(env.NewMonitor()), callback_(stop, Wake{monitor_.get()}) {}

  // Returns false if stop was requested.
  bool Until(SteadyTime when) {
    MonitorLock lock(*monitor_);
    while (!stop_.stop_requested() && env_.Now() < when) lock.WaitUntil(when);
    return !stop_.stop_requested();
  }

 private:
  struct Wake {
    Monitor* monitor;
    void operator()() const {
      MonitorLock lock(*monitor);
      monitor->NotifyAll();
    }
  };
  Env& env_;
  const std::stop_token& stop_;
  const std::unique_ptr<Monitor> monitor_;
  const std::stop_callback<Wake> callback_;
};

bool OnLoop(Env& env, const char* what) {
  if (!env.OnLoopThread()) return false;
  env.log().Log(LogLevel::kError, "a blocking call was made on an event loop; not waiting",
                {{"call", what}});
  return true;
}

}  // namespace

void Until(Env& env, const std::stop_token& stop, Duration period,
           const std::function<void()>& function) {
  JitterUntil(env, stop, period, function, {});
}

void JitterUntil(Env& env, const std::stop_token& stop, Duration period,
                 const std::function<void()>& function, UntilOptions options) {
  if (OnLoop(env, "Until")) return;
  StoppableWait wait(env, stop);
  while (!stop.stop_requested()) {
    const Duration delay =
        options.jitter > 0 ? internal::base::Jitter(env, period, options.jitter) : period;
    const SteadyTime before = env.Now();
    function();
    if (!wait.Until(internal::base::After(options.sliding ? env.Now() : before, delay))) return;
  }
}

bool SleepUnlessStopped(Env& env, const std::stop_token& stop, Duration duration) {
  if (OnLoop(env, "SleepUnlessStopped")) return !stop.stop_requested();
  StoppableWait wait(env, stop);
  return wait.Until(internal::base::After(env.Now(), duration));
}

void ParallelizeUntil(Env& env, const std::stop_token& stop, std::size_t workers,
                      std::size_t pieces, const std::function<void(std::size_t)>& work,
                      ParallelizeOptions options) {
  if (pieces == 0 || OnLoop(env, "ParallelizeUntil")) return;
  const std::size_t chunk = std::max<std::size_t>(1, options.chunk_size);
  const std::size_t chunks = pieces / chunk + (pieces % chunk == 0 ? 0 : 1);
  std::atomic<std::size_t> next{0};
  std::vector<std::unique_ptr<Thread>> threads;  // joined at the end of this function
  for (std::size_t i = 0; i < std::clamp<std::size_t>(workers, 1, chunks); ++i) {
    threads.push_back(env.NewThread("piece" + std::to_string(i), [&] {
      while (true) {
        const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed);
        if (mine >= chunks) return;
        const std::size_t end = std::min(pieces, (mine + 1) * chunk);
        for (std::size_t piece = mine * chunk; piece < end; ++piece) {
          if (stop.stop_requested()) return;
          work(piece);
        }
      }
    }));
  }
}

}  // namespace kinformer
