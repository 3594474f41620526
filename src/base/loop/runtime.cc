#include "kinformer/base/runtime.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <stop_token>
#include <utility>

#include "base/core/contained_sinks.h"
#include "base/core/env_view.h"
#include "base/core/forked.h"
#include "base/core/named_env.h"
#include "base/core/prng.h"
#include "base/core/real_thread.h"
#include "base/core/system_random.h"
#include "base/loop/cpu_limit.h"
#include "base/loop/event_loop.h"
#include "base/loop/heap_pages.h"
#include "base/loop/io_loop.h"
#include "base/loop/own_work.h"
#include "base/loop/simulation_core.h"
#include "base/loop/thread_pool.h"

namespace kinformer {
namespace {

class RealMonitor final : public Monitor {
 public:
  void Lock() override {
#ifdef KINFORMER_CHECKS_FORKS
    birthplace_.AbortInAnotherProcess();
#endif
    mutex_.lock();
  }
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
#ifdef KINFORMER_CHECKS_FORKS
  const internal::base::Birthplace birthplace_{};
#endif
  std::mutex mutex_;
  std::condition_variable condition_;
};

class RealThread final : public Thread {
 public:
  explicit RealThread(std::thread thread) : thread_(std::move(thread)) {}
  ~RealThread() override {
    if (IsCaller()) internal::base::DieOfOwnThread("Thread");
    RealThread::Join();
  }
  RealThread(const RealThread&) = delete;
  RealThread& operator=(const RealThread&) = delete;
  void Join() override {
    if (!thread_.joinable()) return;
    if (birthplace_.InAnotherProcess()) {
      thread_.detach();  // the thread exists only in the parent
    } else if (IsCaller()) {
      internal::base::ThrowOfOwnThread();
    } else {
      thread_.join();
    }
  }

 private:
  [[nodiscard]] bool IsCaller() const {
    return thread_.get_id() == std::this_thread::get_id() && !birthplace_.InAnotherProcess();
  }

  std::thread thread_;
  const internal::base::Birthplace birthplace_;
};

class RealLoop final : public Loop {
 public:
  RealLoop(Env& env, internal::base::EventLoopOptions options)
      : view_(env, loop_), loop_(std::move(options), env.log(), env.metrics()) {}
  ~RealLoop() override {
    if (internal::base::EventLoop::Current() == &loop_) internal::base::DieOfOwnThread("Loop");
  }
  RealLoop(const RealLoop&) = delete;
  RealLoop& operator=(const RealLoop&) = delete;
  [[nodiscard]] Env& env() override { return view_; }

 private:
  internal::base::EnvView view_;  // the loop's remaining tasks may use it during the destruction
  internal::base::EventLoop loop_;
};

// Enough for one hanging plugin in each of many clusters, without delay for other clusters.
constexpr std::size_t kOwnThreads = 64;

// Handlers may block, so a few threads per processor are useful; many would only compete.
std::size_t PoolLimit(std::size_t wanted) {
  return std::min(wanted, std::max<std::size_t>(4, 4 * internal::base::CpuLimit()));
}

}  // namespace

struct Runtime::Impl final : Env, internal::base::KeepsNamedEnvs, internal::base::HasOwnWork {
  explicit Impl(RuntimeOptions options)
      : name_(std::move(options.name)),
        tracer_(std::move(options.tracer)),
        sinks_(internal::base::ContainedSinks(
            options.log != nullptr ? std::move(options.log) : NewStderrLog(LogLevel::kWarning),
            options.metrics != nullptr ? std::move(options.metrics) : NewNullMetrics())),
        random_state_(internal::base::SystemRandom()),
        loop_({.thread_name = name_ + "/loop",
               .host_driven = options.host_driven_loop,
               .owner = this,
               .own_work = this},
              *sinks_.log, *sinks_.metrics),
        own_threads_(loop_,
                     {.thread_name = name_ + "/own", .core_threads = 1, .max_threads = kOwnThreads},
                     *sinks_.log),
        pool_(loop_,
              {.thread_name = name_ + "/pool",
               .core_threads = 2,
               .max_threads = PoolLimit(options.max_handler_threads)},
              *sinks_.log) {
    if (!options.huge_pages) internal::base::SetHugePages(false);
  }

