#include "apiserver/object_rules.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "object/text_forms.h"

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
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kQualifiedRule =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

void ValidateLabels(const json::Value& labels, std::vector<StatusCause>& causes) {
  for (const auto& [key, value] : labels.members()) {
    if (!IsQualifiedName(key)) {
      causes.push_back(InvalidValue("metadata.labels", JsonString(key), kQualifiedRule));
    }
    const std::string& text = value.StringOrEmpty();
    if (!value.is_string() || (!text.empty() && !IsQualifiedPart(text))) {
      causes.push_back(InvalidValue("metadata.labels", value.Dump(), kValueRule));
    }
  }
}

void ValidateOwners(const json::Value& owners, std::vector<StatusCause>& causes) {
  std::string controller;
  for (const json::Value& owner : owners.items()) {
    for (const char* field : {"apiVersion", "kind", "name", "uid"}) {
      if (owner[field].StringOrEmpty().empty()) {
        const bool version = std::string_view(field) == "apiVersion";
        causes.push_back(InvalidValue(std::string("metadata.ownerReferences.") + field, "\"\"",
                                      version ? "version must not be empty" : "must not be empty"));
      }
    }
    if (owner["apiVersion"].StringOrEmpty() == "v1" && owner["kind"].StringOrEmpty() == "Event") {
      causes.push_back(InvalidValue("metadata.ownerReferences", owner.Dump(),
                                    "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (!owner["controller"].AsBool().value_or(false)) continue;
    const std::string name = owner["kind"].StringOrEmpty() + "/" + owner["name"].StringOrEmpty();
    if (!controller.empty()) {
      causes.push_back(
          InvalidValue("metadata.ownerReferences", owners.Dump(),
                       "Only one reference can have Controller set to true. Found \"true\" in "
                       "references for " +
                           controller + " and " + name));
    }
    controller = name;
  }
}

void ValidateFinalizers(const ServedResource& resource, const json::Value& finalizers,
                        std::vector<StatusCause>& causes) {
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    const std::string& name = finalizers[i].StringOrEmpty();
    if (!IsQualifiedName(name)) {
      causes.push_back(InvalidValue("metadata.finalizers", finalizers[i].Dump(), kQualifiedRule));
    }
    const bool standard = name == "orphan" || name == "foregroundDeletion" || name == "kubernetes";
    // Definitions are served by another server than the rest, whose rule is laxer.
    const bool strict = !resource.custom && resource.group != "apiextensions.k8s.io";
    if (strict && !standard && name.find('/') == std::string::npos) {
      causes.push_back(InvalidValue("metadata.finalizers[" + std::to_string(i) + "]",
                                    finalizers[i].Dump(),
                                    "name is neither a standard finalizer name nor is it fully "
                                    "qualified"));
    }
  }
}

bool SpecChanged(const json::Value& old, const json::Value& object) {
  return !(old["spec"] == object["spec"]);
}

}  // namespace

std::string BrokenRule(NameRule rule, std::string_view name) {
  const auto longer_than = [&](std::size_t limit) {
    return "must be no more than " + std::to_string(limit) + " characters";
  };
  switch (rule) {
    case NameRule::kSubdomain:
      if (name.size() > kMaxSubdomain) return longer_than(kMaxSubdomain);
      return std::string(IsSubdomain(name) ? std::string_view() : kSubdomainRule);
    case NameRule::kLabel:
      if (name.size() > kMaxLabel) return longer_than(kMaxLabel);
      if (name.find('.') != std::string_view::npos) return "must not contain dots";
      return std::string(IsLabel(name) ? std::string_view() : kLabelRule);
    case NameRule::kPathSegment:
      break;
  }
  if (name == "." || name == "..") return "may not be '" + std::string(name) + "'";
  if (name.find('/') != std::string_view::npos) return "may not contain '/'";
  if (name.find('%') != std::string_view::npos) return "may not contain '%'";
  return {};
}

bool IsDns1035Label(std::string_view text) { return IsLabel(text) && IsLower(text[0]); }

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

Result<void> CheckSentName(const json::Value& metadata, std::string_view name) {
  const std::string& sent = metadata["name"].StringOrEmpty();
  if (sent == name) return {};
  if (sent.empty()) {
    return BadRequestError("the name of the object (" + std::string(name) +
                           " based on URL) was undeterminable: name must be provided");
  }
  return BadRequestError("the name of the object (" + sent +
                         ") does not match the name on the URL (" + std::string(name) + ")");
}

Result<void> CheckSentNamespace(const json::Value& metadata, std::string_view namespace_) {
  const std::string& sent = metadata["namespace"].StringOrEmpty();
  if (sent.empty() || sent == namespace_) return {};
  return BadRequestError(
      "the namespace of the provided object does not match the namespace sent on the request");
}

std::vector<StatusCause> ValidateMetadata(const ServedResource& resource,
                                          const json::Value& metadata) {
  std::vector<StatusCause> causes;
  const std::string& name = metadata["name"].StringOrEmpty();
  if (name.empty()) {
    causes.push_back(Required("metadata.name", "name or generateName is required"));
  } else if (const std::string rule = BrokenRule(resource.name_rule, name); !rule.empty()) {
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
    if (!IsQualifiedName(LowerCase(key))) {
      causes.push_back(InvalidValue("metadata.annotations", JsonString(key), kQualifiedRule));
    }
  }
  if (annotation_bytes > kMaxAnnotationBytes) {
    causes.push_back({.reason = "FieldValueTooLong",
                      .message = "Too long: may not be more than " +
                                 std::to_string(kMaxAnnotationBytes) + " bytes",
                      .field = "metadata.annotations"});
  }
  ValidateOwners(metadata["ownerReferences"], causes);
  ValidateFinalizers(resource, metadata["finalizers"], causes);
  return causes;
}

std::vector<StatusCause> ValidateDeletion(const json::Value& old_metadata,
                                          const json::Value& metadata) {
  std::vector<StatusCause> causes;
  if (!old_metadata["deletionTimestamp"].is_null()) return causes;
  for (const char* field : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const json::Value& sent = metadata[field];
    if (sent.is_null()) continue;
    causes.push_back(
        InvalidValue(std::string("metadata.") + field, sent.Dump(), "field is immutable"));
  }
  return causes;
}

void TidyMetadata(json::Value& metadata) {
  for (const char* field :
       {"labels", "annotations", "ownerReferences", "finalizers", "managedFields"}) {
    const json::Value* value = metadata.Find(field);
    if (value == nullptr || value->size() > 0) continue;
    if (value->is_null() || value->is_object() || value->is_array()) metadata.Erase(field);
  }
  metadata.Erase("selfLink");
}

void SetNamespaceLabel(json::Value& object) {
  const std::string name = std::as_const(object).At("/metadata/name").StringOrEmpty();
  object["metadata"]["labels"].Set("kubernetes.io/metadata.name", name);
}

std::string FormatTime(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  std::string text;
  internal::AppendRfc3339(seconds.time_since_epoch().count(), text);
  return text;
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
