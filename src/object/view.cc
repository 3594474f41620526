#include "kinformer/internal/view.h"

#include <atomic>
#include <bit>

#include "kinformer/internal/block.h"

#include "wire/protobuf_reader.h"

namespace kinformer::internal {
namespace {

using wire::WireField;
using wire::WireType;

// The table of a RootView's message: the block's index of the root.
constexpr std::uint8_t kRootTable = 0xfe;

std::atomic<std::uint64_t> malformed_reads{0};

// Where the search for a field begins: from the block's index if the message has one; null if the index says it is absent.
const char* Start(const MessageView& message, std::uint32_t number) {
  if (message.table() == kRootTable) return message.block()->RootField(number);
  if (message.table() != MessageView::kNoTable && number <= 64) {
    return message.block()->IndexedField(message.table(), number);
  }
  return message.bytes().data();
}

bool IsIndexed(const MessageView& message, std::uint32_t number) {
  if (message.table() == kRootTable) return message.block()->IndexesRootField(number);
  return message.table() != MessageView::kNoTable && number <= 64;
}

const char* End(const MessageView& message) {
  return message.bytes().data() + message.bytes().size();
}

void Fill(const MessageView& message, const WireField& field, RawValue& value) {
  value.table = message.table() == kRootTable && field.type == WireType::kBytes
                    ? message.block()->ChildSlot(field.number)
                    : MessageView::kNoTable;
  value.scalar = field.scalar;
  value.bytes = {};
  switch (field.type) {
    case WireType::kVarint:
      value.kind = RawValue::Kind::kVarint;
      break;
    case WireType::kFixed32:
      value.kind = RawValue::Kind::kFixed32;
      break;
    case WireType::kFixed64:
      value.kind = RawValue::Kind::kFixed64;
      break;
    case WireType::kBytes:
      value.kind = RawValue::Kind::kBytes;
      value.bytes = {field.data, field.size};
      break;
  }
}

// The next field of that number; with `contiguous` any other field ends the walk.
const char* NextField(const char* at, const char* end, std::uint32_t number, bool contiguous,
                      WireField& field) {
  while (at != nullptr && at < end) {
    at = wire::ReadField(at, end, field);
    if (at == nullptr) {
      malformed_reads.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    if (field.number == number) return at;
    if (contiguous) return nullptr;
  }
  return nullptr;
}

}  // namespace

MessageView RootView::message() const {
  if (block_ == nullptr) return {};
  const std::string_view bytes = block_->payload();
  return {bytes.data(), static_cast<std::uint32_t>(bytes.size()), block_, block_->encoding(),
          block_->encoding() == Encoding::kProtobuf ? kRootTable : MessageView::kNoTable};
}

bool FindField(const MessageView& message, FieldId id, RawValue& value) {
  if (message.encoding() != Encoding::kProtobuf) return false;
  const char* at = Start(message, id.number);
  const char* const end = End(message);
  const bool indexed = IsIndexed(message, id.number);
  WireField field;
  WireField last;
  // What the index covers was brought into order at entry: the first occurrence is the only one.
  while ((at = NextField(at, end, id.number, indexed, field)) != nullptr) {
    last = field;
    if (indexed) break;
  }
  if (!last) return false;
  Fill(message, last, value);
  return true;
}

FieldCursor MakeCursor(const MessageView& message, FieldId id, FieldCursor::Packing packing) {
  FieldCursor cursor;
  if (message.encoding() != Encoding::kProtobuf) return cursor;
  cursor.at = Start(message, id.number);
  cursor.end = End(message);
  cursor.number = id.number;
  cursor.packing = packing;
  cursor.contiguous = IsIndexed(message, id.number);
  return cursor;
}

bool NextElement(const MessageView& message, FieldCursor& cursor, RawValue& value) {
  WireField field;
  field.number = cursor.number;
  while (cursor.packed == cursor.packed_end) {
    cursor.at = NextField(cursor.at, cursor.end, cursor.number, cursor.contiguous, field);
    if (cursor.at == nullptr) return false;
    if (cursor.packing == FieldCursor::Packing::kNone || field.type != WireType::kBytes) break;
    cursor.packed = field.data;
    cursor.packed_end = field.data + field.size;
  }
  if (cursor.packed != cursor.packed_end) {
    const bool varints = cursor.packing == FieldCursor::Packing::kVarint;
    cursor.packed = wire::ReadPacked(cursor.packed, cursor.packed_end,
                                     varints ? WireType::kVarint : WireType::kFixed64, field);
    if (cursor.packed == nullptr) {
      malformed_reads.fetch_add(1, std::memory_order_relaxed);
      cursor.at = nullptr;
      cursor.packed_end = nullptr;
      return false;
    }
  }
  Fill(message, field, value);
  value.table = MessageView::kNoTable;
  return true;
}

bool NextMember(const MessageView& message, FieldCursor& cursor, std::string_view& key,
                RawValue& value) {
  RawValue entry;
  if (!NextElement(message, cursor, entry)) return false;
  const char* at = entry.bytes.data();
  const char* const end = at + entry.bytes.size();
  key = {};
  value = RawValue{.kind = RawValue::Kind::kBytes};
  while (at != nullptr && at < end) {
    WireField field;
    at = wire::ReadField(at, end, field);
    if (at == nullptr) {
      malformed_reads.fetch_add(1, std::memory_order_relaxed);
      break;
    }
    if (field.number == 1 && field.type == WireType::kBytes) key = {field.data, field.size};
    if (field.number == 2) {
      Fill(message, field, value);
      value.table = MessageView::kNoTable;
    }
  }
  return true;
}

std::string_view ToStringView(const MessageView& /*parent*/, const RawValue& value) {
  if (value.kind == RawValue::Kind::kBytes) return value.bytes;
  malformed_reads.fetch_add(1, std::memory_order_relaxed);
  return {};
}

std::int64_t ToInt64(const RawValue& value) {
  if (value.kind == RawValue::Kind::kVarint) return static_cast<std::int64_t>(value.scalar);
  malformed_reads.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

double ToDouble(const RawValue& value) {
  if (value.kind == RawValue::Kind::kFixed64) return std::bit_cast<double>(value.scalar);
  malformed_reads.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

bool ToBool(const RawValue& value) { return ToInt64(value) != 0; }

MessageView ToMessage(const MessageView& parent, const RawValue& value) {
  if (value.kind != RawValue::Kind::kBytes) {
    malformed_reads.fetch_add(1, std::memory_order_relaxed);
    return {};
  }
  return {value.bytes.data(), static_cast<std::uint32_t>(value.bytes.size()), parent.block(),
          Encoding::kProtobuf, value.table};
}

void CountMalformedRead() { malformed_reads.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t MalformedReads() { return malformed_reads.load(std::memory_order_relaxed); }

}  // namespace kinformer::internal
