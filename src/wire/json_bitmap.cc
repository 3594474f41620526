#include "wire/json_bitmap.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace kinformer::wire {
namespace {

// Blocks that are kept for the next text: those of half a megabyte of it.
constexpr std::size_t kMostKept = 8192;

// Whether the text's last byte is a backslash that escapes what comes. `escaped`: whether its first byte is escaped.
std::uint64_t EscapesNext(std::string_view text, std::uint64_t escaped) noexcept {
  std::size_t run = 0;
  while (run < text.size() && text[text.size() - 1 - run] == '\\') ++run;
  if (run == text.size()) run -= escaped;
  return run % 2;
}

}  // namespace

void JsonBitmap::Read(std::string_view text, JsonCarry& carry) {
  text_ = text;
  count_ = (text.size() + 63) / 64;
  if (count_ + 1 > capacity_) {
    capacity_ = std::max<std::size_t>(count_ + 1, 64);
    blocks_ = std::make_unique_for_overwrite<JsonBlock[]>(capacity_);
  }
  const JsonKernel& kernel = CurrentJsonKernel();
  const std::size_t whole = text.size() / 64;
  JsonTally tally;
  kernel.read(text.data(), whole, carry, tally, blocks_.get());
  const std::size_t left = text.size() % 64;
  if (left > 0) {
    char padded[64];
    std::memset(padded, ' ', sizeof(padded));
    std::memcpy(padded, text.data() + whole * 64, left);
    const std::uint64_t escaped = carry.escaped;
    kernel.read(padded, 1, carry, tally, &blocks_[whole]);
    carry.escaped = EscapesNext({text.data() + whole * 64, left}, escaped);
  }
  blocks_[count_] = {};
  depth_ = tally.depth;
  notes_ = tally.notes;
}

void JsonBitmap::Trim() {
  if (capacity_ <= kMostKept) return;
  blocks_.reset();
  capacity_ = count_ = 0;
  text_ = {};
}

bool JsonBitmap::Covers(std::string_view part) const noexcept {
  const std::less_equal<const char*> before;
  return before(text_.data(), part.data()) &&
         before(part.data() + part.size(), text_.data() + text_.size());
}

const char* JsonBitmap::QuoteFrom(std::size_t block) const noexcept {
  while (block < count_ && blocks_[block].quote == 0) ++block;
  if (block >= count_) return nullptr;
  return text_.data() + block * 64 +
         static_cast<std::size_t>(std::countr_zero(blocks_[block].quote));
}

const char* JsonBitmap::PreviousQuote(const char* at) const noexcept {
  const std::size_t place = PlaceOf(at);
  std::size_t block = place / 64;
  if (block == count_) return nullptr;
  std::uint64_t quotes = blocks_[block].quote & (~std::uint64_t{0} >> (63 - place % 64));
  while (quotes == 0) {
    if (block-- == 0) return nullptr;
    quotes = blocks_[block].quote;
  }
  return text_.data() + block * 64 + 63 - static_cast<std::size_t>(std::countl_zero(quotes));
}

const char* JsonBitmap::Close(const char* at, std::uint32_t& depth) const noexcept {
  const std::size_t place = PlaceOf(at);
  std::size_t i = place / 64;
  if (i == count_) return nullptr;
  // Where in a block `left` open brackets come to none; 64 if they do not, and then `left` is what there is at its end.
  auto left = static_cast<std::int32_t>(depth);
  const auto find = [&left](std::uint64_t open, std::uint64_t close) {
    for (std::uint64_t both = open | close; both != 0; both &= both - 1) {
      const std::uint64_t bit = both & (0 - both);
      if ((close & bit) == 0) {
        ++left;
      } else if (--left == 0) {
        return std::countr_zero(bit);
      }
    }
    return 64;
  };
  const std::uint64_t rest = ~std::uint64_t{0} << (place % 64);
  int found = find(blocks_[i].open & rest, blocks_[i].close & rest);
  if (found == 64) {
    // What is open when the value has ended, as the blocks count.
    const std::int32_t outside = DepthAt(i + 1) - left;
    while (found == 64) {
      ++i;
      while (i < count_ && blocks_[i].least > outside) ++i;
      if (i >= count_) {
        depth = static_cast<std::uint32_t>(depth_ - outside);
        return nullptr;
      }
      left = DepthAt(i) - outside;
      found = find(blocks_[i].open, blocks_[i].close);
    }
  }
  depth = 0;
  return text_.data() + i * 64 + static_cast<std::size_t>(found) + 1;
}

const char* JsonBitmap::SkipValue(const char* at, const char* end) const noexcept {
  if (at == end) return nullptr;
  if (*at == '"') {
    const char* const quote = at + 1 == end ? nullptr : NextQuote(at + 1);
    return quote != nullptr && quote < end ? quote + 1 : nullptr;
  }
  if (*at == '{' || *at == '[') {
    std::uint32_t depth = 1;
    const char* const after = at + 1 == end ? nullptr : Close(at + 1, depth);
    return after != nullptr && after <= end ? after : nullptr;
  }
  ++at;  // a value has one byte at least, whatever it is
  while (at != end && !EndsJsonScalar(*at)) ++at;
  return at;
}

}  // namespace kinformer::wire
