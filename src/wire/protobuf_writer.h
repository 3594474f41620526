// wire/protobuf_writer.h
//
// ProtobufWriter: appends protobuf fields to a string. The length of a nested message must be known
// first: pass its content as bytes, or let Nested write it and correct the length.

#ifndef KINFORMER_WIRE_PROTOBUF_WRITER_H_
#define KINFORMER_WIRE_PROTOBUF_WRITER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/protobuf_reader.h"

namespace kinformer::wire {

// Returns the size of a varint.
constexpr std::size_t VarintSize(std::uint64_t value) noexcept {
  return static_cast<std::size_t>((std::bit_width(value | 1U) + 6) / 7);
}

// Writes a varint at `at`, which has room for VarintSize(value) bytes. Returns the position behind
// it.
inline char* WriteVarint(char* at, std::uint64_t value) noexcept {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>((value & 0x7fU) | 0x80U);
  *at++ = static_cast<char>(value);
  return at;
}

// Writes 8 bytes, little-endian.
inline char* WriteFixed64(char* at, std::uint64_t value) noexcept {
  for (int i = 0; i < 8; ++i, value >>= 8) *at++ = static_cast<char>(value & 0xffU);
  return at;
}

// Thread-compatible; refers to the string.
class ProtobufWriter {
 public:
  explicit ProtobufWriter(std::string& out) : out_(out) {}

  void Varint(std::uint64_t value) {
    char bytes[10];
    out_.append(bytes, WriteVarint(bytes, value));
  }
  void Tag(std::uint32_t field, WireType type) {
    Varint((std::uint64_t{field} << 3) | static_cast<std::uint64_t>(type));
  }

  void VarintField(std::uint32_t field, std::uint64_t value) {
    Tag(field, WireType::kVarint);
    Varint(value);
  }
  void Int64Field(std::uint32_t field, std::int64_t value) {
    VarintField(field, static_cast<std::uint64_t>(value));
  }
  void BoolField(std::uint32_t field, bool value) { VarintField(field, value ? 1 : 0); }
  void DoubleField(std::uint32_t field, double value) {
    Tag(field, WireType::kFixed64);
    char bytes[8];
    out_.append(bytes, WriteFixed64(bytes, std::bit_cast<std::uint64_t>(value)));
  }
  // Writes a string, bytes or an encoded message.
  void BytesField(std::uint32_t field, std::string_view bytes) {
    Tag(field, WireType::kBytes);
    Varint(bytes.size());
    out_.append(bytes);
  }
  // Runs `content`, which appends a message's fields through this writer, as field `field`.
  template <class Content>
  void Nested(std::uint32_t field, Content&& content) {
    Tag(field, WireType::kBytes);
    const std::size_t start = out_.size();
    content(*this);
    const std::size_t size = out_.size() - start;
    char bytes[10];
    char* const end = WriteVarint(bytes, size);
    out_.insert(start, bytes, static_cast<std::size_t>(end - bytes));
  }

 private:
  std::string& out_;
};

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_PROTOBUF_WRITER_H_
