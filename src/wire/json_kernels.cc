#include "wire/json_kernels.h"

#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace kinformer::wire {
namespace {

// Classes of 64 bytes, by value alone; bit i is byte i.
struct Bytes {
  std::uint64_t quote;
  std::uint64_t backslash;
  std::uint64_t open;   // { and [
  std::uint64_t close;  // } and ]
  bool plain;           // all are from 0x20 to 0x7f
};

// Folds '[' to '{' and ']' to '}': they differ only in this bit.
constexpr unsigned char kFold = 0x20;

// Returns the bytes escaped by runs of backslashes with odd length. Adding a run's first bit to the
// run carries to the bit behind it. This is done for runs that begin at odd positions: the byte
// behind such a run is escaped if its position is even. For the other runs, it is escaped if its
// position is odd.
inline std::uint64_t Escaped(std::uint64_t backslash, std::uint64_t& carry) noexcept {
  constexpr std::uint64_t kOdd = 0xaaaaaaaaaaaaaaaa;
  const std::uint64_t runs = backslash & ~carry;
  const std::uint64_t moved = runs << 1;
  const std::uint64_t sum = runs + (runs & ~moved & kOdd);
  const std::uint64_t escaped = (moved & ~runs & (sum ^ kOdd)) | carry;
  // Computes the carry from the trailing run, to avoid a dependency on the block before.
  const int last = std::countl_one(backslash);
  if (last != 64) [[likely]]
    carry = static_cast<std::uint64_t>(last) & 1U;
  return escaped;
}

// Bit i is the parity of the quotes in bits 0 to i.
inline std::uint64_t Parity(std::uint64_t quotes) noexcept {
  quotes ^= quotes << 1;
  quotes ^= quotes << 2;
  quotes ^= quotes << 4;
  quotes ^= quotes << 8;
  quotes ^= quotes << 16;
  quotes ^= quotes << 32;
  return quotes;
}

// Returns the notes of 64 bytes that are not plain. People put line ends between tokens; on the
// wire each event of a watch ends with one.
[[gnu::noinline]] unsigned NotesOf(const char* text, std::uint64_t strings) noexcept {
  constexpr std::uint64_t kHighest = 0x8080808080808080;
  std::uint64_t not_ascii = 0;
  std::uint64_t control = 0;  // bit i: byte i is below 0x20
  for (unsigned i = 0; i < 64; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text + i, sizeof(eight));
    if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
    not_ascii |= eight & kHighest;
    // The highest bit of each byte is set if the byte is at least 0x20.
    const std::uint64_t above = ((eight & ~kHighest) + 0x6060606060606060) | eight;
    control |= ((((~above & kHighest) >> 7) * 0x0102040810204080) >> 56) << i;
  }
  unsigned notes = 0;
  if (not_ascii != 0) notes |= kJsonNotAscii;
  if ((control & strings) != 0) notes |= kJsonBad;
  return notes;
}

// Each instance is compiled for one kind of processor and inlined into a caller compiled for it
// too.
template <Bytes (*kBytesOf)(const char*) noexcept, std::uint64_t (*kParity)(std::uint64_t) noexcept,
          int (*kCount)(std::uint64_t) noexcept>
[[gnu::always_inline]] inline void ReadBlocks(const char* text, std::size_t count, JsonCarry& carry,
                                              JsonTally& tally, JsonBlock* blocks) noexcept {
  std::uint64_t escapes = carry.escaped;
  std::uint64_t inside = carry.inside;
  std::int32_t depth = tally.depth;
  std::uint64_t backslashes = 0;
  std::uint64_t stray = 0;
  for (; count > 0; --count, text += 64, ++blocks) {
    __builtin_prefetch(text + 768);
    const Bytes bytes = kBytesOf(text);
    // Most blocks have no backslash, and blocks with backslashes are usually neighbours.
    const bool escapes_in_it = (bytes.backslash | escapes) != 0;
    std::uint64_t quote = bytes.quote;
    if (escapes_in_it) quote &= ~Escaped(bytes.backslash, escapes);
    const std::uint64_t strings = kParity(quote) ^ inside;
    inside = 0 - (strings >> 63);
    if (escapes_in_it) {
      backslashes |= bytes.backslash;
      stray |= bytes.backslash & ~strings;
    }
    if (!bytes.plain) [[unlikely]] {
      tally.notes |= NotesOf(text, strings);
    }
    const std::uint64_t open = bytes.open & ~strings;
    const std::uint64_t close = bytes.close & ~strings;
    blocks->quote = quote;
    blocks->open = open;
    blocks->close = close;
    blocks->backslash = bytes.backslash;
    const int closes = kCount(close);
    blocks->depth = depth;
    blocks->least = depth - closes;
    depth += kCount(open) - closes;
  }
  tally.depth = depth;
  if (backslashes != 0) tally.notes |= kJsonBackslash;
  if (stray != 0) tally.notes |= kJsonBad;
  carry = {inside, escapes};
}

