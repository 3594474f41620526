// kinformer/cache/async_shared_informer.h
//
// Waits for informers and events that block no thread: a coroutine (task.h) awaits them.
//
//   Task<Result<void>> Follow(SharedInformer<corev1::Pod> pods, std::stop_token stop) {
//     Result<void> synced = co_await AsyncSharedInformer(pods).WaitForCacheSync(stop);
//     if (!synced) co_return synced;
//     AsyncEventReader reader(NewEventReader(pods).OrExit());
//     while (true) {
//       Result<std::vector<ReadEvent<corev1::Pod>>> batch = co_await reader.Next({}, stop);
//       if (!batch) co_return batch.error();
//       for (const ReadEvent<corev1::Pod>& event : *batch) std::cout << event.key << '\n';
//     }
//   }

#ifndef KINFORMER_CACHE_ASYNC_SHARED_INFORMER_H_
#define KINFORMER_CACHE_ASYNC_SHARED_INFORMER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/cache/event_reader.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/wait_for_cache_sync.h"
#include "kinformer/internal/cache_tasks.h"

namespace kinformer {

// The waits of a SharedInformer<T>, with the same results, as tasks. Nothing is kWouldDeadlock:
// they may be awaited on a loop. A task keeps the informer. Copyable. Thread-safe.
template <class T>
class AsyncSharedInformer {
 public:
  explicit AsyncSharedInformer(const SharedInformer<T>& informer) : core_(informer.core()) {}

  [[nodiscard]] Task<Result<void>> WaitForCacheSync(std::stop_token stop = {},
                                                    SyncWaitOptions options = {}) const {
    std::vector<std::shared_ptr<internal::InformerCore>> one(1, core_);
    return internal::SyncTask(core_->env(), std::move(one), std::move(stop), options);
  }
  [[nodiscard]] Task<Result<void>> WaitForHandlersSync(std::stop_token stop = {},
                                                       std::optional<Duration> timeout = {}) const {
    return internal::InformerCore::HandlersSyncTask(core_, std::move(stop), timeout);
  }
  [[nodiscard]] Task<Result<void>> WaitForResourceVersion(
      std::string resourceVersion, std::stop_token stop = {},
      std::optional<Duration> timeout = {}) const {
    return internal::InformerCore::VersionTask(core_, std::move(resourceVersion), std::move(stop),
                                               timeout);
  }
  [[nodiscard]] Task<Result<void>> WaitUntilCurrent(std::stop_token stop = {},
                                                    std::optional<Duration> timeout = {}) const {
    std::vector<std::shared_ptr<internal::InformerCore>> one(1, core_);
    return internal::CurrentTask(core_->env(), std::move(one), std::move(stop), timeout, {});
  }

 private:
  std::shared_ptr<internal::InformerCore> core_;
};

// Waits until all of them have synced, as WaitForCacheSync does. `env` must outlive the task.
// `informers` is a variable where this is awaited: g++ 12 refuses a list in braces there.
[[nodiscard]] Task<Result<void>> AsyncWaitForCacheSync(Env& env,
                                                       const std::vector<InformerSynced>& informers,
                                                       std::stop_token stop = {},
                                                       SyncWaitOptions options = {});

// An EventReader<T> whose Next is a task. Movable; destruction removes the handler. One Next at a
// time; a task keeps the handler's queue, but reads nothing more once this has been destroyed.
template <class T>
class AsyncEventReader {
 public:
  explicit AsyncEventReader(EventReader<T> reader) : reader_(std::move(reader)) {}

  // Returns the next events, at least one, all of one version. Errors are those of
  // EventReader::Next, without kWouldDeadlock.
  [[nodiscard]] Task<Result<std::vector<ReadEvent<T>>>> Next(
      std::optional<SteadyTime> deadline = {}, std::stop_token stop = {}) {
    return Typed(internal::PullTask(reader_.registration().listener(), reader_.max_batch(),
                                    deadline, std::move(stop)));
  }
  [[nodiscard]] const EventHandlerRegistration& registration() const {
    return reader_.registration();
  }

 private:
  static Task<Result<std::vector<ReadEvent<T>>>> Typed(
      Task<Result<std::vector<internal::PulledEvent>>> pulled) {
    Result<std::vector<internal::PulledEvent>> events = co_await pulled;
    if (!events) co_return std::move(events).error();
    co_return EventReader<T>::Typed(*std::move(events));
  }

  EventReader<T> reader_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_ASYNC_SHARED_INFORMER_H_
