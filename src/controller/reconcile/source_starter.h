// controller/reconcile/source_starter.h
//
// Starts the sources of a controller and waits until they have synced.

#ifndef KINFORMER_CONTROLLER_RECONCILE_SOURCE_STARTER_H_
#define KINFORMER_CONTROLLER_RECONCILE_SOURCE_STARTER_H_

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/controller/source.h"

namespace kinformer::internal {

struct SourceToStart {
  std::shared_ptr<source::AnySource> source;
  std::function<Result<void>(const std::stop_token&)> start;
};

// Describes the source; "a source" if its description throws.
std::string DescribeContained(Env& env, const source::AnySource& source);

// Stops the source. Exceptions from it are logged.
void StopContained(Env& env, source::AnySource& source);

// Calls `start`. An exception becomes the returned error.
Result<void> StartContained(Env& env, const source::AnySource& source,
                            const std::function<Result<void>(const std::stop_token&)>& start,
                            const std::stop_token& stop);

// Starts all sources at once, each on its own thread with the token of `stop`. Blocks until all
// have synced, one has failed, or `timeout` is over; then waits for all threads, however long a
// source's Start takes. Requests stop unless all have synced. The error names the controller and
// the source. Returns false if somebody else requested stop in the meantime, so the sources may not
// have synced. The threads run inside `core` (base/core/inside.h) and inside everything that the
// caller is inside of.
Result<bool> StartAndSync(Env& env, const std::string& controller,
                          std::vector<SourceToStart> sources, Duration timeout,
                          std::stop_source stop, const void* core);

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_RECONCILE_SOURCE_STARTER_H_
