#include "object/entry/metadata_message.h"

#include <algorithm>
#include <cstring>

#include "wire/json_text.h"
#include "wire/protobuf_writer.h"

namespace kinformer::internal {
namespace {

// Largest overhead of an item besides its texts: an entry of managedFields has the most.
constexpr std::size_t kMostAround = 96;

constexpr std::size_t kMostKept = std::size_t{1} << 20;

constexpr std::size_t kTagSize = 1;  // of fields up to 15

std::size_t LengthSize(std::size_t length) { return length < 0x80 ? 1 : wire::VarintSize(length); }
std::size_t FieldSize(std::size_t length) { return kTagSize + LengthSize(length) + length; }

// Default for callers that need no positions, which is the usual case.
struct NoNotes {
  static void Slot(MessageSlot) {}
  static void Nested(NestedMessage) {}
};
struct LayoutNotes {
  MessageLayout* layout;
  void Slot(MessageSlot slot) const { layout->slots.push_back(slot); }
  void Nested(NestedMessage nested) const { layout->nested.push_back(nested); }
};

// Writes fields first to last into a buffer that is large enough. An empty text is written as well,
// as Go's generated code does.
template <class Notes>
class Writer {
 public:
  Writer(char* to, std::string_view around, Notes notes)
      : first_(to),
        at_(to),
        notes_(notes),
        begin_(reinterpret_cast<std::uintptr_t>(around.data())),
        span_(around.size() < kChunk ? 0 : around.size() - kChunk + 1) {}

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(at_ - first_); }

  void Tag(std::uint32_t field, wire::WireType type) {
    at_ = wire::WriteVarint(at_, field << 3U | static_cast<std::uint32_t>(type));
  }
  void Length(std::size_t length) {
    if (length < 0x80) [[likely]] {
      *at_++ = static_cast<char>(length);
    } else {
      at_ = wire::WriteVarint(at_, length);
    }
  }
  void Begin(std::uint32_t field, std::size_t length) {
    Tag(field, wire::WireType::kBytes);
    Length(length);
  }
  void Varint(std::uint64_t value) { at_ = wire::WriteVarint(at_, value); }
  void Number(std::uint32_t field, std::uint64_t value) {
    Tag(field, wire::WireType::kVarint);
    Varint(value);
  }
  void Bytes(std::string_view text) {
    // A short text is copied as a whole chunk, and the next write overwrites the excess bytes, so
    // no branch depends on its size.
    const bool inside = reinterpret_cast<std::uintptr_t>(text.data()) - begin_ < span_;
    if (text.size() <= kChunk && inside) [[likely]] {
      std::memcpy(at_, text.data(), kChunk);
    } else if (!text.empty()) {
      std::memcpy(at_, text.data(), text.size());
    }
    at_ += text.size();
  }
  // Writes a text field and returns the position of the text.
  std::size_t Text(std::uint32_t field, std::string_view text, std::uint8_t key = 4) {
    Tag(field, wire::WireType::kBytes);
    const std::size_t from = size();
    Length(text.size());
    const std::size_t at = size();
    Bytes(text);
    Note(MessageSlot::Kind::kText, text, from, key);
    return at;
  }
  // Writes the length prefix of a nested message.
  void Nested(std::uint32_t field, std::size_t length) {
    Tag(field, wire::WireType::kBytes);
    const std::size_t from = size();
    Length(length);
    notes_.Nested({from, size(), length});
  }
  // Records that the bytes written since `from` come from the text `json`.
  void Note(MessageSlot::Kind kind, std::string_view json, std::size_t from, std::uint8_t key = 4) {
    notes_.Slot({kind, key, json, from, size() - from});
  }

  static constexpr std::size_t kChunk = 32;
  static_assert(kChunk <= MetadataMessage::kBehind);

