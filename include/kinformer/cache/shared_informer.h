// kinformer/cache/shared_informer.h
//
// SharedInformer<T>: a local, indexed copy of one collection of the API server that is kept up to
// date, with callbacks for changes.
//
// Most programs get one from a SharedInformerFactory, so that all users of pods share one watch and
// one store. It also works alone:
//
//   SharedInformer<corev1::Pod> pods(client.env(),
//                                    NewFilteredListWatch<corev1::Pod>(client, "default"));
//   auto handler = pods.AddEventHandler({.on_add = [](const Added<corev1::Pod>& e) {
//     std::cout << "+ " << e.key << '\n';
//   }}).OrExit().Scoped();
//   pods.Start();
//   pods.WaitForCacheSync(stop.token()).OrExit();
//   for (corev1::Pod p : pods.Snapshot()) ...

#ifndef KINFORMER_CACHE_SHARED_INFORMER_H_
#define KINFORMER_CACHE_SHARED_INFORMER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/indexer.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/cache/lister.h"
#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/cache/snapshot.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/hidden_overrides.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/internal/raw_event.h"
#include "kinformer/object/resource.h"

namespace kinformer {

class Object;  // object.h

// Result of AddEventHandler: a handle to query and remove the handler. Copyable; destroying
// all copies changes nothing. Thread-safe. Counterpart:
// cache.ResourceEventHandlerRegistration.
class EventHandlerRegistration {
 public:
  EventHandlerRegistration() = default;
  explicit EventHandlerRegistration(std::shared_ptr<internal::cache::Listener> listener)
      : listener_(std::move(listener)) {}

  // Returns true once the informer has synced and this handler has returned from all initial
  // events. Never becomes false again.
  [[nodiscard]] bool HasSynced() const {
    return listener_ != nullptr && internal::ListenerHasSynced(*listener_);
  }
  // Blocks until HasSynced. kCanceled: `stop` was requested. kDeadlineExceeded. kStopped: the
  // handler was removed or the informer stopped. kNotSynced: not started. kWouldDeadlock: called on
  // the loop thread, or inside a callback of this handler.
  Result<void> WaitForSync(const std::stop_token& stop = {},
                           std::optional<Duration> timeout = {}) const {
    return internal::ListenerWaitForSync(listener_, stop, timeout);
  }
  [[nodiscard]] HandlerStats Stats() const { return internal::ListenerStats(*listener_); }

  // Removes the handler when it is destroyed or assigned to, and waits as RemoveEventHandler
  // does. Declare it after the data that the handler uses, so that no callback uses destroyed
  // data:
  //
  //   WorkQueue<ObjectName> queue(env);
  //   auto handler = pods.AddEventHandler({.on_add = [&](const auto& e) {
  //     queue.Add(e.object_name());
  //   }}).OrExit().Scoped();
  class [[nodiscard]] ScopedRegistration {
   public:
    ScopedRegistration() = default;  // for no handler
    explicit ScopedRegistration(std::shared_ptr<internal::cache::Listener> listener)
        : listener_(std::move(listener)) {}
    ScopedRegistration(ScopedRegistration&&) noexcept = default;
    ScopedRegistration& operator=(ScopedRegistration&& other) noexcept {
      const ScopedRegistration before(std::exchange(listener_, std::move(other.listener_)));
      return *this;
    }
    ~ScopedRegistration() {
      if (listener_ != nullptr) static_cast<void>(internal::RemoveListener(listener_));
    }

   private:
    std::shared_ptr<internal::cache::Listener> listener_;
  };
  ScopedRegistration Scoped() const { return ScopedRegistration(listener_); }

  [[nodiscard]] const std::shared_ptr<internal::cache::Listener>& listener() const {
    return listener_;
  }

