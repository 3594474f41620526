#include "apiserver/plugins/certificate_request.h"

#include <cstddef>
#include <cstdint>

#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

constexpr std::uint8_t kInteger = 0x02;
constexpr std::uint8_t kName = 0x06;
constexpr std::uint8_t kSequence = 0x30;
constexpr std::uint8_t kSet = 0x31;
constexpr std::string_view kCommonName = "\x55\x04\x03";  // 2.5.4.3

// Reads elements of a DER text one after the other.
class DerReader {
 public:
  explicit DerReader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool AtEnd() const { return rest_.empty(); }
  // Returns the content of the next element; nothing if it is cut off, or has another tag. Zero:
  // any tag.
  std::optional<std::string_view> Next(std::uint8_t tag) {
    if (rest_.size() < 2) return std::nullopt;
    if (tag != 0 && static_cast<std::uint8_t>(rest_[0]) != tag) return std::nullopt;
    std::size_t size = static_cast<std::uint8_t>(rest_[1]);
    std::size_t begin = 2;
    constexpr std::size_t kLong = 0x80;
    if (size >= kLong) {
      const std::size_t bytes = size - kLong;
      if (bytes == 0 || bytes > 3 || rest_.size() < begin + bytes) return std::nullopt;
      size = 0;
      for (; begin < 2 + bytes; ++begin) {
        size = (size << 8U) | static_cast<std::uint8_t>(rest_[begin]);
      }
    }
    if (rest_.size() - begin < size) return std::nullopt;
    const std::string_view content = rest_.substr(begin, size);
    rest_.remove_prefix(begin + size);
    return content;
  }

 private:
  std::string_view rest_;
};

// Returns the bytes between the lines of a PEM text.
std::optional<std::string> BytesOf(std::string_view pem) {
  static constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE REQUEST-----";
  static constexpr std::string_view kEnd = "-----END CERTIFICATE REQUEST-----";
  const std::size_t begin = pem.find(kBegin);
  if (begin == std::string_view::npos) return std::nullopt;
  pem.remove_prefix(begin + kBegin.size());
  const std::size_t end = pem.find(kEnd);
  if (end == std::string_view::npos) return std::nullopt;
  return internal::Base64Decode(pem.substr(0, end));
}

// Returns the value of the attributes of one part of a name, if a common name is there.
std::optional<std::string> CommonNameIn(std::string_view part) {
  DerReader attributes(part);
  std::optional<std::string> found;
  while (!attributes.AtEnd()) {
    const auto attribute = attributes.Next(kSequence);
    if (!attribute) return found;
    DerReader reader(*attribute);
    const auto type = reader.Next(kName);
    const auto value = reader.Next(0);
    if (type == kCommonName && value) found = std::string(*value);
  }
  return found;
}

}  // namespace

std::optional<std::string> CommonNameOf(std::string_view pem) {
  const std::optional<std::string> bytes = BytesOf(pem);
  if (!bytes) return std::nullopt;
  const auto request = DerReader(*bytes).Next(kSequence);
  if (!request) return std::nullopt;
  const auto info = DerReader(*request).Next(kSequence);
  if (!info) return std::nullopt;
  DerReader reader(*info);
  if (!reader.Next(kInteger)) return std::nullopt;
  const auto subject = reader.Next(kSequence);
  if (!subject) return std::nullopt;
  std::string name;
  for (DerReader parts(*subject); !parts.AtEnd();) {
    const auto part = parts.Next(kSet);
    if (!part) return std::nullopt;
    if (auto found = CommonNameIn(*part)) name = *std::move(found);
  }
  return name;
}

}  // namespace kinformer::apiserver