  ~Impl() override {
    if (internal::base::EventLoop::Current() == &loop_ || pool_.InThisExecutor() ||
        own_threads_.InThisExecutor()) {
      internal::base::DieOfOwnThread("Runtime");
    }
    RunWhatIsLeft();
    // Ends plugins first, because a handler may wait for one.
    own_work_ends_.request_stop();
    pool_.Stop();
    own_threads_.Stop();
    RunWhatIsLeft();
    loop_.Stop();
  }

  // Runs the tasks that destructors on the host's thread have posted for their cleanup.
  void RunWhatIsLeft() {
    constexpr int kMostSlices = 1000;
    if (loop_.Fd() < 0) return;
    for (int i = 0; i < kMostSlices && loop_.RunReady(std::chrono::milliseconds(1)); ++i) {
    }
  }

  [[nodiscard]] SteadyTime Now() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] BootTime BootNow() const override {
    std::timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return BootTime(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
  }
  [[nodiscard]] WallTime WallNow() const override { return std::chrono::system_clock::now(); }
  [[nodiscard]] std::uint64_t Random() override {
    return internal::base::MixBits(
        random_state_.fetch_add(internal::base::kGoldenGamma, std::memory_order_relaxed));
  }

  [[nodiscard]] Executor& loop() override { return loop_; }
  [[nodiscard]] Executor& pool() override { return pool_; }
  [[nodiscard]] internal::base::OwnWork own_work() override {
    return {*this, own_threads_, own_work_ends_.get_token()};
  }
  [[nodiscard]] std::unique_ptr<Monitor> NewMonitor() override {
    return std::make_unique<RealMonitor>();
  }
  [[nodiscard]] std::unique_ptr<Thread> NewThread(std::string name, Closure body) override {
    return std::make_unique<RealThread>(internal::base::StartThread(
        name_ + "/" + name, [log = sinks_.log.get(), task = std::move(body), name]() mutable {
          internal::base::RunContained(task, *log, name.c_str());
        }));
  }
  [[nodiscard]] std::unique_ptr<Loop> NewLoop(std::string name) override {
    return std::make_unique<RealLoop>(
        *this,
        internal::base::EventLoopOptions{
            .name = name, .thread_name = name_ + "/" + name, .owner = this, .own_work = this});
  }
  [[nodiscard]] bool OnLoopThread() const override {
    const internal::base::EventLoop* const current = internal::base::EventLoop::Current();
    return (current != nullptr && current->owner() == this) || loop_.InThisExecutor();
  }
  [[nodiscard]] LogSink& log() override { return *sinks_.log; }
  [[nodiscard]] MetricsSink& metrics() override { return *sinks_.metrics; }
  [[nodiscard]] Tracer* tracer() override { return tracer_.get(); }

  const std::string name_;
  const std::shared_ptr<Tracer> tracer_;
  const internal::base::Sinks sinks_;
  const internal::base::Birthplace birthplace_;
  std::atomic<std::uint64_t> random_state_;
  internal::base::EventLoop loop_;
  std::stop_source own_work_ends_;
  internal::base::ThreadPool own_threads_;
  internal::base::ThreadPool pool_;
};

Runtime::Runtime(RuntimeOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Runtime::~Runtime() {
  // The threads exist only in the parent, so a join would never return.
  if (impl_->birthplace_.InAnotherProcess()) internal::base::LeaveToParent(std::move(impl_));
}
Env& Runtime::env() { return *impl_; }
int Runtime::Fd() const { return impl_->loop_.Fd(); }
bool Runtime::RunReady(Duration slice) { return impl_->loop_.RunReady(slice); }

bool internal::base::IsForkedOff(Env& env) {
  const auto* loop = dynamic_cast<const EventLoop*>(&env.loop());
  return loop != nullptr && loop->Forked();
}

boost::asio::io_context* internal::base::IoContextOf(Env& env) {
  auto* loop = dynamic_cast<EventLoop*>(&env.loop());
  if (loop == nullptr) {
    const auto* const simulated = dynamic_cast<const SimulationCore*>(&env);
    return simulated == nullptr ? nullptr : simulated->io();
  }
  // See EventLoop::io().
  loop->Post([] {});
  return &loop->io();
}

}  // namespace kinformer
