#include "base/text/uuid.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace kinformer::internal::base {

namespace {

// Places of the random digits, and in between of the one that has the variant, too.
constexpr std::array<std::uint8_t, 15> kBefore{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 15, 16, 17};
constexpr std::size_t kVariant = 19;
constexpr std::array<std::uint8_t, 15> kAfter{20, 21, 22, 24, 25, 26, 27, 28,
                                              29, 30, 31, 32, 33, 34, 35};
constexpr const char* kDigits = "0123456789abcdef";

}  // namespace

std::string NewUuid(Env& env) {
  // Has the version, the variant and the dashes.
  std::string text = "00000000-0000-4000-8000-000000000000";
  char* const to = text.data();
  std::uint64_t bits = env.Random();
  for (const std::uint8_t at : kBefore) {
    to[at] = kDigits[bits & 15];
    bits >>= 4;
  }
  to[kVariant] = kDigits[8 | (bits & 3)];
  bits = env.Random();
  for (const std::uint8_t at : kAfter) {
    to[at] = kDigits[bits & 15];
    bits >>= 4;
  }
  return text;
}

}  // namespace kinformer::internal::base
