#include "kinformer/internal/view.h"

#include <atomic>
#include <bit>

#include "kinformer/internal/block.h"

#include "object/block/block_assembly.h"
#include "object/block/block_reader.h"
#include "object/block/ended_blocks.h"
#include "wire/protobuf_reader.h"

namespace kinformer::internal {
namespace {

using wire::WireField;
using wire::WireType;

// The table of a RootView's message: the block's index of the root.
constexpr std::uint8_t kRootTable = 0xfe;
static_assert(kRootTable < MessageView::kNoTable && kRootTable >= BlockIndex::kMaxChildren);

std::atomic<std::uint64_t> malformed_reads{0};
thread_local std::uint64_t malformed_reads_here = 0;

// Start of the search for a field; null if the index shows that it is absent.
struct Start {
  const char* at = nullptr;
  // The index has found the field here, and its other occurrences follow, because the message was
  // put in order when it was built.
  bool indexed = false;
  std::uint8_t table = MessageView::kNoTable;  // of the message that begins here
};

inline Start StartOf(const MessageView& message, std::uint32_t number) {
  CheckAlive(message.block());
  if (message.table() == MessageView::kNoTable) return {message.bytes().data()};
  const BlockReader reader(*message.block());
  Start start{nullptr, true};
  if (message.table() == kRootTable && number <= BlockLayout::kMaxRootNumber) {
    start.at = reader.RootField(number, start.table);
  } else if (message.table() != kRootTable && number <= BlockIndex::kMaxNumber) {
    start.at = reader.ChildField(message.table(), number);
  } else {
    return {message.bytes().data()};
  }
  return start;
}

const char* End(const MessageView& message) {
  return message.bytes().data() + message.bytes().size();
}

void Fill(const WireField& field, std::uint8_t table, RawValue& value) {
  value.table = field.type == WireType::kBytes ? table : MessageView::kNoTable;
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

// Returns the next field of that number; with `contiguous` any other field ends the search.
const char* NextField(const char* at, const char* end, std::uint32_t number, bool contiguous,
                      WireField& field) {
  while (at != nullptr && at < end) {
    at = wire::ReadField(at, end, field);
    if (at == nullptr) {
      CountMalformedRead();
      return nullptr;
    }
    if (field.number == number) return at;
    if (contiguous) return nullptr;
  }
  return nullptr;
}

// Reads the text or message that the index expects at `at`. Returns false and counts it if it is
// something else.
inline bool ReadIndexed(const char* at, const char* end, std::string_view& content) {
  wire::FieldBounds field;
  if (wire::ReadBounds(at, end, field) && wire::IsBytes(*at)) {
    content = field.bytes();
    return true;
  }
  CountMalformedRead();
  return false;
}

}  // namespace

MessageView RootView::message() const {
  if (block_ == nullptr) return {};
  CheckAlive(block_);
  const std::string_view bytes = block_->payload();
  return {bytes.data(), static_cast<std::uint32_t>(bytes.size()), block_, block_->encoding(),
          block_->encoding() == Encoding::kProtobuf ? kRootTable : MessageView::kNoTable};
}

bool FindField(const MessageView& message, std::uint32_t number, RawValue& value) {
  if (message.encoding() != Encoding::kProtobuf) return false;
  const Start start = StartOf(message, number);
  const char* const end = End(message);
  WireField last;
  if (start.indexed) {
    NextField(start.at, end, number, true, last);
  } else {
    WireField field;
    const char* at = start.at;
    while ((at = NextField(at, end, number, false, field)) != nullptr) last = field;
  }
  if (!last) return false;
  Fill(last, start.table, value);
  return true;
}

std::string_view GetString(const MessageView& message, std::uint32_t number) {
  if (message.table() >= kRootTable || number > BlockIndex::kMaxNumber)
    return Get<std::string_view>(message, number);
  CheckAlive(message.block());
  const char* const at = BlockReader(*message.block()).ChildField(message.table(), number);
  std::string_view text;
  if (at != nullptr) ReadIndexed(at, End(message), text);
  return text;
}

void ReadMessage(const MessageView& message, std::uint32_t number, MessageView& into) {
  RawValue value;
  if (FindField(message, number, value)) into = ToMessage(message, value);
}

void ReadChild(const Block* block, std::uint32_t number, MessageView& into) {
  if (block == nullptr) return;
  CheckAlive(block);
  if (number > BlockLayout::kMaxRootNumber) {
    ReadMessage(RootView(block), number, into);
    return;
  }
  std::uint8_t table = MessageView::kNoTable;
  const BlockReader reader(*block);
  const char* const at = reader.RootField(number, table);
  std::string_view content;
  if (at == nullptr || !ReadIndexed(at, reader.End(), content)) return;
  into = {content.data(), static_cast<std::uint32_t>(content.size()), block, Encoding::kProtobuf,
          table};
}

FieldCursor MakeCursor(const MessageView& message, std::uint32_t number,
                       FieldCursor::Packing packing) {
  FieldCursor cursor;
  if (message.encoding() != Encoding::kProtobuf) return cursor;
  const Start start = StartOf(message, number);
  cursor.at = start.at;
  cursor.end = End(message);
  cursor.number = number;
  cursor.packing = packing;
  cursor.contiguous = start.indexed;
  return cursor;
}

bool NextElement(FieldCursor& cursor, RawValue& value) {
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
      CountMalformedRead();
      cursor.at = nullptr;
      cursor.packed_end = nullptr;
      return false;
    }
  }
  Fill(field, MessageView::kNoTable, value);
  return true;
}

