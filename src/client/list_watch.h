// client/list_watch.h
//
// The ListerWatcher over an Engine: streams lists and watches from the network into blocks.

#ifndef KINFORMER_CLIENT_LIST_WATCH_H_
#define KINFORMER_CLIENT_LIST_WATCH_H_

#include <functional>
#include <memory>
#include <string>

#include "kinformer/list_options.h"
#include "kinformer/list_watch.h"

#include "client/engine.h"

namespace kinformer::internal::client {

// `throttled`: its lists count for the client-side rate limit, as requests of the caller's own do.
// An informer's do not: the list gate has them wait.
std::unique_ptr<ListerWatcher> NewEngineListWatch(std::shared_ptr<Engine> engine,
                                                  const TypeInfo& type, std::string namespace_,
                                                  TweakListOptionsFunc tweak, bool throttled);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_LIST_WATCH_H_
