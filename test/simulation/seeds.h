// test/simulation/seeds.h
//
// Seeds of tests that run once for each of many: which ones, by the environment.
//
//   KINFORMER_SIMULATION_SEEDS       so many, from the first one on
//   KINFORMER_SIMULATION_FIRST_SEED  the first one; 1 by default
//   KINFORMER_SIMULATION_SEED        this one alone
//   KINFORMER_SIMULATION_SHARE       one in so many of the usual ones: for builds with sanitizers;
//                                    fuzz_replay takes it, too

#ifndef KINFORMER_TEST_SIMULATION_SEEDS_H_
#define KINFORMER_TEST_SIMULATION_SEEDS_H_

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string>

namespace kinformer::testing {

struct Seeds {
  std::uint64_t first;
  std::uint64_t count;
  bool alone;  // one seed was asked for

  // Returns one in `share` of them, at least one.
  [[nodiscard]] Seeds OneIn(std::uint64_t share) const {
    return {first, std::max<std::uint64_t>(count / share, 1), alone};
  }
};

inline std::uint64_t NumberFrom(const char* variable, std::uint64_t fallback) {
  const char* text = getenv(variable);
  return text != nullptr ? strtoull(text, nullptr, 10) : fallback;
}

// Returns the seeds that the environment asks for, or `usual` ones.
inline Seeds SeedsToRun(std::uint64_t usual) {
  const std::uint64_t only = NumberFrom("KINFORMER_SIMULATION_SEED", 0);
  if (only != 0) return {only, 1, true};
  const std::uint64_t share =
      std::max<std::uint64_t>(NumberFrom("KINFORMER_SIMULATION_SHARE", 1), 1);
  return {NumberFrom("KINFORMER_SIMULATION_FIRST_SEED", 1),
          NumberFrom("KINFORMER_SIMULATION_SEEDS", std::max<std::uint64_t>(usual / share, 1)),
          false};
}

// Calls `run` with each seed, until one fails. Failures name the seed.
template <class Run>
void ForSeeds(const Seeds& seeds, const Run& run) {
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    SCOPED_TRACE("KINFORMER_SIMULATION_SEED=" + std::to_string(seed));
    run(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

// The same with the seeds that the environment asks for, or `usual` ones.
template <class Run>
void ForSeeds(std::uint64_t usual, const Run& run) {
  ForSeeds(SeedsToRun(usual), run);
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_SEEDS_H_
