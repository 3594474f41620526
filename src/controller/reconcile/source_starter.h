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

#include "kinformer/env.h"
#include "kinformer/result.h"
#include "kinformer/source.h"

namespace kinformer::internal {

struct SourceToStart {
  std::shared_ptr<source::AnySource> source;
  std::function<Result<void>(const std::stop_token&)> start;
};

// What it calls itself; "a source" where that throws.
std::string DescribeContained(Env& env, const source::AnySource& source);

// Has it stop; what that throws is logged.
void StopContained(Env& env, source::AnySource& source);

// What the source throws is its error.
Result<void> StartContained(Env& env, const source::AnySource& source,
                            const std::function<Result<void>(const std::stop_token&)>& start,
                            const std::stop_token& stop);

// All of them at once, each on a thread of its own and with `stop`'s token. Blocks until all have
// synced, one has failed, or `timeout` is over; a Start which does not return is waited for,
// whatever it takes. Requests stop where they have not all synced. The error names the controller
// and the source. False: stop was requested by somebody else meanwhile, so nobody knows whether
// they have synced. The threads are inside `core` (base/core/inside.h), and all that the
// caller is inside of.
Result<bool> StartAndSync(Env& env, const std::string& controller,
                          std::vector<SourceToStart> sources, Duration timeout,
                          std::stop_source stop, const void* core);

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_RECONCILE_SOURCE_STARTER_H_
