#include "object/values/dns_name.h"

namespace kinformer::internal {

bool IsDnsSubdomain(std::string_view text) {
  if (text.empty() || text.size() > kMaxDnsSubdomain) return false;
  const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  char before = '.';
  for (const char c : text) {
    if (c == '.' ? !alphanumeric(before) : !alphanumeric(c) && (c != '-' || before == '.')) {
      return false;
    }
    before = c;
  }
  return alphanumeric(before);
}

}  // namespace kinformer::internal
