#include "wire/json_scanner.h"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
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

// The next quote or bracket: what matters outside strings.
const char* FindStructural(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  // '{' and '[' differ from '}' and ']' in bits 1 and 2; with bit 5 set, '[' is '{' and ']' is '}'.
  const __m128i lower = _mm_set1_epi8(0x20);
  const __m128i open = _mm_set1_epi8('{');
  const __m128i close = _mm_set1_epi8('}');
  while (end - at >= 16) {
    __m128i bytes;
    std::memcpy(&bytes, at, 16);
    const __m128i folded = _mm_or_si128(bytes, lower);
    const __m128i found =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
                     _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close)));
    const auto hits = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (hits != 0) return at + std::countr_zero(hits);
    at += 16;
  }
#endif
  while (at != end && *at != '"' && *at != '{' && *at != '}' && *at != '[' && *at != ']') ++at;
  return at;
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
        in_string_ = true;
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
  while (at != end) {
    if (in_string_) {
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
      in_string_ = false;
      if (kind_ == Kind::kString) return done(at);
      continue;
    }
    at = FindStructural(at, end);
    if (at == end) break;
    switch (*at++) {
      case '"':
        in_string_ = true;
        break;
      case '{':
      case '[':
        ++depth_;
        break;
      default:
        if (--depth_ == 0) return done(at);
        break;
    }
  }
  return false;
}

const char* SkipJsonValue(const char* at, const char* end) noexcept {
  if (at == end) return nullptr;
  JsonValueScanner scanner;
  std::size_t used = 0;
  if (scanner.Scan({at, static_cast<std::size_t>(end - at)}, used)) return at + used;
  return scanner.EndsWithText() ? end : nullptr;
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
