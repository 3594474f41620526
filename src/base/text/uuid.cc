#include "base/text/uuid.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kinformer::internal::base {

std::string NewUuid(Env& env) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  // Has the version, the variant and the dashes.
  std::string text = "00000000-0000-4000-8000-000000000000";
  std::uint64_t bits = 0;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '-' || text[i] == '4') continue;
    if (digits-- == 0) {
      bits = env.Random();
      digits = 15;
    }
    text[i] = kDigits[text[i] == '8' ? 8 | (bits & 3) : bits & 15];
    bits >>= 4;
  }
  return text;
}

}  // namespace kinformer::internal::base
