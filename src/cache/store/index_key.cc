#include "kinformer/cache/index_key.h"

#include <cstddef>

namespace kinformer {

namespace {

// Encodes the end of a string as 00 01 and a 00 within it as 00 ff. So a string sorts before its
// extensions, and no encoded string is a prefix of another.
constexpr char kZero = '\0';
constexpr char kEnd = '\x01';
constexpr char kZeroWithin = '\xff';

void AppendBigEndian(std::string& bytes, std::uint64_t value, int width) {
  for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(value >> shift));
  }
}

}  // namespace

std::optional<std::string> IndexPrefixEnd(std::string_view prefix) {
  const std::size_t last = prefix.find_last_not_of('\xff');
  if (last == std::string_view::npos) return std::nullopt;
  std::string end(prefix.substr(0, last + 1));
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

IndexKey& IndexKey::Add(const metav1::Time& time) {
  AddInteger(time.seconds() < 0, static_cast<std::uint64_t>(time.seconds()));
  AppendBigEndian(bytes_, static_cast<std::uint32_t>(time.nanos()), 4);
  return *this;
}

IndexKey& IndexKey::AddText(std::string_view text, bool ends) {
  bytes_.reserve(bytes_.size() + text.size() + 2);
  for (const char c : text) {
    bytes_.push_back(c);
    if (c == kZero) bytes_.push_back(kZeroWithin);
  }
  if (ends) {
    bytes_.push_back(kZero);
    bytes_.push_back(kEnd);
  }
  return *this;
}

// Orders negative numbers first; among themselves two's complement keeps their order.
IndexKey& IndexKey::AddInteger(bool negative, std::uint64_t two_s_complement) {
  bytes_.push_back(negative ? '\0' : '\x01');
  AppendBigEndian(bytes_, two_s_complement, 8);
  return *this;
}

IndexKey& IndexKey::AddBool(bool value) {
  bytes_.push_back(value ? '\x01' : '\0');
  return *this;
}

}  // namespace kinformer