 private:
  std::shared_ptr<internal::cache::Listener> listener_;
};

// A local copy of one collection of the API server: all pods, or those of some namespaces or of a
// selector. The informer lists the collection, watches it from the list's version on, keeps the
// objects in an indexed store, and calls handlers for each change. Counterpart:
// cache.SharedIndexInformer.
//
// Eventual consistency. When the server stops changing and can be reached, the store becomes equal
// to the server's collection within seconds, whatever failed before: broken connections, expired
// versions, lost deletions, restarts. A difference that no event shows is found within a minute, by
// a comparison with the server. Until then the store shows an earlier state: each object as it was
// at some version, none older than what the store showed before, unless the server itself went back
// (see Epochs).
//
// Order. The store changes first, then handlers are called. One handler gets the events of one
// object in the order of the server, and is never called by two threads at once; different handlers
// run side by side and know nothing of each other. There is no order between objects beyond that of
// the watch.
//
// Merging of events: every version of an object that the watch brings is one event, as
// long as the handler keeps up. A list that follows an interruption brings only the last state: an
// object that was changed several times meanwhile is one update, one that was deleted and created
// again under its name is a deletion and an addition if the uid differs, and one that was created
// and deleted is never seen. A handler that falls behind its bound gets what
// HandlerOptions::overflow says: events that wait are merged per object, or the informer waits for
// it, or it gets a resync.
//
// Deletions. Deleted<T> always has the last known object. Where the watch did not bring the
// deletion itself, because it happened during an interruption, final_state_unknown says so, and the
// object may be older than the one that was deleted.
//
// Initial list. A handler that is added at any time first gets all objects as Added events with
// is_in_initial_list, then changes; nothing falls between. HasSynced of its registration is true
// once it has returned from all of them.
//
// Absence. Lister::Get answers kNotFound only where the object did not exist at the version that
// was read: the store has synced, covers the name, and has room for it. Otherwise the error says
// why the cache cannot know.
//
// Freshness. Status() says how old the last proof of progress is. WaitForResourceVersion blocks
// until the store has everything up to a version, such as that of a write's answer. Reads of the
// store never ask the server and never wait.
//
// Epochs. A server that is restored from a backup goes back in time. The informer notices, lists
// again, and counts a new epoch; events and snapshots carry it. resourceVersions of different
// epochs must not be compared.
//
// It never happens that a reader sees half of a list, or a change of an object that it holds; an
// event of an object is delivered twice or before the store has it; an object leaves the store
// because of an error; a handler that throws, hangs or is slow changes what others get (except with
// OverflowPolicy::kBlock, which asks for it).
//
// Lifetime. This class is a handle; copies refer to the same informer. Listers, and the factory
// that made it, are handles too: when the last one is destroyed, the watch ends and the memory is
// freed. That waits for running callbacks, except inside one and on the loop. Snapshots and Refs
// stay valid.
//
// Thread-safe. Only Run, WaitForCacheSync, RemoveEventHandler and AddIndexers block, as they
// document, and fail with kWouldDeadlock where they would wait for themselves. Each promise above
// has its test: docs/guide/guarantees.md.
template <class T>
class SharedInformer {
 public:
  // Creates an informer outside a factory, for any ListerWatcher. `env` must outlive it.
  SharedInformer(Env& env, std::unique_ptr<ListerWatcher> lister_watcher,
                 InformerOptions<T> options = {})
      : SharedInformer(Make(env, std::move(lister_watcher), options)) {}
  // Creates an informer for options.namespaces: `lister_watchers` makes the ListerWatcher of each,
  // on the loop, at each start.
  //
  //   SharedInformer<corev1::Pod> pods(
  //       client.env(),
  //       [client](const std::string& ns) { return NewListWatch<corev1::Pod>(client, ns); },
  //       {.namespaces = {"blue", "green"}});
  SharedInformer(Env& env, NamespacedListWatch lister_watchers, InformerOptions<T> options)
      : SharedInformer(Make(env, std::move(lister_watchers), options)) {}
  explicit SharedInformer(std::shared_ptr<internal::InformerCore> core) : core_(std::move(core)) {}

