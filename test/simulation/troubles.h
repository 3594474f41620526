// test/simulation/troubles.h
//
// What may happen to a simulated informer: the faults of a server by their numbers in the
// catalogue (docs/apiserver.md), and troubles of the network and of the program itself, and what
// else the program does with its informers.

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

// What a server that commits a fault still keeps to.
enum class Trust : std::uint8_t {
  kHonest,    // it refuses, stalls and repeats itself, but says nothing that is not so
  kGoesBack,  // what it says was so, but perhaps long ago; it is restored from backups
  kLies,      // it leaves out and makes up
};

// Bits of SimulationPlan::troubles. Below 32: the faults F1 to F24.
enum Trouble : std::uint8_t {
  kConflicts = 22,  // F22: updates meet 409
  kRestores = 17,   // F17: a backup takes the place of the server
  kCuts = 32,       // every connection, at random bytes
  kDowntimes,       // nobody answers for a while
  kHttp2,           // F23, streams that are reset or refused, connections that break or stall
  kCompactions,
  kClosedWatches,
  kJoins,     // handlers join and leave
  kStalls,    // handlers take their time
  kThrows,    // handlers throw
  kRestarts,  // informers stop and start again
  kSnapshots,
  kJointSnapshots,  // of several informers at once
  kFeeds,           // somebody follows the changes of a cache
  kLimits,          // caches that have no room for all objects
  kTransforms,
  kProjections,
  kSelectors,  // objects come into a cache and leave it as their labels change
  kCompression,
  kPeriodicRelists,
  kForbidden,    // to list all namespaces at once
  kManyObjects,  // enough to train a dictionary
  kTwoServers,   // of different age, behind one address
  kTroubles
};

// A fault of the catalogue that a rule of the server's FaultPlan can commit.
struct DrawnFault {
  int number;  // 1: F1
  Trust trust;
  // `trust` is what the run still trusts the server with: some forms of a fault need more.
  apiserver::FaultRule (*draw)(Dice& dice, Trust trust);
};
[[nodiscard]] std::span<const DrawnFault> DrawnFaults();

// The bits that the seed turns on of those that a server of that kind may do.
[[nodiscard]] std::uint64_t DrawTroubles(Dice& dice, Trust trust);
[[nodiscard]] constexpr std::uint64_t BitOf(int trouble) { return std::uint64_t{1} << trouble; }
// "F7 F11 cuts joins".
[[nodiscard]] std::string NamesOf(std::uint64_t troubles);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_TROUBLES_H_
