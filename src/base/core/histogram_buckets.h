// base/core/histogram_buckets.h
//
// The buckets of the library's histograms, by name. Pure function.

#ifndef KINFORMER_BASE_CORE_HISTOGRAM_BUCKETS_H_
#define KINFORMER_BASE_CORE_HISTOGRAM_BUCKETS_H_

#include <string_view>
#include <vector>

namespace kinformer::internal::base {

// Returns the upper bounds, in order: those of client-go, component-base, the kubelet and
// controller-runtime where they have the metric. A histogram of the program's own gets a wide range
// of seconds.
std::vector<double> BucketsOf(std::string_view name);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_HISTOGRAM_BUCKETS_H_