namespace {

// The field of the value is null if the entry has none.
struct Entry {
  std::string_view key;
  const char* value = nullptr;
};

Entry ReadEntry(std::string_view bytes) {
  Entry entry;
  const char* const end = bytes.data() + bytes.size();
  wire::FieldBounds field;
  for (const char* at = bytes.data(); at < end; at = field.end) {
    if (!wire::ReadBounds(at, end, field)) {
      CountMalformedRead();
      break;
    }
    if (field.number == 1 && wire::IsBytes(*at)) entry.key = field.bytes();
    if (field.number == 2) entry.value = at;
  }
  return entry;
}

// An entry without a value has an empty one.
void FillValue(const Entry& entry, std::string_view bytes, RawValue& value) {
  value = RawValue{.kind = RawValue::Kind::kBytes};
  WireField field;
  if (entry.value != nullptr) {
    wire::ReadField(entry.value, bytes.data() + bytes.size(), field);
    Fill(field, MessageView::kNoTable, value);
  }
}

}  // namespace

bool NextMember(FieldCursor& cursor, std::string_view& key, RawValue& value) {
  RawValue element;
  if (!NextElement(cursor, element)) return false;
  const Entry entry = ReadEntry(element.bytes);
  key = entry.key;
  FillValue(entry, element.bytes, value);
  return true;
}

bool FindEntry(const MessageView& message, std::uint32_t number, std::string_view key,
               RawValue& value) {
  if (message.encoding() != Encoding::kProtobuf) return false;
  const Start start = StartOf(message, number);
  if (start.at == nullptr) return false;
  const char* const end = End(message);
  Entry found;
  std::string_view found_in;
  bool any = false;
  wire::FieldBounds field;
  for (const char* at = start.at; at < end; at = field.end) {
    if (!wire::ReadBounds(at, end, field)) {
      CountMalformedRead();
      break;
    }
    if (field.number != number) {
      if (start.indexed) break;
      continue;
    }
    const Entry entry = ReadEntry(field.bytes());
    if (entry.key != key) continue;
    found = entry;
    found_in = field.bytes();
    any = true;
  }
  if (any) FillValue(found, found_in, value);
  return any;
}

std::int64_t ToInt64(const RawValue& value) {
  if (value.kind == RawValue::Kind::kVarint) return static_cast<std::int64_t>(value.scalar);
  CountMalformedRead();
  return 0;
}

double ToDouble(const RawValue& value) {
  if (value.kind == RawValue::Kind::kFixed64) return std::bit_cast<double>(value.scalar);
  CountMalformedRead();
  return 0;
}

bool ToBool(const RawValue& value) { return ToInt64(value) != 0; }

MessageView ToMessage(const MessageView& parent, const RawValue& value) {
  if (value.kind != RawValue::Kind::kBytes) {
    CountMalformedRead();
    return {};
  }
  return {value.bytes.data(), static_cast<std::uint32_t>(value.bytes.size()), parent.block(),
          Encoding::kProtobuf, value.table};
}

void CountMalformedRead() {
  malformed_reads.fetch_add(1, std::memory_order_relaxed);
  ++malformed_reads_here;
}

std::uint64_t MalformedReads() { return malformed_reads.load(std::memory_order_relaxed); }

std::uint64_t MalformedReadsHere() { return malformed_reads_here; }

}  // namespace kinformer::internal
