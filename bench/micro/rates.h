// bench/micro/rates.h
//
// The figures of a benchmark that reads all pods, or some, in each iteration.

#ifndef KINFORMER_BENCH_MICRO_RATES_H_
#define KINFORMER_BENCH_MICRO_RATES_H_

#include <benchmark/benchmark.h>
#include <cstddef>

#include "micro/data.h"

namespace kinformer::bench {

inline void Rates(benchmark::State& state, std::size_t bytes, std::size_t pods = kPods) {
  const auto iterations = static_cast<double>(state.iterations());
  state.counters["GB/s"] = benchmark::Counter(static_cast<double>(bytes) * iterations / 1e9,
                                              benchmark::Counter::kIsRate);
  state.counters["per_object"] =
      benchmark::Counter(static_cast<double>(pods) * iterations,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_MICRO_RATES_H_
