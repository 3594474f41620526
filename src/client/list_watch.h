// client/list_watch.h
//
// The ListerWatcher of an Engine: streams lists and watches from the network into blocks.

#ifndef KINFORMER_CLIENT_LIST_WATCH_H_
#define KINFORMER_CLIENT_LIST_WATCH_H_

#include <functional>
#include <memory>
#include <string>

#include "kinformer/client/list_options.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/transport.h"

#include "client/engine.h"

namespace kinformer::internal::client {

// `throttled`: lists are subject to the client-side rate limit, as the caller's own requests are.
// Lists of informers are not: they pass the list gate. `headers`: of the caller.
std::unique_ptr<ListerWatcher> NewEngineListWatch(std::shared_ptr<Engine> engine,
                                                  const KindInfo& type, std::string namespace_,
                                                  TweakListOptionsFunc tweak, bool throttled,
                                                  HttpHeaders headers = {});

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_LIST_WATCH_H_
