#include "base/core/seconds.h"

#include <array>
#include <charconv>

namespace kinformer::internal::base {

std::string SecondsText(Duration duration) {
  std::array<char, 64> text{};
  const double seconds = std::chrono::duration<double>(duration).count();
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
  return {text.data(), end};
}

}  // namespace kinformer::internal::base
