// base/core/contained_sinks.h
//
// The user's log and metrics sinks as ones that throw nothing. They are called from everywhere,
// destructors included.

#ifndef KINFORMER_BASE_CORE_CONTAINED_SINKS_H_
#define KINFORMER_BASE_CORE_CONTAINED_SINKS_H_

#include <memory>

#include "kinformer/log.h"
#include "kinformer/metrics.h"

namespace kinformer::internal::base {

struct Sinks {
  std::shared_ptr<LogSink> log;
  std::shared_ptr<MetricsSink> metrics;
};

// What `log` throws is said on stderr, once, and counted; what `metrics` or its instruments throw
// is logged, once. Thread-safe as what they contain. Neither may be null.
Sinks ContainedSinks(std::shared_ptr<LogSink> log, std::shared_ptr<MetricsSink> metrics);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_CONTAINED_SINKS_H_
