#include "apiserver/object_rules.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxAnnotationBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxSubdomain = 253;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlnum(char c) { return IsLower(c) || IsDigit(c) || (c >= 'A' && c <= 'Z'); }

bool IsLabel(std::string_view text) {
  if (text.empty() || text.size() > kMaxLabel) return false;
  const auto edge = [](char c) { return IsLower(c) || IsDigit(c); };
  return edge(text.front()) && edge(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return edge(c) || c == '-'; });
}

bool IsSubdomain(std::string_view text) {
  if (text.empty() || text.size() > kMaxSubdomain) return false;
  const auto edge = [](char c) { return IsLower(c) || IsDigit(c); };
  bool start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool end = i + 1 == text.size() || text[i + 1] == '.';
    if (c == '.') {
      if (start) return false;
      start = true;
      continue;
    }
    if (!edge(c) && (c != '-' || start || end)) return false;
    start = false;
  }
  return !start;
}

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
  return IsSubdomain(text.substr(0, slash)) && IsQualifiedPart(text.substr(slash + 1));
}

constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must "
    "start and end with an alphanumeric character";
constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and "
    "end with an alphanumeric character";
constexpr std::string_view kDns1035Rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic "
    "character, and end with an alphanumeric character";
constexpr std::string_view kPathSegmentRule =
    "may not be '.' or '..' and may not contain '/' or '%'";

// The rule that the name breaks; empty if none.
std::string_view BrokenRule(NameRule rule, std::string_view name) {
  switch (rule) {
    case NameRule::kSubdomain:
      return IsSubdomain(name) ? std::string_view() : kSubdomainRule;
    case NameRule::kLabel:
      return IsLabel(name) ? std::string_view() : kLabelRule;
    case NameRule::kDns1035Label:
      return IsLabel(name) && IsLower(name[0]) ? std::string_view() : kDns1035Rule;
    case NameRule::kPathSegment:
      break;
  }
  const bool fine =
      name != "." && name != ".." && name.find_first_of("/%") == std::string_view::npos;
  return fine ? std::string_view() : kPathSegmentRule;
}

void ValidateLabels(const json::Value& labels, std::vector<StatusCause>& causes) {
  for (const auto& [key, value] : labels.members()) {
    if (!IsQualifiedName(key)) {
      causes.push_back(
          InvalidValue("metadata.labels", JsonString(key),
                       "name part must consist of alphanumeric characters, '-', '_' or '.', and "
                       "must start and end with an alphanumeric character"));
    }
    const std::string& text = value.StringOrEmpty();
    if (!value.is_string() || (!text.empty() && !IsQualifiedPart(text))) {
      causes.push_back(
          InvalidValue("metadata.labels", value.Dump(),
                       "a valid label must be an empty string or consist of alphanumeric "
                       "characters, '-', '_' or '.', and must start and end with an alphanumeric "
                       "character"));
    }
  }
}

void ValidateOwners(const json::Value& owners, std::vector<StatusCause>& causes) {
  int controllers = 0;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const json::Value& owner = owners[i];
    for (const char* field : {"apiVersion", "kind", "name", "uid"}) {
      if (owner[field].StringOrEmpty().empty()) {
        causes.push_back(Required("metadata.ownerReferences[" + std::to_string(i) + "]." + field,
                                  std::string(field) + " must not be empty"));
      }
    }
    if (owner["controller"].AsBool().value_or(false)) ++controllers;
  }
  if (controllers > 1) {
    causes.push_back(InvalidValue("metadata.ownerReferences", "[...]",
                                  "Only one reference can have Controller set to true"));
  }
}

bool SpecChanged(const json::Value& old, const json::Value& object) {
  return !(old["spec"] == object["spec"]);
}

}  // namespace

std::vector<StatusCause> ValidateMetadata(const ServedResource& resource,
                                          const json::Value& metadata) {
  std::vector<StatusCause> causes;
  const std::string& name = metadata["name"].StringOrEmpty();
  if (name.empty()) {
    causes.push_back(Required("metadata.name", "name or generateName is required"));
  } else if (const std::string_view rule = BrokenRule(resource.name_rule, name); !rule.empty()) {
    causes.push_back(InvalidValue("metadata.name", JsonString(name), rule));
  }
  const std::string& ns = metadata["namespace"].StringOrEmpty();
  if (resource.namespaced && !IsLabel(ns)) {
    causes.push_back(ns.empty() ? Required("metadata.namespace")
                                : InvalidValue("metadata.namespace", JsonString(ns), kLabelRule));
  }
  ValidateLabels(metadata["labels"], causes);
  std::size_t annotation_bytes = 0;
  for (const auto& [key, value] : metadata["annotations"].members()) {
    annotation_bytes += key.size() + value.StringOrEmpty().size();
    std::string lower = key;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (!IsQualifiedName(lower)) {
      causes.push_back(InvalidValue("metadata.annotations", JsonString(key),
                                    "annotation keys are qualified names"));
    }
  }
  if (annotation_bytes > kMaxAnnotationBytes) {
    causes.push_back({.reason = "FieldValueTooLong",
                      .message = "Too long: may not be more than " +
                                 std::to_string(kMaxAnnotationBytes) + " bytes",
                      .field = "metadata.annotations"});
  }
  for (const json::Value& finalizer : metadata["finalizers"].items()) {
    if (!IsQualifiedName(finalizer.StringOrEmpty())) {
      causes.push_back(
          InvalidValue("metadata.finalizers", finalizer.Dump(), "finalizers are qualified names"));
    }
  }
  ValidateOwners(metadata["ownerReferences"], causes);
  return causes;
}

std::string FormatTime(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  std::array<char, 32> text{};
  const int size = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return std::string(text.data(), static_cast<std::size_t>(size));
}

std::string NewUid(Env& env) {
  std::uint64_t high = env.Random();
  std::uint64_t low = env.Random();
  high = (high & ~std::uint64_t{0xf000}) | 0x4000;
  low = (low & ~(std::uint64_t{3} << 62)) | (std::uint64_t{2} << 62);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string uid;
  uid.reserve(36);
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) uid += '-';
    const std::uint64_t word = i < 16 ? high : low;
    uid += kHex[(word >> (60 - 4 * (i % 16))) & 15];
  }
  return uid;
}

std::string GenerateName(Env& env, std::string_view prefix) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kSuffix = 5;
  std::string name(prefix.substr(0, kMaxLabel - kSuffix));
  std::uint64_t bits = env.Random();
  for (std::size_t i = 0; i < kSuffix; ++i) {
    name += kLetters[bits % kLetters.size()];
    bits /= kLetters.size();
  }
  return name;
}

std::int64_t NextGeneration(const ServedResource& resource, const json::Value& old,
                            const json::Value& object) {
  const std::int64_t generation = old.At("/metadata/generation").AsInt64().value_or(0);
  bool changed = false;
  switch (resource.generation) {
    case GenerationRule::kNone:
      return generation;
    case GenerationRule::kSpec:
      changed = SpecChanged(old, object);
      break;
    case GenerationRule::kSpecOrAnnotations:
      changed = SpecChanged(old, object) ||
                !(old.At("/metadata/annotations") == object.At("/metadata/annotations"));
      break;
    case GenerationRule::kAllButMetadata: {
      json::Value a = old;
      json::Value b = object;
      for (const char* member : {"metadata", "kind", "apiVersion"}) {
        a.Erase(member);
        b.Erase(member);
      }
      changed = !(a == b);
      break;
    }
  }
  return generation + (changed ? 1 : 0);
}

}  // namespace kinformer::apiserver
