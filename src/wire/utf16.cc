#include "wire/utf16.h"

#include <cstddef>
#include <cstdint>

#include "wire/json_text.h"

namespace kinformer::wire {
namespace {

constexpr std::string_view kLittleEndian = "\xff\xfe";
constexpr std::string_view kBigEndian = "\xfe\xff";

}  // namespace

bool IsUtf16(std::string_view text) {
  return text.starts_with(kLittleEndian) || text.starts_with(kBigEndian);
}

std::optional<std::string> Utf8FromUtf16(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  const std::size_t high = text.starts_with(kLittleEndian) ? 1 : 0;
  const auto unit = [&](std::size_t i) -> std::uint32_t {
    if (i >= text.size()) return 0;
    return static_cast<unsigned char>(text[i + high]) * 256U +
           static_cast<unsigned char>(text[i + 1 - high]);
  };
  std::string out;
  for (std::size_t i = 2; i < text.size(); i += 2) {
    std::uint32_t code = unit(i);
    if (code >= 0xd800 && code < 0xe000) {
      const std::uint32_t low = unit(i + 2);
      if (code >= 0xdc00 || low < 0xdc00 || low >= 0xe000) return std::nullopt;
      code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
      i += 2;
    }
    json::AppendUtf8(code, out);
  }
  return out;
}

}  // namespace kinformer::wire
