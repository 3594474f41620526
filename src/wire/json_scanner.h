// wire/json_scanner.h
//
// Where JSON values end, without parsing them: brackets are counted and strings skipped. JsonValueScanner does it over pieces of any
// size; SkipJsonValue over a text that is all there; JsonMembers walks the members of an object.
//
// None of them checks the grammar inside a value: for bytes that are not JSON they find some border, never read past the end, and
// whoever reads the value finds out.

#ifndef KINFORMER_WIRE_JSON_SCANNER_H_
#define KINFORMER_WIRE_JSON_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kinformer::wire {

constexpr bool IsJsonBlank(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

inline const char* SkipJsonBlanks(const char* at, const char* end) noexcept {
  while (at != end && IsJsonBlank(*at)) ++at;
  return at;
}

// Finds the end of one value that comes in pieces. Start with Reset; give it the value's bytes from the first one on.
// Thread-compatible.
class JsonValueScanner {
 public:
  void Reset() noexcept { *this = JsonValueScanner(); }

  // Goes on through `piece`. Returns true if the value ends in it, and then sets `used` to the number of bytes of the piece that
  // belong to the value (0 if a scalar ended with the piece before). A scalar (number, true, false, null) ends before the first byte
  // that cannot be part of it. REQUIRES: the first piece is not empty and begins with the value.
  bool Scan(std::string_view piece, std::size_t& used) noexcept;

  // A scalar may end with the text; everything else then is cut off.
  [[nodiscard]] bool EndsWithText() const noexcept { return kind_ == Kind::kScalar; }

 private:
  bool ScanString(std::string_view piece, const char* at, std::size_t& used) noexcept;
  bool ScanNested(std::string_view piece, std::size_t& used) noexcept;

  enum class Kind : std::uint8_t { kUnknown, kNested, kString, kScalar };
  Kind kind_ = Kind::kUnknown;
  bool in_string_ = false;  // nested: the last byte was inside a string
  bool escaped_ = false;    // the last byte was a backslash that escapes
  std::uint32_t depth_ = 0;
};

// The end of the value that begins at `at`; null if it does not end before `end`. REQUIRES: at <= end.
const char* SkipJsonValue(const char* at, const char* end) noexcept;

// What a reader that takes no second look must know of a text.
struct JsonNotes {
  bool backslash = false;
  bool not_plain = false;  // bytes below 0x20, line ends included, or above 0x7f
};

// The same, and adds to `notes` what it saw on the way. Of the 64 bytes in which the value ends it may note what stands behind.
const char* SkipJsonValue(const char* at, const char* end, JsonNotes& notes) noexcept;

// Past the string whose first quote is at `at`, with what was seen in it; null if it does not end before `end`.
const char* SkipJsonString(const char* at, const char* end, JsonNotes& notes) noexcept;

// The members of an object, in order:
//
//   JsonMembers members(text);              // text: from '{' to '}'
//   while (members.Next()) Use(members.name(), members.value());
//   if (!members.ok()) ...
class JsonMembers {
 public:
  explicit JsonMembers(std::string_view object) noexcept;
  bool Next() noexcept;
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  // Without its quotes, escapes as they stand.
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  // The value's text.
  [[nodiscard]] std::string_view value() const noexcept { return value_; }
  // From the start of the object, where it went wrong.
  [[nodiscard]] std::size_t offset() const noexcept {
    return static_cast<std::size_t>(at_ - begin_);
  }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
  std::string_view name_;
  std::string_view value_;
  bool ok_ = true;
  bool first_ = true;
  bool done_ = false;
};

// The content of a JSON string without escapes: the text between the quotes. Empty for anything else.
std::string_view PlainJsonString(std::string_view value) noexcept;

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSON_SCANNER_H_
