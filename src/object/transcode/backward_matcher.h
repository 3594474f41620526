// object/transcode/backward_matcher.h
//
// BackwardMatcher: compares what would be written with bytes that are there, from their end to the
// front. Has the functions of BackwardWriter, but needs no memory.

#ifndef KINFORMER_OBJECT_TRANSCODE_BACKWARD_MATCHER_H_
#define KINFORMER_OBJECT_TRANSCODE_BACKWARD_MATCHER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "wire/protobuf_writer.h"

namespace kinformer::internal {

// Thread-compatible. After the first difference nothing else is compared.
class BackwardMatcher {
 public:
  explicit BackwardMatcher(std::string_view expected)
      : expected_(expected), left_(expected.size()) {}

  // Bytes compared so far: as BackwardWriter::size.
  [[nodiscard]] std::size_t size() const { return expected_.size() - left_; }
  [[nodiscard]] bool differs() const { return differs_; }
  // Returns true if all bytes are what was written.
  [[nodiscard]] bool Matches() const { return !differs_ && left_ == 0; }

  void Bytes(std::string_view bytes) {
    if (!Take(bytes.size())) return;
    // The pointer of an empty view may be null.
    if (!bytes.empty() && std::memcmp(at(), bytes.data(), bytes.size()) != 0) differs_ = true;
  }
  void Varint(std::uint64_t value) {
    if (value < 0x80) {
      if (Take(1) && *at() != static_cast<char>(value)) differs_ = true;
    } else {
      char bytes[wire::VarintSize(UINT64_MAX)];
      const char* const end = wire::WriteVarint(bytes, value);
      Bytes({bytes, static_cast<std::size_t>(end - bytes)});
    }
  }
  void Tag(std::uint32_t field, wire::WireType type) {
    Varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(type));
  }
  void LengthAndTag(std::uint32_t field, std::size_t before) {
    Varint(size() - before);
    Tag(field, wire::WireType::kBytes);
  }
  void StringField(std::uint32_t field, std::string_view bytes) {
    if (bytes.size() < 0x80 && field < 0x10) return ShortField(field, bytes);
    Bytes(bytes);
    Varint(bytes.size());
    Tag(field, wire::WireType::kBytes);
  }
  void VarintField(std::uint32_t field, std::uint64_t value) {
    Varint(value);
    Tag(field, wire::WireType::kVarint);
  }
  void DoubleField(std::uint32_t field, double value) {
    char bytes[8];
    wire::WriteFixed64(bytes, std::bit_cast<std::uint64_t>(value));
    Bytes({bytes, sizeof(bytes)});
    Tag(field, wire::WireType::kFixed64);
  }

 private:
  // One whose tag and length have a byte each, as most have.
  void ShortField(std::uint32_t field, std::string_view bytes) {
    if (!Take(bytes.size() + 2)) return;
    const auto tag = static_cast<char>(field << 3 | static_cast<unsigned>(wire::WireType::kBytes));
    differs_ = at()[0] != tag || at()[1] != static_cast<char>(bytes.size()) ||
               (!bytes.empty() && std::memcmp(at() + 2, bytes.data(), bytes.size()) != 0);
  }
  // Moves in front of so many bytes. False: there are not so many, or something differs.
  bool Take(std::size_t count) {
    if (differs_ || count > left_) {
      differs_ = true;
      return false;
    }
    left_ -= count;
    return true;
  }
  [[nodiscard]] const char* at() const { return expected_.data() + left_; }

  const std::string_view expected_;
  std::size_t left_;
  bool differs_ = false;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_BACKWARD_MATCHER_H_
