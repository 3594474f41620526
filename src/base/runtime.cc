#include "kinformer/runtime.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <utility>

#include "base/cpu_limit.h"
#include "base/event_loop.h"
#include "base/handler_pool.h"
#include "base/io_loop.h"
#include "base/prng.h"
#include "base/real_thread.h"

namespace kinformer {
namespace {

class RealMonitor final : public Monitor {
 public:
  void Lock() override { mutex_.lock(); }
  void Unlock() override { mutex_.unlock(); }
  void Wait() override {
    std::unique_lock lock(mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  bool WaitUntil(SteadyTime deadline) override {
    std::unique_lock lock(mutex_, std::adopt_lock);
    const std::cv_status status = condition_.wait_until(lock, deadline);
    lock.release();
    return status == std::cv_status::no_timeout;
  }
  void NotifyOne() override { condition_.notify_one(); }
  void NotifyAll() override { condition_.notify_all(); }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
};

class RealThread final : public Thread {
 public:
  explicit RealThread(std::thread thread) : thread_(std::move(thread)) {}
  ~RealThread() override { Join(); }
  RealThread(const RealThread&) = delete;
  RealThread& operator=(const RealThread&) = delete;
  void Join() override {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

std::uint64_t SeedFromSystem() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

// Handlers may block, so a few threads per processor are useful; many would only fight over it.
std::size_t PoolLimit(std::size_t wanted) {
  return std::min(wanted, std::max<std::size_t>(4, 4 * internal::CpuLimit()));
}

}  // namespace

struct Runtime::Impl final : Env {
  explicit Impl(RuntimeOptions options)
      : name_(std::move(options.name)),
        log_(options.log != nullptr ? std::move(options.log) : NewStderrLog(LogLevel::kWarning)),
        metrics_(options.metrics != nullptr ? std::move(options.metrics) : NewNullMetrics()),
        random_state_(SeedFromSystem()),
        loop_(name_ + "/loop", *log_, *metrics_),
        pool_(loop_, name_ + "/pool", PoolLimit(options.max_handler_threads), *log_) {}

  ~Impl() override {
    if (loop_.InThisExecutor() || pool_.InThisExecutor()) {
      std::fputs(
          "kinformer: a Runtime was destroyed on one of its own threads; it would wait for itself. "
          "Let the thread that made it destroy it.\n",
          stderr);
      std::abort();
    }
    pool_.Stop();
    loop_.Stop();
  }

  [[nodiscard]] SteadyTime Now() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] WallTime WallNow() const override { return std::chrono::system_clock::now(); }
  [[nodiscard]] std::uint64_t Random() override {
    return internal::MixBits(
        random_state_.fetch_add(internal::kGoldenGamma, std::memory_order_relaxed));
  }

  [[nodiscard]] Executor& loop() override { return loop_; }
  [[nodiscard]] Executor& pool() override { return pool_; }
  [[nodiscard]] std::unique_ptr<Monitor> NewMonitor() override {
    return std::make_unique<RealMonitor>();
  }
  [[nodiscard]] std::unique_ptr<Thread> NewThread(std::string name, Task body) override {
    return std::make_unique<RealThread>(internal::StartThread(
        name_ + "/" + name, [log = log_.get(), task = std::move(body), name]() mutable {
          internal::RunContained(task, *log, name.c_str());
        }));
  }
  [[nodiscard]] LogSink& log() override { return *log_; }
  [[nodiscard]] MetricsSink& metrics() override { return *metrics_; }

  const std::string name_;
  const std::shared_ptr<LogSink> log_;
  const std::shared_ptr<MetricsSink> metrics_;
  std::atomic<std::uint64_t> random_state_;
  internal::EventLoop loop_;
  internal::HandlerPool pool_;
};

Runtime::Runtime(RuntimeOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Runtime::~Runtime() = default;
Env& Runtime::env() { return *impl_; }

boost::asio::io_context* internal::IoContextOf(Env& env) {
  auto* loop = dynamic_cast<EventLoop*>(&env.loop());
  return loop == nullptr ? nullptr : &loop->io();
}

}  // namespace kinformer
