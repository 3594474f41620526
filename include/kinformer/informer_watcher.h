// kinformer/informer_watcher.h
//
// NewIndexerInformerWatcher: an informer as a watch, for who wants events one by one and yet none
// of the trouble of watches: it lists, resumes and relists by itself.
//
//   auto [indexer, informer, watcher] = NewIndexerInformerWatcher<corev1::Pod>(
//       env, NewListWatch<corev1::Pod>(client, "default")).OrExit();

#ifndef KINFORMER_INFORMER_WATCHER_H_
#define KINFORMER_INFORMER_WATCHER_H_

#include <memory>
#include <utility>

#include "kinformer/env.h"
#include "kinformer/indexer.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/watcher_core.h"
#include "kinformer/list_watch.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/shared_informer.h"
#include "kinformer/watcher.h"

namespace kinformer {

// What NewIndexerInformerWatcher makes: the informer, its store, and its events.
template <ObjectView T>
struct IndexerInformerWatcher {
  Indexer<T> indexer;
  SharedInformer<T> informer;
  Watcher<T> watcher;
};

// Makes an informer and starts it. Its events: ADDED for what is there at first and what comes,
// MODIFIED, DELETED with the last known state, also for what a relist lacks; per object in order,
// and never one left out but by a relist. What nobody takes waits, without a bound. The store
// reflects an event before it is told.
//
// Stopping the watcher, or losing all handles, stops the informer. Thread-safe; never blocks. `env`
// must outlive all three. Counterpart: watch.NewIndexerInformerWatcher of client-go tools/watch.
template <ObjectView T>
Result<IndexerInformerWatcher<T>> NewIndexerInformerWatcher(
    Env& env, std::unique_ptr<ListerWatcher> lister_watcher, InformerOptions<T> options = {}) {
  SharedInformer<T> informer(env, std::move(lister_watcher), std::move(options));
  Result<std::shared_ptr<internal::WatcherCore>> core =
      internal::NewInformerWatcherCore(informer.core());
  if (!core) return std::move(core).error();
  informer.Start();
  return IndexerInformerWatcher<T>{informer.indexer(), informer, Watcher<T>(*std::move(core))};
}

}  // namespace kinformer

#endif  // KINFORMER_INFORMER_WATCHER_H_
