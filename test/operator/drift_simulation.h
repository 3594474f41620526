// test/operator/drift_simulation.h
//
// Simulation of an operator that writes what it wants at each reconcile, with watches that lag and
// break, while others write the same objects at random. In the end each object is what it should
// be, although most of the operator's writes were not sent, and in half of the runs its own events
// did not wake it.

#ifndef KINFORMER_TEST_OPERATOR_DRIFT_SIMULATION_H_
#define KINFORMER_TEST_OPERATOR_DRIFT_SIMULATION_H_

#include <cstdint>
#include <string>

namespace kinformer::testing {

struct DriftRun {
  std::string wrong{};  // objects that are not what they should be; empty: none
  int reconciles = 0;
  int writes = 0;  // that the operator asked for
  double matched = 0;
  double filtered = 0;
};

// Runs one seed.
DriftRun RunDrift(std::uint64_t seed);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_OPERATOR_DRIFT_SIMULATION_H_
