// test/simulation/dice.h
//
// Dice: random numbers of the simulation (splitmix64), separate from the Env's, so that a change of
// the library does not change the plan.

#ifndef KINFORMER_TEST_SIMULATION_DICE_H_
#define KINFORMER_TEST_SIMULATION_DICE_H_

#include <chrono>
#include <cstdint>

namespace kinformer::testing {

class Dice {
 public:
  // Dice with one seed but different `stream` do not influence each other.
  explicit Dice(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(seed * 0x9e3779b97f4a7c15ULL + stream * 0xd1b54a32d192ed03ULL + 1) {}
  std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t Below(std::uint64_t n) { return Next() % n; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  std::chrono::milliseconds Milliseconds(std::uint64_t below) {
    return std::chrono::milliseconds(Below(below));
  }
  template <class T, std::size_t N>
  const T& OneOf(const T (&values)[N]) {
    return values[Below(N)];
  }

 private:
  std::uint64_t state_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_DICE_H_
