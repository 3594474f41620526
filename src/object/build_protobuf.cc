// Blocks from protobuf bytes: one pass over the root, one over each direct child, one copy.

#include <cstring>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/descriptor.h"

#include "object/block_assembly.h"
#include "object/canonical.h"
#include "object/projection_tree.h"
#include "object/validate.h"
#include "wire/protobuf_writer.h"

namespace kinformer::internal {
namespace {

constexpr std::uint32_t kManagedFields = 17;

// Of one thread, kept between objects so that building one allocates nothing but the block.
struct Scratch {
  std::vector<FieldSpan> root;
  std::vector<std::vector<FieldSpan>> children;  // by the position of the child in `root`
  BlockIndex index;
};

// A direct child that is one message: spec, status, metadata.
bool IsChildMessage(const FieldDescriptor* field, const wire::WireField& value) {
  return field != nullptr && field->kind == FieldKind::kMessage && !field->repeated &&
         !field->map && field->message != nullptr && value.type == wire::WireType::kBytes;
}

bool IsMetadata(const FieldDescriptor* field) {
  return field != nullptr && field->json_name == "metadata";
}

// Reads root and children; false if the order is not canonical.
Result<bool> Scan(const TypeInfo& type, std::string_view message, Scratch& scratch) {
  if (Result<void> scanned = ScanFields(message, scratch.root); !scanned)
    return std::move(scanned).error();
  if (!IsCanonical(*type.message, scratch.root)) return false;
  if (scratch.children.size() < scratch.root.size()) scratch.children.resize(scratch.root.size());
  for (std::size_t i = 0; i < scratch.root.size(); ++i) {
    const FieldSpan& span = scratch.root[i];
    scratch.children[i].clear();
    const FieldDescriptor* field = FindByNumber(*type.message, span.field.number);
    if (!IsChildMessage(field, span.field)) continue;
    Result<void> scanned = ScanFields({span.field.data, span.field.size}, scratch.children[i]);
    if (!scanned) return std::move(scanned).error().WithContext(field->json_name);
    if (!IsCanonical(*field->message, scratch.children[i])) return false;
  }
  return true;
}

// What is cut out of the metadata.
struct Cut {
  std::size_t root = 0;  // position in the root's fields
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

Cut FindManagedFields(const TypeInfo& type, const Scratch& scratch) {
  Cut cut;
  for (std::size_t i = 0; i < scratch.root.size(); ++i) {
    if (!IsMetadata(FindByNumber(*type.message, scratch.root[i].field.number))) continue;
    cut.root = i;
    for (const FieldSpan& span : scratch.children[i]) {
      if (span.field.number != kManagedFields) continue;
      if (cut.end == 0) cut.begin = span.begin;
      cut.end = span.end;
    }
  }
  return cut;
}

Result<MetadataKeys> MetadataKeysOf(const FieldSpan& metadata,
                                    const std::vector<FieldSpan>& fields) {
  constexpr std::uint32_t kLast = 6;
  MetadataKeys keys;
  for (const FieldSpan& span : fields) {
    if (span.field.number > kLast) break;  // they ascend
    if (Result<void> noted = NoteMetadataKey(span.field, metadata.field.data, keys); !noted)
      return std::move(noted).error();
  }
  return keys;
}

// `shift`: by how much what comes after the metadata moves towards the front.
void MakeIndex(const TypeInfo& type, const Scratch& scratch, std::size_t metadata,
               std::int64_t shift, std::string_view message, BlockIndex& index) {
  index.Clear();
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < scratch.root.size(); ++i) {
    const FieldSpan& span = scratch.root[i];
    if (span.field.number == previous) continue;
    previous = span.field.number;
    if (span.field.number > 255 || index.roots.size() == 255) {
      index.Clear();
      index.unindexed = true;
      return;
    }
    const std::int64_t moved = shift != 0 && i > metadata ? shift : 0;
    index.roots.push_back({static_cast<std::uint8_t>(span.field.number),
                           static_cast<std::uint32_t>(span.begin - moved)});
    const FieldDescriptor* field = FindByNumber(*type.message, span.field.number);
    if (!IsChildMessage(field, span.field) || IsMetadata(field) || span.field.size == 0 ||
        index.children.size() == 16) {
      continue;
    }
    BlockIndex::Child child{static_cast<std::uint8_t>(index.roots.size() - 1), 0};
    const std::int64_t base = span.field.data - message.data() - moved;
    for (const FieldSpan& inner : scratch.children[i]) {
      if (inner.field.number > 64) break;
      const std::uint64_t bit = std::uint64_t{1} << (inner.field.number - 1);
      if ((child.bitmap & bit) != 0) continue;
      child.bitmap |= bit;
      index.fields.push_back(static_cast<std::uint32_t>(base + inner.begin));
    }
    index.children.push_back(child);
  }
}

Result<ObjectRef> Build(const TypeInfo& type, std::string_view message, const BuildOptions& options,
                        Scratch& scratch) {
  const Cut cut = options.drop_managed_fields ? FindManagedFields(type, scratch) : Cut{};
  std::size_t metadata = scratch.root.size();
  for (std::size_t i = 0; i < scratch.root.size(); ++i) {
    if (IsMetadata(FindByNumber(*type.message, scratch.root[i].field.number))) metadata = i;
  }
  if (metadata == scratch.root.size()) return Error(Reason::kDecode, "metadata: missing");
  const FieldSpan& span = scratch.root[metadata];
  if (span.field.type != wire::WireType::kBytes)
    return Error(Reason::kDecode, "metadata: a number where a message is expected");
  const auto old_head = static_cast<std::size_t>(span.field.data - (message.data() + span.begin));
  const std::size_t size = span.field.size - cut.size();
  const std::size_t new_head =
      wire::VarintSize(std::uint64_t{span.field.number} << 3U) + wire::VarintSize(size);
  const std::size_t shift = cut.size() == 0 ? 0 : old_head + cut.size() - new_head;

  MakeIndex(type, scratch, metadata, static_cast<std::int64_t>(shift), message, scratch.index);
  Block* block = BlockBuilder::AllocateIndexed(type, scratch.index, message.size() - shift);
  ObjectRef ref = ObjectRef::Adopt(block);
  char* const bytes = BlockBuilder::Bytes(block);
  std::size_t metadata_at = static_cast<std::size_t>(span.field.data - message.data());
  if (shift == 0) {
    std::memcpy(bytes, message.data(), message.size());
  } else {
    std::memcpy(bytes, message.data(), span.begin);
    char* at = wire::WriteVarint(bytes + span.begin, std::uint64_t{span.field.number} << 3U | 2U);
    at = wire::WriteVarint(at, size);
    metadata_at = static_cast<std::size_t>(at - bytes);
    std::memcpy(at, span.field.data, cut.begin);
    at += cut.begin;
    std::memcpy(at, span.field.data + cut.end, span.field.size - cut.end);
    at += span.field.size - cut.end;
    std::memcpy(at, message.data() + span.end, message.size() - span.end);
  }
  // All four stand before managedFields, so that a cut moves none of them.
  Result<MetadataKeys> keys = MetadataKeysOf(span, scratch.children[metadata]);
  if (!keys) return std::move(keys).error();
  BlockBuilder::SetMetadata(block, metadata_at, size, *keys);
  // A type that has nothing but metadata shows a part of what the server has.
  if (type.message->fields.size() == 1 ||
      (options.projection != nullptr && options.projection->MakesPartial())) {
    BlockBuilder::SetPartial(block);
  }
  return ref;
}

}  // namespace

Result<ObjectRef> BuildFromProtobuf(const TypeInfo& type, std::string_view message,
                                    const BuildOptions& options) {
  const auto name = [&](Error error) {
    AddRemedy(error);
    error.WithContext(std::string(type.kind));
    return error;
  };
  if (message.size() > options.max_object_bytes) {
    return name(ObjectTooLarge(message.size(), options.max_object_bytes));
  }
  if (options.validation == Validation::kFull) {
    if (Result<void> valid = ValidateMessage(*type.message, message); !valid) {
      return name(std::move(valid).error());
    }
  }
  thread_local std::string left;
  if (options.projection != nullptr) {
    left.clear();
    if (Result<void> cut = options.projection->Cut(*type.message, message, left); !cut) {
      return name(std::move(cut).error());
    }
    message = left;
  }
  thread_local Scratch scratch;
  Result<bool> canonical = Scan(type, message, scratch);
  if (!canonical) return name(std::move(canonical).error());
  std::string reordered;
  if (!*canonical) {
    Result<std::string> made = Canonicalize(*type.message, message);
    if (!made) return name(std::move(made).error());
    reordered = std::move(*made);
    message = reordered;
    canonical = Scan(type, message, scratch);
    if (!canonical) return name(std::move(canonical).error());
  }
  Result<ObjectRef> built = Build(type, message, options, scratch);
  if (!built) return name(std::move(built).error());
  return built;
}

}  // namespace kinformer::internal
