// kinformer/client/watcher.h
//
// Watcher: a watch whose events are read one by one. Created by NewRetryWatcher (retry_watcher.h)
// and NewIndexerInformerWatcher (informer_watcher.h).
//
//   while (true) {
//     Result<std::optional<ResourceWatchEvent<corev1::Pod>>> next = watcher.Next();
//     if (!next) return next.error();  // the watch has failed for good
//     if (!*next) return {};           // it was stopped
//     Ref<corev1::Pod> pod = (*next)->object;
//     ...
//   }

#ifndef KINFORMER_CLIENT_WATCHER_H_
#define KINFORMER_CLIENT_WATCHER_H_

#include <memory>
#include <optional>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/internal/watcher_core.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

namespace internal {

template <ObjectView T>
ResourceWatchEvent<T> TypedWatchEvent(const OwnedWatchEvent& event) {
  return {event.type, Ref<T>(event.object), event.resourceVersion};
}

}  // namespace internal

// A handle; copies are the same watch. Destroying the last one stops it, and waits until its work
// has ended, except on a loop's thread. Bookmarks are not among its events.
//
// Thread-safe; each event is returned to one caller. Next blocks, Stop does not. Its Env must
// outlive it. Counterpart: watch.Interface; an ERROR event is an error of Next.
template <ObjectView T>
class Watcher {
 public:
  explicit Watcher(std::shared_ptr<internal::WatcherCore> core) : core_(std::move(core)) {}

  // Waits for the next event. Empty: the watch was stopped, here or by Stop, or its error was
  // returned before. kCanceled, kDeadlineExceeded: by `call`; the watch continues. kWouldDeadlock:
  // there is no event at the moment, and the caller is an event loop, which must not wait. Any
  // other error has ended the watch.
  Result<std::optional<ResourceWatchEvent<T>>> Next(const CallOptions& call = {}) const {
    Result<std::optional<internal::OwnedWatchEvent>> event = core_->Next(call);
    if (!event) return std::move(event).error();
    if (!*event) return std::optional<ResourceWatchEvent<T>>();
    return std::optional(internal::TypedWatchEvent<T>(**event));
  }
  // Ends the watch, and drops pending events. Further calls do nothing.
  void Stop() const { core_->Stop(); }

  [[nodiscard]] const std::shared_ptr<internal::WatcherCore>& core() const { return core_; }

 private:
  std::shared_ptr<internal::WatcherCore> core_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_WATCHER_H_
