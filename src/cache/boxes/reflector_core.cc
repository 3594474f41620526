#include "kinformer/internal/reflector_core.h"

#include <utility>

#include "base/core/backoff.h"
#include "base/core/forked.h"
#include "base/core/user_call.h"
#include "base/core/would_deadlock.h"
#include "cache/apply/staged_list.h"
#include "cache/boxes/contained_reflector_store.h"
#include "cache/figures/informer_observers.h"
#include "cache/watch/reflector.h"
#include "cache/watch/reflector_status.h"
#include "client/contained_list_watch.h"

namespace kinformer::internal {

// The state that tasks on the loop keep alive. Forwards what a cache::Reflector reports; if the
// store refuses a list, ends that reflector and starts another one after a pause.
struct ReflectorCore::Impl final : public cache::ReflectorStore,
                                   public std::enable_shared_from_this<Impl> {
  Impl(Env& e, ListerWatcher& source, std::shared_ptr<RawReflectorStore> s,
       const KindInfo* expected_type, kinformer::ReflectorOptions o)
      : env(e),
        lister_watcher(e, source),
        type(expected_type),
        options(std::move(o)),
        name(options.name.empty() ? lister_watcher.Describe() : options.name),
        store(std::make_shared<cache::ContainedReflectorStore>(e, std::move(s), name)),
        monitor(e.NewMonitor()),
        status(e, name, std::make_shared<cache::InformerObservers>(), nullptr),
        backoff(e) {
    status.SetErrorHandler(options.watch_error_handler);
  }

  void StartOnLoop();
  void StopOnLoop();
  void ListRefused(const Error& error);
  void Published(std::string_view resourceVersion);
  void LogIfRefused(const Result<void>& result, std::string_view what);

  // cache::ReflectorStore
  void Change(DeltaType change, ObjectRef object) override;
  void Unreadable(std::string_view namespace_, std::string_view object, bool deleted) override;
  void Bookmark(std::string_view resourceVersion) override;
  void ReplaceBegin() override { staged.Clear(); }
  void ReplaceItem(ObjectRef object) override { staged.Add(std::move(object)); }
  void ReplaceUnreadable(std::string_view namespace_, std::string_view object) override {
    staged.AddUnreadable({std::string(namespace_), std::string(object)});
  }
  void ReplaceRemove(std::string_view namespace_, std::string_view object) override {
    staged.Remove({std::string(namespace_), std::string(object)});
  }
  void ReplaceEnd(std::string_view resourceVersion) override;
  Result<void> Resync() override { return refused ? Result<void>() : store->Resync(); }
  void ChunkEnd() override;

  Env& env;
  client::ContainedListWatch lister_watcher;
  const KindInfo* const type;
  const kinformer::ReflectorOptions options;
  const std::string name;
  const std::shared_ptr<RawReflectorStore> store;
  const std::unique_ptr<Monitor> monitor;

  // Used on the loop only.
  cache::ReflectorStatus status;
  base::BackoffManager backoff;
  cache::StagedList staged;
  // The store has refused a list, so events of its watch are ignored.
  bool refused = false;
  std::unique_ptr<cache::Reflector> reflector;
  Timer restart;

  // Guarded by the monitor's lock.
  bool running = false;
  std::string last_sync_rv;
};

// ---- on the loop

void ReflectorCore::Impl::StartOnLoop() {
  restart = Timer();
  refused = false;
  cache::ReflectorOptions inner;
  inner.name = name;
  inner.expected_type = type;
  inner.use_watch_list = options.initial_list == InitialList::kWatchList;
  inner.watch_list_page_size = options.watch_list_page_size;
  inner.min_watch_timeout = options.min_watch_timeout;
  inner.resync_period = options.resync_period;
  if (options.should_resync) {
    inner.should_resync = [this] {
      bool due = false;
      (void)base::CallUser(
          env, "should_resync", [&] { due = options.should_resync(); }, [this] { return name; });
      return due;
    };
  }
  inner.max_internal_error_retry = options.max_internal_error_retry;
  reflector =
      std::make_unique<cache::Reflector>(env, lister_watcher, *this, status, std::move(inner));
  {
    const MonitorLock lock(*monitor);
    reflector->SetLastSyncResourceVersion(last_sync_rv);
  }
  reflector->Start();
}

void ReflectorCore::Impl::StopOnLoop() {
  restart = Timer();
  reflector.reset();
  staged.Clear();
  const MonitorLock lock(*monitor);
  running = false;
  monitor->NotifyAll();
}

void ReflectorCore::Impl::ListRefused(const Error& error) {
  refused = true;
  status.OnWatchError(error);
  restart = env.loop().RunAt(env.Now() + backoff.Next(), [weak = weak_from_this()] {
    if (const std::shared_ptr<Impl> self = weak.lock()) self->StartOnLoop();
  });
  // Later: the reflector itself is calling.
  env.loop().Post([weak = weak_from_this()] {
    const std::shared_ptr<Impl> self = weak.lock();
    if (self != nullptr && self->refused) self->reflector.reset();
  });
}

void ReflectorCore::Impl::Published(std::string_view resourceVersion) {
  const MonitorLock lock(*monitor);
  last_sync_rv = resourceVersion;
}

void ReflectorCore::Impl::LogIfRefused(const Result<void>& result, std::string_view what) {
  if (result) return;
  env.log().Log(
      LogLevel::kError, "the store refused a change, which is lost",
      {{"reflector", name}, {"change", std::string(what)}, {"err", result.error().ToString()}});
}

void ReflectorCore::Impl::Change(DeltaType change, ObjectRef object) {
  if (refused) return;
  if (change == DeltaType::kAdded) return LogIfRefused(store->Add(std::move(object)), "add");
  if (change == DeltaType::kDeleted)
    return LogIfRefused(store->Delete(std::move(object)), "delete");
  LogIfRefused(store->Update(std::move(object)), "update");
}

void ReflectorCore::Impl::Unreadable(std::string_view namespace_, std::string_view object,
                                     bool deleted) {
  if (refused) return;
  LogIfRefused(store->Unreadable({std::string(namespace_), std::string(object)}, deleted),
               "unreadable");
}

void ReflectorCore::Impl::Bookmark(std::string_view resourceVersion) {
  if (!refused) LogIfRefused(store->Bookmark(resourceVersion), "bookmark");
}

void ReflectorCore::Impl::ReplaceEnd(std::string_view resourceVersion) {
  staged.Finish();
  std::vector<ObjectRef> objects = staged.TakeObjects();
  const Result<void> replaced =
      store->Replace(std::move(objects), staged.TakeUnreadable(), resourceVersion);
  if (!replaced) return ListRefused(replaced.error());
  backoff.Reset();
  Published(resourceVersion);
}

void ReflectorCore::Impl::ChunkEnd() {
  if (!refused && reflector != nullptr) Published(reflector->LastSyncResourceVersion());
}

// ---- the front

ReflectorCore::ReflectorCore(Env& env, std::unique_ptr<ListerWatcher> lister_watcher,
                             std::shared_ptr<RawReflectorStore> store,
                             const KindInfo* expected_type, ReflectorOptions options)
    : lister_watcher_(std::move(lister_watcher)),
      impl_(std::make_shared<Impl>(env, *lister_watcher_, std::move(store), expected_type,
                                   std::move(options))) {}

ReflectorCore::~ReflectorCore() = default;

Result<void> ReflectorCore::Start() {
  if (env().loop().InThisExecutor()) {
    return base::WouldDeadlock(
        env(), name() + ": to run on the loop thread would wait for what happens on it");
  }
  {
    const MonitorLock lock(*impl_->monitor);
    if (std::exchange(impl_->running, true)) {
      return Error(Reason::kInvalidArgument, name() + ": it runs already");
    }
  }
  env().loop().Post([impl = impl_] { impl->StartOnLoop(); });
  return {};
}

void ReflectorCore::Stop() {
  if (base::IsForkedOff(env())) return;
  env().loop().Post([impl = impl_] { impl->StopOnLoop(); });
  MonitorLock lock(*impl_->monitor);
  while (impl_->running) lock.Wait();
}

Result<void> ReflectorCore::Run(const std::stop_token& stop) {
  if (Result<void> started = Start(); !started) return started;
  {
    const std::stop_callback on_stop(stop, [this] {
      const MonitorLock lock(*impl_->monitor);
      impl_->monitor->NotifyAll();
    });
    MonitorLock lock(*impl_->monitor);
    while (!stop.stop_requested()) lock.Wait();
  }
  Stop();
  return {};
}

std::string ReflectorCore::LastSyncResourceVersion() const {
  const MonitorLock lock(*impl_->monitor);
  return impl_->last_sync_rv;
}

const std::string& ReflectorCore::name() const { return impl_->name; }
Env& ReflectorCore::env() const { return impl_->env; }

}  // namespace kinformer::internal
