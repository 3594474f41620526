// wire/json_text.h
//
// The small forms of JSON text that readers and writers share: UTF-8 sequences, escapes, numbers.
// Pure functions; nothing allocates but what grows `out`. Strings are quoted by json::AppendQuoted
// (kinformer/json.h), or into a TextSink.

#ifndef KINFORMER_WIRE_JSON_TEXT_H_
#define KINFORMER_WIRE_JSON_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kinformer::json {

class Value;

// The length of the valid UTF-8 sequence at the start of `text`, 0 if there is none. REQUIRES: not
// empty.
std::size_t Utf8SequenceLength(std::string_view text);

// The offset of the first byte that is not part of a valid sequence; the size of the text if there
// is none.
std::size_t FirstInvalidUtf8(std::string_view text);

// A code point that is no surrogate.
void AppendUtf8(std::uint32_t code, std::string& out);

// The value of a hexadecimal digit, -1 for anything else.
int HexDigit(char c);

// Reads the escape that begins at `at`, a backslash, and appends what it stands for to `out` if
// there is one. Returns what is behind it. Null if there is no such escape; then `bad` is `end`
// where it is cut off, `at` where no escape begins so, or what is no hexadecimal digit. Half of a
// surrogate pair reads as Go reads it: U+FFFD.
const char* ReadEscape(const char* at, const char* end, std::string* out, const char*& bad);

// 'x', or byte 0x0a where that cannot be printed: for messages.
std::string ShowByte(char c);

// A number as Go's encoding/json writes a float64; "null" for what JSON has no number for.
std::string DoubleText(double value);

// How many bytes at the start of `text` stand in a quoted string as they are: ASCII that needs no
// escape.
std::size_t PlainPrefix(std::string_view text, bool escape_html = true);

// Appends many small pieces to a string at the cost of their bytes alone. While it lives, the
// string has room behind what was written, so nobody else may look at it. Not copyable; on the
// stack.
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
  // As a JSON string, quotes included: AppendQuoted.
  void PutQuoted(std::string_view text, bool escape_html = true);
  // Compactly, in the order of its members.
  void PutValue(const Value& value);
  // Of the whole string.
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
