#include "wire/json_scanner.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace kinformer::wire {
namespace {

// The next quote or backslash: where a run inside a string ends.
const char* FindStringSpecial(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  while (end - at >= 16) {
    __m128i bytes;
    std::memcpy(&bytes, at, 16);
    const auto hits = static_cast<unsigned>(_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash))));
    if (hits != 0) return at + std::countr_zero(hits);
    at += 16;
  }
#endif
  while (at != end && *at != '"' && *at != '\\') ++at;
  return at;
}

// What matters of 64 bytes, a bit for each byte.
struct Marks {
  std::uint64_t quote = 0;
  std::uint64_t backslash = 0;
  std::uint64_t open = 0;   // { and [
  std::uint64_t close = 0;  // } and ]
  bool not_plain = false;   // some byte below 0x20 or above 0x7f
};

// '[' and '{', ']' and '}' differ only in this bit.
constexpr unsigned char kFold = 0x20;

#if defined(__SSE2__)
constexpr std::uint64_t Joined(int low, int high) noexcept {
  return std::uint64_t{static_cast<unsigned>(low)} | std::uint64_t{static_cast<unsigned>(high)}
                                                         << 32;
}

inline Marks MarksOf(const char* at) noexcept {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i fold = _mm_set1_epi8(kFold);
  const __m128i open = _mm_set1_epi8('{');
  const __m128i close = _mm_set1_epi8('}');
  __m128i bytes[4];
  std::memcpy(bytes, at, sizeof(bytes));
  const auto bits = [](const __m128i(&in)[4], __m128i wanted) {
    const auto part = [&](int i) {
      return std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(in[i], wanted)))};
    };
    return part(0) | part(1) << 16 | part(2) << 32 | part(3) << 48;
  };
  const __m128i folded[4] = {_mm_or_si128(bytes[0], fold), _mm_or_si128(bytes[1], fold),
                             _mm_or_si128(bytes[2], fold), _mm_or_si128(bytes[3], fold)};
  // Compared as signed numbers, bytes above 0x7f are below 0x20 too.
  const __m128i blank = _mm_set1_epi8(0x20);
  const __m128i below =
      _mm_or_si128(_mm_or_si128(_mm_cmpgt_epi8(blank, bytes[0]), _mm_cmpgt_epi8(blank, bytes[1])),
                   _mm_or_si128(_mm_cmpgt_epi8(blank, bytes[2]), _mm_cmpgt_epi8(blank, bytes[3])));
  return {bits(bytes, quote), bits(bytes, backslash), bits(folded, open), bits(folded, close),
          _mm_movemask_epi8(below) != 0};
}

// The same for processors with wider registers; chosen when the program runs.
#define KINFORMER_WIDE_SCANNER 1
[[gnu::target("avx2,popcnt")]] inline Marks WideMarksOf(const char* at) noexcept {
  const __m256i fold = _mm256_set1_epi8(kFold);
  __m256i low;
  __m256i high;
  std::memcpy(&low, at, sizeof(low));
  std::memcpy(&high, at + sizeof(low), sizeof(high));
  const __m256i folded_low = _mm256_or_si256(low, fold);
  const __m256i folded_high = _mm256_or_si256(high, fold);
  Marks marks;
  const __m256i quote = _mm256_set1_epi8('"');
  marks.quote = Joined(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, quote)),
                       _mm256_movemask_epi8(_mm256_cmpeq_epi8(high, quote)));
  const __m256i backslash = _mm256_set1_epi8('\\');
  marks.backslash = Joined(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, backslash)),
                           _mm256_movemask_epi8(_mm256_cmpeq_epi8(high, backslash)));
  const __m256i open = _mm256_set1_epi8('{');
  marks.open = Joined(_mm256_movemask_epi8(_mm256_cmpeq_epi8(folded_low, open)),
                      _mm256_movemask_epi8(_mm256_cmpeq_epi8(folded_high, open)));
  const __m256i close = _mm256_set1_epi8('}');
  marks.close = Joined(_mm256_movemask_epi8(_mm256_cmpeq_epi8(folded_low, close)),
                       _mm256_movemask_epi8(_mm256_cmpeq_epi8(folded_high, close)));
  const __m256i blank = _mm256_set1_epi8(0x20);
  marks.not_plain = _mm256_movemask_epi8(_mm256_or_si256(_mm256_cmpgt_epi8(blank, low),
                                                         _mm256_cmpgt_epi8(blank, high))) != 0;
  return marks;
}
#else
// The bytes of `word` that equal `c`, as eight bits.
std::uint64_t EqualBytes(std::uint64_t word, unsigned char c) noexcept {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  const std::uint64_t other = word ^ (0x0101010101010101 * c);  // zero where they are equal
  const std::uint64_t high = ~(((other & kLow) + kLow) | other | kLow);
  return ((high >> 7) * 0x0102040810204080) >> 56;
}

