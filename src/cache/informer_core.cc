#include "kinformer/internal/informer_core.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "kinformer/internal/block_builder.h"

#include "base/mutex.h"
#include "cache/controller.h"
#include "cache/informer_impl.h"
#include "cache/listener.h"
#include "cache/processor.h"
#include "cache/reflector.h"
#include "cache/store_core.h"

namespace kinformer::internal {

// ---- on the loop

void InformerCore::Impl::StartOnLoop() {
  if (controller != nullptr || ended) return;
  if (state.load(std::memory_order_acquire) != State::kRunning) return;
  lister_watcher = source ? source() : nullptr;
  if (lister_watcher == nullptr) {
    OnWatchError(Error(Reason::kStopped, describe + ": there is nothing to list it with"));
    return;
  }
  torn_down.store(false, std::memory_order_release);

  ControllerOptions options;
  options.name = describe;
  options.queue = settings.queue;
  options.uid_change_is_update = settings.uid_change_is_update;
  options.ever_synced = ever_synced;
  options.max_queued_bytes = settings.max_queued_bytes;
  options.transform = transform;
  if (!settings.entry.IsDefault() && !lister_watcher->SetEntryOptions(settings.entry)) {
    options.transform = [this](const ObjectRef& object) -> Result<ObjectRef> {
      Result<ObjectRef> built = RebuildBlock(*object, BuildOptionsOf(settings.entry));
      return built && transform ? transform(*std::move(built)) : std::move(built);
    };
  }
  options.trace = settings.trace;
  options.metrics = metrics.get();
  options.synced = [this] {
    ever_synced = true;
    synced.store(true, std::memory_order_release);
    NotifyObservers();
  };
  options.congested = [this](bool congested) {
    if (reflector == nullptr) return;
    if (congested) {
      reflector->Pause();
    } else {
      reflector->Resume();
    }
  };
  controller = std::make_unique<Controller>(env, *store, processor, counters, unreadable,
                                            std::move(options));

  ReflectorOptions reflector_options;
  reflector_options.name = describe;
  reflector_options.use_watch_list = settings.initial_list == InitialList::kWatchList;
  reflector_options.watch_list_page_size = settings.watch_list_page_size;
  reflector_options.min_watch_timeout = settings.min_watch_timeout;
  reflector_options.metrics = metrics.get();
  {
    MutexLock lock(mutex);
    reflector_options.resync_period = resync_check_period;
  }
  reflector = std::make_unique<Reflector>(env, *lister_watcher, *controller, *this,
                                          std::move(reflector_options));
  reflector->SetLastSyncResourceVersion(store->ResourceVersion());
  processor.Resume();
  reflector->Start();
}

void InformerCore::Impl::StopOnLoop(bool final) {
  reflector.reset();
  controller.reset();
  lister_watcher.reset();
  processor.Suspend();
  if (final) {
    ended = true;
    std::vector<std::shared_ptr<Listener>> all;
    {
      MutexLock lock(mutex);
      all.swap(listeners);
    }
    for (const std::shared_ptr<Listener>& listener : all) listener->Discard();
  }
  torn_down.store(true, std::memory_order_release);
  NotifyObservers();
}

void InformerCore::Impl::Join(const std::shared_ptr<Listener>& listener, Duration resync_period) {
  if (ended) return listener->Discard();
  processor.Add(listener, resync_period, store->Snapshot(), synced.load(std::memory_order_acquire));
}

void InformerCore::Impl::OnListed() {
  lists.fetch_add(1, std::memory_order_relaxed);
  ClearError();
}

void InformerCore::Impl::OnWatchStarted() {
  watches.fetch_add(1, std::memory_order_relaxed);
  ClearError();
}

void InformerCore::Impl::OnWatchError(const Error& error) {
  errors.fetch_add(1, std::memory_order_relaxed);
  {
    MutexLock lock(mutex);
    last_error = error;
  }
  if (watch_error_handler) {
    watch_error_handler(error);
  } else {
    const bool routine = IsResourceExpired(error) || IsGone(error);
    env.log().Log(routine ? LogLevel::kDebug : LogLevel::kWarning,
                  "list or watch failed, will retry",
                  {{"informer", describe}, {"err", error.ToString()}});
  }
  NotifyObservers();
}

void InformerCore::Impl::OnEpochChanged() {
  epochs.fetch_add(1, std::memory_order_relaxed);
  env.log().Log(LogLevel::kWarning, "the server's state is older than what it served before",
                {{"informer", describe}});
}

void InformerCore::Impl::ClearError() {
  MutexLock lock(mutex);
  last_error.reset();
}

// ---- observers

void InformerCore::Impl::NotifyObservers() {
  std::vector<std::shared_ptr<std::function<void()>>> all;
  {
    MutexLock lock(mutex);
    for (const auto& [id, observer] : observers) all.push_back(observer);
  }
  for (const auto& observer : all) (*observer)();
}

// ---- the front

InformerCore::InformerCore(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

std::shared_ptr<InformerCore> InformerCore::Create(Env& env, std::string describe,
                                                   ListerWatcherSource source,
                                                   InformerSettings settings) {
  auto impl =
      std::make_shared<Impl>(env, std::move(describe), std::move(source), std::move(settings));
  return std::shared_ptr<InformerCore>(new InformerCore(std::move(impl)));
}

InformerCore::~InformerCore() {
  impl_->state.store(Impl::State::kStopped, std::memory_order_release);
  if (env().loop().InThisExecutor()) {
    // Not at once: the stack may be inside the reflector.
    env().loop().Post([impl = impl_] { impl->StopOnLoop(true); });
    return;
  }
  // What the reflector and the callbacks use may go as soon as this returns.
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    MutexLock lock(impl_->mutex);
    listeners = impl_->listeners;
  }
  const std::shared_ptr<Monitor> monitor = env().NewMonitor();
  const auto done = std::make_shared<bool>(false);
  env().loop().Post([impl = impl_, monitor, done] {
    impl->StopOnLoop(true);
    MonitorLock lock(*monitor);
    *done = true;
    monitor->NotifyAll();
  });
  // Goes here rather than on the loop: it may own the client, and the client the loop.
  ListerWatcherSource source;
  {
    MonitorLock lock(*monitor);
    while (!*done) lock.Wait();
    source = std::move(impl_->source);
  }
  for (const std::shared_ptr<Listener>& listener : listeners) listener->WaitIdle();
}

Result<std::shared_ptr<Listener>> InformerCore::AddHandler(std::shared_ptr<RawHandler> handler,
                                                           HandlerOptions options) {
  if (IsStopped()) {
    return Error(Reason::kStopped, "handler was not added to the informer for " + Describe() +
                                       " because it has stopped already");
  }
  Duration period = options.resync_period.value_or(impl_->settings.resync_period);
  Listener::Hooks hooks;
  hooks.metrics = ListenerMetrics::For(
      env(), impl_->settings.name.empty() ? Describe() : impl_->settings.name, options.name);
  if (options.name.empty()) {
    options.name =
        "handler-" +
        std::to_string(impl_->handler_number.fetch_add(1, std::memory_order_relaxed) + 1);
  }
  if (options.max_events == 0) options.max_events = 1;
  hooks.trace = impl_->settings.trace;
  const std::weak_ptr<Impl> weak = impl_;
  hooks.changed = [weak] {
    if (const std::shared_ptr<Impl> impl = weak.lock()) impl->NotifyObservers();
  };
  hooks.drained = [weak] {
    const std::shared_ptr<Impl> impl = weak.lock();
    if (impl == nullptr) return;
    impl->env.loop().Post([weak] {
      const std::shared_ptr<Impl> self = weak.lock();
      if (self != nullptr && self->controller != nullptr) self->controller->Process();
    });
  };
  auto listener = std::make_shared<Listener>(env(), std::move(handler), std::move(options),
                                             std::move(hooks), weak);
  {
    MutexLock lock(impl_->mutex);
    period = ResyncPeriods::ForHandler(period, impl_->resync_check_period, HasStarted());
    if (!HasStarted() && impl_->resync_check_period == Duration(0) &&
        impl_->settings.resync_period == Duration(0)) {
      impl_->resync_check_period = period;
    }
    impl_->listeners.push_back(listener);
  }
  env().loop().Post([impl = impl_, listener, period] { impl->Join(listener, period); });
  return listener;
}

Result<void> InformerCore::RemoveHandler(const std::shared_ptr<Listener>& listener) {
  if (listener == nullptr || listener->owner().lock() != impl_) return {};
  return RemoveListener(listener);
}

Result<void> InformerCore::AddIndex(std::string name, RawIndexFunction function) {
  if (impl_->store->HasIndex(name)) {
    return Error(Reason::kAlreadyExists,
                 "the informer for " + Describe() + " has an index \"" + name + "\" already");
  }
  if (IsStopped()) {
    return Error(Reason::kStopped, "index \"" + name + "\" was not added: the informer for " +
                                       Describe() + " has stopped already");
  }
  // Nobody writes to the store before Start.
  if (!HasStarted()) return impl_->store->AddIndex(std::move(name), std::move(function));
  if (env().loop().InThisExecutor()) {
    return Error(Reason::kWouldDeadlock, "AddIndexers on a running informer (" + Describe() +
                                             ") waits for the loop thread, and was called on it");
  }
  const std::shared_ptr<Monitor> monitor = env().NewMonitor();
  const auto outcome = std::make_shared<std::optional<Result<void>>>();
  const auto add = [impl = impl_, monitor, outcome, name = std::move(name),
                    function = std::move(function)] {
    Result<void> result = impl->store->AddIndex(name, function);
    MonitorLock lock(*monitor);
    *outcome = std::move(result);
    monitor->NotifyAll();
  };
  env().loop().Post([impl = impl_, add] {
    if (impl->controller != nullptr) {
      impl->controller->WhenStoreIsClosed(add);
    } else {
      add();
    }
  });
  MonitorLock lock(*monitor);
  while (!outcome->has_value()) lock.Wait();
  return **outcome;
}

void InformerCore::LogIfError(const Result<void>& result) const {
  if (result) return;
  env().log().Log(LogLevel::kError, "a request to the informer failed",
                  {{"informer", Describe()}, {"err", result.error().ToString()}});
}

Result<void> InformerCore::SetTransform(RawTransform transform) {
  if (HasStarted()) {
    return Error(Reason::kStopped,
                 "the informer for " + Describe() + " has started: a transform must be set before");
  }
  impl_->transform = std::move(transform);
  return {};
}

Result<void> InformerCore::SetWatchErrorHandler(std::function<void(const Error&)> handler) {
  if (HasStarted()) {
    return Error(Reason::kStopped, "the informer for " + Describe() +
                                       " has started: a watch error handler must be set before");
  }
  impl_->watch_error_handler = std::move(handler);
  return {};
}

void InformerCore::Start() {
  auto state = impl_->state.load(std::memory_order_acquire);
  do {
    if (state == Impl::State::kRunning) return;
  } while (
      !impl_->state.compare_exchange_weak(state, Impl::State::kRunning, std::memory_order_acq_rel));
  impl_->synced.store(false, std::memory_order_release);
  impl_->torn_down.store(false, std::memory_order_release);
  env().loop().Post([impl = impl_] { impl->StartOnLoop(); });
}

void InformerCore::Stop() {
  auto running = Impl::State::kRunning;
  if (!impl_->state.compare_exchange_strong(running, Impl::State::kStopped,
                                            std::memory_order_acq_rel)) {
    return;
  }
  env().loop().Post([impl = impl_] {
    // It may have been started again meanwhile: then this life goes on as the next.
    if (impl->controller != nullptr || !impl->torn_down.load(std::memory_order_acquire)) {
      impl->StopOnLoop(false);
    }
  });
}

void InformerCore::Run(const std::stop_token& stop) {
  if (HasStarted()) {
    env().log().Log(LogLevel::kWarning, "the informer has started, running it again is not allowed",
                    {{"informer", Describe()}});
    return;
  }
  const std::shared_ptr<Monitor> monitor = env().NewMonitor();
  const auto wake = [monitor] {
    MonitorLock lock(*monitor);
    monitor->NotifyAll();
  };
  const std::shared_ptr<void> observation = Observe(wake);
  const std::stop_callback on_stop(stop, wake);
  Start();
  {
    MonitorLock lock(*monitor);
    while (!stop.stop_requested() && !IsStopped()) lock.Wait();
  }
  Stop();
  {
    MonitorLock lock(*monitor);
    while (!IsTornDown()) lock.Wait();
  }
  WaitIdle();
}

void InformerCore::WaitIdle() {
  std::vector<std::shared_ptr<Listener>> all;
  {
    MutexLock lock(impl_->mutex);
    all = impl_->listeners;
  }
  for (const std::shared_ptr<Listener>& listener : all) listener->WaitIdle();
}

bool InformerCore::HasSynced() const { return impl_->synced.load(std::memory_order_acquire); }
bool InformerCore::HasStarted() const {
  return impl_->state.load(std::memory_order_acquire) != Impl::State::kCreated;
}
bool InformerCore::IsStopped() const {
  return impl_->state.load(std::memory_order_acquire) == Impl::State::kStopped;
}
bool InformerCore::IsTornDown() const { return impl_->torn_down.load(std::memory_order_acquire); }

std::string InformerCore::LastSyncResourceVersion() const {
  return impl_->store->ResourceVersion();
}

InformerStats InformerCore::Stats() const {
  InformerStats stats;
  const StoreStats store = impl_->store->Stats();
  stats.objects = store.objects;
  stats.object_bytes = store.object_bytes;
  stats.unreadable = impl_->unreadable.size();
  const PipelineCounters& c = impl_->counters;
  stats.added = c.added.load(std::memory_order_relaxed);
  stats.modified = c.modified.load(std::memory_order_relaxed);
  stats.deleted = c.deleted.load(std::memory_order_relaxed);
  stats.unchanged = c.unchanged.load(std::memory_order_relaxed);
  stats.bookmarks = c.bookmarks.load(std::memory_order_relaxed);
  stats.queued = c.queued.load(std::memory_order_relaxed);
  stats.queued_bytes = c.queued_bytes.load(std::memory_order_relaxed);
  stats.lists = impl_->lists.load(std::memory_order_relaxed);
  stats.watches = impl_->watches.load(std::memory_order_relaxed);
  stats.errors = impl_->errors.load(std::memory_order_relaxed);
  stats.epochs = impl_->epochs.load(std::memory_order_relaxed);
  stats.resourceVersion = impl_->store->ResourceVersion();
  std::vector<std::shared_ptr<Listener>> all;
  {
    MutexLock lock(impl_->mutex);
    if (impl_->last_error) stats.last_error = impl_->last_error->ToString();
    all = impl_->listeners;
  }
  stats.handlers = all.size();
  for (const std::shared_ptr<Listener>& listener : all) {
    const HandlerStats handler = listener->Stats();
    stats.delivered += handler.delivered;
    stats.coalesced += handler.coalesced;
    stats.dropped += handler.dropped;
    stats.handler_exceptions += handler.exceptions;
  }
  return stats;
}

NotSynced InformerCore::WhyNotSynced() const {
  NotSynced why;
  why.informer = Describe();
  why.started = HasStarted();
  MutexLock lock(impl_->mutex);
  why.last_error = impl_->last_error;
  return why;
}

const std::string& InformerCore::Describe() const { return impl_->describe; }
const std::string& InformerCore::ScopeNamespace() const { return impl_->settings.namespace_; }
bool InformerCore::IsUnreadable(std::string_view namespace_, std::string_view name) const {
  return impl_->unreadable.Contains(namespace_, name);
}
Env& InformerCore::env() const { return impl_->env; }
StoreCore& InformerCore::store() const { return *impl_->store; }
const std::shared_ptr<StoreCore>& InformerCore::shared_store() const { return impl_->store; }

std::shared_ptr<void> InformerCore::Observe(std::function<void()> notify) const {
  const std::uint64_t id = impl_->next_observer.fetch_add(1, std::memory_order_relaxed);
  {
    MutexLock lock(impl_->mutex);
    impl_->observers.emplace(id, std::make_shared<std::function<void()>>(std::move(notify)));
  }
  return std::shared_ptr<void>(nullptr, [impl = impl_, id](void*) {
    MutexLock lock(impl->mutex);
    impl->observers.erase(id);
  });
}

// ---- alone

namespace {

// Lends a ListerWatcher to one life of an informer after the other.
class LentListerWatcher final : public ListerWatcher {
 public:
  explicit LentListerWatcher(std::shared_ptr<ListerWatcher> lender) : lender_(std::move(lender)) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override {
    return lender_->List(options, receiver);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                       WatchReceiver& receiver) override {
    return lender_->Watch(options, receiver);
  }
  bool IsWatchListSemanticsUnSupported() const override {
    return lender_->IsWatchListSemanticsUnSupported();
  }
  std::string Describe() const override { return lender_->Describe(); }

