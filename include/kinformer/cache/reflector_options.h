// kinformer/cache/reflector_options.h
//
// Options of a Reflector, which do not depend on the objects' type.

#ifndef KINFORMER_CACHE_REFLECTOR_OPTIONS_H_
#define KINFORMER_CACHE_REFLECTOR_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/time_span.h"
#include "kinformer/cache/informer_options.h"

namespace kinformer {

// Options of a Reflector. Counterpart: cache.ReflectorOptions, and the other fields of a
// Reflector.
struct ReflectorOptions {
  // Name in logs; empty: the listed collection, "pods in namespace default".
  std::string name{};
  InitialList initial_list{InitialList::kWatchList};
  // Page size of lists; 0: client-go's rules: 500 if the server reads from etcd, no limit if it
  // answers from memory.
  std::int64_t watch_list_page_size{0};
  // Lower limit of a watch's duration, at least 5 min. Watches end after this to twice this time.
  TimeSpan min_watch_timeout{};
  // Interval of the store's Resync; 0: never.
  TimeSpan resync_period{};
  // Returns true if a due resync should be done; empty: always. Called on the loop.
  std::function<bool()> should_resync{};
  // Time in which a watch that the server ends with an internal error (500) is resumed at once,
  // instead of listing again; 0: it is not. client-go's MaxInternalErrorRetryDuration.
  TimeSpan max_internal_error_retry{};
  // Called on the loop whenever listing or watching fails, instead of logging. Must be quick.
  WatchErrorHandler watch_error_handler{};
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_REFLECTOR_OPTIONS_H_
