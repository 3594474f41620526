// wire/json_text.h
//
// Basic forms of JSON text shared by readers and writers: UTF-8 sequences, escapes, numbers. Pure
// functions; only growing `out` allocates. Strings are quoted by json::AppendQuoted
// (kinformer/json/json.h) or written to a TextSink.

#ifndef KINFORMER_WIRE_JSON_TEXT_H_
#define KINFORMER_WIRE_JSON_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kinformer::json {

class Value;

// Returns the length of the valid UTF-8 sequence at the start of `text`, or 0 if it is invalid.
// REQUIRES: `text` is not empty.
std::size_t Utf8SequenceLength(std::string_view text);

// Returns the offset of the first byte that is not part of a valid sequence, or the size of the
// text.
std::size_t FirstInvalidUtf8(std::string_view text);

// Returns whether all bytes are ASCII. Reads words: several texts of each object are checked.
inline bool IsAscii(std::string_view text) {
  std::uint64_t all = 0;
  std::size_t at = 0;
  for (; text.size() - at >= sizeof(all); at += sizeof(all)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof(word));
    all |= word;
  }
  for (; at < text.size(); ++at) all |= static_cast<unsigned char>(text[at]);
  return (all & 0x8080808080808080U) == 0;
}

// Appends a code point that is not a surrogate.
void AppendUtf8(std::uint32_t code, std::string& out);

// Returns the value of a hexadecimal digit, or -1 for any other byte.
int HexDigit(char c);

// Reads the escape at `at`, which is a backslash, and appends the character to `out` unless null.
// Returns the position behind it, or null if it is invalid; then `bad` is `end` for a truncated
// escape, `at` for an unknown one, or the byte that is not a hexadecimal digit. An unpaired
// surrogate becomes U+FFFD, as in Go.
const char* ReadEscape(const char* at, const char* end, std::string* out, const char*& bad);

// Formats a byte for messages: 'x', or "byte 0x0a" if it is not printable.
std::string ShowByte(char c);

// Formats a number as Go's encoding/json formats a float64; "null" for infinity and NaN.
std::string DoubleText(double value);

// Returns the number of bytes at the start of `text` that a quoted string contains unchanged: ASCII
// that needs no escape.
std::size_t PlainPrefix(std::string_view text, bool escape_html = true);

// Appends many small pieces to a string with few checks and allocations. While the sink lives, the
// string has unused room at its end, so only the sink may use it; the destructor removes the room.
// Not copyable; make it on the stack.
class TextSink {
 public:
  explicit TextSink(std::string& out)
      : out_(out), at_(out.data() + out.size()), end_(out.data() + out.size()) {}
  ~TextSink() { out_.resize(size()); }
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  void Put(char c) {
    if (at_ == end_) Grow(1);
    *at_++ = c;
  }
  void Put(char c, std::size_t count) {
    if (Left() < count) Grow(count);
    std::memset(at_, c, count);
    at_ += count;
  }
  void Put(std::string_view text) {
    if (Left() < text.size()) Grow(text.size());
    if (!text.empty()) std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  // Appends the text as a JSON string with quotes, like AppendQuoted.
  void PutQuoted(std::string_view text, bool escape_html = true);
  // Appends compact JSON, with members in their order.
  void PutValue(const Value& value);
  // Size of the whole string, including bytes that were there before.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(at_ - out_.data()); }

 private:
  [[nodiscard]] std::size_t Left() const { return static_cast<std::size_t>(end_ - at_); }
  void Grow(std::size_t count);

  std::string& out_;
  char* at_;
  char* end_;
};

}  // namespace kinformer::json

#endif  // KINFORMER_WIRE_JSON_TEXT_H_
