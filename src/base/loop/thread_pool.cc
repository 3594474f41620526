#include "base/loop/thread_pool.h"

#include <chrono>
#include <utility>

#include "base/core/real_thread.h"

namespace kinformer::internal::base {
namespace {

constexpr Duration kPatience = std::chrono::milliseconds(10);

thread_local const ThreadPool* current_pool = nullptr;

}  // namespace

ThreadPool::ThreadPool(EventLoop& loop, ThreadPoolOptions options, LogSink& log)
    : loop_(loop),
      thread_name_(std::move(options.thread_name)),
      max_threads_(std::max<std::size_t>(options.max_threads, 1)),
      core_threads_(std::min(options.core_threads, max_threads_)),
      idle_life_(options.idle_life),
      log_(log) {}

ThreadPool::~ThreadPool() { Stop(); }

void ThreadPool::Post(Closure task) {
  if (birthplace_.InAnotherProcess()) return;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    queue_.push_back(Item{std::move(task), std::chrono::steady_clock::now()});
    if (queue_.size() > idle_) {
      if (threads_.size() < core_threads_) {
        AddThread();
        return;
      }
      WatchWaiting(queue_.front().since);
    }
  }
  // Without the lock, because the woken thread would have to wait for it.
  wake_.notify_one();
}

void ThreadPool::AddThread() {
  for (std::thread& thread : ended_) thread.join();
  ended_.clear();
  const auto self = threads_.emplace(threads_.end());
  *self = StartThread(thread_name_, [this, self] { Work(self); });
}

// No thread is idle, so none can notice that the queue is stuck: the loop checks it.
void ThreadPool::WatchWaiting(SteadyTime since) {
  if (watching_ || threads_.size() >= max_threads_) return;
  watching_ = true;
  watch_ = loop_.RunAt(since + kPatience, [this] { CheckWaiting(); });
}

void ThreadPool::CheckWaiting() {
  const std::lock_guard lock(mutex_);
  watching_ = false;
  if (stopped_ || queue_.empty()) return;
  const SteadyTime now = std::chrono::steady_clock::now();
  SteadyTime since = queue_.front().since;
  if (now - since >= kPatience) {
    AddThread();
    since = now;  // gives the new thread time before the next one is made
  }
  WatchWaiting(since);
}

void ThreadPool::Work(Threads::iterator self) {
  current_pool = this;
  std::unique_lock lock(mutex_);
  while (true) {
    while (queue_.empty() && !stopped_) {
      ++idle_;
      const bool timed_out = wake_.wait_for(lock, idle_life_) == std::cv_status::timeout;
      --idle_;
      if (timed_out && queue_.empty() && threads_.size() > core_threads_ && !stopped_) {
        ended_.splice(ended_.end(), threads_, self);
        return;
      }
    }
    if (stopped_) return;
    {
      Closure task = std::move(queue_.front().task);
      queue_.pop_front();
      lock.unlock();
      RunContained(task, log_, thread_name_.c_str());
    }
    lock.lock();
  }
}

Timer ThreadPool::RunAt(SteadyTime when, Closure task) {
  return loop_.RunAt(when, std::move(task), [this](std::shared_ptr<TimedTask> timed) {
    Post([timed = std::move(timed)] { timed->Run(); });
  });
}

bool ThreadPool::InThisExecutor() const { return current_pool == this; }

void ThreadPool::Stop() {
  std::deque<Item> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(queue_);
    wake_.notify_all();
  }
  dropped.clear();
  // After stopped_ is set, no thread is added or moved between the lists.
  for (std::thread& thread : threads_) thread.join();
  for (std::thread& thread : ended_) thread.join();
  threads_.clear();
  ended_.clear();
}

std::size_t ThreadPool::ThreadCountForTest() const {
  const std::lock_guard lock(mutex_);
  return threads_.size();
}

}  // namespace kinformer::internal::base