// ---- Portable: compilers support vectors of this size on every processor with similar registers,
// but no conversion to bits.

using Vector [[gnu::vector_size(16)]] = unsigned char;

// Moves bit i of byte j to bit j of byte i.
inline std::uint64_t Transposed(std::uint64_t x) noexcept {
  const auto swap = [&x](int by, std::uint64_t lower) {
    const std::uint64_t changed = (x ^ (x >> by)) & lower;
    x ^= changed ^ (changed << by);
  };
  swap(7, 0x00aa00aa00aa00aa);
  swap(14, 0x0000cccc0000cccc);
  swap(28, 0x00000000f0f0f0f0);
  return x;
}

inline Vector Equal(Vector in, unsigned char c, Vector bits) noexcept {
  return reinterpret_cast<Vector>(in == c) & bits;
}

// Uses another bit for each group of eight bytes, so that the results for bytes at the same place
// of each group form one byte.
inline std::uint64_t VectorBits(unsigned char c, const Vector (&in)[4]) noexcept {
  constexpr Vector kBits[4] = {
      {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2},
      {4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8},
      {16, 16, 16, 16, 16, 16, 16, 16, 32, 32, 32, 32, 32, 32, 32, 32},
      {64, 64, 64, 64, 64, 64, 64, 64, 128, 128, 128, 128, 128, 128, 128, 128}};
  const Vector all = Equal(in[0], c, kBits[0]) | Equal(in[1], c, kBits[1]) |
                     Equal(in[2], c, kBits[2]) | Equal(in[3], c, kBits[3]);
  std::uint64_t half[2];
  std::memcpy(half, &all, sizeof(half));
  std::uint64_t both = half[0] | half[1];
  if constexpr (std::endian::native == std::endian::big) both = __builtin_bswap64(both);
  return Transposed(both);
}

inline Bytes PortableBytesOf(const char* at) noexcept {
  Vector in[4];
  std::memcpy(&in[0], at, 16);
  std::memcpy(&in[1], at + 16, 16);
  std::memcpy(&in[2], at + 32, 16);
  std::memcpy(&in[3], at + 48, 16);
  const Vector folded[4] = {in[0] | kFold, in[1] | kFold, in[2] | kFold, in[3] | kFold};
  // Subtracting 0x20 sets the highest bit of bytes below 0x20.
  const Vector odd = ((in[0] - 0x20) | in[0]) | ((in[1] - 0x20) | in[1]) |
                     ((in[2] - 0x20) | in[2]) | ((in[3] - 0x20) | in[3]);
  std::uint64_t half[2];
  std::memcpy(half, &odd, sizeof(half));
  return {VectorBits('"', in), VectorBits('\\', in), VectorBits('{', folded),
          VectorBits('}', folded), ((half[0] | half[1]) & 0x8080808080808080) == 0};
}

void ReadPortably(const char* text, std::size_t count, JsonCarry& carry, JsonTally& tally,
                  JsonBlock* blocks) noexcept {
  ReadBlocks<PortableBytesOf, Parity, CountBits>(text, count, carry, tally, blocks);
}

#if defined(__x86_64__)
// ---- SSE2, which every x86-64 processor has.

inline std::uint64_t Sse2Equal(char c, const __m128i (&in)[4]) noexcept {
  const __m128i wanted = _mm_set1_epi8(c);
  const auto part = [&](int i) {
    return std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(in[i], wanted)))};
  };
  return part(0) | part(1) << 16 | part(2) << 32 | part(3) << 48;
}

