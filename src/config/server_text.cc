#include "config/server_text.h"

#include <algorithm>
#include <cstddef>

#include "base/text/redacted_url.h"

namespace kinformer::internal::config {
namespace {

// Returns the length of "http" or "https" at the start, or 0.
std::size_t SchemeSize(std::string_view text) {
  const auto lower = [](char c) { return c | 0x20; };
  for (const std::string_view scheme : {"https", "http"}) {
    if (std::ranges::equal(text.substr(0, scheme.size()), scheme, {}, lower)) return scheme.size();
  }
  return 0;
}

bool IsPort(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<std::string> MisspelledUrl(std::string_view server) {
  const std::size_t scheme = SchemeSize(server);
  const std::string_view behind = server.substr(scheme);
  const std::size_t mark = behind.find_first_not_of(":;/\\");
  if (scheme == 0 || mark == 0 || mark == std::string_view::npos) return std::nullopt;
  if (behind.starts_with("://")) return std::nullopt;
  const std::string_view rest = behind.substr(mark);
  if (behind.substr(0, mark) == ":" && IsPort(rest.substr(0, rest.find('/')))) return std::nullopt;
  return std::string(server.substr(0, scheme)) + "://" + std::string(rest);
}

std::optional<Error> CheckSpelling(std::string_view server, const std::string& what) {
  const std::optional<std::string> meant = MisspelledUrl(server);
  if (!meant) return std::nullopt;
  return Error(Reason::kConfig, what + " \"" + base::RedactedUrl(server) +
                                    "\" is no URL: a colon and two slashes stand behind the "
                                    "scheme; write " +
                                    base::RedactedUrl(*meant));
}

}  // namespace kinformer::internal::config
