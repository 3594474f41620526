#include "base/text/hash_bytes.h"

#include <cstddef>
#include <cstring>

namespace kinformer::internal::base {
namespace {

__extension__ using Uint128 = unsigned __int128;

std::uint64_t Fold(std::uint64_t a, std::uint64_t b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// An odd number with about as many ones as zeros.
constexpr std::uint64_t kMix = 0xd6e8feb86659fd93;

template <std::size_t kBytes>
std::uint64_t Load(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, kBytes);
  return word;
}

}  // namespace

std::uint64_t HashBytes(std::uint64_t seed, std::string_view bytes) {
  // Hashes depend on the byte order, which is fine since they are not stored. Both factors of each
  // product depend on the seed, so nobody can choose bytes that make one of them zero.
  const std::uint64_t other = seed ^ kMix;
  std::uint64_t h = seed ^ (bytes.size() * kMix);
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left > 16; p += 16, left -= 16) h = Fold(Load<8>(p) ^ other, Load<8>(p + 8) ^ h);
  // Reads the remaining bytes as two words that may overlap.
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (left >= 8) {
    a = Load<8>(p);
    b = Load<8>(p + left - 8);
  } else if (left >= 4) {
    a = Load<4>(p);
    b = Load<4>(p + left - 4);
  } else if (left > 0) {
    a = Load<1>(p) | Load<1>(p + left / 2) << 8 | Load<1>(p + left - 1) << 16;
  }
  return Fold(a ^ other, b ^ h);
}

}  // namespace kinformer::internal::base
