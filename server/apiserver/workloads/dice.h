// apiserver/workloads/dice.h
//
// Dice: the choices of a seed.

#ifndef KINFORMER_APISERVER_WORKLOADS_DICE_H_
#define KINFORMER_APISERVER_WORKLOADS_DICE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "kinformer/apiserver/workload_script.h"
#include "kinformer/base/env.h"

#include "base/core/prng.h"

namespace kinformer::apiserver::workloads {

// Thread-compatible.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed), prng_(seed) {}

  // ---- Choices about a thing, which is named: independent of all other choices.
  [[nodiscard]] Duration Delay(const DelayRange& range, std::string_view about) const;
  // Returns a number in [0, 1).
  [[nodiscard]] double Unit(std::string_view about) const;

  // Returns the letters at the end of a generated name: the next ones of a sequence.
  std::string Letters(int count = 5);

 private:
  [[nodiscard]] std::uint64_t Bits(std::string_view about) const;

  std::uint64_t seed_;
  internal::base::Prng prng_;
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_DICE_H_
