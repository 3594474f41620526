#include "object/block/message_block.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kinformer/internal/descriptor.h"

#include "object/block/block_assembly.h"
#include "wire/protobuf_writer.h"

namespace kinformer::internal {
namespace {

constexpr std::uint32_t kManagedFields = 17;
// name, namespace, uid, resourceVersion
constexpr std::array<std::uint32_t, 4> kKeyNumbers = {1, 3, 5, 6};
constexpr std::uint32_t kLastKey = 6;

// Whether the field is a direct child that is one message: spec, status, metadata.
bool IsChildMessage(const FieldDescriptor* field) {
  return field != nullptr && field->kind == FieldKind::kMessage && !field->repeated &&
         !field->map && field->message != nullptr;
}

bool IsMetadata(const FieldDescriptor* field) {
  return field != nullptr && field->json_name == "metadata";
}

// Result of the pass over the root and its direct children.
struct Scan {
  // Position of a field of the root, from the start of the message.
  struct Place {
    std::uint32_t begin;
    std::uint32_t content;  // behind tag and length
    std::uint32_t end;
    [[nodiscard]] std::uint32_t size() const { return end - content; }
  };
  // Position of managedFields, from the start of the metadata.
  struct Cut {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    [[nodiscard]] std::uint32_t size() const { return end - begin; }
  };

  BlockIndex index;
  std::uint32_t metadata_number = 0;  // 0: there is none
  bool metadata_is_message = false;
  Place metadata{};
  Cut managed_fields;
  // The first occurrences of the metadata's fields, by number.
  std::array<wire::FieldBounds, kLastKey + 1> keys{};
};

// Checks that consecutive fields are in canonical order (canonical.h).
class Order {
 public:
  explicit Order(const MessageDescriptor& message) : message_(message) {}
  // Returns false if the field is out of order. Sets `first` if it is the first with its number.
  bool Next(std::uint32_t number, bool& first) {
    first = number != previous_;
    if (first) {
      if (number < previous_) return false;
      previous_ = number;
      repeats_ = false;
      return true;
    }
    if (!repeats_) {
      const FieldDescriptor* field = FindByNumber(message_, number);
      repeats_ = field == nullptr || field->repeated || field->map;
    }
    return repeats_;
  }

