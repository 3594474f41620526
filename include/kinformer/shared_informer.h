// kinformer/shared_informer.h
//
// SharedInformer<T>: a local, indexed, always-fresh copy of one collection of the API server, and
// callbacks when it changes.
//
// Most programs get theirs from a SharedInformerFactory, so that everyone who asks for pods shares
// one watch and one store. Alone it works as well:
//
//   SharedInformer<corev1::Pod> pods(client.env(),
//                                    NewFilteredListWatch<corev1::Pod>(client, "default"));
//   auto handler = pods.AddEventHandler({.on_add = [](const Added<corev1::Pod>& e) {
//     std::cout << "+ " << e.key << '\n';
//   }}).OrExit().Scoped();
//   pods.Start();
//   pods.WaitForCacheSync(stop.token()).OrExit();
//   for (corev1::Pod p : pods.Snapshot()) ...

#ifndef KINFORMER_SHARED_INFORMER_H_
#define KINFORMER_SHARED_INFORMER_H_

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

#include "kinformer/env.h"
#include "kinformer/event_handler.h"
#include "kinformer/indexer.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/hidden_overrides.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/internal/raw_event.h"
#include "kinformer/list_watch.h"
#include "kinformer/lister.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/snapshot.h"

namespace kinformer {

class Object;  // object.h

// What AddEventHandler gives: a handle for asking and for removing. Copyable; losing all copies
// changes nothing. Thread-safe.
// Counterpart: cache.ResourceEventHandlerRegistration.
class EventHandlerRegistration {
 public:
  EventHandlerRegistration() = default;
  explicit EventHandlerRegistration(std::shared_ptr<internal::cache::Listener> listener)
      : listener_(std::move(listener)) {}

  // The informer has synced and this handler's callbacks for all that was there then have returned.
  // Stays true.
  [[nodiscard]] bool HasSynced() const {
    return listener_ != nullptr && internal::ListenerHasSynced(*listener_);
  }
  // Blocks until HasSynced. kCanceled: stop was requested. kDeadlineExceeded. kStopped: the handler
  // was removed or the informer stopped. kNotSynced: not started. kWouldDeadlock: on the loop
  // thread, or inside a callback of this handler.
  Result<void> WaitForSync(const std::stop_token& stop = {},
                           std::optional<Duration> timeout = {}) const {
    return internal::ListenerWaitForSync(listener_, stop, timeout);
  }
  [[nodiscard]] HandlerStats Stats() const { return internal::ListenerStats(*listener_); }

  // Removes the handler when the result is destroyed or another takes its place, and waits as
  // RemoveEventHandler does. Declared behind what the handler uses, it sees to it that no callback
  // finds that gone:
  //
  //   WorkQueue<ObjectName> queue(env);
  //   auto handler = pods.AddEventHandler({.on_add = [&](const auto& e) {
  //     queue.Add(e.object_name());
  //   }}).OrExit().Scoped();
  class [[nodiscard]] ScopedRegistration {
   public:
    ScopedRegistration() = default;  // of no handler
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

// A handle on an informer; copies are the same informer. Listers, and the factory that made it, are
// handles too: when the last one goes, the watch ends and the memory is freed; its destruction
// waits for callbacks that run, except inside one and on the loop. Snapshots and Refs live on.
//
// Thread-safe. Nothing blocks except Run, WaitForCacheSync, RemoveEventHandler and AddIndexers, as
// they say.
// Counterpart: cache.SharedIndexInformer.
template <class T>
class SharedInformer {
 public:
  // An informer of its own, over anything that lists and watches. `env` must outlive it.
  SharedInformer(Env& env, std::unique_ptr<ListerWatcher> lister_watcher,
                 InformerOptions<T> options = {})
      : SharedInformer(Make(env, std::move(lister_watcher), options)) {}
  // The same over all of options.namespaces: `lister_watchers` makes the ListerWatcher of each; on
  // the loop, at each start.
  //
  //   SharedInformer<corev1::Pod> pods(
  //       client.env(),
  //       [client](const std::string& ns) { return NewListWatch<corev1::Pod>(client, ns); },
  //       {.namespaces = {"blue", "green"}});
  SharedInformer(Env& env, NamespacedListWatch lister_watchers, InformerOptions<T> options)
      : SharedInformer(Make(env, std::move(lister_watchers), options)) {}
  explicit SharedInformer(std::shared_ptr<internal::InformerCore> core) : core_(std::move(core)) {}

  // Registers a handler. It first gets everything that is there as Added events with
  // is_in_initial_list, then what happens. kStopped where the informer has stopped. May be called
  // at any time, also before Start and from callbacks.
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
  // A handler of a class of its own, for T or for objects of any kind: ResourceEventHandler<Object>
  // sees their metadata, and needs object.h.
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

  // Something that is no handler: says what one looks like.
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

  // Ends a registration; events that wait are discarded. Waits for a callback that is running,
  // except inside one of this handler, so that afterwards what the callback uses may go. Removing
  // twice does nothing. kInvalidArgument, and nothing removed: the handler is another informer's,
  // or the handle is nobody's. kWouldDeadlock: called on the loop thread while a callback runs; the
  // removal holds, only the wait is missing.
  Result<void> RemoveEventHandler(const EventHandlerRegistration& registration) {
    return core_->RemoveHandler(registration.listener());
  }

