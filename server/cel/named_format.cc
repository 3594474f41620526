#include "cel/named_format.h"

#include <algorithm>
#include <utility>

#include "cel/name_texts.h"
#include "cel/url.h"
#include "cel/value_format.h"
#include "object/values/dns_name.h"

namespace kinformer::internal::cel {
namespace {

using Problems = std::vector<std::string>;

constexpr std::size_t kMaxLabel = 63;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLowerWord(char c) { return IsLower(c) || IsDigit(c); }
bool IsWord(char c) { return IsLowerWord(c) || (c >= 'A' && c <= 'Z'); }

// Returns whether the text is made of word signs, with `inner` ones among them, too, except at its
// ends.
bool IsMadeOf(std::string_view text, bool (*word)(char), std::string_view inner) {
  return !text.empty() && word(text.front()) && word(text.back()) &&
         std::ranges::all_of(
             text, [&](char c) { return word(c) || inner.find(c) != std::string_view::npos; });
}
bool IsLabel(std::string_view text) { return IsMadeOf(text, IsLowerWord, "-"); }
bool IsQualifiedPart(std::string_view text) { return IsMadeOf(text, IsWord, "-_."); }

// Labels joined by dots, of any length.
bool AreLabels(std::string_view text) {
  for (;;) {
    const std::string_view label = text.substr(0, text.find('.'));
    if (!IsLabel(label)) return false;
    if (label.size() == text.size()) return true;
    text.remove_prefix(label.size() + 1);
  }
}

std::string TooLong(std::size_t limit) {
  return "must be no more than " + std::to_string(limit) + " characters";
}

Problems Label(std::string_view text) {
  Problems out;
  if (text.size() > kMaxLabel) out.push_back(TooLong(kMaxLabel));
  if (!IsLabel(text)) {
    out.emplace_back(AreLabels(text) ? std::string_view("must not contain dots")
                                     : kDns1123LabelText);
  }
  return out;
}
Problems Subdomain(std::string_view text) {
  Problems out;
  if (text.size() > kMaxDnsSubdomain) out.push_back(TooLong(kMaxDnsSubdomain));
  if (!AreLabels(text)) out.emplace_back(kDns1123SubdomainText);
  return out;
}
Problems Label1035(std::string_view text) {
  Problems out;
  if (text.size() > kMaxLabel) out.push_back(TooLong(kMaxLabel));
  if (!IsLabel(text) || !IsLower(text.front())) out.emplace_back(kDns1035LabelText);
  return out;
}

// Returns the beginning of a name as a name: a dash at its end is no mistake. As on a real server,
// the sign before the dash does not matter.
std::string Completed(std::string_view text) {
  if (text.size() < 2 || text.back() != '-') return std::string(text);
  return std::string(text.substr(0, text.size() - 2)) + "a";
}
template <Problems (*kCheck)(std::string_view)>
Problems Beginning(std::string_view text) {
  return kCheck(Completed(text));
}

Problems QualifiedName(std::string_view text) {
  Problems out;
  std::string_view name = text;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      std::string rule(kQualifiedNameText);
      rule.replace(0, std::string_view("name part").size(), "a valid label key");
      return {rule + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    if (prefix.empty()) out.emplace_back("prefix part must be non-empty");
    if (!prefix.empty()) {
      for (const std::string& problem : Subdomain(prefix)) out.push_back("prefix part " + problem);
    }
  }
  if (name.empty()) out.emplace_back("name part must be non-empty");
  if (name.size() > kMaxLabel) out.push_back("name part " + TooLong(kMaxLabel));
  if (!IsQualifiedPart(name)) out.emplace_back(kQualifiedNameText);
  return out;
}
Problems LabelValue(std::string_view text) {
  Problems out;
  if (text.size() > kMaxLabel) out.push_back(TooLong(kMaxLabel));
  if (!text.empty() && !IsQualifiedPart(text)) out.emplace_back(kLabelValueText);
  return out;
}

Problems Uri(std::string_view text) {
  const auto url = ParseUrl(text);
  return url ? Problems() : Problems{url.error().message()};
}

Problems Of(std::string_view format, std::string_view text, const char* problem) {
  return TextHasFormat(format, text) ? Problems() : Problems{problem};
}
Problems Uuid(std::string_view text) { return Of("uuid", text, "does not match the UUID format"); }
Problems Byte(std::string_view text) {
  // Nothing is no base64 here.
  return text.empty() ? Problems{"invalid base64"} : Of("byte", text, "invalid base64");
}
Problems Date(std::string_view text) { return Of("date", text, "invalid date"); }
Problems DateTime(std::string_view text) { return Of("datetime", text, "invalid datetime"); }

}  // namespace

std::span<const NamedFormat> NamedFormats() {
  static constexpr NamedFormat kFormats[] = {
      {"byte", Byte, 84},
      {"date", Date, 80},
      {"datetime", DateTime, 80},
      {"dns1035Label", Label1035, 30},
      {"dns1035LabelPrefix", Beginning<Label1035>, 30},
      {"dns1123Label", Label, 30},
      {"dns1123LabelPrefix", Beginning<Label>, 30},
      {"dns1123Subdomain", Subdomain, 60},
      {"dns1123SubdomainPrefix", Beginning<Subdomain>, 60},
      {"labelValue", LabelValue, 40},
      {"qualifiedName", QualifiedName, 60},
      {"uri", Uri, 1103},
      {"uuid", Uuid, 78},
  };
  return kFormats;
}

const NamedFormat* FindNamedFormat(std::string_view name) {
  const auto formats = NamedFormats();
  const auto found = std::ranges::find(formats, name, &NamedFormat::name);
  return found == formats.end() ? nullptr : &*found;
}

}  // namespace kinformer::internal::cel
