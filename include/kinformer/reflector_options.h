// kinformer/reflector_options.h
//
// The options of a Reflector, which do not depend on the objects' type.

#ifndef KINFORMER_REFLECTOR_OPTIONS_H_
#define KINFORMER_REFLECTOR_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "kinformer/env.h"
#include "kinformer/error.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/time_span.h"

namespace kinformer {

// Everything has a default. Counterpart: cache.ReflectorOptions and the fields that a Reflector has
// beside them.
struct ReflectorOptions {
  // In logs; empty: what it lists, "pods in namespace default".
  std::string name{};
  InitialList initial_list{InitialList::kWatchList};
  // Objects in a page of a list; 0: client-go's rules, which are 500 where the server reads from
  // etcd and no limit where it answers from memory.
  std::int64_t watch_list_page_size{0};
  // At least 5 min. Watches are asked to end after a time between this and twice this.
  internal::TimeSpan min_watch_timeout{};
  // How often to ask the store for a Resync; 0: never.
  internal::TimeSpan resync_period{};
  // Asked when it is time for a resync; empty: yes. Called on the loop.
  std::function<bool()> should_resync{};
  // For how long a watch that the server ends with an internal error (500) is resumed at once,
  // instead of listing again; 0: it is not. client-go's MaxInternalErrorRetryDuration.
  internal::TimeSpan max_internal_error_retry{};
  // Called on the loop whenever listing or watching fails, in place of a log line. Must be quick.
  WatchErrorHandler watch_error_handler{};
};

}  // namespace kinformer

#endif  // KINFORMER_REFLECTOR_OPTIONS_H_
