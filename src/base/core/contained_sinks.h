// base/core/contained_sinks.h
//
// Wraps the user's log and metrics sinks so that they never throw. They are called from everywhere,
// including destructors.

#ifndef KINFORMER_BASE_CORE_CONTAINED_SINKS_H_
#define KINFORMER_BASE_CORE_CONTAINED_SINKS_H_

#include <memory>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"

namespace kinformer::internal::base {

struct Sinks {
  std::shared_ptr<LogSink> log;
  std::shared_ptr<MetricsSink> metrics;
};

// The first exception from `log` is printed to stderr, and all are counted; the first one from
// `metrics` or its instruments is logged. As thread-safe as the sinks. Neither may be null.
Sinks ContainedSinks(std::shared_ptr<LogSink> log, std::shared_ptr<MetricsSink> metrics);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_CONTAINED_SINKS_H_
