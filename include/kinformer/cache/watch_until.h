// kinformer/cache/watch_until.h
//
// UntilWithSync, Until, UntilWithoutRetry: wait until objects reach a state.
//
//   UntilResult<corev1::Pod> ready = UntilWithSync<corev1::Pod>(
//       env, NewListWatch<corev1::Pod>(client, "default"), nullptr,
//       {[](const ResourceWatchEvent<corev1::Pod>& event) -> Result<bool> {
//         return event.object->status().phase() == "Running";
//       }},
//       {.timeout = 5min});
//   std::move(ready.result).OrExit();
//
// The Until of until.h, which calls a function repeatedly, is wait.Until; these are those of
// client-go tools/watch.

#ifndef KINFORMER_CACHE_WATCH_UNTIL_H_
#define KINFORMER_CACHE_WATCH_UNTIL_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/indexer.h"
#include "kinformer/cache/informer_watcher.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/retry_watcher.h"
#include "kinformer/client/watcher.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/watcher_core.h"
#include "kinformer/object/resource.h"

namespace kinformer {

namespace internal {
struct WatchConditionWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "a condition is called with the event and says whether it holds: [](const "
                  "ResourceWatchEvent<T>& event) -> Result<bool> { ... }");
  }
};
struct PreconditionWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "a precondition is called with the store and says whether it holds: [](const "
                  "Indexer<T>& store) -> Result<bool> { ... }");
  }
};
}  // namespace internal

// Returns true for the event that is waited for; an error ends the wait. Called on the waiting
// thread; exceptions pass through. Check states (the pod is ready) rather than changes (it has
// become ready), which a relist may skip. Counterpart: watch.ConditionFunc.
template <ObjectView T>
using ConditionFunc = internal::Callable<Result<bool>(const ResourceWatchEvent<T>& event),
                                         internal::WatchConditionWords>;

// Does the same for a synced store. Counterpart: watch.PreconditionFunc.
template <ObjectView T>
using PreconditionFunc =
    internal::Callable<Result<bool>(const Indexer<T>& store), internal::PreconditionWords>;

// Result of a wait. `event` is the last one that was checked, even if `result` is an error; empty
// if there was none.
template <ObjectView T>
struct [[nodiscard]] UntilResult {
  std::optional<ResourceWatchEvent<T>> event{};
  Result<void> result{};
};

// Waits until the conditions have held, in order. The event for which one held is checked by the
// next one first. Without conditions returns at once. Stops the watch in all cases. Blocks; may be
// called on any thread but a loop's. Concurrent calls are independent, except for data of their
// conditions; on one Watcher, they would take events from each other. Errors: that of a condition
// or of the watch; kStopped: the watch was stopped meanwhile; kCanceled, kDeadlineExceeded: by
// `call`, whose timeout is for the whole wait; kWouldDeadlock: on a loop's thread. Counterpart:
// watch.UntilWithoutRetry.
template <ObjectView T>
UntilResult<T> UntilWithoutRetry(const Watcher<T>& watcher,
                                 std::vector<ConditionFunc<T>> conditions,
                                 const CallOptions& call = {}) {
  std::vector<internal::RawCondition> untyped;
  untyped.reserve(conditions.size());
  for (ConditionFunc<T>& condition : conditions) {
    untyped.emplace_back([f = std::move(condition)](const internal::OwnedWatchEvent& event) {
      return f(internal::TypedWatchEvent<T>(event));
    });
  }
  internal::RawUntilResult ended = internal::UntilWithoutRetryCore(*watcher.core(), untyped, call);
  UntilResult<T> typed{{}, std::move(ended.result)};
  if (ended.event) typed.event = internal::TypedWatchEvent<T>(*ended.event);
  return typed;
}

// Does the same with a NewRetryWatcher: checks each change after `resource_version`, and fails if
// the server has discarded some. For callers that must not miss any, as in tests. Counterpart:
// watch.Until.
template <ObjectView T>
UntilResult<T> Until(Env& env, std::string resource_version,
                     std::unique_ptr<ListerWatcher> lister_watcher,
                     std::vector<ConditionFunc<T>> conditions, const CallOptions& call = {}) {
  Result<Watcher<T>> watcher =
      NewRetryWatcher<T>(env, std::move(resource_version), std::move(lister_watcher));
  if (!watcher) return {{}, std::move(watcher).error()};
  return UntilWithoutRetry<T>(*watcher, std::move(conditions), call);
}

// Does the same with a NewIndexerInformerWatcher: begins with the existing objects, and continues
// whatever happens to the watch. If there is a `precondition`, first waits for sync; if it then
// holds for the store, the wait ends, without an event. Returns when all work of the informer has
// ended. Counterpart: watch.UntilWithSync.
template <ObjectView T>
UntilResult<T> UntilWithSync(Env& env, std::unique_ptr<ListerWatcher> lister_watcher,
                             const PreconditionFunc<T>& precondition,
                             std::vector<ConditionFunc<T>> conditions,
                             const CallOptions& call = {}) {
  Result<IndexerInformerWatcher<T>> made =
      NewIndexerInformerWatcher<T>(env, std::move(lister_watcher));
  if (!made) return {{}, std::move(made).error()};
  CallOptions left = call;
  if (precondition) {
    const SteadyTime begin = env.Now();
    SyncWaitOptions wait;
    if (call.timeout > Duration(0)) wait.timeout = call.timeout;
    Result<void> synced = made->informer.WaitForCacheSync(call.stop, wait);
    if (!synced) return {{}, std::move(synced).error().WithContext("UntilWithSync")};
    const Result<bool> holds = precondition(made->indexer);
    if (!holds.ok()) return {{}, holds.error()};
    if (*holds) return {};
    // Keeps it above 0, which would mean no limit.
    if (call.timeout > Duration(0)) {
      left.timeout = std::max(call.timeout - (env.Now() - begin), Duration(1));
    }
  }
  return UntilWithoutRetry<T>(made->watcher, std::move(conditions), left);
}

}  // namespace kinformer

#endif  // KINFORMER_CACHE_WATCH_UNTIL_H_
