// client/resource_calls.h
//
// Calls on the loop that tasks of an AsyncResourceCore wait for: a page of a list, and a watch.

#ifndef KINFORMER_CLIENT_RESOURCE_CALLS_H_
#define KINFORMER_CLIENT_RESOURCE_CALLS_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/client/list_options.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/resource_core.h"

#include "base/core/mutex.h"
#include "client/loop_call.h"

namespace kinformer::internal::client {

// Limit of events that wait for a slow caller of Watch. Programs with more need an informer.
inline constexpr std::size_t kMaxWaitingEvents = 100'000;

// One page of a list.
class TaskPageCall final : public LoopCall, public ListReceiver {
 public:
  TaskPageCall(std::unique_ptr<ListerWatcher> source, Env& env, ListOptions options,
               ListedObjects& out)
      : LoopCall(env), source_(std::move(source)), options_(std::move(options)), out_(out) {}

 private:
  void Begin() override { call_ = source_->List(options_, *this); }
  void End() override {
    call_.reset();
    source_.reset();
  }
  void OnItem(AnyRef object) override { out_.items.push_back(std::move(object).object()); }
  void OnUnreadable(std::string_view namespace_, std::string_view name,
                    const Error& error) override {
    ++out_.unreadable;
    env().log().Log(LogLevel::kWarning, "an object of a list is unreadable and left out",
                    {{"namespace", std::string(namespace_)},
                     {"name", std::string(name)},
                     {"err", error.ToString()}});
  }
  void OnDone(Result<ListMeta> result) override {
    if (!result) {
      Complete(std::move(result).error());
      return;
    }
    out_.metadata = *std::move(result);
    Complete({});
  }

  std::unique_ptr<ListerWatcher> source_;
  const ListOptions options_;
  ListedObjects& out_;  // owned by the task
  std::unique_ptr<ListWatchCall> call_;
};

// A watch that passes its events to a task.
class TaskWatchCall final : public LoopCall, public WatchReceiver {
 public:
  TaskWatchCall(std::unique_ptr<ListerWatcher> source, Env& env, ListOptions options)
      : LoopCall(env), source_(std::move(source)), options_(std::move(options)) {}

  std::deque<OwnedWatchEvent> Take() {
    const base::MutexLock lock(mutex_);
    return std::exchange(events_, {});
  }

 private:
  void Begin() override { call_ = source_->Watch(options_, *this); }
  void End() override {
    call_.reset();
    source_.reset();
  }
  void OnStarted() override {}
  void OnEvent(const WatchEvent& event) override {
    if (event.unreadable) {
      env().log().Log(LogLevel::kWarning, "an object of a watch is unreadable and left out",
                      {{"namespace", std::string(event.namespace_)},
                       {"name", std::string(event.name)},
                       {"err", event.why != nullptr ? event.why->ToString() : "not said"}});
      return;
    }
    const base::MutexLock lock(mutex_);
    if (overflow_) return;
    if (events_.size() >= kMaxWaitingEvents) {
      overflow_ = true;
      // The stream must not be ended inside its own callback.
      env().loop().Post([self = shared_from_this()] {
        static_cast<TaskWatchCall&>(*self).Complete(
            Error(Reason::kOverLimit,
                  "events of a watch arrive faster than they are taken: use an informer"));
      });
      return;
    }
    events_.push_back({event.type, event.object.object(), std::string(event.resourceVersion),
                       event.initial_events_end});
  }
  void OnChunkEnd() override { Wake(); }
  void OnDone(Result<void> result) override { Complete(std::move(result)); }

  std::unique_ptr<ListerWatcher> source_;
  const ListOptions options_;
  std::unique_ptr<ListWatchCall> call_;
  base::Mutex mutex_;
  std::deque<OwnedWatchEvent> events_ KINFORMER_GUARDED_BY(mutex_);
  bool overflow_ KINFORMER_GUARDED_BY(mutex_) = false;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_RESOURCE_CALLS_H_
