// wire/json_scanner.h
//
// Finds the ends of JSON values without parsing them: JsonValueScanner finds the end of a value
// that arrives in pieces, JsonMembers walks the members of a complete object. Both query a
// JsonBitmap, and neither checks the grammar inside values.

#ifndef KINFORMER_WIRE_JSON_SCANNER_H_
#define KINFORMER_WIRE_JSON_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/json_bitmap.h"

namespace kinformer::wire {

// Finds the end of one value that arrives in pieces. Call Reset first, then pass the value's bytes
// from the first one on. Thread-compatible.
class JsonValueScanner {
 public:
  void Reset() noexcept { *this = JsonValueScanner(); }

  // Continues from `at` to the end of the piece that `bitmap` has read. Returns the position behind
  // the value if it ends in the piece (`at` if a scalar ended with the piece before), else null. A
  // scalar (number, true, false, null) ends before the first byte that cannot be part of it.
  // REQUIRES: the value's first piece begins with it and is not empty.
  const char* Scan(const JsonBitmap& bitmap, const char* at) noexcept;

  // Whether the value may end with the text: true for scalars; other values are truncated.
  [[nodiscard]] bool EndsWithText() const noexcept { return kind_ == Kind::kScalar; }

 private:
  enum class Kind : std::uint8_t { kUnknown, kNested, kString, kScalar };
  Kind kind_ = Kind::kUnknown;
  std::uint32_t depth_ = 0;
};

// The members of an object, in order:
//
//   JsonMembers members(text, bitmap);      // text: from '{' to '}', in what the bitmap has read
//   while (members.Next()) Use(members.name(), members.value());
//   if (!members.ok()) ...
class JsonMembers {
 public:
  JsonMembers(std::string_view object, const JsonBitmap& bitmap) noexcept;
  bool Next() noexcept;
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  // The name without its quotes, with escapes unresolved.
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  // The value's text; empty if its end was not found.
  std::string_view value() noexcept {
    if (after_ == nullptr) after_ = bitmap_.SkipValue(value_, end_);
    if (after_ == nullptr) return {};
    return {value_, static_cast<std::size_t>(after_ - value_)};
  }
  // The rest of the object from the value on, for callers that read into the value without
  // searching its end first.
  [[nodiscard]] std::string_view rest() const noexcept {
    return {value_, static_cast<std::size_t>(end_ - value_)};
  }
  // Position of the error, from the start of the object; without an error, the position behind the
  // object's '}'.
  [[nodiscard]] std::size_t offset() const noexcept {
    return static_cast<std::size_t>(at_ - begin_);
  }

 private:
  const JsonBitmap& bitmap_;
  const char* begin_;
  const char* at_;
  const char* end_;
  std::string_view name_;
  const char* value_ = nullptr;  // where it begins
  const char* after_ = nullptr;  // end of the value, once computed
  bool ok_ = true;
  bool done_ = false;
};

// Returns the content of a JSON string without escapes: the text between the quotes. Empty for
// anything else.
std::string_view PlainJsonString(std::string_view value) noexcept;

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSON_SCANNER_H_
