// object/block/block_reader.h
//
// BlockReader: look-ups in the index of a protobuf block, inline since each read of a field makes
// one. The index is behind the header: a bitmap for each indexed child; the numbers of the root's
// fields; the offsets of the root's fields except the first, which is 0; the offsets of each
// child's fields, child by child.

#ifndef KINFORMER_OBJECT_BLOCK_BLOCK_READER_H_
#define KINFORMER_OBJECT_BLOCK_BLOCK_READER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kinformer/internal/block.h"

#include "object/block/block_layout.h"

namespace kinformer::internal {

class BlockReader {
 public:
  static constexpr std::uint8_t kNoSlot = 0xff;

  explicit BlockReader(const Block& block) noexcept : block_(block) {}

  // Returns the first field with that number, at most BlockLayout::kMaxRootNumber, in the root, or
  // null. Sets `slot` to the number of its index if the field is a message with an index.
  [[nodiscard, gnu::always_inline]] const char* RootField(std::uint32_t number,
                                                          std::uint8_t& slot) const noexcept {
    if (Form() == kUsual) return FindRoot<std::uint32_t, std::uint16_t>(number, slot);
    return RootFieldOfLarge(number, slot);
  }
  // Returns the first field with that number, at most 64, in the child with that slot.
  [[nodiscard, gnu::always_inline]] const char* ChildField(std::uint8_t slot,
                                                           std::uint32_t number) const noexcept {
    if (Form() == kUsual) return FindInChild<std::uint32_t, std::uint16_t>(slot, number);
    return ChildFieldOfLarge(slot, number);
  }

  // End of the payload.
  [[nodiscard]] const char* End() const noexcept { return block_.data() + block_.payload_size_; }

 private:
  // A single branch for all widths, since nearly all blocks have the first form.
  static constexpr unsigned kUsual = BlockLayout::kNarrow;
  [[nodiscard]] unsigned Form() const noexcept {
    return block_.flags_ & (BlockLayout::kNarrow | BlockLayout::kWide);
  }

  [[nodiscard, gnu::noinline]] const char* RootFieldOfLarge(std::uint32_t number,
                                                            std::uint8_t& slot) const noexcept {
    if (Form() == 0) return FindRoot<std::uint64_t, std::uint16_t>(number, slot);
    if (Form() == BlockLayout::kWide) return FindRoot<std::uint64_t, std::uint32_t>(number, slot);
    return FindRoot<std::uint32_t, std::uint32_t>(number, slot);
  }
  [[nodiscard, gnu::noinline]] const char* ChildFieldOfLarge(std::uint8_t slot,
                                                             std::uint32_t number) const noexcept {
    if (Form() == 0) return FindInChild<std::uint64_t, std::uint16_t>(slot, number);
    if (Form() == BlockLayout::kWide)
      return FindInChild<std::uint64_t, std::uint32_t>(slot, number);
    return FindInChild<std::uint32_t, std::uint32_t>(slot, number);
  }

  template <class Bitmap, class Offset>
  [[nodiscard]] const char* FindRoot(std::uint32_t number, std::uint8_t& slot) const noexcept {
    const char* const numbers = Numbers<Bitmap>();
    std::uint8_t indexed = 0;
    for (std::size_t i = 0; i < block_.root_count_; ++i) {
      const auto one = static_cast<std::uint8_t>(numbers[i]);
      if ((one & BlockLayout::kMaxRootNumber) == number) {
        slot = (one & BlockLayout::kHasIndex) != 0 ? indexed : kNoSlot;
        return i == 0 ? block_.data() : At<Bitmap, Offset>(i - 1);
      }
      indexed = static_cast<std::uint8_t>(indexed + (one >> 7U));
    }
    return nullptr;
  }

  template <class Bitmap, class Offset>
  [[nodiscard]] const char* FindInChild(std::uint8_t slot, std::uint32_t number) const noexcept {
    if (number > 8 * sizeof(Bitmap)) return nullptr;
    const auto bit = static_cast<Bitmap>(Bitmap{1} << (number - 1));
    const Bitmap bitmap = Read<Bitmap>(Index(), slot);
    if ((bitmap & bit) == 0) return nullptr;
    std::size_t i = block_.root_count_ - std::size_t{1} + CountBits(bitmap & (bit - 1));
    for (std::uint8_t before = 0; before < slot; ++before)
      i += CountBits(Read<Bitmap>(Index(), before));
    return At<Bitmap, Offset>(i);
  }

  // std::popcount would be a function call on processors without the instruction.
  static std::size_t CountBits(std::uint64_t bits) noexcept {
    bits -= (bits >> 1U) & 0x5555555555555555U;
    bits = (bits & 0x3333333333333333U) + ((bits >> 2U) & 0x3333333333333333U);
    bits = (bits + (bits >> 4U)) & 0x0f0f0f0f0f0f0f0fU;
    return static_cast<std::size_t>((bits * 0x0101010101010101U) >> 56U);
  }
  template <class T>
  static T Read(const char* array, std::size_t i) noexcept {
    T value = 0;
    std::memcpy(&value, array + sizeof(T) * i, sizeof(T));
    return value;
  }
  [[nodiscard]] const char* Index() const noexcept { return block_.base() + sizeof(Block); }
  template <class Bitmap>
  [[nodiscard]] const char* Numbers() const noexcept {
    return Index() + sizeof(Bitmap) * block_.child_count_;
  }
  // Returns the start of the field whose offset has index `i`.
  template <class Bitmap, class Offset>
  [[nodiscard]] const char* At(std::size_t i) const noexcept {
    return block_.data() + Read<Offset>(Numbers<Bitmap>() + block_.root_count_, i);
  }

  const Block& block_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_BLOCK_BLOCK_READER_H_
