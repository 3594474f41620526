// test/simulation/troubles.h
//
// Troubles for a simulated informer: faults of the server with their numbers in the catalogue
// (docs/server/apiserver.md), troubles of the network and of the program itself, and other uses of
// informers by the program.

#ifndef KINFORMER_TEST_SIMULATION_TROUBLES_H_
#define KINFORMER_TEST_SIMULATION_TROUBLES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kinformer/apiserver/faults.h"

#include "simulation/dice.h"

namespace kinformer::testing {

// Guarantees that a faulty server still gives.
enum class Trust : std::uint8_t {
  kHonest,    // it refuses, stalls and repeats itself, but every answer is true
  kGoesBack,  // answers were true, perhaps long ago; it is restored from backups
  kLies,      // it omits and invents objects
};

// Bits of SimulationPlan::troubles. Below 32: the faults F1 to F24.
enum Trouble : std::uint8_t {
  kConflicts = 22,  // F22: updates meet 409
  kRestores = 17,   // F17: the server is restored from a backup
  kCuts = 32,       // cuts every connection at random bytes
  kDowntimes,       // no server answers for a while
  kHttp2,           // F23, streams that are reset or refused, connections that break or stall
  kCompactions,
  kClosedWatches,
  kJoins,     // handlers join and leave
  kStalls,    // handlers are slow
  kThrows,    // handlers throw
  kRestarts,  // informers stop and start again
  kSnapshots,
  kJointSnapshots,  // of several informers at once
  kFeeds,           // a change feed of a cache is read
  kLimits,          // caches without room for all objects
  kTransforms,
  kProjections,
  kSelectors,  // objects enter and leave a cache as their labels change
  kCompression,
  kPeriodicRelists,
  kForbidden,    // listing all namespaces at once is forbidden
  kManyObjects,  // enough to train a dictionary
  kTwoServers,   // behind one address; one of them lags
  kTroubles
};

// A fault of the catalogue that a rule of the server's FaultPlan can inject.
struct DrawnFault {
  int number;  // 1: F1
  Trust trust;
  // `trust`: trust level of the run; some forms of a fault need a lower one.
  apiserver::FaultRule (*draw)(Dice& dice, Trust trust);
};
[[nodiscard]] std::span<const DrawnFault> DrawnFaults();

// Returns random troubles, from those that are possible with a server of that trust level.
[[nodiscard]] std::uint64_t DrawTroubles(Dice& dice, Trust trust);
[[nodiscard]] constexpr std::uint64_t BitOf(int trouble) { return std::uint64_t{1} << trouble; }
// Returns names such as "F7 F11 cuts joins".
[[nodiscard]] std::string NamesOf(std::uint64_t troubles);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_TROUBLES_H_
