// kinformer/retry_watcher.h
//
// NewRetryWatcher: a watch that goes on where it was when the server or the network ends it.
//
//   Result<ObjectList<corev1::Pod>> list = client.For<corev1::Pod>("default").List();
//   Watcher<corev1::Pod> watcher =
//       NewRetryWatcher<corev1::Pod>(env, list->metadata().resourceVersion,
//                                    NewListWatch<corev1::Pod>(client, "default"))
//           .OrExit();
//
// It shows each change once and in order, or ends with an error. It cannot go on behind what the
// server has forgotten: an informer can, and is what most programs want.

#ifndef KINFORMER_RETRY_WATCHER_H_
#define KINFORMER_RETRY_WATCHER_H_

#include <memory>
#include <string>
#include <utility>

#include "kinformer/env.h"
#include "kinformer/internal/watcher_core.h"
#include "kinformer/list_watch.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/watcher.h"

namespace kinformer {

// Watches from behind `resource_version`, that of a list or of an event. kInvalidArgument where it
// is "" or "0": a watch without a beginning shows made-up additions first, and what it skips cannot
// be told.
//
// Watches again, at most once a second and not before the server's Retry-After (two
// minutes at most), when a watch ends,
// breaks, cannot be opened or fails. Except:
//   - an ERROR event with status 410: what comes next is no longer known; the watcher ends with it;
//   - opening it is forbidden or unauthorized: the watcher ends with that;
//   - an event without a resourceVersion: kInternalError, since nobody could resume behind it.
// A server that answers the opening itself with 410 is asked again for ever, as client-go does: use
// a time-out. An unreadable object is left out, with a warning in the log.
//
// Events that wait for a slow reader are bounded: past some thousands the watch is closed, and
// resumed behind them once they are taken.
//
// May be called on any thread, and never blocks. The watcher is thread-safe, as watcher.h says; it
// uses `lister_watcher` on the loop, and destroys it on the thread that lets go of the watcher, or
// on the loop where that is the one. `env` must outlive it.
// Counterpart: watch.NewRetryWatcher of client-go tools/watch.
template <ObjectView T>
Result<Watcher<T>> NewRetryWatcher(Env& env, std::string resource_version,
                                   std::unique_ptr<ListerWatcher> lister_watcher) {
  Result<std::shared_ptr<internal::WatcherCore>> core =
      internal::NewRetryWatcherCore(env, std::move(resource_version), std::move(lister_watcher));
  if (!core) return std::move(core).error();
  return Watcher<T>(*std::move(core));
}

}  // namespace kinformer

#endif  // KINFORMER_RETRY_WATCHER_H_
