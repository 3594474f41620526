// base/handler_pool.h
//
// HandlerPool: the Executor under Env::pool() of a Runtime. It runs handler callbacks, which belong
// to the user and may block.

#ifndef KINFORMER_BASE_HANDLER_POOL_H_
#define KINFORMER_BASE_HANDLER_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/log.h"

#include "base/event_loop.h"
#include "base/forked.h"

namespace kinformer::internal::base {

// Thread-safe. The first two threads start when there is work for them, further ones whenever a
// task has waited 10 ms, up to the limit; those above two end after half a minute without work.
// Tasks start in the order posted.
class HandlerPool final : public Executor {
 public:
  // `loop` is the pool's clock and must outlive it.
  HandlerPool(EventLoop& loop, std::string thread_name, std::size_t max_threads, LogSink& log);
  // Stop.
  ~HandlerPool() override;
  HandlerPool(const HandlerPool&) = delete;
  HandlerPool& operator=(const HandlerPool&) = delete;

  void Post(Task task) override;
  Timer RunAt(SteadyTime when, Task task) override;
  [[nodiscard]] bool InThisExecutor() const override;

  // Lets running tasks finish, destroys the others, joins the threads. Not on one of them.
  void Stop();

  [[nodiscard]] std::size_t ThreadCountForTest() const;

 private:
  struct Item {
    Task task;
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
  LogSink& log_;

  // std::mutex with its condition variable: this is what real Envs are made of.
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Item> queue_;
  Threads threads_;
  Threads ended_;  // have left or are leaving Work; to be joined
  std::size_t idle_ = 0;
  bool watching_ = false;
  bool stopped_ = false;
  Timer watch_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_HANDLER_POOL_H_
