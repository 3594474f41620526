#include "kinformer/internal/informer_core.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <utility>

#include "base/core/deadline.h"
#include "base/core/forked.h"
#include "base/core/user_call.h"
#include "cache/informer/dropped_options.h"
#include "cache/informer/informer_impl.h"
#include "cache/store/resource_version.h"
#include "cache/store/store_part.h"

namespace kinformer::internal {

namespace {

// Time after which a program that starts its informers has surely done so.
constexpr Duration kStartExpected = std::chrono::seconds(30);

}  // namespace

// ---- the inside

std::set<std::string, std::less<>> NamespacesOf(const InformerSettings& settings) {
  std::set<std::string, std::less<>> names(settings.namespaces.begin(), settings.namespaces.end());
  // An empty name stands for all namespaces, even among others.
  if (names.contains("")) return {};
  if (!settings.namespace_.empty()) names.insert(settings.namespace_);
  return names;
}

namespace {

std::set<std::string, std::less<>> PlacesOf(const InformerSettings& settings,
                                            const ListerWatcherSource& source) {
  std::set<std::string, std::less<>> places = NamespacesOf(settings);
  if (!places.empty() && source.others) places.emplace(cache::kOtherNamespaces);
  return places;
}

}  // namespace

InformerCore::Impl::Impl(Env& e, std::string d, ListerWatcherSource s, InformerSettings o)
    : env(e),
      describe(std::move(d)),
      settings(std::move(o)),
      places(PlacesOf(settings, s)),
      store(std::make_shared<cache::StoreCore>(
          e, cache::StoreCoreOptions{.name = MetricsName(),
                                     .compress = settings.compression != Compression::kNone,
                                     .coverage = std::make_shared<cache::Coverage>()})),
      index_adder(std::make_shared<cache::IndexAdder>(e, store)),
      indexer(store, *this),
      metrics(cache::InformerMetrics::For(e, MetricsName())),
      statuses(e, describe, observers, metrics.get()),
      positions(*store),
      handlers(settings.resync_period),
      source(std::move(s)),
      processor(e),
      context{.env = e,
              .describe = describe,
              .metrics_name = MetricsName(),
              .settings = settings,
              .places = places,
              .namespaced = source.namespaced,
              .state = state,
              .store = *store,
              .metrics = metrics.get(),
              .observers = observers,
              .counters = counters,
              .statuses = statuses,
              .positions = positions,
              .last_seen = last_seen,
              .handlers = handlers,
              .processor = processor,
              .ever_synced = ever_synced,
              .owner = *this} {}

UserFunctions InformerCore::Impl::Functions() const {
  base::MutexLock lock(mutex_);
  return functions_;
}

bool InformerCore::Impl::HasTransform() const {
  const base::MutexLock lock(mutex_);
  return static_cast<bool>(functions_.transform);
}

Result<void> InformerCore::Impl::SetFunctions(std::string_view what,
                                              const std::function<void(UserFunctions&)>& set) {
  // Under the lock: a concurrent Start either makes this fail or reads the new functions.
  base::MutexLock lock(mutex_);
  if (!Is(State::kCreated)) {
    return Error(Reason::kStopped, "the informer for " + describe + " has started: " +
                                       std::string(what) + " must be set before");
  }
  set(functions_);
  return {};
}

bool InformerCore::Impl::NameOnce(std::string_view option) {
  base::MutexLock lock(mutex_);
  return dropped_options_.emplace(option).second;
}

std::unique_ptr<ListerWatcher> InformerCore::Impl::Made(
    const std::function<std::unique_ptr<ListerWatcher>()>& make) {
  std::unique_ptr<ListerWatcher> lister_watcher;
  if (make) {
    (void)base::CallUser(
        env, "the lister watcher's provider", [&] { lister_watcher = make(); },
        [&] { return describe; });
  }
  return lister_watcher;
}

std::unique_ptr<ListerWatcher> InformerCore::Impl::NewListerWatcher(
    const std::string& place, cache::ReflectorStatus& status) {
  std::unique_ptr<ListerWatcher> made;
  if (source.objects) made = Made([&] { return source.objects(place); });
  if (made == nullptr) {
    status.OnWatchError(Error(Reason::kStopped, describe + ": there is nothing to list it with"));
  }
  return made;
}

std::unique_ptr<ListerWatcher> InformerCore::Impl::NewNamespacesListerWatcher() {
  std::unique_ptr<ListerWatcher> made = Made(source.namespaces);
  if (made == nullptr) {
    statuses.Of("").OnWatchError(
        Error(Reason::kStopped, describe + ": there is nothing to list Namespaces with"));
  }
  return made;
}

void InformerCore::Impl::ExpectStart() {
  if (!Is(State::kCreated) || start_expected.armed()) return;
  start_expected = env.loop().RunAt(env.Now() + kStartExpected, [this] {
    if (!Is(State::kCreated) || handlers.All().empty()) return;
    if (said_not_started.exchange(true, std::memory_order_relaxed)) return;
    env.log().Log(LogLevel::kWarning,
                  "an informer has handlers and is not started, so that they hear nothing; call "
                  "Start, of the informer or again of its factory",
                  {{"informer", describe}});
  });
}

void InformerCore::Impl::StartOnLoop() {
  start_expected = Timer();
  if (parts != nullptr || ended || !Is(State::kRunning)) return;
  statuses.SetErrorHandler(Functions().watch_error_handler);
  synced.store(false, std::memory_order_release);
  torn_down.store(false, std::memory_order_release);
  processor.Resume();
  parts = std::make_unique<cache::InformerParts>(context);
}

void InformerCore::Impl::StopOnLoop(bool final) {
  start_expected = Timer();
  parts.reset();
  statuses.Stopped();
  processor.Suspend();
  if (final) {
    ended = true;
    for (const auto& listener : handlers.TakeAll()) listener->End();
  }
  torn_down.store(true, std::memory_order_release);
  observers->Notify();
}

void InformerCore::Impl::Join(const std::shared_ptr<cache::Listener>& listener,
                              Duration resync_period) {
  if (ended) return listener->Discard();
  processor.Add(listener, resync_period, store->Snapshot(), synced.load(std::memory_order_acquire));
  ExpectStart();
}

void InformerCore::Impl::Forget(const std::shared_ptr<cache::Listener>& listener) {
  handlers.Remove(listener);
  env.loop().Post([self = shared_from_this(), listener] {
    self->processor.Remove(listener.get());
    // This handler may have blocked the queue.
    self->Process();
  });
}

void InformerCore::Impl::OnSynced() {
  // Ignores a life that is about to end: the next one, maybe started already, has not synced.
  if (stops.load(std::memory_order_acquire) > 0) return;
  ever_synced = true;
  synced.store(true, std::memory_order_release);
  observers->Notify();
}

void InformerCore::Impl::OnUnsynced() {
  synced.store(false, std::memory_order_release);
  observers->Notify();
}

void InformerCore::Impl::OnCommitted() {
  version_waiters.Changed(*observers);
  if (parts != nullptr) parts->Committed();
}

std::optional<Error> InformerCore::Impl::OverLimit() const {
  const std::size_t left_out = counters.left_out.load(std::memory_order_relaxed);
  if (left_out == 0 || settings.limit_policy == LimitPolicy::kServePart) return std::nullopt;
  return Error(Reason::kOverLimit,
               "the cache is full: " + std::to_string(left_out) +
                   " objects are left out; raise max_objects (" +
                   std::to_string(settings.max_objects) + ") or max_bytes (" +
                   std::to_string(settings.max_bytes) +
                   "), select less, or let it serve what it has (LimitPolicy::kServePart)");
}

void InformerCore::Impl::Process() {
  if (parts != nullptr) parts->Process();
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

std::shared_ptr<InformerCore> InformerCore::CreateRefused(Env& env, std::string describe,
                                                          Error why) {
  auto impl =
      std::make_shared<Impl>(env, std::move(describe), ListerWatcherSource{}, InformerSettings{});
  impl->refused = std::move(why);
  impl->state = Impl::State::kStopped;
  impl->statuses.Stopped();
  return std::shared_ptr<InformerCore>(new InformerCore(std::move(impl)));
}

InformerCore::~InformerCore() {
  if (base::IsForkedOff(env())) {
    base::LeaveToParent(impl_);
    return;
  }
  const Impl::State before =
      impl_->state.exchange(Impl::State::kStopped, std::memory_order_acq_rel);
  if (before == Impl::State::kCreated && !impl_->handlers.All().empty() &&
      !impl_->said_not_started.load(std::memory_order_relaxed)) {
    env().log().Log(LogLevel::kWarning,
                    "an informer with handlers was never started, so that they heard nothing; call "
                    "Start, of the informer or again of its factory",
                    {{"informer", Describe()}});
  }
  if (env().loop().InThisExecutor()) {
    // Later: the stack may be inside the reflector.
    env().loop().Post([impl = impl_] { impl->StopOnLoop(true); });
    return;
  }
  // Waits, as the caller may destroy what the reflector and the callbacks use after this returns.
  const std::vector<std::shared_ptr<cache::Listener>> listeners = impl_->handlers.All();
  const std::shared_ptr<Monitor> monitor = env().NewMonitor();
  const auto done = std::make_shared<bool>(false);
  env().loop().Post([impl = impl_, monitor, done] {
    impl->StopOnLoop(true);
    MonitorLock lock(*monitor);
    *done = true;
    monitor->NotifyAll();
  });
  // Destroyed here and not on the loop: it may own the client, and the client the loop.
  ListerWatcherSource source;
  {
    MonitorLock lock(*monitor);
    while (!*done) lock.Wait();
    source = std::move(impl_->source);
  }
  for (const std::shared_ptr<cache::Listener>& listener : listeners) listener->WaitIdle();
}

Result<std::shared_ptr<cache::Listener>> InformerCore::AddHandler(
    std::shared_ptr<RawHandler> handler, HandlerOptions options) {
  if (IsStopped()) {
    return Error(Reason::kStopped, "handler was not added to the informer for " + Describe() +
                                       " because it has stopped already");
  }
  cache::ListenerConfig config;
  config.uid_change_is_update = impl_->settings.uid_change_is_update;
  // Uses the user's name only: generated names would make a series per handler.
  config.metrics = cache::ListenerMetrics::For(env(), impl_->MetricsName(), options.name);
  config.informer = impl_->describe;
  config.trace = impl_->settings.trace;
  config.changed = [observers = impl_->observers] { observers->Notify(); };
  const std::weak_ptr<Impl> weak = impl_;
  config.drained = [weak] {
    const std::shared_ptr<Impl> impl = weak.lock();
    if (impl == nullptr) return;
    impl->env.loop().Post([weak] {
      if (const std::shared_ptr<Impl> self = weak.lock()) self->Process();
    });
  };
  impl_->handlers.Complete(options);
  config.options = std::move(options);
  auto listener =
      std::make_shared<cache::Listener>(env(), std::move(handler), std::move(config), weak);
  const Duration period = impl_->handlers.Add(listener, HasStarted());
  env().loop().Post([impl = impl_, listener, period] { impl->Join(listener, period); });
  return listener;
}

Result<void> InformerCore::RemoveHandler(const std::shared_ptr<cache::Listener>& listener) {
  if (listener == nullptr) {
    return Error(Reason::kInvalidArgument, "this registration belongs to no handler");
  }
  const std::shared_ptr<cache::ListenerOwner> owner = listener->owner().lock();
  if (owner != impl_) {
    return Error(Reason::kInvalidArgument,
                 "handler \"" + listener->options().name + "\" was not removed: it is not one of " +
                     "the informer for " + Describe() + ", but of " +
                     (owner == nullptr ? "one that is gone" : "the one for " + owner->Describe()));
  }
  return RemoveListener(listener);
}

void InformerCore::LogIfError(const Result<void>& result) const {
  if (result) return;
  env().log().Log(LogLevel::kError, "a request to the informer failed",
                  {{"informer", Describe()}, {"err", result.error().ToString()}});
}

void InformerCore::NameDroppedOptions(const InformerSettings& asked) const {
  std::string names;
  for (const std::string_view option : cache::DroppedOptions(asked, impl_->settings)) {
    if (!impl_->NameOnce(option)) continue;
    names += (names.empty() ? "" : ", ") + std::string(option);
  }
  if (names.empty()) return;
  env().log().Log(LogLevel::kWarning,
                  "an informer was asked for with options that the one which there is already does "
                  "not have; they do nothing: give them to who asks first",
                  {{"informer", Describe()}, {"options", names}});
}

Result<void> InformerCore::SetTransform(RawTransform transform) {
  return impl_->SetFunctions(
      "a transform", [&](UserFunctions& functions) { functions.transform = std::move(transform); });
}

Result<void> InformerCore::SetDefaultTransform(RawTransform transform) {
  return impl_->SetFunctions("a transform", [&](UserFunctions& functions) {
    if (!functions.transform) functions.transform = std::move(transform);
  });
}

bool InformerCore::Transforms() const { return impl_->HasTransform(); }

Result<void> InformerCore::SetWatchErrorHandler(WatchErrorHandler handler) {
  return impl_->SetFunctions("a watch error handler", [&](UserFunctions& functions) {
    functions.watch_error_handler = std::move(handler);
  });
}

void InformerCore::Start() {
  if (impl_->refused) return LogIfError(*impl_->refused);
  impl_->index_adder->HandOverToLoop();
  auto state = impl_->state.load(std::memory_order_acquire);
  if (state == Impl::State::kRunning) return;
  // Incremented before the state changes: a thread that sees kRunning and no pending start knows
  // that the loop has processed that start.
  impl_->starts.fetch_add(1, std::memory_order_acq_rel);
  // Before the state changes, too: a Stop that comes right after that must not be undone.
  impl_->torn_down.store(false, std::memory_order_release);
  while (state != Impl::State::kRunning &&
         !impl_->state.compare_exchange_weak(state, Impl::State::kRunning,
                                             std::memory_order_acq_rel)) {
  }
  // Otherwise another thread has started it.
  if (state != Impl::State::kRunning) impl_->synced.store(false, std::memory_order_release);
  env().loop().Post([impl = impl_] {
    impl->starts.fetch_sub(1, std::memory_order_acq_rel);
    impl->StartOnLoop();
  });
}

void InformerCore::Stop() {
  auto running = Impl::State::kRunning;
  if (!impl_->state.compare_exchange_strong(running, Impl::State::kStopped,
                                            std::memory_order_acq_rel)) {
    return;
  }
  impl_->stops.fetch_add(1, std::memory_order_acq_rel);
  env().loop().Post([impl = impl_] {
    impl->stops.fetch_sub(1, std::memory_order_acq_rel);
    impl->StopOnLoop(false);
    // Another thread may have called Start after the state became kStopped, and its task may have
    // run before this one, when the life that ends here still existed.
    if (impl->Is(Impl::State::kRunning) && impl->starts.load(std::memory_order_acquire) == 0) {
      impl->StartOnLoop();
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
    while (IsEnding()) lock.Wait();
  }
  WaitIdle();
}

void InformerCore::WaitIdle() {
  if (base::IsForkedOff(env())) return;
  for (const auto& listener : impl_->handlers.All()) listener->WaitIdle();
}

bool InformerCore::HasSynced() const { return impl_->synced.load(std::memory_order_acquire); }
bool InformerCore::HasStarted() const { return !impl_->Is(Impl::State::kCreated); }
bool InformerCore::IsStopped() const { return impl_->Is(Impl::State::kStopped); }
bool InformerCore::IsEnding() const {
  return IsStopped() && !impl_->torn_down.load(std::memory_order_acquire) &&
         !base::IsForkedOff(impl_->env);
}

std::string InformerCore::LastSyncResourceVersion() const {
  return impl_->store->ResourceVersion();
}

InformerStatus InformerCore::Status() const { return impl_->statuses.Status(); }

std::vector<NamespaceStatus> InformerCore::Namespaces() const {
  std::vector<NamespaceStatus> all = impl_->statuses.Namespaces();
  if (all.empty()) return all;
  const std::shared_ptr<const SnapshotCore> snapshot = impl_->store->Snapshot();
  const cache::Coverage* coverage = snapshot->coverage();
  std::size_t objects = snapshot->size();  // minus those of single namespaces
  NamespaceStatus* others = nullptr;
  for (NamespaceStatus& one : all) {
    one.synced = coverage != nullptr && coverage->IsComplete(one.namespace_);
    if (coverage != nullptr && coverage->left_out != nullptr) {
      one.left_out = coverage->left_out->SizeOf(one.namespace_);
    }
    if (std::optional<cache::StorePosition> position = impl_->positions.Read(one.namespace_)) {
      one.resourceVersion = std::move(position->resource_version);
    }
    if (one.namespace_ == cache::kOtherNamespaces) {
      others = &one;
      continue;
    }
    one.objects = snapshot->ByIndex("namespace", one.namespace_).value_or({}).size();
    objects -= one.objects;
  }
  if (others != nullptr) {
    others->namespace_.clear();
    others->objects = objects;
  }
  return all;
}

InformerStats InformerCore::Stats() const {
  InformerStats stats;
  const cache::StoreStats store = impl_->store->Stats();
  stats.objects = store.objects;
  stats.object_bytes = store.object_bytes;
  stats.unreadable = store.unreadable;
  stats.left_out = store.left_out;
  const cache::PipelineCounters& c = impl_->counters;
  stats.added = c.added.load(std::memory_order_relaxed);
  stats.modified = c.modified.load(std::memory_order_relaxed);
  stats.deleted = c.deleted.load(std::memory_order_relaxed);
  stats.unchanged = c.unchanged.load(std::memory_order_relaxed);
  stats.bookmarks = c.bookmarks.load(std::memory_order_relaxed);
  stats.gaps = c.gaps.load(std::memory_order_relaxed);
  stats.consistency_checks = c.consistency_checks.load(std::memory_order_relaxed);
  stats.inconsistencies = c.inconsistencies.load(std::memory_order_relaxed);
  stats.queued = c.queued.load(std::memory_order_relaxed);
  stats.queued_bytes = c.queued_bytes.load(std::memory_order_relaxed);
  stats.resourceVersion = impl_->store->ResourceVersion();
  impl_->statuses.AddTo(stats);
  impl_->handlers.AddTo(stats);
  return stats;
}

NotSynced InformerCore::WhyNotSynced() const {
  NotSynced why{.informer = Describe(), .started = HasStarted(), .last_error = impl_->OverLimit()};
  why.over_limit = why.last_error.has_value();
  if (!why.over_limit) why.last_error = impl_->statuses.LastError();
  return why;
}

const std::string& InformerCore::Describe() const { return impl_->describe; }
Env& InformerCore::env() const { return impl_->env; }
IndexerCore& InformerCore::indexer() const { return impl_->indexer; }
cache::StoreCore& InformerCore::store() const { return *impl_->store; }

std::shared_ptr<void> InformerCore::Observe(std::function<void()> notify) const {
  return cache::InformerObservers::Add(impl_->observers, std::move(notify));
}

std::shared_ptr<void> InformerCore::ObserveVersions(std::function<void()> notify) const {
  // Holds the informer weakly: it may end while it is observed.
  class Observation {
   public:
    Observation(const std::shared_ptr<Impl>& informer, std::function<void()> notify)
        : informer_(informer) {
      informer->version_waiters.CountIn();
      added_ = cache::InformerObservers::Add(informer->observers, std::move(notify));
    }
    ~Observation() {
      if (const std::shared_ptr<Impl> informer = informer_.lock()) {
        informer->version_waiters.CountOut();
      }
    }
    Observation(const Observation&) = delete;
    Observation& operator=(const Observation&) = delete;

   private:
    const std::weak_ptr<Impl> informer_;
    std::shared_ptr<void> added_;
  };
  return std::make_shared<Observation>(impl_, std::move(notify));
}

cache::StorePosition InformerCore::PositionOf(std::string_view namespace_) const {
  return impl_->context.PositionOf(namespace_);
}

std::uint64_t InformerCore::Epochs() const { return impl_->statuses.epochs(); }

// ---- listeners

Result<void> RemoveListener(const std::shared_ptr<cache::Listener>& listener) {
  if (base::IsForkedOff(listener->env())) return {};
  if (const std::shared_ptr<cache::ListenerOwner> informer = listener->owner().lock()) {
    informer->Forget(listener);
  }
  return listener->Remove();
}

}  // namespace kinformer::internal
