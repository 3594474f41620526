#include "http/host_header.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "http/field_names.h"

namespace kinformer::internal::http {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Letters, digits and other characters of names and addresses. Escapes are not allowed.
bool IsNameCharacter(char c) {
  const char lower = LowerCase(c);
  return IsDigit(c) || (lower >= 'a' && lower <= 'z') || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

bool IsAddressCharacter(char c) {
  const char lower = LowerCase(c);
  return IsDigit(c) || (lower >= 'a' && lower <= 'f') || c == ':' || c == '.';
}

}  // namespace

std::optional<std::string_view> HostName(std::string_view host) {
  std::string_view name;
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    name = host.substr(1, close - 1);
    host.remove_prefix(close + 1);
    if (!std::all_of(name.begin(), name.end(), IsAddressCharacter)) return std::nullopt;
  } else {
    name = host.substr(0, host.find(':'));
    host.remove_prefix(name.size());
    if (!std::all_of(name.begin(), name.end(), IsNameCharacter)) return std::nullopt;
  }
  if (name.empty()) return std::nullopt;
  if (host.empty()) return name;
  constexpr std::size_t kMostDigits = 5;
  const std::string_view port = host.substr(1);
  if (host.front() != ':' || port.size() > kMostDigits ||
      !std::all_of(port.begin(), port.end(), IsDigit)) {
    return std::nullopt;
  }
  return name;
}

std::string_view HostProblem(const HttpHeaders& headers, bool required) {
  std::optional<std::string_view> host;
  for (const auto& [name, value] : headers) {
    if (!SameFieldName(name, "host")) continue;
    if (host.has_value()) return "there are several Host headers";
    host = value;
  }
  if (!host.has_value()) return required ? "the Host header is missing" : "";
  // May be empty: the target has no authority.
  if (!host->empty() && !HostName(*host)) return "the Host header is neither a name nor an address";
  return "";
}

}  // namespace kinformer::internal::http