 private:
  char* const first_;
  char* at_;
  [[no_unique_address]] Notes notes_;
  // Range in which kChunk bytes may be read from any position.
  std::uintptr_t begin_;
  std::size_t span_;
};

bool IsZero(const MetadataTime& moment) {
  const std::optional<TimeStamp>& time = moment.value;
  return !time || (time->seconds == kZeroTimeSeconds && time->nanos == 0);
}

std::size_t TimeSize(const MetadataTime& time) {
  if (IsZero(time)) return 0;
  return 2 * kTagSize + wire::VarintSize(static_cast<std::uint64_t>(time.value->seconds)) + 1;
}

template <class Out>
void WriteTime(std::uint32_t field, const MetadataTime& time, Out& out) {
  out.Begin(field, TimeSize(time));
  if (IsZero(time)) return;
  out.Tag(1, wire::WireType::kVarint);
  const std::size_t from = out.size();
  out.Varint(static_cast<std::uint64_t>(time.value->seconds));
  out.Note(MessageSlot::Kind::kTime, time.text, from);
  out.Number(2, 0);  // metav1.Time drops fractions
}

template <class Out>
void WriteMap(std::uint32_t field, const std::vector<TextPair>& entries, Out& out) {
  for (const auto& [name, value] : entries) {
    out.Nested(field, FieldSize(name.size()) + FieldSize(value.size()));
    // Names differ between objects, and their order may differ too, so no template covers them.
    out.Begin(1, name.size());
    out.Bytes(name);
    out.Text(2, value);
  }
}

template <class Out>
void WriteOwner(const MetadataOwner& owner, Out& out) {
  constexpr std::size_t kBoolSize = kTagSize + 1;
  std::size_t size = FieldSize(owner.kind.size()) + FieldSize(owner.name.size()) +
                     FieldSize(owner.uid.size()) + FieldSize(owner.api_version.size());
  if (owner.controller) size += kBoolSize;
  if (owner.block_owner_deletion) size += kBoolSize;
  out.Nested(13, size);
  out.Text(1, owner.kind);
  out.Text(3, owner.name);
  out.Text(4, owner.uid);
  out.Text(5, owner.api_version);
  if (owner.controller) out.Number(6, *owner.controller ? 1 : 0);
  if (owner.block_owner_deletion) out.Number(7, *owner.block_owner_deletion ? 1 : 0);
}

template <class Out>
void WriteManaged(const MetadataManagedFields& entry, Out& out) {
  std::size_t size = FieldSize(entry.manager.size()) + FieldSize(entry.operation.size()) +
                     FieldSize(entry.api_version.size()) + FieldSize(entry.fields_type.size()) +
                     FieldSize(entry.subresource.size());
  const std::size_t fields = FieldSize(entry.fields.size());
  if (entry.time.value) size += FieldSize(TimeSize(entry.time));
  if (!entry.fields.empty()) size += FieldSize(fields);
  out.Nested(17, size);
  out.Text(1, entry.manager);
  out.Text(2, entry.operation);
  out.Text(3, entry.api_version);
  if (entry.time.value) WriteTime(4, entry.time, out);
  out.Text(6, entry.fields_type);
  if (!entry.fields.empty()) {
    out.Tag(7, wire::WireType::kBytes);
    const std::size_t from = out.size();
    out.Length(fields);
    out.Begin(1, entry.fields.size());
    out.Bytes(entry.fields);
    out.Note(MessageSlot::Kind::kFields, entry.fields, from);
  }
  out.Text(8, entry.subresource);
}

}  // namespace

bool AppendUnescaped(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const std::size_t run = std::min(text.find('\\'), text.size());
    out.append(text.substr(0, run));
    text.remove_prefix(run);
    if (text.empty()) break;
    const char* bad = nullptr;
    const char* const after = json::ReadEscape(text.data(), text.data() + text.size(), &out, bad);
    if (after == nullptr) return false;
    text.remove_prefix(static_cast<std::size_t>(after - text.data()));
  }
  return true;
}

char* MetadataMessage::Room(std::size_t most) {
  const std::size_t room = most + kBehind;
  if (room > capacity_ || capacity_ > kMostKept) {
    buffer_ = std::make_unique_for_overwrite<char[]>(room);
    capacity_ = room;
  }
  return buffer_.get();
}

template <class Notes>
bool MetadataMessage::WriteAll(const JsonMetadata& m, std::string_view around, std::size_t most,
                               MetadataKeys& keys, Notes notes) {
  constexpr std::size_t kMembers = 15;
  const std::size_t fields = kMembers + m.labels.size() + m.annotations.size() + m.owners.size() +
                             m.finalizers.size() + m.managed.size();
  Writer<Notes> out(Room(most + kMostAround * fields), around, notes);
  bool short_enough = true;
  const auto key = [&](std::uint8_t place, std::uint32_t field, std::string_view text) {
    const std::size_t at = out.Text(field, text, place);
    short_enough = short_enough && text.size() <= kLongestKey && at <= std::size_t{kLastKeyStart};
    keys.at[place] = static_cast<std::uint16_t>(at);
    keys.size[place] = static_cast<std::uint8_t>(text.size());
  };
  key(0, 1, m.name);
  out.Text(2, m.generate_name);
  key(1, 3, m.namespace_);
  out.Text(4, m.self_link);
  key(2, 5, m.uid);
  key(3, 6, m.resource_version);
  out.Tag(7, wire::WireType::kVarint);
  const std::size_t generation = out.size();
  out.Varint(static_cast<std::uint64_t>(m.generation.value));
  out.Note(MessageSlot::Kind::kNumber, m.generation.text, generation);
  WriteTime(8, m.creation, out);
  if (m.deletion.value) WriteTime(9, m.deletion, out);
  if (m.grace) out.Number(10, static_cast<std::uint64_t>(*m.grace));
  WriteMap(11, m.labels, out);
  WriteMap(12, m.annotations, out);
  for (const MetadataOwner& owner : m.owners) WriteOwner(owner, out);
  for (const std::string_view text : m.finalizers) out.Text(14, text);
  for (const MetadataManagedFields& entry : m.managed) WriteManaged(entry, out);
  out.Note(MessageSlot::Kind::kDropped, m.dropped, out.size());
  size_ = out.size();
  return short_enough;
}

bool MetadataMessage::Write(const JsonMetadata& metadata, std::string_view around, std::size_t most,
                            MetadataKeys& keys) {
  return WriteAll(metadata, around, most, keys, NoNotes());
}

bool MetadataMessage::Write(const JsonMetadata& metadata, std::string_view around, std::size_t most,
                            MetadataKeys& keys, MessageLayout& layout) {
  layout.slots.clear();
  layout.nested.clear();
  return WriteAll(metadata, around, most, keys, LayoutNotes{&layout});
}

}  // namespace kinformer::internal
