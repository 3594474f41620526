// soak/process_growth.h
//
// What this process holds, sampled again and again, and whether it grows.

#ifndef KINFORMER_TEST_SOAK_PROCESS_GROWTH_H_
#define KINFORMER_TEST_SOAK_PROCESS_GROWTH_H_

#include <cstddef>
#include <vector>

namespace kinformer::testing {

struct ProcessSample {
  std::size_t descriptors = 0;
  double resident = 0;   // bytes
  double allocated = 0;  // bytes from malloc that have not been given back
};

// Gives back what malloc keeps unused before it looks, so that samples can be compared.
ProcessSample SampleProcess();

// What may still come and go between two samples.
struct GrowthLimits {
  std::size_t descriptors = 4;
  // Tables that grow by doubling, the last connections' buffers.
  double allocated = 200e3;
  // Allocator arenas, threads of the pool: this part of it, or so many bytes, whichever is more.
  double resident_share = 0.05;
  double resident = 6e6;
};

// How many samples it takes until growth can be told from the warm-up.
inline constexpr std::size_t kGrowthSamples = 9;

// The first third of the samples warms up; the medians of the second and the last are compared.
// Prints both, and a line for each of the three figures that grew; gives their number.
// REQUIRES: kGrowthSamples samples at least.
int CountGrowing(const std::vector<ProcessSample>& samples, const GrowthLimits& limits);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SOAK_PROCESS_GROWTH_H_
