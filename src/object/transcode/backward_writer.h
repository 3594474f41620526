// object/transcode/backward_writer.h
//
// BackwardWriter: writes protobuf from the end to the front, so that the length of a message is
// known when its length prefix is written: one buffer, no second pass, no copies. Fields are
// written last to first.

#ifndef KINFORMER_OBJECT_TRANSCODE_BACKWARD_WRITER_H_
#define KINFORMER_OBJECT_TRANSCODE_BACKWARD_WRITER_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "wire/protobuf_writer.h"

namespace kinformer::internal {

// Thread-compatible.
class BackwardWriter {
 public:
  explicit BackwardWriter(std::size_t expected)
      : capacity_(expected + 64),
        buffer_(std::make_unique_for_overwrite<char[]>(capacity_)),
        at_(capacity_) {}

  // Bytes written so far: read it before a message's content and pass it to LengthAndTag after it.
  [[nodiscard]] std::size_t size() const { return capacity_ - at_; }
  // All bytes written so far; valid until the next write.
  [[nodiscard]] std::string_view view() const { return {buffer_.get() + at_, size()}; }

  // Clears the writer and keeps its memory, unless that is unusually large.
  void Clear() {
    if (capacity_ > kMostKept) *this = BackwardWriter(0);
    at_ = capacity_;
  }

  void Bytes(std::string_view bytes) {
    char* const to = Claim(bytes.size());
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  }

  void Varint(std::uint64_t value) {
    if (value < 0x80) {
      *Claim(1) = static_cast<char>(value);
    } else {
      LongVarint(value);
    }
  }

  void Tag(std::uint32_t field, wire::WireType type) {
    Varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(type));
  }

  // Writes the length and the tag of a length-delimited field. `before`: size() before the content
  // was written.
  void LengthAndTag(std::uint32_t field, std::size_t before) {
    Varint(size() - before);
    Tag(field, wire::WireType::kBytes);
  }

  void StringField(std::uint32_t field, std::string_view bytes) {
    const std::size_t before = size();
    Bytes(bytes);
    LengthAndTag(field, before);
  }
  void VarintField(std::uint32_t field, std::uint64_t value) {
    Varint(value);
    Tag(field, wire::WireType::kVarint);
  }
  void DoubleField(std::uint32_t field, double value) {
    wire::WriteFixed64(Claim(8), std::bit_cast<std::uint64_t>(value));
    Tag(field, wire::WireType::kFixed64);
  }

 private:
  static constexpr std::size_t kMostKept = std::size_t{1} << 20;

  void LongVarint(std::uint64_t value) { wire::WriteVarint(Claim(wire::VarintSize(value)), value); }

  // Reserves `count` bytes in front of the bytes written so far.
  char* Claim(std::size_t count) {
    if (count > at_) Grow(count);
    at_ -= count;
    return buffer_.get() + at_;
  }

  [[gnu::noinline]] void Grow(std::size_t count) {
    const std::size_t used = size();
    const std::size_t capacity = std::max(capacity_ * 2, used + count + 64);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    std::memcpy(larger.get() + capacity - used, buffer_.get() + at_, used);
    buffer_ = std::move(larger);
    capacity_ = capacity;
    at_ = capacity - used;
  }

  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  std::size_t at_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_BACKWARD_WRITER_H_
