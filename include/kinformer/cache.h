// kinformer/cache.h
//
// All public headers of the group cache.

#ifndef KINFORMER_CACHE_H_
#define KINFORMER_CACHE_H_

#include "kinformer/cache/assume_cache.h"
#include "kinformer/cache/async_shared_informer.h"
#include "kinformer/cache/await_condition.h"
#include "kinformer/cache/batch_event_handler.h"
#include "kinformer/cache/controller.h"
#include "kinformer/cache/delta.h"
#include "kinformer/cache/delta_fifo.h"
#include "kinformer/cache/dynamic_shared_informer_factory.h"
#include "kinformer/cache/event_reader.h"
#include "kinformer/cache/event_type.h"
#include "kinformer/cache/factory_options.h"
#include "kinformer/cache/index.h"
#include "kinformer/cache/index_key.h"
#include "kinformer/cache/indexer.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/cache/informer_watcher.h"
#include "kinformer/cache/joint_snapshot.h"
#include "kinformer/cache/key_lister_getter.h"
#include "kinformer/cache/lister.h"
#include "kinformer/cache/namespace_scope.h"
#include "kinformer/cache/object_range.h"
#include "kinformer/cache/queue.h"
#include "kinformer/cache/reader.h"
#include "kinformer/cache/real_fifo.h"
#include "kinformer/cache/reflector.h"
#include "kinformer/cache/reflector_options.h"
#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/cache/snapshot.h"
#include "kinformer/cache/snapshot_stats.h"
#include "kinformer/cache/store.h"
#include "kinformer/cache/store_changes.h"
#include "kinformer/cache/transform.h"
#include "kinformer/cache/wait_for_cache_sync.h"
#include "kinformer/cache/watch_until.h"

#endif  // KINFORMER_CACHE_H_
