// kinformer/cache/controller.h
//
// CacheController<T>: a Reflector that fills a queue, and a loop that processes it with a function
// of the program, on a thread of the program. That function alone decides what to do with a change:
//
//   auto queue = std::make_shared<DeltaFIFO<corev1::Pod>>(client.env());
//   CacheController<corev1::Pod> controller(
//       client.env(),
//       {.queue = queue,
//        .lister_watcher = NewListWatch<corev1::Pod>(client),
//        .process = [](const Deltas<corev1::Pod>& deltas, bool) {
//          std::cout << Queue<corev1::Pod>::KeyOf(deltas) << " changed\n";
//          return Result<void>();
//        }});
//   controller.Run(stop.token()).OrExit();  // until stop is requested
//
// NewInformer creates one whose function updates a store and calls a handler.
//
// Most programs need a SharedInformer instead: its handlers neither wait for each other nor delay
// the store, and their pending events are bounded. An operator's controller, which reconciles, is a
// different thing with the same name.

#ifndef KINFORMER_CACHE_CONTROLLER_H_
#define KINFORMER_CACHE_CONTROLLER_H_

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/indexer.h"
#include "kinformer/cache/queue.h"
#include "kinformer/cache/real_fifo.h"
#include "kinformer/cache/reflector.h"
#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/cache_controller_core.h"
#include "kinformer/internal/delta_queue_core.h"
#include "kinformer/internal/raw_event.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Counterpart: cache.Config.
template <ObjectView T>
struct CacheControllerConfig {
  // The queue to fill; nothing else may pop it.
  std::shared_ptr<Queue<T>> queue;
  std::unique_ptr<ListerWatcher> lister_watcher;
  // Called on the thread that calls Run, one call at a time; may block and be slow, while the queue
  // grows. An error is logged, and the change is lost.
  ProcessFunc<T> process;
  // Processes several changes at once (see Queue::PopBatch); empty: each change is passed singly.
  ProcessFunc<T> process_batch{};
  // Contains client-go's FullResyncPeriod, ShouldResync, MinWatchTimeout, WatchErrorHandler and
  // WatchListPageSize.
  ReflectorOptions reflector{};
};

// Thread-safe. Only Run blocks. The Reflector works on the loop of `env`,
// which must outlive this. Destroy it after Run has returned. Ownership: the
// queue is shared, the ListerWatcher is the controller's. Errors of the server
// are retried for ever (see Reflector). An exception of a process function
// leaves Run, once the Reflector has ended. Counterpart: cache.Controller,
// cache.New.
template <ObjectView T>
class CacheController {
 public:
  CacheController(Env& env, CacheControllerConfig<T> config)
      : CacheController(
            env, config.queue, std::move(config.lister_watcher),
            PopWith(config.queue, std::move(config.process), std::move(config.process_batch)),
            std::move(config.reflector)) {}

  // Lists, watches and processes until `stop` is requested, which closes the queue; changes still
  // queued then are not processed. May be called once. kWouldDeadlock: on the loop thread.
  // kStopped: the queue is closed already.
  Result<void> Run(const std::stop_token& stop) {
    return internal::RunController(reflector_, popped_, stop);
  }

  // Returns true once the queue's first list has been processed.
  [[nodiscard]] bool HasSynced() const { return queue_->HasSynced(); }
  // Returns the Reflector's version, which includes queued changes. Empty before the first list.
  [[nodiscard]] std::string LastSyncResourceVersion() const {
    return reflector_.LastSyncResourceVersion();
  }

 private:
  template <ObjectView U>
  friend std::pair<Indexer<U>, std::unique_ptr<CacheController<U>>> NewInformer(
      Env& env, std::unique_ptr<ListerWatcher> lister_watcher,
      std::shared_ptr<ResourceEventHandler<U>> handler, ReflectorOptions options,
      Indexers<U> indexers);

  CacheController(Env& env, std::shared_ptr<Queue<T>> queue,
                  std::unique_ptr<ListerWatcher> lister_watcher, std::function<Result<void>()> pop,
                  ReflectorOptions options)
      : queue_(std::move(queue)),
        reflector_(env, std::move(lister_watcher),
                   std::make_shared<internal::ReflectorStoreAdapter<T>>(queue_),
                   internal::ExpectedType<T>(), std::move(options)),
        popped_{std::move(pop), [this] { queue_->Close(); },
                [this] { return queue_->IsClosed(); }} {}

  static std::function<Result<void>()> PopWith(std::shared_ptr<Queue<T>> queue,
                                               ProcessFunc<T> process,
                                               ProcessFunc<T> process_batch) {
    return [queue = std::move(queue), process = std::move(process),
            process_batch = std::move(process_batch)] {
      return process_batch ? queue->PopBatch(process_batch, process) : queue->Pop(process);
    };
  }

  const std::shared_ptr<Queue<T>> queue_;
  internal::ReflectorCore reflector_;
  const internal::PoppedQueue popped_;
};

// Creates a store that follows a collection, and the controller that updates it and calls
// `handler`: the simplest informer. Nothing happens before the controller runs.
//
//   auto [pods, controller] = NewInformer<corev1::Pod>(
//       client.env(), NewListWatch<corev1::Pod>(client),
//       {.on_add = [](const Added<corev1::Pod>& e) { std::cout << "+ " << e.key << '\n'; }});
//   controller->Run(stop.token()).OrExit();
//
// Guarantees: the store reflects a change before the handler gets it; a list is one step of the
// store, and its deletions are delivered first. As in client-go, and unlike in a SharedInformer, a
// relist delivers every object, changed or not, and an object whose uid has changed is one
// OnUpdate. Callbacks run on the thread that calls Run; exceptions are logged. Ownership: the store
// may outlive the controller. Any thread may read it; only the controller may write it.
// Counterpart: cache.NewInformerWithOptions, NewInformer, NewIndexerInformer.
template <ObjectView T>
std::pair<Indexer<T>, std::unique_ptr<CacheController<T>>> NewInformer(
    Env& env, std::unique_ptr<ListerWatcher> lister_watcher,
    std::shared_ptr<ResourceEventHandler<T>> handler, ReflectorOptions options = {},
    Indexers<T> indexers = {}) {
  Indexer<T> store(env, std::move(indexers));
  auto queue = std::make_shared<RealFIFO<T>>(env);
  auto process = internal::NewDeltaProcessor(
      env, store.core(), std::make_shared<internal::HandlerAdapter<T>>(std::move(handler)));
  auto pop = [core = queue->core(), process = std::move(process)] {
    return core->Pop(internal::DeltaQueueCore::kBatch, process);
  };
  std::unique_ptr<CacheController<T>> controller(new CacheController<T>(
      env, std::move(queue), std::move(lister_watcher), std::move(pop), std::move(options)));
  return {std::move(store), std::move(controller)};
}
// Does the same with functions as the handler.
template <ObjectView T>
std::pair<Indexer<T>, std::unique_ptr<CacheController<T>>> NewInformer(
    Env& env, std::unique_ptr<ListerWatcher> lister_watcher, ResourceEventHandlerFuncs<T> handler,
    ReflectorOptions options = {}, Indexers<T> indexers = {}) {
  return NewInformer<T>(env, std::move(lister_watcher),
                        std::shared_ptr<ResourceEventHandler<T>>(
                            std::make_shared<FunctionEventHandler<T>>(std::move(handler))),
                        std::move(options), std::move(indexers));
}

}  // namespace kinformer

#endif  // KINFORMER_CACHE_CONTROLLER_H_