  // Registers a handler. It first gets all existing objects as Added events with
  // is_in_initial_list, then all changes. kStopped: the informer has stopped. May be called at any
  // time, also before Start and in callbacks.
  Result<EventHandlerRegistration> AddEventHandler(ResourceEventHandlerFuncs<T> funcs,
                                                   HandlerOptions options = {}) {
    return Add<T>(std::make_shared<FunctionEventHandler<T>>(std::move(funcs)), std::move(options));
  }
  Result<EventHandlerRegistration> AddEventHandler(std::shared_ptr<ResourceEventHandler<T>> handler,
                                                   HandlerOptions options = {}) {
    return Add<T>(std::move(handler), std::move(options));
  }
  Result<EventHandlerRegistration> AddEventHandler(FilteringResourceEventHandler<T> handler,
                                                   HandlerOptions options = {}) {
    return Add<T>(std::make_shared<FilteringResourceEventHandler<T>>(std::move(handler)),
                  std::move(options));
  }
  // Registers a handler of the program's own class, for T or for objects of any kind:
  // ResourceEventHandler<Object> sees their metadata, and needs object.h.
  template <class Handler>
  Result<EventHandlerRegistration> AddEventHandler(std::shared_ptr<Handler> handler,
                                                   HandlerOptions options = {}) {
    constexpr bool kOwn = std::is_convertible_v<Handler*, ResourceEventHandler<T>*>;
    constexpr bool kAny = std::is_convertible_v<Handler*, ResourceEventHandler<Object>*>;
    static_assert(kOwn || kAny,
                  "this handler is not for the informer's kind: its class must derive from "
                  "ResourceEventHandler<T>, where T is that kind, or ResourceEventHandler<Object>");
    if constexpr (kOwn) {
      static_assert(internal::CheckHandlerClass<Handler, T>());
      return Add<T>(std::shared_ptr<ResourceEventHandler<T>>(std::move(handler)),
                    std::move(options));
    } else if constexpr (kAny) {
      static_assert(internal::CheckHandlerClass<Handler, Object>());
      return AddForAny(std::shared_ptr<ResourceEventHandler<Object>>(std::move(handler)),
                       std::move(options));
    } else {
      return EventHandlerRegistration();
    }
  }
  template <class Any>
    requires(std::is_same_v<Any, Object> && !std::is_same_v<Any, T>)
  Result<EventHandlerRegistration> AddEventHandler(ResourceEventHandlerFuncs<Any> funcs,
                                                   HandlerOptions options = {}) {
    return Add<Any>(std::make_shared<FunctionEventHandler<Any>>(std::move(funcs)),
                    std::move(options));
  }

  // Explains at compile time an argument that is no handler.
  template <class Wrong, class... Rest>
    requires(!std::is_convertible_v<const Wrong&, ResourceEventHandlerFuncs<T>> &&
             !std::is_convertible_v<const Wrong&, FilteringResourceEventHandler<T>> &&
             !std::is_convertible_v<Wrong, std::shared_ptr<ResourceEventHandler<T>>> &&
             !std::is_convertible_v<const Wrong&, std::shared_ptr<const void>> &&
             !std::is_same_v<Wrong, ResourceEventHandlerFuncs<Object>>)
  Result<EventHandlerRegistration> AddEventHandler(const Wrong& /*wrong*/,
                                                   const Rest&... /*rest*/) {
    constexpr bool kValue = std::is_base_of_v<ResourceEventHandler<T>, Wrong>;
    static_assert(!kValue,
                  "this is a handler by value, and the informer shares its own: give "
                  "std::make_shared<YourHandler>(...)");
    static_assert(kValue || std::is_pointer_v<Wrong>,
                  "a handler is a set of functions by name: AddEventHandler({.on_add = function, "
                  ".on_update = ..., .on_delete = ...}), or a std::shared_ptr to a class");
    static_assert(kValue || !std::is_pointer_v<Wrong>,
                  "this is a bare pointer, and the informer shares its handler: give "
                  "std::make_shared<YourHandler>(...)");
    return EventHandlerRegistration();
  }

