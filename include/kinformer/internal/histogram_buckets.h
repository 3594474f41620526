// kinformer/internal/histogram_buckets.h
//
// The buckets of the library's histograms, by name. Pure function.

#ifndef KINFORMER_INTERNAL_HISTOGRAM_BUCKETS_H_
#define KINFORMER_INTERNAL_HISTOGRAM_BUCKETS_H_

#include <string_view>
#include <vector>

namespace kinformer::internal {

// Returns the upper bounds, in order: those of client-go, component-base, the kubelet and
// controller-runtime where they have the metric. A histogram of the program's own gets a wide range
// of seconds.
std::vector<double> BucketsOf(std::string_view name);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_HISTOGRAM_BUCKETS_H_
