#include "base/text/redacted_url.h"

#include <algorithm>

namespace kinformer::internal::base {
namespace {

// Returns the length of "https://" or a similar prefix, or 0 if there is none. SplitUrl is not
// suitable here: the URL may be malformed, a password may contain "://", '?', '#' and '/', and the
// other parts must stay exactly as they are written.
std::size_t SchemeSize(std::string_view url) {
  const std::size_t end = url.find("://");
  if (end == std::string_view::npos) return 0;
  const bool scheme =
      std::all_of(url.begin(), url.begin() + static_cast<std::ptrdiff_t>(end), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '+';
      });
  return scheme ? end + 3 : 0;
}

}  // namespace

std::string RedactedUrl(std::string_view url) {
  const std::size_t at = url.rfind('@');
  if (at == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, std::min(SchemeSize(url), at))) + "--- REDACTED ---" +
         std::string(url.substr(at));
}

}  // namespace kinformer::internal::base