inline Bytes Sse2BytesOf(const char* at) noexcept {
  __m128i in[4];
  std::memcpy(in, at, sizeof(in));
  const __m128i fold = _mm_set1_epi8(kFold);
  const __m128i folded[4] = {_mm_or_si128(in[0], fold), _mm_or_si128(in[1], fold),
                             _mm_or_si128(in[2], fold), _mm_or_si128(in[3], fold)};
  // In a signed comparison, bytes above 0x7f are below 0x20 as well.
  const __m128i blank = _mm_set1_epi8(0x20);
  const __m128i below =
      _mm_or_si128(_mm_or_si128(_mm_cmpgt_epi8(blank, in[0]), _mm_cmpgt_epi8(blank, in[1])),
                   _mm_or_si128(_mm_cmpgt_epi8(blank, in[2]), _mm_cmpgt_epi8(blank, in[3])));
  return {Sse2Equal('"', in), Sse2Equal('\\', in), Sse2Equal('{', folded), Sse2Equal('}', folded),
          _mm_movemask_epi8(below) == 0};
}

void ReadWithSse2(const char* text, std::size_t count, JsonCarry& carry, JsonTally& tally,
                  JsonBlock* blocks) noexcept {
  ReadBlocks<Sse2BytesOf, Parity, CountBits>(text, count, carry, tally, blocks);
}

// ---- Wider registers, selected at run time. A carry-less product with all ones gives at each bit
// the parity of the bits up to it.

#define KINFORMER_AVX2 gnu::target("avx2,popcnt,pclmul,bmi,lzcnt")
#define KINFORMER_AVX512 gnu::target("avx512f,avx512bw,avx2,popcnt,pclmul,bmi,lzcnt")

[[KINFORMER_AVX2]] inline std::uint64_t WideParity(std::uint64_t quotes) noexcept {
  const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(quotes)),
                                               _mm_set1_epi8('\xff'), 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
}

[[KINFORMER_AVX2]] inline int WideCount(std::uint64_t bits) noexcept { return std::popcount(bits); }

[[KINFORMER_AVX2]] inline std::uint64_t Joined(__m256i low, __m256i high) noexcept {
  return std::uint64_t{static_cast<unsigned>(_mm256_movemask_epi8(low))} |
         std::uint64_t{static_cast<unsigned>(_mm256_movemask_epi8(high))} << 32;
}

[[KINFORMER_AVX2]] inline std::uint64_t EqualTo(char c, __m256i low, __m256i high) noexcept {
  const __m256i wanted = _mm256_set1_epi8(c);
  return Joined(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
}

[[KINFORMER_AVX2]] inline Bytes Avx2BytesOf(const char* at) noexcept {
  __m256i low;
  __m256i high;
  std::memcpy(&low, at, sizeof(low));
  std::memcpy(&high, at + sizeof(low), sizeof(high));
  const __m256i fold = _mm256_set1_epi8(kFold);
  const __m256i folded_low = _mm256_or_si256(low, fold);
  const __m256i folded_high = _mm256_or_si256(high, fold);
  const __m256i blank = _mm256_set1_epi8(0x20);
  return {EqualTo('"', low, high), EqualTo('\\', low, high), EqualTo('{', folded_low, folded_high),
          EqualTo('}', folded_low, folded_high),
          _mm256_movemask_epi8(
              _mm256_or_si256(_mm256_cmpgt_epi8(blank, low), _mm256_cmpgt_epi8(blank, high))) == 0};
}

[[KINFORMER_AVX2]] void ReadWithAvx2(const char* text, std::size_t count, JsonCarry& carry,
                                     JsonTally& tally, JsonBlock* blocks) noexcept {
  ReadBlocks<Avx2BytesOf, WideParity, WideCount>(text, count, carry, tally, blocks);
}

// Forces a general register: the compiler would use mask registers, which are far slower.
[[KINFORMER_AVX512]] inline std::uint64_t General(std::uint64_t mask) noexcept {
  asm("" : "+r"(mask));
  return mask;
}

[[KINFORMER_AVX512]] inline Bytes Avx512BytesOf(const char* at) noexcept {
  __m512i in;
  std::memcpy(&in, at, sizeof(in));
  const __m512i folded = _mm512_or_si512(in, _mm512_set1_epi8(kFold));
  return {General(_mm512_cmpeq_epi8_mask(in, _mm512_set1_epi8('"'))),
          General(_mm512_cmpeq_epi8_mask(in, _mm512_set1_epi8('\\'))),
          General(_mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('{'))),
          General(_mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('}'))),
          _mm512_cmplt_epi8_mask(in, _mm512_set1_epi8(0x20)) == 0};
}