  // Removes a handler and discards its pending events. Waits for a running callback, except inside
  // one of this handler, so that data used by the callback may be destroyed afterwards. Removing
  // twice does nothing. kInvalidArgument, and nothing removed: the handler belongs to another
  // informer, or the handle is empty. kWouldDeadlock: called on the loop thread while a callback
  // runs; the handler is removed, but the callback may still run.
  Result<void> RemoveEventHandler(const EventHandlerRegistration& registration) {
    return core_->RemoveHandler(registration.listener());
  }

  // Adds indexes; kAlreadyExists, and none added, if one of the names is taken. On a running
  // informer this blocks until they are complete; kWouldDeadlock on the loop thread.
  Result<void> AddIndexers(Indexers<T> indexers) {
    return internal::AddTypedIndexers<T>(*core_, std::move(indexers));
  }
  // Removes indexes, for all users of the informer: see Indexer.
  Result<void> RemoveIndexers(std::vector<std::string> names) {
    return internal::IndexerOf(core_)->RemoveIndexes(std::move(names));
  }

  // Sets a function that replaces every object before it is stored: on the loop, once per received
  // object; must be quick and pure. WithContent (transform.h) makes the new object. An error marks
  // the object as unreadable. Overrides the factory's transform. kStopped after Start.
  Result<void> SetTransform(TypedTransformFunc<T> transform) {
    return core_->SetTransform(
        [f = std::move(transform)](internal::ObjectRef object) -> Result<internal::ObjectRef> {
          Result<Ref<T>> result = f(Ref<T>(std::move(object)));
          if (!result) return std::move(result).error();
          return (*result).object();
        });
  }
  // Sets a function that is called on the loop whenever listing or watching fails, instead of
  // logging. Must be quick. kStopped after Start.
  Result<void> SetWatchErrorHandler(WatchErrorHandler handler) {
    return core_->SetWatchErrorHandler(std::move(handler));
  }

  // Begins to list and watch, and returns at once. After Stop it continues with the cached state,
  // and handlers get the difference. Does nothing while it runs.
  void Start() { core_->Start(); }
  // Stops listing and watching, and returns at once. The store stays readable.
  void Stop() { core_->Stop(); }
  // Starts, stops when `stop` is requested, and returns when all its work has ended. Blocks.
  void Run(const std::stop_token& stop) { core_->Run(stop); }