 private:
  std::shared_ptr<ListerWatcher> lender_;
};

}  // namespace

std::shared_ptr<InformerCore> NewStandaloneInformer(Env& env,
                                                    std::unique_ptr<ListerWatcher> lister_watcher,
                                                    InformerSettings settings) {
  std::shared_ptr<ListerWatcher> shared = std::move(lister_watcher);
  std::string describe = shared->Describe();
  return InformerCore::Create(
      env, std::move(describe), [shared] { return std::make_unique<LentListerWatcher>(shared); },
      std::move(settings));
}

// ---- listeners

bool ListenerHasSynced(const Listener& listener) { return listener.HasSynced(); }
HandlerStats ListenerStats(const Listener& listener) { return listener.Stats(); }

Result<void> ListenerWaitForSync(const std::shared_ptr<Listener>& listener,
                                 const std::stop_token& stop, std::optional<Duration> timeout) {
  if (listener == nullptr) {
    return Error(Reason::kInvalidArgument, "this registration belongs to no handler");
  }
  return listener->WaitForSync(stop, timeout);
}

Result<void> RemoveListener(const std::shared_ptr<Listener>& listener) {
  if (const std::shared_ptr<InformerCore::Impl> impl = listener->owner().lock()) {
    {
      MutexLock lock(impl->mutex);
      std::erase(impl->listeners, listener);
    }
    impl->env.loop().Post([impl, listener] {
      impl->processor.Remove(listener.get());
      // It may have been the one that held up the others.
      if (impl->controller != nullptr) impl->controller->Process();
    });
  }
  return listener->Remove();
}

}  // namespace kinformer::internal
