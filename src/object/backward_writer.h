// object/backward_writer.h
//
// BackwardWriter: writes protobuf from the end to the front, so that the length of a message is known when it is put
// before it: one buffer, no second pass, no copies. Fields are written last to first.

#ifndef KINFORMER_OBJECT_BACKWARD_WRITER_H_
#define KINFORMER_OBJECT_BACKWARD_WRITER_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "wire/protobuf_writer.h"

namespace kinformer::internal {

// Thread-compatible.
class BackwardWriter {
 public:
  explicit BackwardWriter(std::size_t expected)
      : buffer_(expected + 16, '\0'), at_(buffer_.size()) {}

  // Bytes written: take it before a message's content and give it to Length after it.
  [[nodiscard]] std::size_t size() const { return buffer_.size() - at_; }

  void Bytes(std::string_view bytes) {
    Need(bytes.size());
    at_ -= bytes.size();
    if (!bytes.empty()) std::memcpy(buffer_.data() + at_, bytes.data(), bytes.size());
  }

  void Varint(std::uint64_t value) {
    char bytes[10];
    Bytes({bytes, static_cast<std::size_t>(wire::WriteVarint(bytes, value) - bytes)});
  }

  void Tag(std::uint32_t field, std::uint32_t wire_type) { Varint(field << 3 | wire_type); }

  // What stands before the content of a length-delimited field whose content began when size() was `before`.
  void LengthAndTag(std::uint32_t field, std::size_t before) {
    Varint(size() - before);
    Tag(field, 2);
  }

  void StringField(std::uint32_t field, std::string_view bytes) {
    const std::size_t before = size();
    Bytes(bytes);
    LengthAndTag(field, before);
  }
  void VarintField(std::uint32_t field, std::uint64_t value) {
    Varint(value);
    Tag(field, 0);
  }
  void DoubleField(std::uint32_t field, double value) {
    std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    char bytes[8];
    for (char& byte : bytes) {
      byte = static_cast<char>(bits & 0xff);
      bits >>= 8;
    }
    Bytes({bytes, 8});
    Tag(field, 1);
  }

  // All that was written. The writer is empty afterwards.
  [[nodiscard]] std::string Take() {
    std::string out = std::move(buffer_);
    out.erase(0, at_);
    buffer_.clear();
    at_ = 0;
    return out;
  }

 private:
  void Need(std::size_t count) {
    if (count <= at_) return;
    const std::size_t used = size();
    std::string larger(std::max(buffer_.size() * 2, used + count + 64), '\0');
    std::memcpy(larger.data() + larger.size() - used, buffer_.data() + at_, used);
    at_ = larger.size() - used;
    buffer_ = std::move(larger);
  }

  std::string buffer_;
  std::size_t at_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_BACKWARD_WRITER_H_
