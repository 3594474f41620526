// wire/json_bitmap.h
//
// JsonBitmap: where the strings and brackets of a JSON text are, found once, many bytes at a time,
// and asked often: where a string ends, where a nested value ends. What finds the objects of a list
// hands it on to what builds blocks of them.
//
// The grammar is not checked: for bytes that are not JSON it finds some border, never reads past
// the end, and whoever reads the value finds out.

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

// Whether a scalar (number, true, false, null) ends before it.
constexpr bool EndsJsonScalar(char c) noexcept {
  return IsJsonBlank(c) || c == ',' || c == ']' || c == '}' || c == ':' || c == '"' || c == '{' ||
         c == '[';
}

// Takes three quarters of the text's size while it is in use. Thread-compatible. Positions are
// pointers into the text, which must outlive what is asked.
class JsonBitmap {
 public:
  // Reads `text`, which goes on where the text before ended.
  void Read(std::string_view text, JsonCarry& carry);
  // Reads a text of its own.
  void Read(std::string_view text) {
    JsonCarry carry;
    Read(text, carry);
  }
  // Reads what has come to be behind the text: `text` begins with the same bytes, wherever they are
  // now. What was asked before is answered the same, since positions count from the start.
  void Extend(std::string_view text);
  // The text from the 64 bytes on that `at` is in. Takes over what `other` knows of that; `text` is
  // a copy of it.
  [[nodiscard]] std::string_view TailFrom(const char* at) const noexcept {
    return text_.substr(PlaceOf(at) / 64 * 64);
  }
  void TakeTail(const JsonBitmap& other, const char* at, std::string_view text);
  // Gives the memory back if the latest text was unusually long.
  void Trim();

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] bool Covers(std::string_view part) const noexcept;

  // The first quote of a string's beginning or end that is not before `at`; null if there is none.
  // The last one that is not behind `at`. REQUIRES: in the text.
  [[nodiscard]] const char* NextQuote(const char* at) const noexcept {
    const std::size_t place = PlaceOf(at);
    const std::size_t block = place / 64;
    if (block == count_) return nullptr;
    // The 64 bytes from `at` on, whatever blocks they are in: most strings end in them, and it is
    // better not to ask where.
    const unsigned shift = place % 64;
    const std::uint64_t quotes = blocks_[block].quote >> shift | (blocks_[block + 1].quote << 1)
                                                                     << (63 - shift);
    if (quotes != 0) return at + std::countr_zero(quotes);
    return QuoteFrom(block + 1);
  }
  [[nodiscard]] const char* PreviousQuote(const char* at) const noexcept;
  // NextQuote; `plain`: no backslash stands before it.
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

  // From `at` on, past the bracket that closes the last of `depth` open ones; null if it is not
  // there, and then `depth` is how many are open at the end of the text. REQUIRES: depth > 0.
  const char* Close(const char* at, std::uint32_t& depth) const noexcept;

  // Past the value that begins at `at`; null if it does not end before `end`. A scalar may end with
  // the text.
  // REQUIRES: outside strings.
  [[nodiscard]] const char* SkipValue(const char* at, const char* end) const noexcept {
    if (at == end || *at != '"') return SkipOther(at, end);
    const char* const quote = at + 1 == end ? nullptr : NextQuote(at + 1);
    return quote != nullptr && quote < end ? quote + 1 : nullptr;
  }

  // Whether there is a backslash in a part of the text.
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
  // The first backslash that is not before `at`; null if there is none before `end`. REQUIRES: in
  // the text.
  [[nodiscard]] const char* NextBackslash(const char* at, const char* end) const noexcept;

  // What was seen in all of the text: of JsonNote.
  [[nodiscard]] unsigned notes() const noexcept { return notes_; }

 private:
  // Behind the blocks of the text: they end searches for quotes and brackets.
  static constexpr std::size_t kBehind = 4;

  void MakeRoom(std::size_t blocks);
  // Reads the text's blocks from that one on. What the text's end leaves open.
  JsonCarry ReadFrom(std::size_t block);
  [[nodiscard]] bool HasBackslashInBlocks(std::string_view part) const noexcept;
  // What is no string.
  [[nodiscard]] const char* SkipOther(const char* at, const char* end) const noexcept;
  // The first one in that block or behind it.
  [[nodiscard]] const char* QuoteFrom(std::size_t block) const noexcept;
  [[nodiscard]] std::size_t PlaceOf(const char* at) const noexcept {
    return static_cast<std::size_t>(at - text_.data());
  }

  std::string_view text_;
  std::unique_ptr<JsonBlock[]> blocks_;  // and kBehind of them
  std::size_t capacity_ = 0;
  std::size_t count_ = 0;
  std::int32_t depth_ = 0;  // at the end
  unsigned notes_ = 0;
  // Where the last 64 bytes that are whole end.
  JsonCarry whole_;
  std::int32_t whole_depth_ = 0;
};

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSON_BITMAP_H_
