// kinformer/workqueue/worker.h
//
// RunWorkers: the loop of every controller around its queue: take an item, reconcile it, retry it
// if that failed.
//
//   RateLimitingQueue<ObjectName> queue(env, {.name = "pods"});
//   Workers workers = RunWorkers(env, queue, 2, [&](const ObjectName& key) -> Result<void> {
//     return Reconcile(key);
//   });
//   ...
//   workers.Stop();   // so does their destructor: they end once what waits is done

#ifndef KINFORMER_WORKQUEUE_WORKER_H_
#define KINFORMER_WORKQUEUE_WORKER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/workqueue/rate_limiting_queue.h"

namespace kinformer {

namespace internal {
// Calls `call` and turns an exception into an error. Out of line, so that this header compiles
// without exceptions.
Result<void> CallContained(const std::function<Result<void>()>& call);
}  // namespace internal

// Threads that process a queue. Move-only. Destruction stops them, and so does a move assignment to
// them; declare them after their queue.
class Workers {
 public:
  Workers() = default;
  // Takes threads. `stop` shuts the queue down; if it throws, the threads are joined nevertheless.
  Workers(std::vector<std::unique_ptr<Thread>> threads, std::function<void()> stop)
      : threads_(std::move(threads)), stop_(std::move(stop)) {}
  Workers(Workers&&) noexcept = default;
  Workers& operator=(Workers&& other) noexcept {
    Stop();
    threads_ = std::exchange(other.threads_, {});
    stop_ = std::exchange(other.stop_, {});
    return *this;
  }
  ~Workers() { Stop(); }

  // Waits until the queue has been shut down by another caller and is drained.
  void Join() {
    for (const std::unique_ptr<Thread>& thread : threads_) thread->Join();
    threads_.clear();
  }
  // Shuts the queue down and waits until it is drained. Does nothing if the threads have ended.
  void Stop() {
    if (threads_.empty()) return;
    static_cast<void>(internal::CallContained([this]() -> Result<void> {
      stop_();
      return {};
    }));
    Join();
  }

 private:
  std::vector<std::unique_ptr<Thread>> threads_;
  std::function<void()> stop_;
};

namespace internal {
// Logs why an item will be retried. `item` is empty if it has no text.
void ReportRetry(Env& env, const std::string& worker, const std::string& item, int requeues,
                 const Error& error);

// Returns an item's text for log lines.
template <class Item>
std::string TextOf(const Item& item) {
  if constexpr (requires { std::string(item); }) {
    return std::string(item);
  } else if constexpr (requires { std::string(item.ToString()); }) {
    return std::string(item.ToString());
  } else if constexpr (requires { std::to_string(item); }) {
    return std::to_string(item);
  } else {
    return {};
  }
}
}  // namespace internal

// Name of workers.
struct WorkerOptions {
  std::string name{"worker"};  // first part of the threads' names, and of log lines
};

// Takes one item and calls reconcile(item), a Result<void>. Success forgets the item's failures; an
// error or an exception is logged with the item, which is added again with rate limit. Calls Done
// in all cases. Returns false if the queue has shut down.
template <class Item, class Hash, class Reconcile>
bool ProcessNextWorkItem(Env& env, RateLimitingQueue<Item, Hash>& queue, Reconcile& reconcile,
                         const std::string& name = "worker") {
  const std::optional<Item> item = queue.Get();
  if (!item) return false;
  const Result<void> result =
      internal::CallContained([&]() -> Result<void> { return reconcile(*item); });
  if (result.ok()) {
    queue.Forget(*item);
  } else {
    internal::ReportRetry(env, name, internal::TextOf(*item), queue.NumRequeues(*item),
                          result.error());
    queue.AddRateLimited(*item);
  }
  queue.Done(*item);
  return true;
}

// Starts `count` threads that process items until the queue shuts down. `queue` must outlive the
// returned Workers; `reconcile` is copied into each thread and is called from all of them at once,
// for different items.
template <class Item, class Hash, class Reconcile>
[[nodiscard]] Workers RunWorkers(Env& env, RateLimitingQueue<Item, Hash>& queue, std::size_t count,
                                 Reconcile reconcile, const WorkerOptions& options = {}) {
  static_assert(std::is_invocable_r_v<Result<void>, Reconcile&, const Item&>,
                "a function of workers is called with the item alone and gives a Result<void>: "
                "[](const ObjectName& name) -> Result<void> { ...; return {}; }; an error brings "
                "the item back later");
  std::vector<std::unique_ptr<Thread>> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.push_back(env.NewThread(options.name + std::to_string(i),
                                    [&env, &queue, reconcile, name = options.name]() mutable {
                                      while (ProcessNextWorkItem(env, queue, reconcile, name)) {
                                      }
                                    }));
  }
  return Workers(std::move(threads), [&queue] { queue.ShutDown(); });
}

namespace internal {
template <class Queue>
concept CannotAddLater = requires(Queue& queue) {
  []<class I, class H>(WorkQueue<I, H>&) {}(queue);
} && !requires(Queue& queue) { []<class I, class H>(RateLimitingQueue<I, H>&) {}(queue); };
}  // namespace internal
// Explains a queue of another kind at compile time.
template <internal::CannotAddLater Queue, class... Rest>
auto RunWorkers(Env& /*env*/, Queue& /*queue*/, const Rest&... /*rest*/) {
  static_assert(internal::kNeverHolds<Queue>,
                "RunWorkers adds what has failed again, later and later, so its queue is a "
                "RateLimitingQueue<ObjectName>");
  return Workers();
}

}  // namespace kinformer

#endif  // KINFORMER_WORKQUEUE_WORKER_H_
