// object/block_reader.h
//
// BlockReader: look-ups in the index of a protobuf block, inline since each read of a field makes one. The index stands behind the
// header: a bitmap for each indexed child; the numbers of the root's fields; the offsets of the root's fields but the
// first, which is 0; the offsets of each child's fields, child by child.

#ifndef KINFORMER_OBJECT_BLOCK_READER_H_
#define KINFORMER_OBJECT_BLOCK_READER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kinformer/internal/block.h"

#include "object/block_layout.h"

namespace kinformer::internal {

class BlockReader {
 public:
  static constexpr std::uint8_t kNoSlot = 0xff;

  explicit BlockReader(const Block& block) noexcept
      : block_(block), index_(reinterpret_cast<const char*>(&block) + sizeof(Block)) {}

  // The first field of that number, at most BlockLayout::kMaxRootNumber, in the root; null where there is none. `slot`: where it is
  // a message with an index, which one.
  [[nodiscard]] const char* RootField(std::uint32_t number, std::uint8_t& slot) const noexcept {
    const auto* const numbers = reinterpret_cast<const std::uint8_t*>(Numbers());
    std::uint8_t indexed = 0;
    for (std::size_t i = 0; i < block_.root_count_; ++i) {
      if ((numbers[i] & BlockLayout::kMaxRootNumber) == number) {
        slot = (numbers[i] & BlockLayout::kHasIndex) != 0 ? indexed : kNoSlot;
        return block_.data() + (i == 0 ? 0 : Offset(i - 1));
      }
      indexed = static_cast<std::uint8_t>(indexed + (numbers[i] >> 7U));
    }
    return nullptr;
  }

  // The first field of that number, at most 64, in the child with that slot.
  [[nodiscard]] const char* ChildField(std::uint8_t slot, std::uint32_t number) const noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (number - 1);
    const std::uint64_t bitmap = Bitmap(slot);
    if ((bitmap & bit) == 0) return nullptr;
    std::size_t i = block_.root_count_ - std::size_t{1} + CountBits(bitmap & (bit - 1));
    for (std::uint8_t before = 0; before < slot; ++before) i += CountBits(Bitmap(before));
    return block_.data() + Offset(i);
  }

 private:
  // std::popcount is a call where the processor is not known to have the instruction.
  static std::size_t CountBits(std::uint64_t bits) noexcept {
    bits -= (bits >> 1U) & 0x5555555555555555U;
    bits = (bits & 0x3333333333333333U) + ((bits >> 2U) & 0x3333333333333333U);
    bits = (bits + (bits >> 4U)) & 0x0f0f0f0f0f0f0f0fU;
    return static_cast<std::size_t>((bits * 0x0101010101010101U) >> 56U);
  }
  [[nodiscard]] bool Narrow() const noexcept { return (block_.flags_ & BlockLayout::kNarrow) != 0; }
  [[nodiscard]] const char* Numbers() const noexcept {
    return index_ + (Narrow() ? 4 : 8) * std::size_t{block_.child_count_};
  }
  [[nodiscard]] std::uint64_t Bitmap(std::size_t slot) const noexcept {
    if (Narrow()) {
      std::uint32_t bitmap = 0;
      std::memcpy(&bitmap, index_ + 4 * slot, sizeof(bitmap));
      return bitmap;
    }
    std::uint64_t bitmap = 0;
    std::memcpy(&bitmap, index_ + 8 * slot, sizeof(bitmap));
    return bitmap;
  }
  [[nodiscard]] std::uint32_t Offset(std::size_t i) const noexcept {
    const char* const offsets = Numbers() + block_.root_count_;
    if ((block_.flags_ & BlockLayout::kWide) != 0) {
      std::uint32_t offset = 0;
      std::memcpy(&offset, offsets + 4 * i, sizeof(offset));
      return offset;
    }
    std::uint16_t offset = 0;
    std::memcpy(&offset, offsets + 2 * i, sizeof(offset));
    return offset;
  }

  const Block& block_;
  const char* const index_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_BLOCK_READER_H_