 private:
  const MessageDescriptor& message_;
  std::uint32_t previous_ = 0;
  bool repeats_ = false;  // several fields of the number may follow each other
};

// Calls `each(field, at)` for each field of a message; `at` is where the field begins. Stops and
// returns false as soon as `each` returns false.
template <class Each>
[[gnu::always_inline]] inline Result<bool> ForFields(std::string_view message, Each each) {
  const char* const begin = message.data();
  const char* const end = begin + message.size();
  wire::FieldBounds field;
  for (const char* at = begin; at < end; at = field.end) {
    if (!wire::ReadBounds(at, end, field)) {
      return Error(Reason::kDecode, "malformed protobuf field at byte " +
                                        std::to_string(at - begin) + " of " +
                                        std::to_string(message.size()));
    }
    if (!each(field, at)) return false;
  }
  return true;
}

Result<bool> ScanMetadata(const MessageDescriptor& descriptor, std::string_view bytes, Scan& scan) {
  Order order(descriptor);
  return ForFields(bytes, [&](const wire::FieldBounds& field, const char* at) {
    bool first = false;
    if (!order.Next(field.number, first)) return false;
    if (field.number <= kLastKey) scan.keys[field.number] = field;
    if (field.number == kManagedFields) {
      if (first) scan.managed_fields.begin = static_cast<std::uint32_t>(at - bytes.data());
      scan.managed_fields.end = static_cast<std::uint32_t>(field.end - bytes.data());
    }
    return true;
  });
}

// `payload`: start of the message that contains this child.
Result<bool> ScanChild(const MessageDescriptor& descriptor, std::string_view bytes,
                       const char* payload, BlockIndex& index) {
  Order order(descriptor);
  std::uint64_t bitmap = 0;
  std::uint32_t* next = index.fields.data() + index.field_count;
  Result<bool> ordered = ForFields(bytes, [&](const wire::FieldBounds& field, const char* at) {
    bool first = false;
    if (!order.Next(field.number, first)) return false;
    if (first && field.number <= BlockIndex::kMaxNumber) {
      bitmap |= std::uint64_t{1} << (field.number - 1);
      *next++ = static_cast<std::uint32_t>(at - payload);
    }
    return true;
  });
  index.field_count = static_cast<std::size_t>(next - index.fields.data());
  index.bitmaps[index.child_count++] = bitmap;
  return ordered;
}

// Checks the order of a child that gets no index.
Result<bool> CheckChild(const MessageDescriptor& descriptor, std::string_view bytes) {
  Order order(descriptor);
  return ForFields(bytes, [&](const wire::FieldBounds& field, const char* /*at*/) {
    bool first = false;
    return order.Next(field.number, first);
  });
}

// Scans the root and its children. Returns false if the order is not canonical.
Result<bool> ScanObject(const MessageDescriptor& message, std::string_view bytes, Scan& scan) {
  Order order(message);
  BlockIndex& index = scan.index;
  Result<bool> child = true;
  std::string_view child_name;
  Result<bool> ordered = ForFields(bytes, [&](const wire::FieldBounds& value, const char* at) {
    bool first = false;
    if (!order.Next(value.number, first)) return false;
    if (!first) return true;
    const auto begin = static_cast<std::uint32_t>(at - bytes.data());
    const bool indexed = value.number <= BlockLayout::kMaxRootNumber;
    if (indexed) {
      index.numbers[index.root_count] = static_cast<std::uint8_t>(value.number);
      index.roots[index.root_count++] = begin;
    }
    const FieldDescriptor* field = FindByNumber(message, value.number);
    const bool is_message = IsChildMessage(field) && value.content != nullptr;
    if (IsMetadata(field)) {
      scan.metadata_number = value.number;
      scan.metadata_is_message = is_message;
      if (!is_message) return true;
      scan.metadata = {begin, static_cast<std::uint32_t>(value.content - bytes.data()),
                       static_cast<std::uint32_t>(value.end - bytes.data())};
      child = ScanMetadata(*field->message, value.bytes(), scan);
    } else if (is_message && value.content != value.end) {
      if (indexed && index.child_count < BlockIndex::kMaxChildren) {
        index.numbers[index.root_count - 1] |= BlockLayout::kHasIndex;
        child = ScanChild(*field->message, value.bytes(), bytes.data(), index);
      } else {
        child = CheckChild(*field->message, value.bytes());
      }
    }
    if (child.ok() && *child) return true;
    child_name = field->json_name;
    return false;
  });
  if (!child.ok()) return std::move(child).error().WithContext(child_name);
  return ordered;
}

Result<MetadataKeys> MetadataKeysOf(const Scan& scan, std::string_view message) {
  const char* const begin = message.data() + scan.metadata.content;
  MetadataKeys keys;
  for (std::size_t place = 0; place < kKeyNumbers.size(); ++place) {
    const wire::FieldBounds& key = scan.keys[kKeyNumbers[place]];
    if (key.number == 0) continue;
    if (key.content == nullptr || key.bytes().size() > kLongestKey ||
        key.content - begin > kLastKeyStart) {
      return BadMetadataKey(key.number);
    }
    keys.at[place] = static_cast<std::uint16_t>(key.content - begin);
    keys.size[place] = static_cast<std::uint8_t>(key.bytes().size());
  }
  return keys;
}

Result<ObjectRef> Build(const KindInfo& type, std::string_view message, bool drop_managed_fields,
                        const Scan& scan) {
  if (scan.metadata_number == 0) return Error(Reason::kDecode, "metadata: missing");
  if (!scan.metadata_is_message)
    return Error(Reason::kDecode, "metadata: a number where a message is expected");
  Result<MetadataKeys> keys = MetadataKeysOf(scan, message);
  if (!keys) return std::move(keys).error();

  const Scan::Place& metadata = scan.metadata;
  const Scan::Cut cut = drop_managed_fields ? scan.managed_fields : Scan::Cut{};
  const std::size_t size = metadata.size() - cut.size();
  const std::uint64_t tag = std::uint64_t{scan.metadata_number} << 3U | 2U;
  const std::size_t old_head = metadata.content - metadata.begin;
  const std::size_t new_head =
      cut.size() == 0 ? old_head : wire::VarintSize(tag) + wire::VarintSize(size);
  const std::size_t shift = old_head + cut.size() - new_head;

  Block* block = BlockBuilder::AllocateIndexed(type, scan.index, message.size() - shift,
                                               metadata.begin, shift);
  ObjectRef ref = ObjectRef::Adopt(block);
  char* const bytes = BlockBuilder::Bytes(block);
  if (cut.size() == 0) {
    std::memcpy(bytes, message.data(), message.size());
  } else {
    char* at = std::copy_n(message.data(), metadata.begin, bytes);
    at = wire::WriteVarint(at, tag);
    at = wire::WriteVarint(at, size);
    const char* const content = message.data() + metadata.content;
    at = std::copy_n(content, cut.begin, at);
    std::copy(content + cut.end, message.data() + message.size(), at);
  }
  // The four texts are written before managedFields, so removing those moves none of them.
  BlockBuilder::SetMetadata(block, {bytes + metadata.begin + new_head, size}, *keys);
  // A type with nothing but metadata shows only a part of the server's object.
  if (type.message->fields.size() == 1) BlockBuilder::SetPartial(ref);
  return ref;
}

}  // namespace

Result<ObjectRef> BlockOfMessage(const KindInfo& type, std::string_view message,
                                 bool drop_managed_fields) {
  // The scan jumps from field to field, which processors cannot predict, so prefetch the message;
  // the copy reads all of it anyway.
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kMostAhead = 64 * kLine;
  for (std::size_t at = 0; at < std::min(message.size(), kMostAhead); at += kLine) {
    __builtin_prefetch(message.data() + at);
  }
  Scan scan;
  Result<bool> ordered = ScanObject(*type.message, message, scan);
  if (!ordered.ok()) return std::move(ordered).error();
  if (!*ordered) return ObjectRef();
  return Build(type, message, drop_managed_fields, scan);
}

}  // namespace kinformer::internal
