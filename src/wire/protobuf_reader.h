// wire/protobuf_reader.h
//
// Reads protobuf in place: ReadVarint and ReadField for callers that keep their own position,
// ProtobufReader to walk the fields of one message. Every read is checked against the end; a
// malformed field stops the walk, and ok() becomes false. No allocation, no exceptions.
//
//   ProtobufReader reader(bytes);
//   while (reader.Next()) {
//     switch (reader.field()) {
//       case 1: name = reader.bytes(); break;
//       case 7: generation = static_cast<std::int64_t>(reader.varint()); break;
//     }
//   }
//   if (!reader.ok()) ...   // reader.offset() is where the field that cannot be read begins

#ifndef KINFORMER_WIRE_PROTOBUF_READER_H_
#define KINFORMER_WIRE_PROTOBUF_READER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kinformer::wire {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Reads a varint at `at`, not past `end`. Returns the position behind it, or null if it is
// malformed: truncated, or longer than 10 bytes. Bits beyond the 64th are dropped, as in other
// decoders.
inline const char* ReadVarint(const char* at, const char* end, std::uint64_t& value) noexcept {
  if (at != end && static_cast<unsigned char>(*at) < 0x80) {  // most are one byte
    value = static_cast<unsigned char>(*at);
    return at + 1;
  }
  if (end - at > 1 && static_cast<unsigned char>(at[1]) < 0x80) {  // the others two
    value = (static_cast<unsigned char>(at[0]) & 0x7fU) |
            static_cast<unsigned>(static_cast<unsigned char>(at[1])) << 7U;
    return at + 2;
  }
  std::uint64_t result = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at == end) return nullptr;
    const auto byte = static_cast<unsigned char>(*at++);
    result |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) {
      value = result;
      return at;
    }
  }
  return nullptr;
}

// Reads a tag or a length: a varint of at most 5 bytes and 32 bits.
inline const char* ReadVarint32(const char* at, const char* end, std::uint64_t& value) noexcept {
  const char* const next = ReadVarint(at, end, value);
  return next == nullptr || next - at > 5 || value > 0xffffffffU ? nullptr : next;
}

// Reads a little-endian number of 4 or 8 bytes. REQUIRES: the bytes exist.
inline std::uint64_t ReadFixed(const char* at, std::ptrdiff_t size) noexcept {
  std::uint64_t value = 0;
  for (std::ptrdiff_t i = size; i-- > 0;) {
    value = (value << 8U) | static_cast<unsigned char>(at[i]);
  }
  return value;
}

// One field with its tag and content.
struct WireField {
  std::uint32_t number = 0;  // 0: none
  WireType type = WireType::kVarint;
  std::uint64_t scalar = 0;    // of a varint or fixed field
  const char* data = nullptr;  // of a length-delimited field
  std::size_t size = 0;
  explicit operator bool() const noexcept { return number != 0; }
  [[nodiscard]] std::string_view bytes() const noexcept { return {data, size}; }
};

// Reads the field at `at`. Returns the position behind it, or null if it is malformed: truncated,
// with a field number of 0 or above 2^29-1, or a group (the API has none). REQUIRES: at <= end.
inline const char* ReadField(const char* at, const char* end, WireField& field) noexcept {
  std::uint64_t tag = 0;
  at = ReadVarint32(at, end, tag);
  if (at == nullptr || (tag >> 3) == 0) return nullptr;
  field = {};
  field.number = static_cast<std::uint32_t>(tag >> 3);
  switch (tag & 7U) {
    case 0:
      field.type = WireType::kVarint;
      return ReadVarint(at, end, field.scalar);
    case 2: {
      field.type = WireType::kBytes;
      std::uint64_t size = 0;
      at = ReadVarint32(at, end, size);
      if (at == nullptr || size > static_cast<std::uint64_t>(end - at)) return nullptr;
      field.data = at;
      field.size = static_cast<std::size_t>(size);
      return at + size;
    }
    case 1:
    case 5: {
      const bool wide = (tag & 7U) == 1;
      const std::ptrdiff_t size = wide ? 8 : 4;
      if (end - at < size) return nullptr;
      field.type = wide ? WireType::kFixed64 : WireType::kFixed32;
      field.scalar = ReadFixed(at, size);
      return at + size;
    }
    default:
      return nullptr;
  }
}

