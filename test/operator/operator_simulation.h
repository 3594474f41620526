// test/operator/operator_simulation.h
//
// Simulation of an operator on the embedded server, in two replicas, with all kinds of troubles,
// and its invariants.

#ifndef KINFORMER_TEST_OPERATOR_OPERATOR_SIMULATION_H_
#define KINFORMER_TEST_OPERATOR_OPERATOR_SIMULATION_H_

#include <cstdint>
#include <string>

namespace kinformer::testing {

struct OperatorRun {
  std::string wrong{};     // violated invariants; empty: none
  std::string schedule{};  // as Environment has it
  int reconciles = 0;
  int leaders = 0;  // terms
  int crashes = 0;
  int errors = 0;  // returned or thrown by reconciles
  int causes = 0;  // events among the causes of reconciles

  bool operator==(const OperatorRun&) const = default;
};

// Runs one seed. The run does not depend on the memory of the process.
OperatorRun RunOperator(std::uint64_t seed);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_OPERATOR_OPERATOR_SIMULATION_H_