inline Marks MarksOf(const char* at) noexcept {
  Marks marks;
  for (int shift = 0; shift < 64; shift += 8, at += 8) {
    std::uint64_t word = 0;
    for (int i = 8; i-- > 0;) word = (word << 8) | static_cast<unsigned char>(at[i]);
    const std::uint64_t folded = word | (0x0101010101010101 * kFold);
    marks.quote |= EqualBytes(word, '"') << shift;
    marks.backslash |= EqualBytes(word, '\\') << shift;
    marks.open |= EqualBytes(folded, '{') << shift;
    marks.close |= EqualBytes(folded, '}') << shift;
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    marks.not_plain |= ((word | ((word - kOnes * 0x20) & ~word)) & (kOnes * 0x80)) != 0;
  }
  return marks;
}
#endif

// The bytes that a backslash escapes. Bit 0 of `carry`: the first one is escaped; afterwards: the byte behind these 64 is.
std::uint64_t EscapedBytes(std::uint64_t backslash, std::uint64_t& carry) noexcept {
  std::uint64_t escaped = carry;
  carry = 0;
  backslash &= ~escaped;
  while (backslash != 0) {
    const std::uint64_t first = backslash & (0 - backslash);
    escaped |= first << 1;
    carry = first >> 63;
    backslash &= ~(first | first << 1);
  }
  return escaped;
}

// From the quotes to the bytes between them: each bit is the parity of the quotes up to and with it.
constexpr std::uint64_t InsideStrings(std::uint64_t quotes) noexcept {
  quotes ^= quotes << 1;
  quotes ^= quotes << 2;
  quotes ^= quotes << 4;
  quotes ^= quotes << 8;
  quotes ^= quotes << 16;
  quotes ^= quotes << 32;
  return quotes;
}

// Between two blocks of a nested value.
struct NestedState {
  std::uint32_t depth = 0;   // brackets that are open
  std::uint64_t escape = 0;  // 1: the next byte is escaped
  std::uint64_t inside = 0;  // all ones: the next byte is in a string
};

// Goes on through `piece`. True, with `used`, where the value ends.
template <Marks (*kMarksOf)(const char*) noexcept, bool kNotes>
[[gnu::always_inline]] inline bool ScanBlocks(std::string_view piece, NestedState& state,
                                              std::size_t& used, JsonNotes& notes) noexcept {
  const char* at = piece.data();
  std::size_t left = piece.size();
  NestedState s = state;
  while (left > 0) {
    const std::size_t size = std::min<std::size_t>(left, 64);
    char padded[64];
    if (size < 64) {
      std::memset(padded, ' ', sizeof(padded));
      std::memcpy(padded, at, size);
    }
    const Marks marks = kMarksOf(size < 64 ? padded : at);
    if constexpr (kNotes) {
      notes.backslash |= marks.backslash != 0;
      notes.not_plain |= marks.not_plain;
    }
    std::uint64_t escaped = 0;
    if ((marks.backslash | s.escape) != 0) {
      escaped = EscapedBytes(marks.backslash, s.escape);
      if (size < 64) s.escape = (escaped >> size) & 1U;  // by the last byte that is there
    }
    const std::uint64_t strings = InsideStrings(marks.quote & ~escaped) ^ s.inside;
    const std::uint64_t open = marks.open & ~strings;
    const std::uint64_t close = marks.close & ~strings;
    const auto closed = static_cast<std::uint32_t>(std::popcount(close));
    if (closed >= s.depth) {
      // The value may end here.
      std::uint32_t ended = 0;
      for (std::uint64_t left_over = close; left_over != 0; left_over &= left_over - 1) {
        const std::uint64_t before = (left_over & (0 - left_over)) - 1;
        ++ended;
        if (s.depth + static_cast<std::uint32_t>(std::popcount(open & before)) == ended) {
          used = piece.size() - left + static_cast<std::size_t>(std::countr_zero(left_over)) + 1;
          return true;
        }
      }
    }
    s.depth += static_cast<std::uint32_t>(std::popcount(open)) - closed;
    s.inside = 0 - (strings >> 63);
    at += size;
    left -= size;
  }
  state = s;
  return false;
}

#if defined(KINFORMER_WIDE_SCANNER)
template <bool kNotes>
[[gnu::target("avx2,popcnt")]] bool ScanBlocksWide(std::string_view piece, NestedState& state,
                                                   std::size_t& used, JsonNotes& notes) noexcept {
  return ScanBlocks<WideMarksOf, kNotes>(piece, state, used, notes);
}
#endif

template <bool kNotes>
bool ScanNestedValue(std::string_view piece, NestedState& state, std::size_t& used,
                     JsonNotes& notes) noexcept {
#if defined(KINFORMER_WIDE_SCANNER)
  static const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
  if (wide) return ScanBlocksWide<kNotes>(piece, state, used, notes);
#endif
  return ScanBlocks<MarksOf, kNotes>(piece, state, used, notes);
}

constexpr bool EndsScalar(char c) noexcept {
  return IsJsonBlank(c) || c == ',' || c == ']' || c == '}' || c == ':' || c == '"' || c == '{' ||
         c == '[';
}

}  // namespace

