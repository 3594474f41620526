// base/loop/thread_pool.h
//
// ThreadPool: threads for tasks that may block. A Runtime has two pools: Env::pool(), for user
// functions, and the library's own (own_work.h).

#ifndef KINFORMER_BASE_LOOP_THREAD_POOL_H_
#define KINFORMER_BASE_LOOP_THREAD_POOL_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/log.h"

#include "base/core/forked.h"
#include "base/loop/event_loop.h"

namespace kinformer::internal::base {

struct ThreadPoolOptions {
  std::string thread_name{};
  std::size_t core_threads{1};  // threads that are always kept
  std::size_t max_threads{1};
  Duration idle_life{std::chrono::seconds(30)};  // after which other threads without work end
};

// Thread-safe. The core threads start when there is work for them, further ones whenever a task has
// waited 10 ms, up to the limit; those end after some time without work. Tasks start in the
// order posted.
class ThreadPool final : public Executor {
 public:
  // `loop` provides the clock and must outlive the pool.
  ThreadPool(EventLoop& loop, ThreadPoolOptions options, LogSink& log);
  // Calls Stop.
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void Post(Closure task) override;
  Timer RunAt(SteadyTime when, Closure task) override;
  [[nodiscard]] bool InThisExecutor() const override;

  // Lets running tasks finish, destroys the others, joins the threads. Not on one of its threads.
  void Stop();

  [[nodiscard]] std::size_t ThreadCountForTest() const;

 private:
  struct Item {
    Closure task;
    SteadyTime since;
  };
  using Threads = std::list<std::thread>;

  void AddThread();                     // REQUIRES: mutex_ held
  void WatchWaiting(SteadyTime since);  // REQUIRES: mutex_ held
  void CheckWaiting();
  void Work(Threads::iterator self);

  EventLoop& loop_;
  const Birthplace birthplace_;
  const std::string thread_name_;
  const std::size_t max_threads_;
  const std::size_t core_threads_;
  const Duration idle_life_;
  LogSink& log_;

  // std::mutex and its condition variable: real Envs are built on this class.
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Item> queue_;
  Threads threads_;
  Threads ended_;  // threads that have left or are leaving Work; to be joined
  std::size_t idle_ = 0;
  bool watching_ = false;
  bool stopped_ = false;
  Timer watch_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_THREAD_POOL_H_
