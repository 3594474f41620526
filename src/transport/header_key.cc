#include "transport/header_key.h"

namespace kinformer::internal::transport {

std::string EscapedHeaderKey(std::string_view key) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  // A percent sign could stand in a name, but it begins an escape here.
  static constexpr std::string_view kPlain = "!#$&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
  std::string out;
  for (char c : key) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

}  // namespace kinformer::internal::transport
