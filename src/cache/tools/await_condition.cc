#include "kinformer/cache/await_condition.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/cache/informer_options.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/cache_tasks.h"
#include "kinformer/internal/event_reader_core.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/object/field_selector.h"

#include "base/core/deadline.h"

namespace kinformer::internal {
namespace {

// Removes a listener at the end of the scope, even if a condition throws.
class RemovedAtEnd {
 public:
  explicit RemovedAtEnd(std::shared_ptr<cache::Listener> listener)
      : listener_(std::move(listener)) {}
  ~RemovedAtEnd() { static_cast<void>(RemoveListener(listener_)); }
  RemovedAtEnd(const RemovedAtEnd&) = delete;
  RemovedAtEnd& operator=(const RemovedAtEnd&) = delete;

 private:
  const std::shared_ptr<cache::Listener> listener_;
};

// Requests a stop when the caller does, or when the informer stops: a reader waits on then, as the
// informer may be started again.
class EndOfWait {
 public:
  EndOfWait(const std::shared_ptr<InformerCore>& informer, const std::stop_token& stop)
      : informer_(informer),
        on_stop_(stop, [source = ended_]() mutable { source.request_stop(); }),
        // Weak: an observer may be called during the informer's destruction.
        observation_(informer->Observe(
            [source = ended_, weak = std::weak_ptr<InformerCore>(informer)]() mutable {
              const std::shared_ptr<InformerCore> observed = weak.lock();
              if (observed != nullptr && HasEnded(*observed)) source.request_stop();
            })) {
    if (HasEnded(*informer)) ended_.request_stop();
  }
  [[nodiscard]] std::stop_token token() const { return ended_.get_token(); }
  // Returns the reason where the error is only that of the token.
  [[nodiscard]] Error Reasoned(const Error& error, const std::stop_token& stop) const {
    if (error.reason() != Reason::kCanceled || stop.stop_requested()) return error;
    return Error(Reason::kStopped, "the informer for " + informer_->Describe() + " has stopped");
  }

 private:
  static bool HasEnded(const InformerCore& informer) {
    return informer.IsStopped() || informer.IsEnding();
  }

  const std::shared_ptr<InformerCore> informer_;
  std::stop_source ended_{};
  const std::stop_callback<std::function<void()>> on_stop_;
  const std::shared_ptr<void> observation_;
};

// Checks the states of one object.
class Check {
 public:
  explicit Check(wait::ObjectCondition condition) : condition_(std::move(condition)) {}

  // Checks a state; null: the object does not exist.
  Result<bool> Holds(ObjectRef object) {
    last_ = std::move(object);
    seen_ = true;
    return condition_.Holds(wait::ObservedObject(AnyRef(last_)));
  }
  [[nodiscard]] const ObjectRef& last() const { return last_; }
  // Adds to an error of the wait what was awaited, and what was seen last.
  [[nodiscard]] Error Explained(const Error& error, const InformerCore& informer,
                                const ObjectName& name) const {
    if (error.reason() == Reason::kDeadlineExceeded && seen_) {
      return Error(Reason::kDeadlineExceeded,
                   "timed out waiting for " + condition_.what() + " of " + name.ToString() +
                       " among " + informer.Describe() + "; " +
                       (last_ ? "its last state is that of resourceVersion " +
                                    std::string(last_->resourceVersion())
                              : std::string("it does not exist")));
    }
    return Error(error).WithContext("waiting for " + condition_.what() + " of " + name.ToString());
  }

 private:
  const wait::ObjectCondition condition_;
  ObjectRef last_{};
  bool seen_ = false;
};

// Returns the object in the store; null if it is known not to exist.
Result<ObjectRef> Stored(const std::shared_ptr<InformerCore>& informer, const ObjectName& name) {
  Result<ObjectRef> object = informer->indexer().GetOrWhyNot("object", name.namespace_, name.name);
  if (!object && IsAbsent(object.error())) return ObjectRef();
  return object;
}

using Events = Result<std::vector<PulledEvent>>;

Task<Result<ObjectRef>> Await(std::shared_ptr<InformerCore> informer, ObjectName name,
                              wait::ObjectCondition condition, CallOptions call,
                              SyncWaitOptions sync) {
  Env& env = informer->env();
  std::optional<SteadyTime> deadline;
  if (call.timeout > Duration(0)) {
    deadline = base::After(env.Now(), call.timeout);
    sync.timeout = call.timeout;
  }
  Check check(std::move(condition));
  HandlerOptions options;
  options.name = "await-condition";
  options.resync_period = Duration(0);
  Result<std::shared_ptr<cache::Listener>> listener = informer->AddHandler(
      std::make_shared<PulledHandler>(std::function<void()>()), std::move(options));
  if (!listener) co_return check.Explained(listener.error(), *informer, name);
  const RemovedAtEnd removed(*listener);

  std::vector<std::shared_ptr<InformerCore>> one(1, informer);
  const Result<void> synced = co_await SyncTask(env, std::move(one), call.stop, sync);
  if (!synced) co_return check.Explained(synced.error(), *informer, name);
  Result<ObjectRef> stored = Stored(informer, name);
  if (!stored) co_return check.Explained(stored.error(), *informer, name);
  Result<bool> holds = check.Holds(*std::move(stored));
  const EndOfWait end(informer, call.stop);
  while (holds.ok() && !*holds) {
    Events events = co_await PullTask(*listener, 256, deadline, end.token());
    if (!events) {
      co_return check.Explained(end.Reasoned(events.error(), call.stop), *informer, name);
    }
    for (PulledEvent& event : *events) {
      if (event.object->name() != name.name || event.object->namespace_() != name.namespace_) {
        continue;
      }
      const bool gone = event.type == EventType::kDeleted;
      holds = check.Holds(gone ? ObjectRef() : std::move(event.object));
      if (!holds.ok() || *holds) break;
    }
  }
  if (!holds.ok()) co_return holds.error();
  co_return check.last();
}

}  // namespace

Task<Result<ObjectRef>> AwaitInInformer(std::shared_ptr<InformerCore> informer, ObjectName name,
                                        wait::ObjectCondition condition, CallOptions call) {
  const SyncWaitOptions sync;
  return Await(std::move(informer), std::move(name), std::move(condition), std::move(call), sync);
}

Task<Result<ObjectRef>> AwaitOnServer(ResourceCore resource, std::string name,
                                      wait::ObjectCondition condition, CallOptions call) {
  ObjectName object{resource.namespace_(), std::move(name)};
  if (Result<void> fits = CheckNamespace(resource.type(), object.namespace_, object.name); !fits) {
    co_return std::move(fits).error();
  }
  const Result<FieldSelector> selector =
      FieldSelector::Of({{.field = "metadata.name", .value = object.name}});
  if (!selector) co_return selector.error();
  InformerSettings settings;
  settings.consistency_check_period = Duration(0);
  const std::shared_ptr<InformerCore> informer = NewStandaloneInformer(
      resource.env(),
      NewListWatch(resource.client(), resource.type(), object.namespace_, SelectFields(*selector)),
      std::move(settings));
  informer->Start();
  SyncWaitOptions sync;
  sync.fail_fast = true;
  Task<Result<ObjectRef>> wait =
      Await(informer, std::move(object), std::move(condition), std::move(call), sync);
  co_return co_await wait;
}

}  // namespace kinformer::internal
