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

// Which of 64 bytes are what, by their value alone.
struct Bytes {
  std::uint64_t quote;
  std::uint64_t backslash;
  std::uint64_t open;     // { and [
  std::uint64_t close;    // } and ]
  std::uint64_t control;  // below 0x20
  bool not_ascii;
};

// '[' and '{', ']' and '}' differ only in this bit.
constexpr unsigned char kFold = 0x20;

// The bytes behind runs of backslashes of odd length: what they escape, if it is a quote. A run's first bit added to the run carries
// to the bit behind it, so runs that begin at even places and those that begin at odd ones are added apart, and of each those are
// odd that end where the other kind begins.
inline std::uint64_t Escaped(std::uint64_t backslash, std::uint64_t& carry) noexcept {
  constexpr std::uint64_t kEven = 0x5555555555555555;
  const std::uint64_t runs = backslash & ~carry;
  const std::uint64_t first = runs & ~(runs << 1);
  const std::uint64_t from_even = (runs + (first & kEven)) & ~runs & ~kEven;
  const std::uint64_t sum = runs + (first & ~kEven);
  const std::uint64_t from_odd = sum & ~runs & kEven;
  const std::uint64_t escaped = from_even | from_odd | carry;
  carry = sum < runs ? 1 : 0;  // the run goes up to the last bit and began at an odd one
  return escaped;
}

// Each bit: whether the quotes up to and with it are odd in number.
inline std::uint64_t Parity(std::uint64_t quotes) noexcept {
  quotes ^= quotes << 1;
  quotes ^= quotes << 2;
  quotes ^= quotes << 4;
  quotes ^= quotes << 8;
  quotes ^= quotes << 16;
  quotes ^= quotes << 32;
  return quotes;
}

// The two functions are written for one kind of processor each and inlined into the caller, which is too.
template <Bytes (*kBytesOf)(const char*) noexcept, std::uint64_t (*kParity)(std::uint64_t) noexcept>
[[gnu::always_inline]] inline void ReadBlocks(const char* text, std::size_t count, JsonCarry& carry,
                                              JsonBlock* blocks) noexcept {
  JsonCarry at = carry;
  for (; count > 0; --count, text += 64, ++blocks) {
    const Bytes bytes = kBytesOf(text);
    std::uint64_t quote = bytes.quote;
    if ((bytes.backslash | at.escaped) != 0) quote &= ~Escaped(bytes.backslash, at.escaped);
    const std::uint64_t strings = kParity(quote) ^ at.inside;
    at.inside = 0 - (strings >> 63);
    const std::uint64_t open = bytes.open & ~strings;
    const std::uint64_t close = bytes.close & ~strings;
    blocks->quote = quote;
    blocks->open = open;
    blocks->close = close;
    blocks->opens = static_cast<std::uint8_t>(std::popcount(open));
    blocks->closes = static_cast<std::uint8_t>(std::popcount(close));
    const bool bad = ((bytes.control & strings) | (bytes.backslash & ~strings)) != 0;
    blocks->notes =
        static_cast<std::uint8_t>((bytes.backslash != 0 ? kJsonBackslash : 0) |
                                  (bytes.not_ascii ? kJsonNotAscii : 0) | (bad ? kJsonBad : 0));
  }
  carry = at;
}

// ---- Portable: eight bytes at a time in a 64-bit word.

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHigh = 0x8080808080808080;

// The high bit of each byte of `word` that equals `c`.
inline std::uint64_t Equal(std::uint64_t word, unsigned char c) noexcept {
  const std::uint64_t other = word ^ (kOnes * c);  // zero where they are equal
  return ~(((other & ~kHigh) + ~kHigh) | other) & kHigh;
}

// Bit i of byte j to bit j of byte i.
inline std::uint64_t Transposed(std::uint64_t x) noexcept {
  const auto swap = [&x](int by, std::uint64_t upper) {
    const std::uint64_t changed = (x ^ (x >> by)) & upper;
    x ^= changed ^ (changed << by);
  };
  swap(7, 0x00aa00aa00aa00aa);
  swap(14, 0x0000cccc0000cccc);
  swap(28, 0x00000000f0f0f0f0);
  return x;
}

inline Bytes PortableBytesOf(const char* at) noexcept {
  Bytes bytes{};
  std::uint64_t not_ascii = 0;
  for (int i = 0; i < 8; ++i, at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    const std::uint64_t folded = word | (kOnes * kFold);
    const int shift = 7 - i;
    bytes.quote |= Equal(word, '"') >> shift;
    bytes.backslash |= Equal(word, '\\') >> shift;
    bytes.open |= Equal(folded, '{') >> shift;
    bytes.close |= Equal(folded, '}') >> shift;
    bytes.control |= (~(((word & ~kHigh) + kOnes * 0x60) | word) & kHigh) >> shift;
    not_ascii |= word;
  }
  bytes.quote = Transposed(bytes.quote);
  bytes.backslash = bytes.backslash == 0 ? 0 : Transposed(bytes.backslash);
  bytes.open = Transposed(bytes.open);
  bytes.close = Transposed(bytes.close);
  bytes.control = bytes.control == 0 ? 0 : Transposed(bytes.control);
  bytes.not_ascii = (not_ascii & kHigh) != 0;
  return bytes;
}