  // Adds indexes; kAlreadyExists, and none added, if one of the names is taken. On a running
  // informer this blocks until they are complete; kWouldDeadlock on the loop thread.
  Result<void> AddIndexers(Indexers<T> indexers) {
    return internal::AddTypedIndexers<T>(*core_, std::move(indexers));
  }
  // Removes indexes, for all who share the informer: see Indexer.
  Result<void> RemoveIndexers(std::vector<std::string> names) {
    return internal::IndexerOf(core_)->RemoveIndexes(std::move(names));
  }

  // Replaces every object before anything else sees it: on the loop, once per object received; must
  // be quick and pure. WithContent (transform.h) makes the object to be kept. An error marks the
  // object as unreadable. In the place of the factory's transform. kStopped after Start.
  Result<void> SetTransform(TypedTransformFunc<T> transform) {
    return core_->SetTransform(
        [f = std::move(transform)](internal::ObjectRef object) -> Result<internal::ObjectRef> {
          Result<Ref<T>> result = f(Ref<T>(std::move(object)));
          if (!result) return std::move(result).error();
          return (*result).object();
        });
  }
  // Called on the loop whenever listing or watching fails, in place of a log line. Must be quick.
  // kStopped after Start.
  Result<void> SetWatchErrorHandler(WatchErrorHandler handler) {
    return core_->SetWatchErrorHandler(std::move(handler));
  }

  // Begins to list and watch, and returns at once. Again after Stop: continues with what is cached,
  // and handlers get the difference. A no-op while it runs.
  void Start() { core_->Start(); }
  // Ends listing and watching, and returns at once. The store stays readable.
  void Stop() { core_->Stop(); }
  // Start, then Stop once stop is requested; returns when nothing of it runs any more. Blocks.
  void Run(const std::stop_token& stop) { core_->Run(stop); }

  // The first list is in the store. Stays true while the informer runs.
  [[nodiscard]] bool HasSynced() const { return core_->HasSynced(); }
  // Blocks until HasSynced; see SharedInformerFactory::WaitForCacheSync.
  Result<void> WaitForCacheSync(const std::stop_token& stop = {},
                                SyncWaitOptions options = {}) const {
    return internal::WaitForSync(core_->env(), {core_}, stop, options);
  }
  // Blocks until the callbacks of all handlers that are registered now have returned for all that
  // was there at first: EventHandlerRegistration::WaitForSync of each, and its errors. A handler
  // that is removed meanwhile is not waited for.
  Result<void> WaitForHandlersSync(const std::stop_token& stop = {},
                                   std::optional<Duration> timeout = {}) const {
    return core_->WaitForHandlersSync(stop, timeout);
  }
  [[nodiscard]] bool HasStarted() const { return core_->HasStarted(); }
  [[nodiscard]] bool IsStopped() const { return core_->IsStopped(); }
  // The version of the collection that the store has; empty before the first list. What waits in
  // the queue is not in it. Of several namespaces the oldest, and empty until all have one.
  [[nodiscard]] std::string LastSyncResourceVersion() const {
    return core_->LastSyncResourceVersion();
  }
  // Blocks until the store has all up to this version, which came from the same collection: from a
  // list, or from an object that a write returned. An event of that version shows it at once. The
  // version of the collection itself, or of an object that the selectors exclude, reaches an
  // informer where nothing happens with the next bookmark only, which servers send about once a
  // minute.
  //
  // kEpochChanged: the server went back in time meanwhile; the version means nothing any more.
  // kDeadlineExceeded. kCanceled: stop was requested. kStopped, kNotSynced: the informer has
  // stopped, or was not started. kWouldDeadlock: on the loop thread. kInvalidArgument: the version
  // is no number, or the server's are none, so that they have no order.
  Result<void> WaitForResourceVersion(std::string_view resourceVersion,
                                      const std::stop_token& stop = {},
                                      std::optional<Duration> timeout = {}) const {
    return core_->WaitForResourceVersion(resourceVersion, stop, timeout);
  }
  [[nodiscard]] InformerStats Stats() const { return core_->Stats(); }
  // What it is doing, why, and how old the last news is.
  [[nodiscard]] InformerStatus Status() const { return core_->Status(); }
  // The same of each namespace, by name, where it looks at several (InformerOptions::namespaces,
  // by_namespace of the factory, or what IfForbidden has it fall back to); else empty.
  [[nodiscard]] std::vector<NamespaceStatus> Namespaces() const { return core_->Namespaces(); }

  // Three ways to read. All keep their promise only together with HasSynced: before it, they show
  // nothing.
  [[nodiscard]] kinformer::Lister<T> lister() const { return internal::MakeLister<T>(core_); }
  [[nodiscard]] kinformer::Indexer<T> indexer() const { return internal::MakeIndexer<T>(core_); }
  [[nodiscard]] kinformer::Snapshot<T> Snapshot() const { return internal::MakeSnapshot<T>(core_); }

  [[nodiscard]] const std::shared_ptr<internal::InformerCore>& core() const { return core_; }

 private:
  template <class Any>
  Result<EventHandlerRegistration> AddForAny(std::shared_ptr<ResourceEventHandler<Any>> handler,
                                             HandlerOptions options) {
    static_assert(
        requires { sizeof(Any); }, "a handler for Objects needs #include \"kinformer/object.h\"");
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
    if constexpr (requires { T::type_info(); }) {
      core->LogIfError(options.projection.CheckFor(T::type_info()));
    }
    core->LogIfError(internal::AddMissingIndexers<T>(*core, std::move(options.indexers)));
    return core;
  }

  std::shared_ptr<internal::InformerCore> core_;
};

}  // namespace kinformer

#endif  // KINFORMER_SHARED_INFORMER_H_
