// wire/json_cut_value.h
//
// JsonCutValue: joins a JSON value that is split over pieces of a body. It joins the pieces'
// bitmaps too, so that no byte is scanned twice.

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
  // Whether no value has begun.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  // Starts a value at `at` in the text that `window` has read. `scanner` scanned it to the end of
  // that text without finding the value's end.
  // REQUIRES: empty().
  void Begin(const JsonBitmap& window, const char* at, const JsonValueScanner& scanner);
  // Appends the value's bytes at the front of `chunk` and returns their number: the whole chunk if
  // the value does not end in it. Sets `complete` if it does.
  // REQUIRES: !empty().
  std::size_t Add(std::string_view chunk, bool& complete);

  // The bytes so far, and the bitmap of a text that contains them. Valid until Add or Clear.
  [[nodiscard]] std::string_view value() const noexcept {
    return std::string_view(text_).substr(begin_, size_);
  }
  [[nodiscard]] const JsonBitmap& bitmap() const noexcept { return bitmap_; }

  // Discards the value. The memory of an unusually long one is freed.
  void Clear();
  // REQUIRES: empty().
  void ReleaseMemory();

 private:
  std::string text_;  // the value, with some bytes before and behind it
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  // Size of the previous value: the next item of a list probably has a similar size.
  std::size_t usual_ = 0;
  JsonValueScanner scanner_;
  JsonBitmap bitmap_;
};

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSON_CUT_VALUE_H_