void ReadPortably(const char* text, std::size_t count, JsonCarry& carry,
                  JsonBlock* blocks) noexcept {
  ReadBlocks<PortableBytesOf, Parity>(text, count, carry, blocks);
}

#if defined(__x86_64__)
// ---- What every x86-64 has.

inline Bytes Sse2BytesOf(const char* at) noexcept {
  __m128i in[4];
  std::memcpy(in, at, sizeof(in));
  const auto bits = [](const auto& test, const __m128i(&of)[4]) {
    const auto part = [&](int i) {
      return std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(test(of[i])))};
    };
    return part(0) | part(1) << 16 | part(2) << 32 | part(3) << 48;
  };
  const auto equal = [](char c) {
    return [wanted = _mm_set1_epi8(c)](__m128i x) { return _mm_cmpeq_epi8(x, wanted); };
  };
  const __m128i fold = _mm_set1_epi8(kFold);
  const __m128i folded[4] = {_mm_or_si128(in[0], fold), _mm_or_si128(in[1], fold),
                             _mm_or_si128(in[2], fold), _mm_or_si128(in[3], fold)};
  const __m128i last = _mm_set1_epi8(0x1f);
  const auto control = [&](__m128i x) { return _mm_cmpeq_epi8(_mm_min_epu8(x, last), x); };
  const __m128i any = _mm_or_si128(_mm_or_si128(in[0], in[1]), _mm_or_si128(in[2], in[3]));
  return {bits(equal('"'), in),     bits(equal('\\'), in), bits(equal('{'), folded),
          bits(equal('}'), folded), bits(control, in),     _mm_movemask_epi8(any) != 0};
}

void ReadWithSse2(const char* text, std::size_t count, JsonCarry& carry,
                  JsonBlock* blocks) noexcept {
  ReadBlocks<Sse2BytesOf, Parity>(text, count, carry, blocks);
}

// ---- Wider registers; chosen when the program runs. A product without carries by all ones is the parity of all bits below.

#define KINFORMER_AVX2 gnu::target("avx2,popcnt,pclmul")
#define KINFORMER_AVX512 gnu::target("avx512f,avx512bw,avx2,popcnt,pclmul")

[[KINFORMER_AVX2]] inline std::uint64_t WideParity(std::uint64_t quotes) noexcept {
  const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(quotes)),
                                               _mm_set1_epi8('\xff'), 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
}

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
  const __m256i last = _mm256_set1_epi8(0x1f);
  return {EqualTo('"', low, high),
          EqualTo('\\', low, high),
          EqualTo('{', folded_low, folded_high),
          EqualTo('}', folded_low, folded_high),
          Joined(_mm256_cmpeq_epi8(_mm256_min_epu8(low, last), low),
                 _mm256_cmpeq_epi8(_mm256_min_epu8(high, last), high)),
          _mm256_movemask_epi8(_mm256_or_si256(low, high)) != 0};
}

[[KINFORMER_AVX2]] void ReadWithAvx2(const char* text, std::size_t count, JsonCarry& carry,
                                     JsonBlock* blocks) noexcept {
  ReadBlocks<Avx2BytesOf, WideParity>(text, count, carry, blocks);
}

[[KINFORMER_AVX512]] inline Bytes Avx512BytesOf(const char* at) noexcept {
  __m512i in;
  std::memcpy(&in, at, sizeof(in));
  const __m512i folded = _mm512_or_si512(in, _mm512_set1_epi8(kFold));
  return {_mm512_cmpeq_epi8_mask(in, _mm512_set1_epi8('"')),
          _mm512_cmpeq_epi8_mask(in, _mm512_set1_epi8('\\')),
          _mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('{')),
          _mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('}')),
          _mm512_cmplt_epu8_mask(in, _mm512_set1_epi8(0x20)),
          _mm512_movepi8_mask(in) != 0};
}

[[KINFORMER_AVX512]] void ReadWithAvx512(const char* text, std::size_t count, JsonCarry& carry,
                                         JsonBlock* blocks) noexcept {
  ReadBlocks<Avx512BytesOf, WideParity>(text, count, carry, blocks);
}

#elif defined(__aarch64__)
// ---- What every 64-bit ARM has.

// A bit for each byte of four registers whose bytes are all ones or zero: each byte keeps the bit of its place among eight, and
// neighbours are added up until eight are one byte.
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
  const uint8x16_t limit = vdupq_n_u8(0x20);
  const uint8x16_t any = vorrq_u8(vorrq_u8(in[0], in[1]), vorrq_u8(in[2], in[3]));
  return {EqualTo('"', in),
          EqualTo('\\', in),
          EqualTo('{', folded),
          EqualTo('}', folded),
          Bits(vcltq_u8(in[0], limit), vcltq_u8(in[1], limit), vcltq_u8(in[2], limit),
               vcltq_u8(in[3], limit)),
          vmaxvq_u8(any) >= 0x80};
}

void ReadWithNeon(const char* text, std::size_t count, JsonCarry& carry,
                  JsonBlock* blocks) noexcept {
  ReadBlocks<NeonBytesOf, Parity>(text, count, carry, blocks);
}
#endif

std::vector<JsonKernel> Usable() {
  std::vector<JsonKernel> kernels;
#if defined(__x86_64__)
  const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
                    __builtin_cpu_supports("pclmul");
  // The first processors with registers this wide ran slower for using them; those that have VBMI2 do not.
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
