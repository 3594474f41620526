#include "transport/header_key.h"

#include <algorithm>

#include "transport/query.h"

namespace kinformer::internal::transport {

std::string EscapedHeaderKey(std::string_view key) {
  std::string small(key);
  std::ranges::transform(small, small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  std::string out;
  // A percent sign could stand in a name, but it begins an escape here.
  PercentEncode(small, "!#$&'*+-.^_`|~", out);
  return out;
}

}  // namespace kinformer::internal::transport
