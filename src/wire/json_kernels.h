// wire/json_kernels.h
//
// JsonKernel: from 64 bytes of JSON at a time to the bits of what matters in them. There is one for
// each kind of processor; JsonBitmap uses the fastest that runs here.

#ifndef KINFORMER_WIRE_JSON_KERNELS_H_
#define KINFORMER_WIRE_JSON_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kinformer::wire {

// What a JSON text's reader must know of a stretch of it, as bits.
enum JsonNote : std::uint8_t {
  kJsonBackslash = 1,
  kJsonNotAscii = 2,
  kJsonBad = 4,  // a control character inside a string, or a backslash outside
};

// 64 bytes; bit i is byte i.
struct JsonBlock {
  std::uint64_t quote;  // what begins and ends strings
  std::uint64_t open;   // { and [ outside strings
  std::uint64_t close;  // } and ] outside strings
  std::uint64_t backslash;
  std::int32_t depth;  // brackets open at its start
  std::int32_t least;  // lower bound of the depth inside: `depth` minus closing brackets
};

// What one block hands to the next.
struct JsonCarry {
  std::uint64_t inside = 0;   // all ones: the next byte is in a string
  std::uint64_t escaped = 0;  // 1: a backslash escapes the next byte
};

// What is open before the next block, counted from the start of the text, and what was seen in all
// of it.
struct JsonTally {
  std::int32_t depth = 0;
  unsigned notes = 0;  // of JsonNote
};

// How many bits are set, where no instruction says it.
inline int CountBits(std::uint64_t bits) noexcept {
  bits -= (bits >> 1) & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<int>((bits * 0x0101010101010101) >> 56);
}

struct JsonKernel {
  std::string_view name;
  // Reads 64 * `count` bytes.
  void (*read)(const char* text, std::size_t count, JsonCarry& carry, JsonTally& tally,
               JsonBlock* blocks) noexcept;
};

// Those that run on this processor, the fastest first and the portable one last.
std::span<const JsonKernel> JsonKernels() noexcept;

// The one in use: the first of them, unless a test or benchmark has chosen another. Thread-safe.
const JsonKernel& CurrentJsonKernel() noexcept;
void UseJsonKernel(const JsonKernel& kernel) noexcept;

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSON_KERNELS_H_
