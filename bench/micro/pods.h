// bench/micro/pods.h
//
// The pods that all micro benchmarks read: those of the made-up cluster, as a server stores them
// and of the size that the figures of other clients were measured with: 3.2 KB of JSON, 1.8 KB of
// protobuf, a third of that managedFields.

#ifndef KINFORMER_BENCH_MICRO_PODS_H_
#define KINFORMER_BENCH_MICRO_PODS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace kinformer::bench {

inline constexpr std::size_t kPods = 5000;

// One object's JSON each, compact, in the order of a list; kPods of them. Every call makes the same
// ones.
std::vector<std::string> MakePods();

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_MICRO_PODS_H_