  // Returns true once the first list is in the store, as long as the informer runs.
  [[nodiscard]] bool HasSynced() const { return core_->HasSynced(); }
  // Blocks until HasSynced; see SharedInformerFactory::WaitForCacheSync.
  Result<void> WaitForCacheSync(const std::stop_token& stop = {},
                                SyncWaitOptions options = {}) const {
    return internal::WaitForSync(core_->env(), {core_}, stop, options);
  }
  // Blocks until all handlers that are registered now have returned from their initial events:
  // EventHandlerRegistration::WaitForSync for each, with its errors. Does not wait for a handler
  // that is removed meanwhile.
  Result<void> WaitForHandlersSync(const std::stop_token& stop = {},
                                   std::optional<Duration> timeout = {}) const {
    return core_->WaitForHandlersSync(stop, timeout);
  }
  [[nodiscard]] bool HasStarted() const { return core_->HasStarted(); }
  [[nodiscard]] bool IsStopped() const { return core_->IsStopped(); }
  // Returns the collection's version in the store, without queued changes; empty before the first
  // list. For several namespaces the oldest one, and empty until all have one.
  [[nodiscard]] std::string LastSyncResourceVersion() const {
    return core_->LastSyncResourceVersion();
  }
  // Blocks until the store has all changes up to this version of the same collection, which came
  // from a list, or from an object that a write returned. An event of that version ends the wait
  // at once. The version of the collection itself, or of an object that the selectors exclude,
  // reaches a quiet informer only with the next bookmark, which servers send about once a
  // minute.
  //
  // kEpochChanged: the server went back in time meanwhile; the version has lost its meaning.
  // kDeadlineExceeded. kCanceled: `stop` was requested. kStopped, kNotSynced: the informer has
  // stopped, or was not started. kWouldDeadlock: on the loop thread. kInvalidArgument: the version
  // is not a number, or the server's versions are not, so that they have no order.
  Result<void> WaitForResourceVersion(std::string_view resourceVersion,
                                      const std::stop_token& stop = {},
                                      std::optional<Duration> timeout = {}) const {
    return core_->WaitForResourceVersion(resourceVersion, stop, timeout);
  }
  // Blocks until the store has all that the server had when this was called, however late the
  // watch is. Asks the server, which takes one round trip, and no more if the watch is not late; a
  // request that fails is made again. Give a `timeout`, or a `stop`: a watch may be late for long.
  //
  // kDeadlineExceeded, kCanceled, kStopped, kNotSynced, kWouldDeadlock: as above. The server's
  // error if it refuses to list (403, 404, 405).
  Result<void> WaitUntilCurrent(const std::stop_token& stop = {},
                                std::optional<Duration> timeout = {}) const {
    return internal::WaitUntilCurrent(core_->env(), {core_}, stop, timeout);
  }
  [[nodiscard]] InformerStats Stats() const { return core_->Stats(); }
  // Returns its activity, the last error, and the time since the last confirmation by the server.
  [[nodiscard]] InformerStatus Status() const { return core_->Status(); }
  // Returns the status of each namespace, by name, if it watches several
  // (InformerOptions::namespaces, by_namespace of the factory, the fallback of IfForbidden).
  [[nodiscard]] std::vector<NamespaceStatus> Namespaces() const { return core_->Namespaces(); }

  // Return three interfaces for reading the store. Results are complete only once HasSynced; before
  // that they are empty.
  [[nodiscard]] kinformer::Lister<T> lister() const { return internal::MakeLister<T>(core_); }
  [[nodiscard]] kinformer::Indexer<T> indexer() const { return internal::MakeIndexer<T>(core_); }
  [[nodiscard]] kinformer::Snapshot<T> Snapshot() const { return internal::MakeSnapshot<T>(core_); }

  [[nodiscard]] const std::shared_ptr<internal::InformerCore>& core() const { return core_; }

 private:
  template <class Any>
  Result<EventHandlerRegistration> AddForAny(std::shared_ptr<ResourceEventHandler<Any>> handler,
                                             HandlerOptions options) {
    static_assert(
        requires { sizeof(Any); },
        "a handler for Objects needs #include \"kinformer/object/object.h\"");
    return Add<Any>(std::move(handler), std::move(options));
  }
  template <class U, class Handler>
  Result<EventHandlerRegistration> Add(std::shared_ptr<Handler> handler, HandlerOptions options) {
    auto listener = core_->AddHandler(
        std::make_shared<internal::HandlerAdapter<U, Handler>>(std::move(handler)),
        std::move(options));
    if (!listener) return std::move(listener).error();
    return EventHandlerRegistration(std::move(*listener));
  }

  template <class Source>
  static std::shared_ptr<internal::InformerCore> Make(Env& env, Source lister_watchers,
                                                      InformerOptions<T>& options) {
    auto core = internal::NewStandaloneInformer(env, std::move(lister_watchers),
                                                internal::SettingsOf(options));
    if constexpr (requires { T::kind_info(); }) {
      core->LogIfError(options.projection.CheckFor(T::kind_info()));
    }
    core->LogIfError(internal::AddMissingIndexers<T>(*core, std::move(options.indexers)));
    return core;
  }

  std::shared_ptr<internal::InformerCore> core_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_SHARED_INFORMER_H_
