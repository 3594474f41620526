// wire/json_bitmap.h
//
// JsonBitmap: positions of the strings and brackets of a JSON text, computed once, many bytes at a
// time, and queried often: the end of a string, the end of a nested value. The code that finds the
// objects of a list passes it on to the code that builds blocks from them.
//
// The grammar is not checked: for bytes that are not JSON it returns some position, never reads
// past the end, and the reader of the value finds the error.

#ifndef KINFORMER_WIRE_JSON_BITMAP_H_
#define KINFORMER_WIRE_JSON_BITMAP_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "wire/json_kernels.h"

namespace kinformer::wire {

constexpr bool IsJsonBlank(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

inline const char* SkipJsonBlanks(const char* at, const char* end) noexcept {
  while (at != end && IsJsonBlank(*at)) ++at;
  return at;
}

// Whether the byte ends a scalar (number, true, false, null) in front of it.
constexpr bool EndsJsonScalar(char c) noexcept {
  return IsJsonBlank(c) || c == ',' || c == ']' || c == '}' || c == ':' || c == '"' || c == '{' ||
         c == '[';
}

// Uses three quarters of the text's size. Thread-compatible. Positions are pointers into the text,
// which must outlive all queries.
class JsonBitmap {
 public:
  // Reads `text` as the continuation of the previous text.
  void Read(std::string_view text, JsonCarry& carry);
  // Reads an independent text.
  void Read(std::string_view text) {
    JsonCarry carry;
    Read(text, carry);
  }
  // Reads the bytes added behind the text. `text` begins with the same bytes, possibly at a new
  // address. Earlier answers stay right, since positions count from the start.
  void Extend(std::string_view text);
  // TailFrom returns the text from the start of the 64-byte block that contains `at`. TakeTail
  // copies the part of `other` for that text; `text` is a copy of it.
  [[nodiscard]] std::string_view TailFrom(const char* at) const noexcept {
    return text_.substr(PlaceOf(at) / 64 * 64);
  }
  void TakeTail(const JsonBitmap& other, const char* at, std::string_view text);
  // Frees the memory if the latest text was unusually long.
  void Trim();

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] bool Covers(std::string_view part) const noexcept;

  // NextQuote returns the first quote of a string's beginning or end at or behind `at`, or null.
  // PreviousQuote returns the last one at or before `at`. REQUIRES: `at` is in the text.
  [[nodiscard]] const char* NextQuote(const char* at) const noexcept {
    const std::size_t place = PlaceOf(at);
    const std::size_t block = place / 64;
    if (block == count_) return nullptr;
    // Loads the 64 bytes from `at` on across block borders: most strings end within them, and this
    // avoids a branch.
    const unsigned shift = place % 64;
    const std::uint64_t quotes = blocks_[block].quote >> shift | (blocks_[block + 1].quote << 1)
                                                                     << (63 - shift);
    if (quotes != 0) return at + std::countr_zero(quotes);
    return QuoteFrom(block + 1);
  }
  [[nodiscard]] const char* PreviousQuote(const char* at) const noexcept;
  // Like NextQuote; sets `plain` if no backslash precedes the quote.
  [[nodiscard]] const char* NextQuote(const char* at, bool& plain) const noexcept {
    const std::size_t place = PlaceOf(at);
    const std::size_t block = place / 64;
    if (block == count_) return nullptr;
    const unsigned shift = place % 64;
    const JsonBlock* const b = &blocks_[block];
    const std::uint64_t quotes = b[0].quote >> shift | (b[1].quote << 1) << (63 - shift);
    if (quotes != 0) [[likely]] {
      const std::uint64_t backslashes = b[0].backslash >> shift | (b[1].backslash << 1)
                                                                      << (63 - shift);
      plain = (backslashes & (quotes ^ (quotes - 1))) == 0;
      return at + std::countr_zero(quotes);
    }
    const char* const quote = QuoteFrom(block + 1);
    if (quote != nullptr) plain = !HasBackslash({at, static_cast<std::size_t>(quote - at)});
    return quote;
  }

  // Returns the position behind the bracket that closes the last of `depth` open ones. If it is not
  // in the text, returns null and sets `depth` to the number still open. REQUIRES: depth > 0.
  const char* Close(const char* at, std::uint32_t& depth) const noexcept;

  // Returns the position behind the value that begins at `at`, or null if it does not end before
  // `end`. A scalar may end with the text.
  // REQUIRES: `at` is outside strings.
  [[nodiscard]] const char* SkipValue(const char* at, const char* end) const noexcept {
    if (at == end || *at != '"') return SkipOther(at, end);
    const char* const quote = at + 1 == end ? nullptr : NextQuote(at + 1);
    return quote != nullptr && quote < end ? quote + 1 : nullptr;
  }

  // Whether a part of the text contains a backslash.
  [[nodiscard]] bool HasBackslash(std::string_view part) const noexcept {
    if ((notes_ & kJsonBackslash) == 0 || part.empty()) return false;
    if (part.size() > 64) return HasBackslashInBlocks(part);
    const std::size_t place = PlaceOf(part.data());
    const JsonBlock* const block = &blocks_[place / 64];
    const unsigned shift = place % 64;
    const std::uint64_t bits = block[0].backslash >> shift | (block[1].backslash << 1)
                                                                 << (63 - shift);
    return bits << (64 - part.size()) != 0;
  }
  // Returns the first backslash at or behind `at`, or null if there is none before `end`. REQUIRES:
  // `at` is in the text.
  [[nodiscard]] const char* NextBackslash(const char* at, const char* end) const noexcept;

  // JsonNote bits of all properties seen anywhere in the text.
  [[nodiscard]] unsigned notes() const noexcept { return notes_; }

 private:
  // Number of blocks behind those of the text; they end searches for quotes and brackets.
  static constexpr std::size_t kBehind = 4;

  void MakeRoom(std::size_t blocks);
  // Reads the text's blocks from `block` on. Returns the state at the end of the text.
  JsonCarry ReadFrom(std::size_t block);
  [[nodiscard]] bool HasBackslashInBlocks(std::string_view part) const noexcept;
  // SkipValue for values that are not strings.
  [[nodiscard]] const char* SkipOther(const char* at, const char* end) const noexcept;
  // Returns the first quote in that block or behind it, or null.
  [[nodiscard]] const char* QuoteFrom(std::size_t block) const noexcept;
  [[nodiscard]] std::size_t PlaceOf(const char* at) const noexcept {
    return static_cast<std::size_t>(at - text_.data());
  }

  std::string_view text_;
  std::unique_ptr<JsonBlock[]> blocks_;  // plus kBehind more
  std::size_t capacity_ = 0;
  std::size_t count_ = 0;
  std::int32_t depth_ = 0;  // at the end
  unsigned notes_ = 0;
  // State at the end of the last complete block.
  JsonCarry whole_;
  std::int32_t whole_depth_ = 0;
};

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSON_BITMAP_H_
