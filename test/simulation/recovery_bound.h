// test/simulation/recovery_bound.h
//
// RecoveryBound: the time after the last trouble in which all caches must equal the server, and the
// number of requests that this may cost.

#ifndef KINFORMER_TEST_SIMULATION_RECOVERY_BOUND_H_
#define KINFORMER_TEST_SIMULATION_RECOVERY_BOUND_H_

#include <array>
#include <cstdint>
#include <string>

#include "kinformer/env.h"

#include "simulation/troubles.h"

namespace kinformer::testing {

// Told of each trouble when it bites; asked when all have ended.
class RecoveryBound {
 public:
  // A server was restored, and its new history has passed the version of the caches.
  static constexpr int kOvertaken = kTroubles;

  // It hit now.
  void Bit(int trouble, SteadyTime now) { last_[static_cast<std::size_t>(trouble)] = now; }
  // Now all informers that run have watched undisturbed for a few seconds.
  void AllWell(SteadyTime now) { well_ = now; }
  [[nodiscard]] SteadyTime last_well() const { return well_; }

  // The time within which all is well once the troubles end `now`.
  [[nodiscard]] Duration After(SteadyTime now) const;
  // The trouble that asks for so much, for messages; empty: none, the network and the server are
  // well.
  [[nodiscard]] std::string Why(SteadyTime now) const;

 private:
  struct Verdict {
    Duration bound;
    int trouble;
  };
  [[nodiscard]] Verdict Judge(SteadyTime now) const;

  std::array<SteadyTime, kTroubles + 1> last_{};
  SteadyTime well_{};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_RECOVERY_BOUND_H_
