#include "kinformer/internal/block.h"

#include <cstddef>

#include "object/block/block_assembly.h"
#include "object/block/block_layout.h"
#include "object/block/ended_blocks.h"
#include "object/block/packing.h"

namespace kinformer::internal {

static_assert(sizeof(Block) == 64, "docs/inside/object-layout.md says so");

std::string_view Block::metadata_bytes() const {
  CheckAlive(this);
  return {base() + metadata_at_, metadata_size_};
}
bool Block::partial() const { return (flags_ & BlockLayout::kPartial) != 0; }

std::size_t Block::allocated_bytes() const {
  // malloc adds a word and rounds up.
  constexpr std::size_t kAlign = alignof(std::max_align_t);
  const StructInfo::Head* const made = structure();
  const std::size_t asked = std::size_t{payload_at_} + payload_size_ + tail_size_ +
                            (made != nullptr ? BlockBuilder::RoomForStruct(*type_) : 0);
  return (asked + sizeof(std::size_t) + kAlign - 1) / kAlign * kAlign +
         (made != nullptr ? made->heap_bytes : 0);
}

std::size_t Block::StructureAt() const noexcept {
  const std::size_t end = std::size_t{payload_at_} + payload_size_ + tail_size_;
  const std::size_t align = type_->structure->align;
  return (end + align - 1) / align * align;
}

const StructInfo::Head* Block::structure() const noexcept {
  if ((flags_ & BlockLayout::kStruct) == 0) return nullptr;
  return reinterpret_cast<const StructInfo::Head*>(base() + StructureAt());
}

bool Block::SameAs(const Block& other) const {
  // Blocks packed with the same dictionary are equal if and only if their bytes are equal.
  if (packed() && other.packed() &&
      BlockBuilder::OpenPacked(*this).dictionary != BlockBuilder::OpenPacked(other).dictionary) {
    return SameAs(*Unpacked(ObjectRef::Share(&other)));
  }
  if (packed() != other.packed()) {
    // Usually the texts outside of the compressed part differ already.
    if (type_ != other.type_ || resourceVersion() != other.resourceVersion() ||
        uid() != other.uid() || name() != other.name()) {
      return false;
    }
    const ObjectRef whole = Unpacked(ObjectRef::Share(packed() ? this : &other));
    return whole->SameAs(packed() ? other : *this);
  }
  return this == &other || (type_ == other.type_ && payload_at_ == other.payload_at_ &&
                            payload_size_ == other.payload_size_ && flags_ == other.flags_ &&
                            content() == other.content());
}

void Block::Destroy() const {
  if (packed()) BlockBuilder::OpenPacked(*this).dictionary->Release();
  if ((flags_ & BlockLayout::kStruct) != 0) {
    type_->structure->destroy(reinterpret_cast<char*>(const_cast<Block*>(this)) + StructureAt());
  }
  this->~Block();
  FreeBlock(const_cast<Block*>(this));
}

std::string_view Block::UnescapedString(const char* quote) const noexcept {
  // JSON blocks have a table of these between header and metadata, sorted by position.
  const std::size_t count = (metadata_at_ - sizeof(Block)) / sizeof(BlockLayout::Unescaped);
  const auto* table = reinterpret_cast<const BlockLayout::Unescaped*>(base() + sizeof(Block));
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
