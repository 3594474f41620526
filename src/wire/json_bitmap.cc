#include "wire/json_bitmap.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

namespace kinformer::wire {
namespace {

// Most blocks kept for the next text: those of half a megabyte.
constexpr std::size_t kMostKept = 8192;

// Returns whether the text's last byte is a backslash that escapes the next byte. `escaped`:
// whether the first byte is escaped.
std::uint64_t EscapesNext(std::string_view text, std::uint64_t escaped) noexcept {
  std::size_t run = 0;
  while (run < text.size() && text[text.size() - 1 - run] == '\\') ++run;
  if (run == text.size()) run -= escaped;
  return run % 2;
}

}  // namespace

void JsonBitmap::MakeRoom(std::size_t blocks) {
  if (blocks + kBehind <= capacity_) return;
  const std::size_t capacity = std::max<std::size_t>({blocks + kBehind, capacity_ * 2, 64});
  auto larger = std::make_unique_for_overwrite<JsonBlock[]>(capacity);
  std::copy_n(blocks_.get(), count_, larger.get());
  blocks_ = std::move(larger);
  capacity_ = capacity;
}

JsonCarry JsonBitmap::ReadFrom(std::size_t block) {
  const JsonKernel& kernel = CurrentJsonKernel();
  const char* const begin = text_.data();
  const std::size_t whole = text_.size() / 64;
  const std::size_t left = text_.size() % 64;
  MakeRoom(whole + 1);
  JsonTally tally{whole_depth_, notes_};
  if (whole > block) kernel.read(begin + block * 64, whole - block, whole_, tally, &blocks_[block]);
  whole_depth_ = tally.depth;
  JsonCarry end = whole_;
  count_ = whole;
  if (left > 0) {
    char padded[64];
    std::memset(padded, ' ', sizeof(padded));
    std::memcpy(padded, begin + whole * 64, left);
    kernel.read(padded, 1, end, tally, &blocks_[whole]);
    end.escaped = EscapesNext({begin + whole * 64, left}, whole_.escaped);
    ++count_;
  }
  // A block behind the text that closes more brackets than can be open.
  JsonBlock behind{};
  behind.depth = tally.depth;
  behind.least = std::numeric_limits<std::int32_t>::min();
  std::fill_n(&blocks_[count_], kBehind, behind);
  depth_ = tally.depth;
  notes_ = tally.notes;
  return end;
}

void JsonBitmap::Read(std::string_view text, JsonCarry& carry) {
  text_ = text;
  count_ = 0;
  whole_ = carry;
  whole_depth_ = 0;
  notes_ = 0;
  carry = ReadFrom(0);
}

void JsonBitmap::Extend(std::string_view text) {
  const std::size_t before = text_.size() / 64;
  text_ = text;
  static_cast<void>(ReadFrom(before));
}

void JsonBitmap::TakeTail(const JsonBitmap& other, const char* at, std::string_view text) {
  const std::size_t from = other.PlaceOf(at) / 64;
  const std::size_t blocks = other.count_ - from;
  count_ = 0;
  MakeRoom(blocks);
  std::copy_n(&other.blocks_[from], blocks + kBehind, blocks_.get());
  count_ = blocks;
  text_ = text;
  depth_ = other.depth_;
  notes_ = other.notes_;
  whole_ = other.whole_;
  whole_depth_ = other.whole_depth_;
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

bool JsonBitmap::HasBackslashInBlocks(std::string_view part) const noexcept {
  const std::size_t from = PlaceOf(part.data());
  const std::size_t last = from + part.size() - 1;
  std::size_t block = from / 64;
  std::uint64_t bits = blocks_[block].backslash >> (from % 64);
  while (++block < last / 64) bits |= blocks_[block].backslash;
  return (bits | blocks_[last / 64].backslash << (63 - last % 64)) != 0;
}

const char* JsonBitmap::NextBackslash(const char* at, const char* end) const noexcept {
  if (at == end) return nullptr;
  const std::size_t place = PlaceOf(at);
  const std::size_t last = PlaceOf(end) - 1;
  std::size_t block = place / 64;
  std::uint64_t bits = blocks_[block].backslash & (~std::uint64_t{0} << (place % 64));
  while (bits == 0) {
    if (++block > last / 64) return nullptr;
    bits = blocks_[block].backslash;
  }
  const std::size_t found = block * 64 + static_cast<std::size_t>(std::countr_zero(bits));
  return found <= last ? text_.data() + found : nullptr;
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
  // Returns the position in a block where `left` open brackets are all closed. Returns 64 if they
  // are not, and sets `left` to the number still open at the block's end.
  auto left = static_cast<std::int32_t>(depth);
  const auto find = [&left](std::uint64_t open, std::uint64_t close) {
    for (std::uint64_t both = open | close; both != 0; both &= both - 1) {
      const int bit = std::countr_zero(both);
      // Without a branch, since no processor can predict it.
      left += 1 - 2 * static_cast<std::int32_t>((close >> bit) & 1U);
      if (left == 0) return bit;
    }
    return 64;
  };
  const std::uint64_t rest = ~std::uint64_t{0} << (place % 64);
  const std::uint64_t opens = blocks_[i].open & rest;
  const std::uint64_t closes = blocks_[i].close & rest;
  // Usually more brackets are open than the block can close, and the search is not needed.
  int found = 64;
  if (const int closed = CountBits(closes); closed < left) {
    left += CountBits(opens) - closed;
  } else {
    found = find(opens, closes);
  }
  if (found == 64) {
    // Depth outside of the value, as the blocks count it.
    const std::int32_t outside = blocks_[i + 1].depth - left;
    while (found == 64) {
      ++i;
      // Checks four blocks at a time; the block behind the text ends the loop.
      const auto goes_below = [&](std::size_t block) {
        return static_cast<unsigned>(blocks_[block].least <= outside);
      };
      while ((goes_below(i) | goes_below(i + 1) | goes_below(i + 2) | goes_below(i + 3)) == 0) {
        i += 4;
      }
      while (blocks_[i].least > outside) ++i;
      if (i >= count_) {
        depth = static_cast<std::uint32_t>(depth_ - outside);
        return nullptr;
      }
      left = blocks_[i].depth - outside;
      found = find(blocks_[i].open, blocks_[i].close);
    }
  }
  depth = 0;
  return text_.data() + i * 64 + static_cast<std::size_t>(found) + 1;
}

const char* JsonBitmap::SkipOther(const char* at, const char* end) const noexcept {
  if (at == end) return nullptr;
  if (*at == '{' || *at == '[') {
    std::uint32_t depth = 1;
    const char* const after = Close(at + 1, depth);
    return after != nullptr && after <= end ? after : nullptr;
  }
  ++at;  // a value has at least one byte
  while (at != end && !EndsJsonScalar(*at)) ++at;
  return at;
}

}  // namespace kinformer::wire
