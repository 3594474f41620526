// test/simulation/informer_simulation.h
//
// InformerSimulation: one informer on one embedded API server in simulated time, under faults drawn
// from a seed. After the faults end, cache and handlers must equal the server; on the way, every
// handler must see the delivery rules kept.

#ifndef KINFORMER_TEST_SIMULATION_INFORMER_SIMULATION_H_
#define KINFORMER_TEST_SIMULATION_INFORMER_SIMULATION_H_

#include <cstdint>
#include <string>
#include <vector>

namespace kinformer::testing {

struct SimulationPlan {
  std::uint64_t seed = 1;
  int steps = 60;        // writes and faults
  bool cut = true;       // connections cut at random bytes
  bool expire = true;    // 410: compaction and refused resourceVersions
  bool restart = true;   // the server is down for a while
  bool handlers = true;  // handlers join and leave
  // The server is restored from a backup. Then a handler may well hear of what never happened in
  // the new history: only the outcome counts.
  bool restore = false;
};

struct SimulationReport {
  std::vector<std::string> breaches;  // empty: all is well
  std::uint64_t trace = 0;            // equal for equal plans
  std::uint64_t events = 0;           // delivered to all handlers
  std::uint64_t relists = 0;
  std::uint64_t epochs = 0;
  std::uint64_t watches = 0;
  std::uint64_t coalesced = 0;
};

SimulationReport RunInformerSimulation(const SimulationPlan& plan);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_INFORMER_SIMULATION_H_
