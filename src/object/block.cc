#include "kinformer/internal/block.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <malloc.h>

#include "object/block_assembly.h"
#include "object/block_layout.h"
#include "object/packing.h"

namespace kinformer::internal {

static_assert(sizeof(Block) == 64, "docs/object-layout.md says so");

std::string_view Block::payload() const { return {data(), payload_size_}; }
std::string_view Block::metadata_bytes() const { return {data() + metadata_at_, metadata_size_}; }
std::string_view Block::name() const { return {data() + metadata_at_ + at_[0], size_[0]}; }
std::string_view Block::namespace_() const { return {data() + metadata_at_ + at_[1], size_[1]}; }
std::string_view Block::uid() const { return {data() + metadata_at_ + at_[2], size_[2]}; }
std::string_view Block::resourceVersion() const {
  return {data() + metadata_at_ + at_[3], size_[3]};
}
bool Block::partial() const { return (flags_ & BlockLayout::kPartial) != 0; }

std::size_t Block::allocated_bytes() const {
  // malloc's word of bookkeeping is not in the usable size.
  const StructInfo::Head* const made = structure();
  return malloc_usable_size(const_cast<Block*>(this)) + sizeof(std::size_t) +
         (made != nullptr ? made->heap_bytes : 0);
}

std::size_t Block::StructureAt() const noexcept {
  const std::size_t end = std::size_t{payload_at_} + payload_size_ + tail_size_;
  const std::size_t align = type_->structure->align;
  return (end + align - 1) / align * align;
}

const StructInfo::Head* Block::structure() const noexcept {
  if ((flags_ & BlockLayout::kStruct) == 0) return nullptr;
  return reinterpret_cast<const StructInfo::Head*>(reinterpret_cast<const char*>(this) +
                                                   StructureAt());
}

bool Block::SameAs(const Block& other) const {
  // Of one dictionary, equal objects are equal bytes.
  if (packed() && other.packed() &&
      BlockBuilder::OpenPacked(*this).dictionary != BlockBuilder::OpenPacked(other).dictionary) {
    return SameAs(*Unpacked(ObjectRef::Share(&other)));
  }
  if (packed() != other.packed()) {
    // Mostly the texts outside tell already.
    if (type_ != other.type_ || resourceVersion() != other.resourceVersion() ||
        uid() != other.uid() || name() != other.name()) {
      return false;
    }
    const ObjectRef whole = Unpacked(ObjectRef::Share(packed() ? this : &other));
    return whole->SameAs(packed() ? other : *this);
  }
  return this == &other ||
         (type_ == other.type_ && payload_size_ == other.payload_size_ &&
          tail_size_ == other.tail_size_ && flags_ == other.flags_ &&
          std::memcmp(data(), other.data(), std::size_t{payload_size_} + tail_size_) == 0);
}

void Block::Destroy() const {
  if (packed()) BlockBuilder::OpenPacked(*this).dictionary->Release();
  if ((flags_ & BlockLayout::kStruct) != 0) {
    type_->structure->destroy(reinterpret_cast<char*>(const_cast<Block*>(this)) + StructureAt());
  }
  this->~Block();
  std::free(const_cast<Block*>(this));
}

// After the header: a bitmap for each indexed child; the offsets of the root's fields; the offsets of each child's present fields;
// the numbers of the root's fields; for each child, which of them it is. Offsets have 16 bits, or 32 in blocks with kWide.
namespace {

struct Arrays {
  const std::uint64_t* bitmaps;
  const char* offsets;
  bool wide;
  [[nodiscard]] std::uint32_t Offset(std::size_t i) const {
    if (wide) {
      std::uint32_t v = 0;
      std::memcpy(&v, offsets + 4 * i, 4);
      return v;
    }
    std::uint16_t v = 0;
    std::memcpy(&v, offsets + 2 * i, 2);
    return v;
  }
  [[nodiscard]] std::size_t width() const { return wide ? 4 : 2; }
};

Arrays ArraysOf(const Block* block, std::uint8_t children, std::uint8_t flags) {
  const char* at = reinterpret_cast<const char*>(block) + sizeof(Block);
  return {reinterpret_cast<const std::uint64_t*>(at), at + 8 * std::size_t{children},
          (flags & BlockLayout::kWide) != 0};
}

std::size_t OffsetsBefore(const Arrays& arrays, std::uint8_t root_count, std::uint8_t slot) {
  std::size_t n = root_count;
  for (std::uint8_t i = 0; i < slot; ++i)
    n += static_cast<std::size_t>(std::popcount(arrays.bitmaps[i]));
  return n;
}

}  // namespace

bool Block::IndexesRootField(std::uint32_t number) const noexcept {
  return number <= 255 && (flags_ & BlockLayout::kUnindexed) == 0;
}

const char* Block::RootField(std::uint32_t number) const noexcept {
  if (encoding() != Encoding::kProtobuf) {
    return nullptr;
  }
  if (!IndexesRootField(number)) return data();
  const Arrays arrays = ArraysOf(this, child_count_, flags_);
  const auto* numbers = reinterpret_cast<const std::uint8_t*>(
      arrays.offsets + arrays.width() * OffsetsBefore(arrays, root_count_, child_count_));
  for (std::uint8_t i = 0; i < root_count_; ++i) {
    if (numbers[i] == number) return data() + arrays.Offset(i);
  }
  return nullptr;
}

std::uint8_t Block::ChildSlot(std::uint32_t number) const noexcept {
  if (child_count_ == 0) return 0xff;
  const Arrays arrays = ArraysOf(this, child_count_, flags_);
  const auto* numbers = reinterpret_cast<const std::uint8_t*>(
      arrays.offsets + arrays.width() * OffsetsBefore(arrays, root_count_, child_count_));
  const std::uint8_t* roots = numbers + root_count_;
  for (std::uint8_t slot = 0; slot < child_count_; ++slot) {
    if (numbers[roots[slot]] == number) return slot;
  }
  return 0xff;
}

const char* Block::IndexedField(std::uint8_t slot, std::uint32_t number) const noexcept {
  const Arrays arrays = ArraysOf(this, child_count_, flags_);
  const std::uint64_t bitmap = arrays.bitmaps[slot];
  const std::uint64_t bit = std::uint64_t{1} << (number - 1);
  if ((bitmap & bit) == 0) return nullptr;
  const std::size_t i = OffsetsBefore(arrays, root_count_, slot) +
                        static_cast<std::size_t>(std::popcount(bitmap & (bit - 1)));
  return data() + arrays.Offset(i);
}

std::string_view Block::UnescapedString(const char* quote) const noexcept {
  // JSON blocks have a table of these in the place of the index, by position.
  const std::size_t count = (payload_at_ - sizeof(Block)) / sizeof(BlockLayout::Unescaped);
  const auto* table = reinterpret_cast<const BlockLayout::Unescaped*>(
      reinterpret_cast<const char*>(this) + sizeof(Block));
  const auto at = static_cast<std::uint32_t>(quote - data());
  std::size_t low = 0;
  std::size_t high = count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (table[middle].quote < at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == count || table[low].quote != at) return {};
  return {data() + table[low].text, table[low].size};
}

}  // namespace kinformer::internal
