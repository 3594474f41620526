#include "object/lean_metadata.h"

#include <cstring>

#include "wire/protobuf_writer.h"

namespace kinformer::internal {
namespace {

// What a field takes beside its texts, at most: an entry of managedFields has the most.
constexpr std::size_t kMostAround = 96;

constexpr std::size_t kMostKept = std::size_t{1} << 20;

constexpr std::size_t kTagSize = 1;  // of fields up to 15

std::size_t LengthSize(std::size_t length) { return length < 0x80 ? 1 : wire::VarintSize(length); }
std::size_t FieldSize(std::size_t length) { return kTagSize + LengthSize(length) + length; }

// Writes fields first to last, where there is room for them. A text is written even when it is empty, as Go's generated code does.
class Writer {
 public:
  Writer(char* to, std::string_view around)
      : at_(to),
        begin_(reinterpret_cast<std::uintptr_t>(around.data())),
        span_(around.size() < kChunk ? 0 : around.size() - kChunk + 1) {}

  [[nodiscard]] char* at() const { return at_; }

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
  void Number(std::uint32_t field, std::uint64_t value) {
    Tag(field, wire::WireType::kVarint);
    at_ = wire::WriteVarint(at_, value);
  }
  void Bytes(std::string_view text) {
    // Short ones are all copied alike, and what comes next overwrites what was too much: no branch depends on their sizes.
    const bool inside = reinterpret_cast<std::uintptr_t>(text.data()) - begin_ < span_;
    if (text.size() <= kChunk && inside) [[likely]] {
      std::memcpy(at_, text.data(), kChunk);
    } else if (!text.empty()) {
      std::memcpy(at_, text.data(), text.size());
    }
    at_ += text.size();
  }
  void Text(std::uint32_t field, std::string_view text) {
    Begin(field, text.size());
    Bytes(text);
  }

  static constexpr std::size_t kChunk = 32;

 private:
  char* at_;
  // Where a text may begin of which kChunk bytes may be read.
  std::uintptr_t begin_;
  std::size_t span_;
};

bool IsZero(const std::optional<TimeStamp>& time) {
  return !time || (time->seconds == kZeroTimeSeconds && time->nanos == 0);
}

std::size_t TimeSize(const std::optional<TimeStamp>& time) {
  if (IsZero(time)) return 0;
  return 2 * kTagSize + wire::VarintSize(static_cast<std::uint64_t>(time->seconds)) + 1;
}

void WriteTime(std::uint32_t field, const std::optional<TimeStamp>& time, Writer& out) {
  out.Begin(field, TimeSize(time));
  if (IsZero(time)) return;
  out.Number(1, static_cast<std::uint64_t>(time->seconds));
  out.Number(2, 0);  // metav1.Time drops fractions
}

void WriteMap(std::uint32_t field, const std::vector<TextPair>& entries, Writer& out) {
  for (const auto& [name, value] : entries) {
    out.Begin(field, FieldSize(name.size()) + FieldSize(value.size()));
    out.Text(1, name);
    out.Text(2, value);
  }
}

void WriteOwner(const LeanOwner& owner, Writer& out) {
  constexpr std::size_t kBoolSize = kTagSize + 1;
  std::size_t size = FieldSize(owner.kind.size()) + FieldSize(owner.name.size()) +
                     FieldSize(owner.uid.size()) + FieldSize(owner.api_version.size());
  if (owner.controller) size += kBoolSize;
  if (owner.block_owner_deletion) size += kBoolSize;
  out.Begin(13, size);
  out.Text(1, owner.kind);
  out.Text(3, owner.name);
  out.Text(4, owner.uid);
  out.Text(5, owner.api_version);
  if (owner.controller) out.Number(6, *owner.controller ? 1 : 0);
  if (owner.block_owner_deletion) out.Number(7, *owner.block_owner_deletion ? 1 : 0);
}

void WriteManaged(const LeanManaged& entry, Writer& out) {
  std::size_t size = FieldSize(entry.manager.size()) + FieldSize(entry.operation.size()) +
                     FieldSize(entry.api_version.size()) + FieldSize(entry.fields_type.size()) +
                     FieldSize(entry.subresource.size());
  const std::size_t fields = FieldSize(entry.fields.size());
  if (entry.time) size += FieldSize(TimeSize(entry.time));
  if (!entry.fields.empty()) size += FieldSize(fields);
  out.Begin(17, size);
  out.Text(1, entry.manager);
  out.Text(2, entry.operation);
  out.Text(3, entry.api_version);
  if (entry.time) WriteTime(4, entry.time, out);
  out.Text(6, entry.fields_type);
  if (!entry.fields.empty()) {
    out.Begin(7, fields);
    out.Text(1, entry.fields);
  }
  out.Text(8, entry.subresource);
}

}  // namespace

bool LeanMessage::Write(const LeanMetadata& m, std::string_view around, std::size_t most,
                        MetadataKeys& keys) {
  constexpr std::size_t kMembers = 15;
  const std::size_t fields = kMembers + m.labels.size() + m.annotations.size() + m.owners.size() +
                             m.finalizers.size() + m.managed.size();
  const std::size_t room = most + kMostAround * fields + Writer::kChunk;
  if (room > capacity_ || capacity_ > kMostKept) {
    buffer_ = std::make_unique_for_overwrite<char[]>(room);
    capacity_ = room;
  }
  Writer out(buffer_.get(), around);
  bool short_enough = true;
  const auto key = [&](std::size_t place, std::uint32_t field, std::string_view text) {
    out.Begin(field, text.size());
    const auto at = static_cast<std::size_t>(out.at() - buffer_.get());
    short_enough = short_enough && text.size() <= 255 && at <= 65535;
    keys.at[place] = static_cast<std::uint16_t>(at);
    keys.size[place] = static_cast<std::uint8_t>(text.size());
    out.Bytes(text);
  };
  key(0, 1, m.name);
  out.Text(2, m.generate_name);
  key(1, 3, m.namespace_);
  out.Text(4, m.self_link);
  key(2, 5, m.uid);
  key(3, 6, m.resource_version);
  out.Number(7, static_cast<std::uint64_t>(m.generation));
  WriteTime(8, m.creation, out);
  if (m.deletion) WriteTime(9, m.deletion, out);
  if (m.grace) out.Number(10, static_cast<std::uint64_t>(*m.grace));
  WriteMap(11, m.labels, out);
  WriteMap(12, m.annotations, out);
  for (const LeanOwner& owner : m.owners) WriteOwner(owner, out);
  for (const std::string_view text : m.finalizers) out.Text(14, text);
  for (const LeanManaged& entry : m.managed) WriteManaged(entry, out);
  size_ = static_cast<std::size_t>(out.at() - buffer_.get());
  return short_enough;
}

}  // namespace kinformer::internal
