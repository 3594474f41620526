// kinformer/watch_until.h
//
// UntilWithSync, Until, UntilWithoutRetry: wait until objects are as one wants them.
//
//   UntilResult<corev1::Pod> ready = UntilWithSync<corev1::Pod>(
//       env, NewListWatch<corev1::Pod>(client, "default"), nullptr,
//       {[](const ResourceWatchEvent<corev1::Pod>& event) -> Result<bool> {
//         return event.object->status().phase() == "Running";
//       }},
//       {.timeout = 5min});
//   std::move(ready.result).OrExit();
//
// Until of until.h, which runs a function again and again, is wait.Until; these are those of
// client-go tools/watch.

#ifndef KINFORMER_WATCH_UNTIL_H_
#define KINFORMER_WATCH_UNTIL_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/indexer.h"
#include "kinformer/informer_watcher.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/watcher_core.h"
#include "kinformer/list_watch.h"
#include "kinformer/request_options.h"
#include "kinformer/resource.h"
#include "kinformer/resource_client.h"
#include "kinformer/result.h"
#include "kinformer/retry_watcher.h"
#include "kinformer/watcher.h"

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

// Whether an event is what was waited for; an error ends the wait. Called on the waiting thread;
// what it throws is thrown on. Ask for states (the pod is ready) rather than for changes (it has
// become ready): a relist may skip these. Counterpart: watch.ConditionFunc.
template <ObjectView T>
using ConditionFunc = internal::Callable<Result<bool>(const ResourceWatchEvent<T>& event),
                                         internal::WatchConditionWords>;

// The same of a synced store. Counterpart: watch.PreconditionFunc.
template <ObjectView T>
using PreconditionFunc =
    internal::Callable<Result<bool>(const Indexer<T>& store), internal::PreconditionWords>;

// How a wait ended. `event` is the last one that was looked at, also where `result` is an error;
// empty where there was none.
template <ObjectView T>
struct [[nodiscard]] UntilResult {
  std::optional<ResourceWatchEvent<T>> event{};
  Result<void> result{};
};

// Waits until each condition in turn has held. The event for which one held is offered to the next
// before another event is waited for. No conditions: returns at once. The watch is stopped in any
// case. Blocks; may be called on any thread but a loop's. Several calls at once share nothing but
// what their conditions use; over one Watcher, they would take the events from each other.
// Errors: that of a condition or of the watch; kStopped: the watch was stopped meanwhile;
// kCanceled, kDeadlineExceeded: as `call` says, whose timeout is for the whole wait;
// kWouldDeadlock: on a loop's thread. Counterpart: watch.UntilWithoutRetry.
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

// The same over a NewRetryWatcher: sees each change from behind `resource_version` on, and fails
// where the server has forgotten some. For who must see each of them, as in tests. Counterpart:
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

// The same over a NewIndexerInformerWatcher: begins with what is there, and whatever happens to the
// watch, the wait goes on. With a `precondition`, which may be empty, waits for sync first; where
// it holds of the store, that is all, and there is no event. Returns when nothing of the informer
// runs any more. Counterpart: watch.UntilWithSync.
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
    // At least a moment: 0 would be for ever.
    if (call.timeout > Duration(0)) {
      left.timeout = std::max(call.timeout - (env.Now() - begin), Duration(1));
    }
  }
  return UntilWithoutRetry<T>(made->watcher, std::move(conditions), left);
}

}  // namespace kinformer

#endif  // KINFORMER_WATCH_UNTIL_H_
