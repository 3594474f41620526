#include "object/block/block_assembly.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include "kinformer/internal/block.h"

#include "base/core/out_of_memory.h"
#include "base/core/printable.h"
#include "base/core/user_call.h"
#include "base/loop/heap_pages.h"
#include "object/block/packing.h"
#include "wire/protobuf_reader.h"

namespace kinformer::internal {

Error BadMetadataKey(std::uint32_t number) {
  return Error(Reason::kDecode, "metadata: field " + std::to_string(number) +
                                    " is no text of at most " + std::to_string(kLongestKey) +
                                    " bytes");
}

Result<void> NoteMetadataKey(const wire::WireField& field, const char* metadata,
                             MetadataKeys& keys) {
  constexpr std::size_t kNone = 4;
  constexpr std::array<std::size_t, 7> kPlaces = {kNone, 0, kNone, 1, kNone, 2, 3};
  if (field.number >= kPlaces.size() || kPlaces[field.number] == kNone) return {};
  const std::size_t place = kPlaces[field.number];
  if (field.type != wire::WireType::kBytes || field.size > kLongestKey ||
      field.data - metadata > kLastKeyStart) {
    return BadMetadataKey(field.number);
  }
  keys.at[place] = static_cast<std::uint16_t>(field.data - metadata);
  keys.size[place] = static_cast<std::uint8_t>(field.size);
  return {};
}

Result<MetadataKeys> FindMetadataKeys(std::string_view metadata) {
  MetadataKeys keys;
  const char* const begin = metadata.data();
  const char* const end = begin + metadata.size();
  for (const char* at = begin; at < end;) {
    wire::WireField field;
    const std::ptrdiff_t offset = at - begin;
    at = wire::ReadField(at, end, field);
    if (at == nullptr) {
      return Error(Reason::kDecode, "metadata: malformed protobuf field at byte " +
                                        std::to_string(offset) + " of " +
                                        std::to_string(metadata.size()));
    }
    if (Result<void> noted = NoteMetadataKey(field, begin, keys); !noted)
      return std::move(noted).error();
  }
  return keys;
}

Block* BlockBuilder::Allocate(const KindInfo& type, std::size_t front_size,
                              std::size_t payload_size, std::size_t tail_size,
                              std::size_t struct_size) {
  const std::size_t size = sizeof(Block) + front_size + payload_size + tail_size + struct_size;
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  base::UseHugePagesFor(memory, size);
  auto* block = new (memory) Block;
  block->type_ = &type;
  block->payload_at_ = static_cast<std::uint32_t>(sizeof(Block) + front_size);
  block->payload_size_ = static_cast<std::uint32_t>(payload_size);
  block->tail_size_ = static_cast<std::uint32_t>(tail_size);
  return block;
}

namespace {

template <class Offset>
char* PutOffsets(char* at, std::span<const std::uint32_t> offsets, std::size_t cut_at,
                 std::size_t shift) {
  const auto put = [&at](std::size_t offset) {
    const auto narrowed = static_cast<Offset>(offset);
    std::memcpy(at, &narrowed, sizeof(narrowed));
    at += sizeof(narrowed);
  };
  if (shift == 0) {
    for (const std::uint32_t offset : offsets) put(offset);
  } else {
    for (const std::uint32_t offset : offsets) put(offset > cut_at ? offset - shift : offset);
  }
  return at;
}

bool FitIn32Bits(std::span<const std::uint64_t> bitmaps) {
  std::uint64_t all = 0;
  for (const std::uint64_t bitmap : bitmaps) all |= bitmap;
  return all >> 32U == 0;
}

char* PutBitmaps(char* at, std::span<const std::uint64_t> bitmaps, bool narrow) {
  for (const std::uint64_t bitmap : bitmaps) {
    if (narrow) {
      const auto low = static_cast<std::uint32_t>(bitmap);
      std::memcpy(at, &low, 4);
      at += 4;
    } else {
      std::memcpy(at, &bitmap, 8);
      at += 8;
    }
  }
  return at;
}

template <class Offset>
void PutIndex(char* at, const BlockIndex& index, std::size_t cut_at, std::size_t shift) {
  std::memcpy(at, index.numbers.data(), index.root_count);
  at += index.root_count;
  at = PutOffsets<Offset>(at, {index.roots.data() + 1, index.root_count - 1}, cut_at, shift);
  PutOffsets<Offset>(at, {index.fields.data(), index.field_count}, cut_at, shift);
}

}  // namespace

Block* BlockBuilder::AllocateIndexed(const KindInfo& type, const BlockIndex& index,
                                     std::size_t payload_size, std::size_t cut_at,
                                     std::size_t shift) {
  const bool wide = payload_size > 0xffff;
  // The first field of the root is at the start of the payload.
  const std::size_t offsets = index.root_count - 1 + index.field_count;
  const std::span bitmaps(index.bitmaps.data(), index.child_count);
  const bool narrow = FitIn32Bits(bitmaps);
  const std::size_t bytes =
      (narrow ? 4 : 8) * bitmaps.size() + index.root_count + (wide ? 4 : 2) * offsets;
  Block* block = Allocate(type, bytes, payload_size, 0);
  block->root_count_ = static_cast<std::uint8_t>(index.root_count);
  block->child_count_ = static_cast<std::uint8_t>(index.child_count);
  if (narrow) block->flags_ |= BlockLayout::kNarrow;
  char* const at = PutBitmaps(Base(block) + sizeof(Block), bitmaps, narrow);
  if (wide) {
    block->flags_ |= BlockLayout::kWide;
    PutIndex<std::uint32_t>(at, index, cut_at, shift);
  } else {
    PutIndex<std::uint16_t>(at, index, cut_at, shift);
  }
  return block;
}

Block* BlockBuilder::AllocateJson(const KindInfo& type,
                                  const std::vector<BlockLayout::Unescaped>& strings,
                                  std::string_view metadata, const MetadataKeys& keys,
                                  std::size_t payload_size, std::size_t texts_size) {
  const std::size_t bytes = strings.size() * sizeof(BlockLayout::Unescaped);
  Block* block =
      Allocate(type, bytes + metadata.size(), payload_size, texts_size, RoomForStruct(type));
  char* const table = Base(block) + sizeof(Block);
  if (bytes > 0) std::memcpy(table, strings.data(), bytes);
  if (!metadata.empty()) std::memcpy(table + bytes, metadata.data(), metadata.size());
  SetMetadata(block, {table + bytes, metadata.size()}, keys);
  return block;
}

void BlockBuilder::SetMetadata(Block* block, std::string_view metadata, const MetadataKeys& keys) {
  block->metadata_at_ = static_cast<std::uint32_t>(metadata.data() - Base(block));
  block->metadata_size_ = static_cast<std::uint32_t>(metadata.size());
  for (std::size_t i = 0; i < 4; ++i) {
    block->at_[i] = keys.at[i];
    block->size_[i] = keys.size[i];
  }
}

ObjectRef BlockBuilder::Clone(const Block& from) {
  const bool with_struct = (from.flags_ & BlockLayout::kStruct) != 0;
  Block* block = Allocate(*from.type_, from.payload_at_ - sizeof(Block), from.payload_size_,
                          from.tail_size_, with_struct ? RoomForStruct(*from.type_) : 0);
  if (from.packed()) OpenPacked(from).dictionary->AddRef();
  block->flags_ = static_cast<std::uint8_t>(from.flags_ & ~BlockLayout::kStruct);
  block->root_count_ = from.root_count_;
  block->child_count_ = from.child_count_;
  block->metadata_at_ = from.metadata_at_;
  block->metadata_size_ = from.metadata_size_;
  std::memcpy(block->at_, from.at_, sizeof(from.at_));
  std::memcpy(block->size_, from.size_, sizeof(from.size_));
  const std::string_view content = from.content();
  std::memcpy(Base(block) + sizeof(Block), content.data(), content.size());
  ObjectRef clone = ObjectRef::Adopt(block);
  if (!with_struct) return clone;
  if (const Result<void> made = MakeStruct(clone); !made) {
    // It was made from the same bytes before.
    std::fprintf(stderr, "kinformer: a struct cannot be read a second time: %s\n",
                 base::Printable(made.error().ToString()).c_str());
    std::abort();
  }
  return clone;
}

std::size_t BlockBuilder::RoomForStruct(const KindInfo& type) {
  return type.structure == nullptr ? 0 : type.structure->size + type.structure->align - 1;
}

Result<void> BlockBuilder::MakeStruct(const ObjectRef& fresh) {
  auto* const block = const_cast<Block*>(fresh.get());
  if (block->type_->structure == nullptr) return {};
  Result<void> made;
  try {
    made = block->type_->structure->make(Base(block) + block->StructureAt(), *block);
  } catch (const std::bad_alloc&) {
    base::DieOfNoMemory("the struct of an object");
  } catch (...) {
    made = base::CarryThrown(Reason::kDecode, "the program's struct",
                             "kind " + std::string(block->type_->kind));
  }
  if (made) block->flags_ |= BlockLayout::kStruct;
  return made;
}

ObjectRef CloneBlock(const Block& block) { return BlockBuilder::Clone(block); }

}  // namespace kinformer::internal
