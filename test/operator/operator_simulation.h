// test/operator/operator_simulation.h
//
// An operator on the embedded server, in two replicas, with all that goes wrong; and what must hold
// nevertheless.

#ifndef KINFORMER_TEST_OPERATOR_OPERATOR_SIMULATION_H_
#define KINFORMER_TEST_OPERATOR_OPERATOR_SIMULATION_H_

#include <cstdint>
#include <string>

namespace kinformer::testing {

struct OperatorRun {
  std::string wrong{};     // what did not hold; empty: all did
  std::string schedule{};  // as Environment has it
  int reconciles = 0;
  int leaders = 0;  // terms
  int crashes = 0;
  int errors = 0;  // that reconciles gave or threw

  bool operator==(const OperatorRun&) const = default;
};

// One run, which the seed decides, whatever the memory of the process looks like.
OperatorRun RunOperator(std::uint64_t seed);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_OPERATOR_OPERATOR_SIMULATION_H_
