// wire/json_kernels.h
//
// JsonKernel: converts 64 bytes of JSON at a time to bits of the characters that matter. There is
// one for each kind of processor; JsonBitmap uses the fastest that this processor supports.

#ifndef KINFORMER_WIRE_JSON_KERNELS_H_
#define KINFORMER_WIRE_JSON_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kinformer::wire {

// Properties of a stretch of JSON that matter to its reader, as bits.
enum JsonNote : std::uint8_t {
  kJsonBackslash = 1,
  kJsonNotAscii = 2,
  kJsonBad = 4,  // a control character inside a string, or a backslash outside
};

// A block of 64 bytes; bit i stands for byte i.
struct JsonBlock {
  std::uint64_t quote;  // first and last quote of strings
  std::uint64_t open;   // { and [ outside strings
  std::uint64_t close;  // } and ] outside strings
  std::uint64_t backslash;
  std::int32_t depth;  // brackets open at its start
  std::int32_t least;  // lower bound of the depth inside: `depth` minus closing brackets
};

// State that one block passes to the next.
struct JsonCarry {
  std::uint64_t inside = 0;   // all ones: the next byte is in a string
  std::uint64_t escaped = 0;  // 1: a backslash escapes the next byte
};

// Depth of open brackets at the next block, counted from the start of the text, and the notes of
// the whole text.
struct JsonTally {
  std::int32_t depth = 0;
  unsigned notes = 0;  // bits of JsonNote
};

// Counts the set bits, for processors without an instruction for it.
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

// Returns the kernels that this processor supports, fastest first, portable one last.
std::span<const JsonKernel> JsonKernels() noexcept;

// Kernel in use: the first one, unless a test or benchmark selected another. Thread-safe.
const JsonKernel& CurrentJsonKernel() noexcept;
void UseJsonKernel(const JsonKernel& kernel) noexcept;

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSON_KERNELS_H_
