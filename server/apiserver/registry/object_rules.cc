#include "apiserver/registry/object_rules.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_set>
#include <utility>

#include "apiserver/errors/status.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

// Longest generated name: a whole DNS label.
constexpr std::size_t kMaxGeneratedName = 63;

bool SpecChanged(const json::Value& old, const json::Value& object) {
  return !(old["spec"] == object["spec"]);
}

// Removes repeated, equal owner references.
void DropRepeatedOwners(json::Value& metadata) {
  if (std::as_const(metadata)["ownerReferences"].size() < 2) return;
  std::unordered_set<std::string> seen;
  json::Array& owners = metadata.Ensure("ownerReferences").EnsureArray();
  owners.erase(std::remove_if(
                   owners.begin(), owners.end(),
                   [&seen](const json::Value& owner) { return !seen.insert(owner.Dump()).second; }),
               owners.end());
}

}  // namespace

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

void TidyMetadata(json::Value& metadata) {
  for (const char* field :
       {"labels", "annotations", "ownerReferences", "finalizers", "managedFields"}) {
    const json::Value* value = metadata.Find(field);
    if (value == nullptr || value->size() > 0) continue;
    if (value->is_null() || value->is_object() || value->is_array()) metadata.Erase(field);
  }
  metadata.Erase("selfLink");
  DropRepeatedOwners(metadata);
}

void SetNamespaceLabel(json::Value& object) {
  const std::string name = std::as_const(object).At("/metadata/name").StringOrEmpty();
  object.Ensure("metadata", "labels").Set("kubernetes.io/metadata.name", name);
}

std::string FormatTime(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  std::string text;
  internal::AppendRfc3339(seconds.time_since_epoch().count(), text);
  return text;
}

std::string GenerateName(Env& env, std::string_view prefix) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kSuffix = 5;
  std::string name(prefix.substr(0, kMaxGeneratedName - kSuffix));
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
      break;
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
