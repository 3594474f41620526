// wire/json_cut_value.h
//
// JsonCutValue: a JSON value that pieces of a body cut, put together. What the pieces' bitmaps know
// of it is put together as well, so that no byte of it is looked at twice.

#ifndef KINFORMER_WIRE_JSON_CUT_VALUE_H_
#define KINFORMER_WIRE_JSON_CUT_VALUE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "wire/json_scanner.h"

namespace kinformer::wire {

// Thread-compatible.
class JsonCutValue {
 public:
  // Nothing is cut.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  // It begins at `at` in what `window` has read, and `scanner`, which went on from there, did not
  // find its end.
  // REQUIRES: empty().
  void Begin(const JsonBitmap& window, const char* at, const JsonValueScanner& scanner);
  // Goes on with `chunk`. Returns how many of its bytes are the value's: all, if the value does not
  // end in it.
  // REQUIRES: !empty().
  std::size_t Add(std::string_view chunk, bool& complete);

  // What there is of it, and what has read a text that it is part of; until the next Add or Clear.
  [[nodiscard]] std::string_view value() const noexcept {
    return std::string_view(text_).substr(begin_, size_);
  }
  [[nodiscard]] const JsonBitmap& bitmap() const noexcept { return bitmap_; }

  // Empty again. The memory of an unusually long one is given back.
  void Clear();
  // REQUIRES: empty().
  void ReleaseMemory();

 private:
  std::string text_;  // the value, and some bytes before and behind it
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  // The size of the one before: in a list, this one is likely to have it too.
  std::size_t usual_ = 0;
  JsonValueScanner scanner_;
  JsonBitmap bitmap_;
};

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSON_CUT_VALUE_H_
