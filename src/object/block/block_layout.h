// object/block/block_layout.h
//
// Memory layout shared by the builder and the block. Described in docs/inside/object-layout.md.

#ifndef KINFORMER_OBJECT_BLOCK_BLOCK_LAYOUT_H_
#define KINFORMER_OBJECT_BLOCK_BLOCK_LAYOUT_H_

#include <cstdint>

namespace kinformer::internal {

struct BlockLayout {
  enum Flag : std::uint8_t {
    kPartial = 1,  // a projection cut fields away
    kWide = 2,     // offsets of the index have 32 bits
    kNarrow = 4,   // bitmaps of the index have 32 bits: no child has a field of a larger number
    kPacked = 8,   // compressed; Block::packed() has the same number
    kStruct = 16,  // the program's struct has been made behind the tail
  };

  // The index has one byte per field of the root: its number, and whether the field is a child with
  // an index of its own. Fields with larger numbers are not in the index.
  static constexpr std::uint8_t kMaxRootNumber = 127;
  static constexpr std::uint8_t kHasIndex = 128;

  // Header of the content that is compressed when a JSON block is packed.
  struct PackedJson {
    std::uint32_t front_size;  // bytes between header and payload
    std::uint32_t payload_size;
    std::uint32_t tail_size;
    std::uint32_t metadata_at;
    std::uint32_t metadata_size;
    std::uint16_t at[4];
  };

  // A string of a JSON payload that contains escapes, and the position of its unescaped text behind
  // the payload. Positions count from the start of the payload.
  struct Unescaped {
    std::uint32_t quote;
    std::uint32_t text;
    std::uint32_t size;
  };
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_BLOCK_BLOCK_LAYOUT_H_
