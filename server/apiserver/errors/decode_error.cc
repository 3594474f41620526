#include "apiserver/errors/decode_error.h"

#include <cstddef>

namespace kinformer::apiserver {

std::string_view WithoutOffset(std::string_view why) {
  constexpr std::string_view kHead = "JSON: ";
  constexpr std::string_view kOffset = " at byte ";
  if (!why.starts_with(kHead)) return why;
  why.remove_prefix(kHead.size());
  const std::size_t at = why.rfind(kOffset);
  if (at == std::string_view::npos) return why;
  const std::string_view digits = why.substr(at + kOffset.size());
  const bool is_offset = digits.find_first_not_of("0123456789") == std::string_view::npos;
  return is_offset ? why.substr(0, at) : why;
}

}  // namespace kinformer::apiserver
