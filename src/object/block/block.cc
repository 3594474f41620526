#include "kinformer/internal/block.h"

#include <cstdlib>
#include <cstring>
#include <malloc.h>

#include "object/block/block_assembly.h"
#include "object/block/block_layout.h"
#include "object/block/ended_blocks.h"
#include "object/block/packing.h"

namespace kinformer::internal {

static_assert(sizeof(Block) == 64, "docs/object-layout.md says so");

std::string_view Block::payload() const { return {data(), payload_size_}; }
std::string_view Block::metadata_bytes() const {
  CheckAlive(this);
  return {data() + metadata_at_, metadata_size_};
}
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
  FreeBlock(const_cast<Block*>(this));
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