// Positions of a field's parts. The tag is at its start.
struct FieldBounds {
  std::uint32_t number = 0;
  const char* content = nullptr;  // of a length-delimited field: behind its length
  const char* end = nullptr;
  [[nodiscard]] std::string_view bytes() const noexcept {
    if (content == nullptr) return {};
    return {content, static_cast<std::size_t>(end - content)};
  }
};

// Whether the field whose tag has this first byte is length-delimited.
inline bool IsBytes(char tag) noexcept {
  return (static_cast<unsigned char>(tag) & 7U) == static_cast<unsigned>(WireType::kBytes);
}

// Like ReadField, for callers that walk many fields and need few values: returns false instead of
// null. Always inline, to keep the parts in registers. REQUIRES: at <= end.
[[gnu::always_inline]] inline bool ReadBounds(const char* at, const char* end,
                                              FieldBounds& field) noexcept {
  // Nearly all fields have a tag and a length of one or two bytes each, or a tag and a number of
  // one.
  if (end - at >= 4) {
    const auto byte = [](char c) { return unsigned{static_cast<unsigned char>(c)}; };
    const char* next = at + 1;
    bool usual = true;
    unsigned tag = byte(*at);
    if (tag >= 0x80) {
      usual = byte(*next) < 0x80;
      tag = (tag & 0x7fU) | byte(*next++) << 7U;
    }
    usual = usual && tag >= 8;
    unsigned size = byte(*next++);
    if ((tag & 7U) == static_cast<unsigned>(WireType::kBytes)) {
      if (size >= 0x80) {
        usual = usual && byte(*next) < 0x80;
        size = (size & 0x7fU) | byte(*next++) << 7U;
      }
      if (usual && size <= static_cast<std::size_t>(end - next)) {
        field = {tag >> 3U, next, next + size};
        return true;
      }
    } else if ((tag & 7U) == static_cast<unsigned>(WireType::kVarint) && usual && size < 0x80) {
      field = {tag >> 3U, nullptr, next};
      return true;
    }
  }
  WireField whole;
  const char* const next = ReadField(at, end, whole);
  field = {whole.number, whole.data, next};
  return next != nullptr;
}

// Reads one number of a packed list of that type (not kBytes) as if it were a field. Returns the
// position behind it, or null if it is malformed. REQUIRES: at <= end.
inline const char* ReadPacked(const char* at, const char* end, WireType type,
                              WireField& field) noexcept {
  field.type = type;
  if (type == WireType::kVarint) return ReadVarint(at, end, field.scalar);
  const std::ptrdiff_t size = type == WireType::kFixed64 ? 8 : 4;
  if (end - at < size) return nullptr;
  field.scalar = ReadFixed(at, size);
  return at + size;
}

// Thread-compatible. The bytes must outlive it and the views that it returns.
class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view message) noexcept
      : begin_(message.data()), at_(begin_), end_(begin_ + message.size()), start_(begin_) {}

  // Moves to the next field. Returns false at the end and at a malformed field.
  bool Next() noexcept {
    if (at_ == end_ || !ok_) return false;
    start_ = at_;
    const char* const next = ReadField(at_, end_, field_);
    if (next == nullptr) {
      ok_ = false;
      return false;
    }
    at_ = next;
    return true;
  }

  // Whether all fields so far were well-formed.
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  // Position of the current field's tag, from the start of the message.
  [[nodiscard]] std::size_t offset() const noexcept {
    return static_cast<std::size_t>(start_ - begin_);
  }
  // The current field with its tag.
  [[nodiscard]] std::string_view whole() const noexcept {
    return {start_, static_cast<std::size_t>(at_ - start_)};
  }

  [[nodiscard]] std::uint32_t field() const noexcept { return field_.number; }
  [[nodiscard]] const WireField& value() const noexcept { return field_; }
  [[nodiscard]] WireType type() const noexcept { return field_.type; }
  // Returns the value if the field has that wire type; otherwise zero or "".
  [[nodiscard]] std::uint64_t varint() const noexcept {
    return field_.type == WireType::kVarint ? field_.scalar : 0;
  }
  [[nodiscard]] double fixed64_double() const noexcept {
    return field_.type == WireType::kFixed64 ? std::bit_cast<double>(field_.scalar) : 0.0;
  }
  [[nodiscard]] std::string_view bytes() const noexcept { return field_.bytes(); }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
  const char* start_;
  WireField field_;
  bool ok_ = true;
};

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_PROTOBUF_READER_H_
