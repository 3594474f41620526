#include "apiserver/schema/name_rules.h"

#include <algorithm>

#include "object/values/dns_name.h"

namespace kinformer::apiserver {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlnum(char c) { return IsLower(c) || IsDigit(c) || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::string BrokenRule(NameRule rule, std::string_view name) {
  const auto longer_than = [&](std::size_t limit) {
    return "must be no more than " + std::to_string(limit) + " characters";
  };
  switch (rule) {
    case NameRule::kSubdomain:
      if (name.size() > internal::kMaxDnsSubdomain) return longer_than(internal::kMaxDnsSubdomain);
      return std::string(internal::IsDnsSubdomain(name) ? std::string_view()
                                                        : internal::cel::kDns1123SubdomainText);
    case NameRule::kLabel:
      if (name.size() > kMaxLabel) return longer_than(kMaxLabel);
      if (name.find('.') != std::string_view::npos && internal::IsDnsSubdomain(name)) {
        return "must not contain dots";
      }
      return std::string(IsDns1123Label(name) ? std::string_view() : kDns1123LabelText);
    case NameRule::kPathSegment:
      break;
  }
  if (name == "." || name == "..") return "may not be '" + std::string(name) + "'";
  if (name.find('/') != std::string_view::npos) return "may not contain '/'";
  if (name.find('%') != std::string_view::npos) return "may not contain '%'";
  return {};
}

bool IsDns1123Label(std::string_view text) {
  if (text.empty() || text.size() > kMaxLabel) return false;
  const auto edge = [](char c) { return IsLower(c) || IsDigit(c); };
  return edge(text.front()) && edge(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return edge(c) || c == '-'; });
}

bool IsDns1035Label(std::string_view text) { return IsDns1123Label(text) && IsLower(text[0]); }

// [A-Za-z0-9] with - _ . inside, at most 63 characters.
bool IsQualifiedPart(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabel && IsAlnum(text.front()) &&
         IsAlnum(text.back()) && std::all_of(text.begin(), text.end(), [](char c) {
           return IsAlnum(c) || c == '-' || c == '_' || c == '.';
         });
}

bool IsQualifiedName(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return IsQualifiedPart(text);
  return internal::IsDnsSubdomain(text.substr(0, slash)) && IsQualifiedPart(text.substr(slash + 1));
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

}  // namespace kinformer::apiserver