[[KINFORMER_AVX512]] void ReadWithAvx512(const char* text, std::size_t count, JsonCarry& carry,
                                         JsonTally& tally, JsonBlock* blocks) noexcept {
  ReadBlocks<Avx512BytesOf, WideParity, WideCount>(text, count, carry, tally, blocks);
}

#elif defined(__aarch64__)
// ---- NEON, which every 64-bit ARM processor has.

// Returns one bit for each byte of four registers whose bytes are all ones or zero: each byte keeps
// the bit of its position in a group of eight, and each group is summed up to one byte.
inline std::uint64_t Bits(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) noexcept {
  const uint8x16_t places = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t first = vpaddq_u8(vandq_u8(a, places), vandq_u8(b, places));
  const uint8x16_t second = vpaddq_u8(vandq_u8(c, places), vandq_u8(d, places));
  const uint8x16_t half = vpaddq_u8(first, second);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(half, half)), 0);
}

inline std::uint64_t EqualTo(unsigned char c, const uint8x16_t (&in)[4]) noexcept {
  const uint8x16_t wanted = vdupq_n_u8(c);
  return Bits(vceqq_u8(in[0], wanted), vceqq_u8(in[1], wanted), vceqq_u8(in[2], wanted),
              vceqq_u8(in[3], wanted));
}

inline Bytes NeonBytesOf(const char* at) noexcept {
  uint8x16_t in[4];
  uint8x16_t folded[4];
  for (int i = 0; i < 4; ++i) {
    in[i] = vld1q_u8(reinterpret_cast<const std::uint8_t*>(at) + 16 * i);
    folded[i] = vorrq_u8(in[i], vdupq_n_u8(kFold));
  }
  // After subtracting 0x20, plain bytes are below 0x60.
  const auto less = [&](int i) { return vsubq_u8(in[i], vdupq_n_u8(0x20)); };
  const uint8x16_t most = vmaxq_u8(vmaxq_u8(less(0), less(1)), vmaxq_u8(less(2), less(3)));
  return {EqualTo('"', in), EqualTo('\\', in), EqualTo('{', folded), EqualTo('}', folded),
          vmaxvq_u8(most) < 0x60};
}

void ReadWithNeon(const char* text, std::size_t count, JsonCarry& carry, JsonTally& tally,
                  JsonBlock* blocks) noexcept {
  ReadBlocks<NeonBytesOf, Parity, CountBits>(text, count, carry, tally, blocks);
}
#endif

std::vector<JsonKernel> Usable() {
  std::vector<JsonKernel> kernels;
#if defined(__x86_64__)
  const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
                    __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("lzcnt");
  // The first processors with 512-bit registers reduced their clock when using them; those with
  // VBMI2 do not.
  if (wide && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2")) {
    kernels.push_back({"avx512", ReadWithAvx512});
  }
  if (wide) kernels.push_back({"avx2", ReadWithAvx2});
  kernels.push_back({"sse2", ReadWithSse2});
#elif defined(__aarch64__)
  kernels.push_back({"neon", ReadWithNeon});
#endif
  kernels.push_back({"portable", ReadPortably});
  return kernels;
}

std::atomic<const JsonKernel*> chosen{nullptr};

}  // namespace

std::span<const JsonKernel> JsonKernels() noexcept {
  // Without memory at startup, ending the process is acceptable.
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new)
  static const std::vector<JsonKernel>* const kernels = new std::vector<JsonKernel>(Usable());
  return *kernels;
}

const JsonKernel& CurrentJsonKernel() noexcept {
  const JsonKernel* const kernel = chosen.load(std::memory_order_acquire);
  return kernel != nullptr ? *kernel : JsonKernels().front();
}

void UseJsonKernel(const JsonKernel& kernel) noexcept {
  chosen.store(&kernel, std::memory_order_release);
}

}  // namespace kinformer::wire