bool JsonValueScanner::Scan(std::string_view piece, std::size_t& used) noexcept {
  const char* const begin = piece.data();
  const char* const end = begin + piece.size();
  const char* at = begin;
  const auto done = [&](const char* where) {
    used = static_cast<std::size_t>(where - begin);
    return true;
  };
  if (at == end) return false;
  if (kind_ == Kind::kUnknown) {
    switch (*at) {
      case '{':
      case '[':
        kind_ = Kind::kNested;
        break;
      case '"':
        kind_ = Kind::kString;
        ++at;
        break;
      default:
        kind_ = Kind::kScalar;
        ++at;  // a value has one byte at least, whatever it is
        break;
    }
  }
  if (kind_ == Kind::kScalar) {
    while (at != end && !EndsScalar(*at)) ++at;
    return at != end && done(at);
  }
  return kind_ == Kind::kString ? ScanString(piece, at, used) : ScanNested(piece, used);
}

bool JsonValueScanner::ScanString(std::string_view piece, const char* at,
                                  std::size_t& used) noexcept {
  const char* const end = piece.data() + piece.size();
  while (at != end) {
    if (escaped_) {
      escaped_ = false;
      ++at;
      continue;
    }
    at = FindStringSpecial(at, end);
    if (at == end) break;
    if (*at++ == '\\') {
      escaped_ = true;
      continue;
    }
    used = static_cast<std::size_t>(at - piece.data());
    return true;
  }
  return false;
}

bool JsonValueScanner::ScanNested(std::string_view piece, std::size_t& used) noexcept {
  NestedState state{depth_, escaped_ ? std::uint64_t{1} : 0, in_string_ ? ~std::uint64_t{0} : 0};
  JsonNotes unused;
  const bool ended = ScanNestedValue<false>(piece, state, used, unused);
  depth_ = state.depth;
  escaped_ = state.escape != 0;
  in_string_ = state.inside != 0;
  return ended;
}

const char* SkipJsonValue(const char* at, const char* end) noexcept {
  if (at == end) return nullptr;
  JsonValueScanner scanner;
  std::size_t used = 0;
  if (scanner.Scan({at, static_cast<std::size_t>(end - at)}, used)) return at + used;
  return scanner.EndsWithText() ? end : nullptr;
}

const char* SkipJsonString(const char* at, const char* end, JsonNotes& notes) noexcept {
  if (at != end) ++at;
  while (at != end) {
#if defined(__SSE2__)
    if (end - at >= 16) {
      __m128i bytes;
      std::memcpy(&bytes, at, 16);
      const auto hits = static_cast<unsigned>(
          _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                                         _mm_cmpgt_epi8(_mm_set1_epi8(0x20), bytes))));
      if (hits == 0) {
        at += 16;
        continue;
      }
      at += std::countr_zero(hits);
    }
#endif
    const char c = *at++;
    if (c == '"') return at;
    if (c == '\\') {
      notes.backslash = true;
      if (at == end) return nullptr;
      ++at;
    } else if (static_cast<signed char>(c) < 0x20) {
      notes.not_plain = true;
    }
  }
  return nullptr;
}

const char* SkipJsonValue(const char* at, const char* end, JsonNotes& notes) noexcept {
  if (at == end) return nullptr;
  if (*at == '"') return SkipJsonString(at, end, notes);
  if (*at != '{' && *at != '[') return SkipJsonValue(at, end);
  NestedState state;
  std::size_t used = 0;
  const std::string_view text(at, static_cast<std::size_t>(end - at));
  return ScanNestedValue<true>(text, state, used, notes) ? at + used : nullptr;
}

JsonMembers::JsonMembers(std::string_view object) noexcept
    : begin_(object.data()), at_(begin_), end_(begin_ + object.size()) {
  at_ = SkipJsonBlanks(at_, end_);
  if (at_ == end_ || *at_ != '{') {
    ok_ = false;
  } else {
    ++at_;
  }
}

bool JsonMembers::Next() noexcept {
  if (!ok_ || done_) return false;
  const auto fail = [this] {
    ok_ = false;
    return false;
  };
  at_ = SkipJsonBlanks(at_, end_);
  if (at_ == end_) return fail();
  if (*at_ == '}') {
    done_ = true;
    return false;
  }
  if (!first_) {
    if (*at_ != ',') return fail();
    at_ = SkipJsonBlanks(at_ + 1, end_);
  }
  first_ = false;
  if (at_ == end_ || *at_ != '"') return fail();
  const char* const name = at_;
  at_ = SkipJsonValue(at_, end_);
  if (at_ == nullptr) {
    at_ = name;
    return fail();
  }
  name_ = {name + 1, static_cast<std::size_t>(at_ - name) - 2};
  at_ = SkipJsonBlanks(at_, end_);
  if (at_ == end_ || *at_ != ':') return fail();
  at_ = SkipJsonBlanks(at_ + 1, end_);
  const char* const value = at_;
  at_ = SkipJsonValue(at_, end_);
  if (at_ == nullptr) {
    at_ = value;
    return fail();
  }
  value_ = {value, static_cast<std::size_t>(at_ - value)};
  return true;
}

std::string_view PlainJsonString(std::string_view value) noexcept {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return {};
  return value.substr(1, value.size() - 2);
}

}  // namespace kinformer::wire
