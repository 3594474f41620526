// test/simulation/own_writes_simulation.h
//
// A run of two DelegatingClients, each with its own caches and threads, which write the same few
// objects at random while their watches lag and break, and read their own writes.

#ifndef KINFORMER_TEST_SIMULATION_OWN_WRITES_SIMULATION_H_
#define KINFORMER_TEST_SIMULATION_OWN_WRITES_SIMULATION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kinformer::testing {

struct OwnWritesReport {
  // Reads that lacked an earlier write of the client, and other violations; empty: none.
  std::vector<std::string> breaches{};
  std::size_t writes = 0;
  std::size_t reads = 0;
  std::size_t stale = 0;  // reads with kStale
};

[[nodiscard]] OwnWritesReport RunOwnWrites(std::uint64_t seed);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_OWN_WRITES_SIMULATION_H_
