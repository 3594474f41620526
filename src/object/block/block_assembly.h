// object/block/block_assembly.h
//
// BlockBuilder: allocates a block and fills in the parts that block.cc reads. Each encoding has its
// own source file; this is the common part.

#ifndef KINFORMER_OBJECT_BLOCK_BLOCK_ASSEMBLY_H_
#define KINFORMER_OBJECT_BLOCK_BLOCK_ASSEMBLY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"

#include "object/block/block_layout.h"
#include "wire/protobuf_reader.h"

namespace kinformer::internal {

// Positions of name, namespace, uid and resourceVersion in the metadata message, and their sizes.
struct MetadataKeys {
  std::array<std::uint16_t, 4> at{};
  std::array<std::uint8_t, 4> size{};
};

constexpr std::size_t kLongestKey = 255;
constexpr std::ptrdiff_t kLastKeyStart = 65535;
// Error of kind kDecode: the field with this number is not a text of at most kLongestKey bytes.
[[nodiscard]] Error BadMetadataKey(std::uint32_t number);

// Records the position of `field` if it is one of the four. `metadata` is the start of the message.
// kDecode if the field is longer than any server writes it.
Result<void> NoteMetadataKey(const wire::WireField& field, const char* metadata,
                             MetadataKeys& keys);

// kDecode if the message is malformed or one of the four is longer than any server writes it.
Result<MetadataKeys> FindMetadataKeys(std::string_view metadata);

// First occurrences of fields, with positions counted from the start of the payload. The builder
// fills it before it knows the size of the block. Uninitialised because it is large: only the
// entries below the counts are valid.
struct BlockIndex {
  static constexpr std::size_t kMaxRoots = BlockLayout::kMaxRootNumber;
  static constexpr std::size_t kMaxChildren = 16;
  static constexpr std::size_t kMaxNumber = 64;  // of a child's fields: the bits of its bitmap

  BlockIndex() {}  // NOLINT(modernize-use-equals-default,cppcoreguidelines-pro-type-member-init)

  std::size_t root_count = 0;
  std::size_t child_count = 0;
  std::size_t field_count = 0;
  std::array<std::uint8_t, kMaxRoots> numbers;  // with kHasIndex
  std::array<std::uint32_t, kMaxRoots> roots;
  std::array<std::uint64_t, kMaxChildren> bitmaps;
  std::array<std::uint32_t, kMaxChildren * kMaxNumber> fields;  // child by child
};

class Dictionary;  // object/block/packing.h

class BlockBuilder {
 public:
  // Allocates a block with room for `payload_size` bytes, which the caller writes to Bytes(). Index
  // entries that point behind `cut_at` are lowered by `shift` bytes. REQUIRES: the index has a
  // field of the root.
  static Block* AllocateIndexed(const KindInfo& type, const BlockIndex& index,
                                std::size_t payload_size, std::size_t cut_at, std::size_t shift);
  // Allocates a block with room for `payload_size` bytes and, behind them, `texts_size` more, at
  // Bytes(). The metadata is already written.
  static Block* AllocateJson(const KindInfo& type,
                             const std::vector<BlockLayout::Unescaped>& strings,
                             std::string_view metadata, const MetadataKeys& keys,
                             std::size_t payload_size, std::size_t texts_size);
  static char* Bytes(Block* block) { return const_cast<char*>(block->data()); }
  // `metadata`: the message inside the block.
  static void SetMetadata(Block* block, std::string_view metadata, const MetadataKeys& keys);
  static void SetPartial(const ObjectRef& fresh) {
    const_cast<Block*>(fresh.get())->flags_ |= BlockLayout::kPartial;
  }
  // Decodes the program's struct, if the type has one, into the room that AllocateJson reserved.
  // Call it when payload and texts are written.
  static Result<void> MakeStruct(const ObjectRef& fresh);
  static ObjectRef Clone(const Block& block);

  // ---- packed blocks: packing.h
  // Appends the part of the block that is compressed.
  static void AppendContent(const Block& block, std::string& content);
  static ObjectRef AllocatePacked(const Block& of, const Dictionary* dictionary,
                                  std::string_view frame, std::size_t content_size);
  struct Packed {
    const Dictionary* dictionary;
    std::string_view frame;
    std::size_t content_size;
  };
  static Packed OpenPacked(const Block& block);
  static ObjectRef Unpack(const Block& packed, std::string_view content);

  // Bytes to allocate behind the tail for the program's struct; 0 if the type has none.
  static std::size_t RoomForStruct(const KindInfo& type);

 private:
  // `front_size`: bytes between header and payload.
  static Block* Allocate(const KindInfo& type, std::size_t front_size, std::size_t payload_size,
                         std::size_t tail_size, std::size_t struct_size = 0);
  static char* Base(Block* block) { return reinterpret_cast<char*>(block); }
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_BLOCK_BLOCK_ASSEMBLY_H_
