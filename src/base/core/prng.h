// base/core/prng.h
//
// Random numbers that are the same with every compiler and library, unlike the standard's
// distributions.

#ifndef KINFORMER_BASE_CORE_PRNG_H_
#define KINFORMER_BASE_CORE_PRNG_H_

#include <cstdint>

namespace kinformer::internal::base {

inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

// SplitMix64's finaliser: spreads the bits of a counter over a word.
constexpr std::uint64_t MixBits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// SplitMix64. Small, fast, good enough for jitter and choices; not for keys. Thread-compatible.
class Prng {
 public:
  explicit constexpr Prng(std::uint64_t seed) : state_(seed) {}
  constexpr std::uint64_t Next() { return MixBits(state_ += kGoldenGamma); }
  // Returns a number in [0, n). REQUIRES: n > 0. For small n the bias is below 2^-32.
  constexpr std::uint64_t Below(std::uint64_t n) { return Next() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_PRNG_H_
