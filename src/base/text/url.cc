#include "base/text/url.h"

#include <algorithm>
#include <cstddef>

#include "base/text/redacted_url.h"

namespace kinformer::internal::base {
namespace {

// Schemes are in lower case here.
bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }
bool IsSchemeCharacter(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}
bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Removes the part behind the first `mark`, and the mark, and returns that part.
std::string_view CutBehind(char mark, std::string_view& text) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view behind = text.substr(at + 1);
  text = text.substr(0, at);
  return behind;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

std::string Url::ToString() const {
  std::string out;
  if (!scheme.empty()) out.append(scheme).append("://");
  if (!user.empty()) out.append(user).append("@");
  out.append(host).append(path);
  if (!query.empty()) out.append("?").append(query);
  if (!fragment.empty()) out.append("#").append(fragment);
  return out;
}

Url SplitUrl(std::string_view text) {
  Url url;
  url.fragment = CutBehind('#', text);
  url.query = CutBehind('?', text);
  const std::size_t scheme = text.find("://");
  if (scheme != std::string_view::npos && scheme > 0) {
    url.scheme = Lower(text.substr(0, scheme));
    text.remove_prefix(scheme + 3);
  }
  const std::size_t slash = std::min(text.find('/'), text.size());
  url.path = text.substr(slash);
  text = text.substr(0, slash);
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    url.user = text.substr(0, at);
    text.remove_prefix(at + 1);
  }
  url.host = text;
  return url;
}

Result<Url> ParseUrl(std::string_view text, const std::string& what) {
  const auto bad = [&](std::string_view why) {
    return Error(Reason::kConfig,
                 what + " \"" + RedactedUrl(text) + "\" is no URL: " + std::string(why));
  };
  if (text.starts_with(' ')) return bad("it begins with a blank; remove it");
  if (text.ends_with(' ')) return bad("it ends with a blank; remove it");
  if (std::any_of(text.begin(), text.end(), IsControl)) {
    return bad("it has a control character (a tab or a line's end); remove it");
  }
  Url url = SplitUrl(text);
  const bool scheme = url.scheme.empty() || IsLetter(url.scheme.front());
  if (!scheme || !std::all_of(url.scheme.begin(), url.scheme.end(), IsSchemeCharacter)) {
    return bad("\"" + RedactedUrl(url.scheme) + "\" before \"://\" is no scheme; write https://");
  }
  if (text.starts_with("://")) return bad("it has no scheme; write https://");
  if (url.host.find(' ') != std::string::npos) return bad("its host has a blank; remove it");
  return url;
}

}  // namespace kinformer::internal::base
