#include "config/bearer.h"

#include <algorithm>

namespace kinformer::internal::config {
namespace {

constexpr std::string_view kAround = " \t\r\n";

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

}  // namespace

Result<std::string> BearerOf(std::string_view token, const std::string& place) {
  const std::size_t first = token.find_first_not_of(kAround);
  if (first == std::string_view::npos)
    return Error(Reason::kConfig, place + ": the token is empty");
  token = token.substr(first, token.find_last_not_of(kAround) - first + 1);
  if (std::ranges::any_of(token, IsControl)) {
    return Error(Reason::kConfig, place +
                                      ": the token has a line break or another control character "
                                      "in it: a token is one line");
  }
  return "Bearer " + std::string(token);
}

}  // namespace kinformer::internal::config
