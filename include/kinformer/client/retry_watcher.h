// kinformer/client/retry_watcher.h
//
// NewRetryWatcher: a watch that resumes where it was when the server or the network ends it.
//
//   Result<ObjectList<corev1::Pod>> list = client.For<corev1::Pod>("default").List();
//   Watcher<corev1::Pod> watcher =
//       NewRetryWatcher<corev1::Pod>(env, list->metadata().resourceVersion,
//                                    NewListWatch<corev1::Pod>(client, "default"))
//           .OrExit();
//
// It reports each change once and in order, or ends with an error. It cannot resume at a version
// that the server has discarded: an informer can, and most programs need one.

#ifndef KINFORMER_CLIENT_RETRY_WATCHER_H_
#define KINFORMER_CLIENT_RETRY_WATCHER_H_

#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/watcher.h"
#include "kinformer/internal/watcher_core.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Watches from `resource_version` on, which is that of a list or of an event. kInvalidArgument if
// it is "" or "0": such a watch begins with artificial additions, and skipped changes would not be
// noticed.
//
// Opens the watch again when it ends, breaks, cannot be opened or fails: at most once a second, and
// not before the server's Retry-After (two minutes at most).
// Except:
//   - an ERROR event with status 410: the next changes are unknown; the watcher ends with it;
//   - opening it is forbidden or unauthorized: the watcher ends with that;
//   - an event without a resourceVersion: kInternalError, since the watch cannot resume after it.
// If a server answers the opening itself with 410, the watcher tries again for ever, as client-go:
// use a time-out. An unreadable object is omitted, with a warning in the log.
//
// The queue for a slow reader is bounded: after some thousands of events the watch is closed, and
// resumed behind them once they have been read.
//
// May be called on any thread, and never blocks. The watcher is thread-safe, as watcher.h
// documents; it uses `lister_watcher` on the loop, and destroys it on the thread that releases the
// watcher (which may be the loop). `env` must outlive it.
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

#endif  // KINFORMER_CLIENT_RETRY_WATCHER_H_
