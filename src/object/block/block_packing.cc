// The packed form of blocks: which part is compressed, and how it is restored.
//
// For a protobuf block the compressed part is the payload: the index is built again, which takes
// less time than reading it from memory that would otherwise be free. For a JSON block it is
// everything behind the header.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "object/block/block_assembly.h"
#include "object/block/message_block.h"
#include "object/block/packing.h"

namespace kinformer::internal {
namespace {

struct PackedHead {
  const Dictionary* dictionary;
  std::uint32_t content_size;
};
// Without padding at the end.
constexpr std::size_t kPackedHead = sizeof(const Dictionary*) + sizeof(std::uint32_t);

}  // namespace

void BlockBuilder::AppendContent(const Block& block, std::string& content) {
  const bool json = block.encoding() == Encoding::kJson;
  if (json) {
    BlockLayout::PackedJson head{static_cast<std::uint32_t>(block.payload_at_ - sizeof(Block)),
                                 block.payload_size_,
                                 block.tail_size_,
                                 block.metadata_at_,
                                 block.metadata_size_,
                                 {}};
    std::memcpy(head.at, block.at_, sizeof(head.at));
    content.append(reinterpret_cast<const char*>(&head), sizeof(head));
  }
  const std::size_t start = content.size();
  const std::string_view bytes = json ? block.content() : block.payload();
  content += bytes;
  const std::size_t metadata =
      start + static_cast<std::size_t>(block.base() + block.metadata_at_ - bytes.data());
  for (std::size_t i = 0; i < 4; ++i) {
    std::memset(content.data() + metadata + block.at_[i], 0, block.size_[i]);
  }
}

ObjectRef BlockBuilder::AllocatePacked(const Block& of, const Dictionary* dictionary,
                                       std::string_view frame, std::size_t content_size) {
  const std::string_view texts[4] = {of.name(), of.namespace_(), of.uid(), of.resourceVersion()};
  std::size_t size = frame.size();
  for (const std::string_view text : texts) size += text.size();
  const PackedHead head{dictionary, static_cast<std::uint32_t>(content_size)};
  Block* block = Allocate(*of.type_, kPackedHead, size, 0);
  block->flags_ =
      static_cast<std::uint8_t>((of.flags_ & BlockLayout::kPartial) | BlockLayout::kPacked);
  dictionary->AddRef();
  std::memcpy(Base(block) + sizeof(Block), &head, kPackedHead);
  // The four texts are at the start of the payload.
  block->metadata_at_ = block->payload_at_;
  char* const begin = Bytes(block);
  char* at = begin;
  for (std::size_t i = 0; i < 4; ++i) {
    block->at_[i] = static_cast<std::uint16_t>(at - begin);
    block->size_[i] = static_cast<std::uint8_t>(texts[i].size());
    at = std::copy(texts[i].begin(), texts[i].end(), at);
  }
  std::copy(frame.begin(), frame.end(), at);
  return ObjectRef::Adopt(block);
}

BlockBuilder::Packed BlockBuilder::OpenPacked(const Block& block) {
  PackedHead head{};
  std::memcpy(&head, block.base() + sizeof(Block), kPackedHead);
  const std::size_t texts = std::size_t{block.at_[3]} + block.size_[3];
  return {head.dictionary, {block.data() + texts, block.payload_size_ - texts}, head.content_size};
}

ObjectRef BlockBuilder::Unpack(const Block& packed, std::string_view content) {
  Block* block = nullptr;
  if (packed.encoding() == Encoding::kJson) {
    BlockLayout::PackedJson head;
    std::memcpy(&head, content.data(), sizeof(head));
    block = Allocate(*packed.type_, head.front_size, head.payload_size, head.tail_size,
                     RoomForStruct(*packed.type_));
    std::memcpy(Base(block) + sizeof(Block), content.data() + sizeof(head),
                content.size() - sizeof(head));
    block->metadata_at_ = head.metadata_at;
    block->metadata_size_ = head.metadata_size;
    std::memcpy(block->at_, head.at, sizeof(head.at));
    std::memcpy(block->size_, packed.size_, sizeof(packed.size_));
  } else {
    Result<ObjectRef> built = BlockOfMessage(*packed.type_, content, /*drop_managed_fields=*/false);
    if (!built || !*built) std::abort();  // it was built from these bytes before
    block = const_cast<Block*>(built->Detach());
  }
  const std::string_view texts[4] = {packed.name(), packed.namespace_(), packed.uid(),
                                     packed.resourceVersion()};
  for (std::size_t i = 0; i < 4; ++i) {
    std::copy(texts[i].begin(), texts[i].end(), Base(block) + block->metadata_at_ + block->at_[i]);
  }
  ObjectRef whole = ObjectRef::Adopt(block);
  if ((packed.flags_ & BlockLayout::kPartial) != 0) SetPartial(whole);
  if (!MakeStruct(whole)) std::abort();  // it was made from these bytes before
  return whole;
}

}  // namespace kinformer::internal
