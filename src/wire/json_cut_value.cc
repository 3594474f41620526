#include "wire/json_cut_value.h"

#include <algorithm>

namespace kinformer::wire {
namespace {

// Bytes taken at once if the missing size is unknown. Bytes behind the value's end are scanned a
// second time.
constexpr std::size_t kStep = 256;

constexpr std::size_t kMostKept = std::size_t{1} << 20;

}  // namespace

void JsonCutValue::Begin(const JsonBitmap& window, const char* at,
                         const JsonValueScanner& scanner) {
  const std::string_view tail = window.TailFrom(at);
  begin_ = static_cast<std::size_t>(at - tail.data());
  size_ = tail.size() - begin_;
  text_.assign(tail);
  bitmap_.TakeTail(window, at, text_);
  scanner_ = scanner;
}

std::size_t JsonCutValue::Add(std::string_view chunk, bool& complete) {
  std::size_t step = usual_ > size_ ? usual_ - size_ + 64 : kStep;
  std::size_t taken = 0;
  complete = false;
  while (taken < chunk.size()) {
    const std::string_view piece = chunk.substr(taken, step);
    const std::size_t before = text_.size();
    text_.append(piece);
    bitmap_.Extend(text_);
    const char* const from = text_.data() + before;
    if (const char* const after = scanner_.Scan(bitmap_, from); after != nullptr) {
      complete = true;
      size_ = usual_ = static_cast<std::size_t>(after - text_.data()) - begin_;
      return taken + static_cast<std::size_t>(after - from);
    }
    taken += piece.size();
    step = std::max(step, kStep) * 2;
  }
  size_ = text_.size() - begin_;
  return taken;
}

void JsonCutValue::Clear() {
  text_.clear();
  size_ = begin_ = 0;
  if (text_.capacity() > kMostKept) text_.shrink_to_fit();
  bitmap_.Trim();
}

void JsonCutValue::ReleaseMemory() {
  text_.shrink_to_fit();
  bitmap_ = JsonBitmap();
}

}  // namespace kinformer::wire
