// soak/process_growth.h
//
// Samples the resources of this process, and detects growth.

#ifndef KINFORMER_TEST_SOAK_PROCESS_GROWTH_H_
#define KINFORMER_TEST_SOAK_PROCESS_GROWTH_H_

#include <cstddef>
#include <vector>

namespace kinformer::testing {

struct ProcessSample {
  std::size_t descriptors = 0;
  double resident = 0;   // bytes
  double allocated = 0;  // bytes from malloc that are not freed
};

// Returns unused memory of malloc to the system first, so that samples are comparable.
ProcessSample SampleProcess();

// Differences between two samples that are not growth.
struct GrowthLimits {
  std::size_t descriptors = 4;
  // Tables that grow by doubling, buffers of the last connections.
  double allocated = 200e3;
  // Arenas of the allocator, threads of the pool: this share, or the bytes below if more.
  double resident_share = 0.05;
  double resident = 6e6;
};

// Number of samples needed to tell growth from the warm-up.
inline constexpr std::size_t kGrowthSamples = 9;

// Ignores the first third of the samples as warm-up, and compares the medians of the second and the
// last. Prints both, and a line for each of the three figures that grew; returns their number.
// REQUIRES: at least kGrowthSamples samples.
int CountGrowing(const std::vector<ProcessSample>& samples, const GrowthLimits& limits);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SOAK_PROCESS_GROWTH_H_
