// kinformer/internal/wire_reader.h
//
// Reads protobuf fields in place. Bounds-checked, noexcept, no state: what views stand on, inline in their headers.

#ifndef KINFORMER_INTERNAL_WIRE_READER_H_
#define KINFORMER_INTERNAL_WIRE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kinformer::internal {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// One field as it stands on the wire.
struct WireField {
  std::uint32_t number = 0;  // 0: none
  WireType type = WireType::kVarint;
  std::uint64_t scalar = 0;    // of a varint or fixed field
  const char* data = nullptr;  // of a length-delimited field
  std::uint32_t size = 0;
  explicit operator bool() const { return number != 0; }
};

// Null if the bytes end first or the varint has more than ten bytes.
inline const char* ReadVarint(const char* at, const char* end, std::uint64_t& value) noexcept {
  if (at < end && static_cast<unsigned char>(*at) < 0x80) {
    value = static_cast<unsigned char>(*at);
    return at + 1;
  }
  std::uint64_t result = 0;
  for (unsigned shift = 0; shift < 70 && at < end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    result |= static_cast<std::uint64_t>(byte & 0x7fU) << (shift & 63U);
    if (byte < 0x80) {
      value = result;
      return at;
    }
  }
  return nullptr;
}

// Reads the field at `at`; the position after it, or null if it is malformed (cut short, a group, field number 0).
inline const char* ReadField(const char* at, const char* end, WireField& field) noexcept {
  std::uint64_t tag = 0;
  at = ReadVarint(at, end, tag);
  if (at == nullptr || (tag >> 3) == 0 || (tag >> 32) != 0) return nullptr;
  field.number = static_cast<std::uint32_t>(tag >> 3);
  switch (tag & 7U) {
    case 0:
      field.type = WireType::kVarint;
      return ReadVarint(at, end, field.scalar);
    case 2: {
      std::uint64_t size = 0;
      at = ReadVarint(at, end, size);
      if (at == nullptr || size > static_cast<std::uint64_t>(end - at)) return nullptr;
      field.type = WireType::kBytes;
      field.data = at;
      field.size = static_cast<std::uint32_t>(size);
      return at + size;
    }
    case 1:
    case 5: {
      const bool wide = (tag & 7U) == 1;
      const std::ptrdiff_t width = wide ? 8 : 4;
      if (end - at < width) return nullptr;
      field.type = wide ? WireType::kFixed64 : WireType::kFixed32;
      field.scalar = 0;
      for (std::ptrdiff_t i = width; i-- > 0;) {
        field.scalar = (field.scalar << 8U) | static_cast<unsigned char>(at[i]);
      }
      return at + width;
    }
    default:
      return nullptr;
  }
}

// The first field of that number in [at, end); none if there is no such field or the bytes before it are malformed. With
// `resume`, the position after the field found.
inline WireField FindField(const char* at, const char* end, std::uint32_t number,
                           const char** resume = nullptr) noexcept {
  WireField field;
  while (at != nullptr && at < end) {
    at = ReadField(at, end, field);
    if (at != nullptr && field.number == number) {
      if (resume != nullptr) *resume = at;
      return field;
    }
  }
  if (resume != nullptr) *resume = end;
  return {};
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_WIRE_READER_H_
