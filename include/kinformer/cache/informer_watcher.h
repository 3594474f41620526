// kinformer/cache/informer_watcher.h
//
// NewIndexerInformerWatcher: an informer with the interface of a watch, for programs that want
// single events, but not the work of a watch: it lists, resumes and relists by itself.
//
//   auto [indexer, informer, watcher] = NewIndexerInformerWatcher<corev1::Pod>(
//       env, NewListWatch<corev1::Pod>(client, "default")).OrExit();

#ifndef KINFORMER_CACHE_INFORMER_WATCHER_H_
#define KINFORMER_CACHE_INFORMER_WATCHER_H_

#include <memory>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/indexer.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/watcher.h"
#include "kinformer/internal/watcher_core.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Result of NewIndexerInformerWatcher: the informer, its store, and its events.
template <ObjectView T>
struct IndexerInformerWatcher {
  Indexer<T> indexer;
  SharedInformer<T> informer;
  Watcher<T> watcher;
};

// Creates an informer and starts it. Its events: ADDED for initial and new objects, MODIFIED, and
// DELETED with the last known state, also for objects that a relist lacks; in order per object,
// with none skipped except by a relist. Events that are not read are queued without limit. The
// store reflects an event before it can be read.
//
// Stopping the watcher, or releasing all handles, stops the informer. Thread-safe; never blocks.
// `env` must outlive all three. Counterpart: watch.NewIndexerInformerWatcher of tools/watch.
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

#endif  // KINFORMER_CACHE_INFORMER_WATCHER_H_
