// test/simulation/recovery_bound.h
//
// RecoveryBound: the time after the last trouble in which all caches must equal the server, and the
// number of requests that this may cost.

#ifndef KINFORMER_TEST_SIMULATION_RECOVERY_BOUND_H_
#define KINFORMER_TEST_SIMULATION_RECOVERY_BOUND_H_

#include <array>
#include <cstdint>
#include <string>

#include "kinformer/base/env.h"

#include "simulation/troubles.h"

namespace kinformer::testing {

// Notes when each trouble hits; once all have ended, computes how long the recovery may take.
class RecoveryBound {
 public:
  // Extra number for: a restored server's new history has passed the version of the caches.
  static constexpr int kOvertaken = kTroubles;

  // Notes that `trouble` hit at `now`.
  void Bit(int trouble, SteadyTime now) { last_[static_cast<std::size_t>(trouble)] = now; }
  // Notes that at `now` all running informers have watched undisturbed for a few seconds.
  void AllWell(SteadyTime now) { well_ = now; }
  [[nodiscard]] SteadyTime last_well() const { return well_; }

  // Time within which all informers must have recovered if the troubles end at `now`.
  [[nodiscard]] Duration After(SteadyTime now) const;
  // Name of the trouble that determines After(), for messages. Empty if no trouble makes it longer
  // than usual.
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
