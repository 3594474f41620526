#include "apiserver/write/object/object_update.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "apiserver/builtin/pod_subresources.h"
#include "apiserver/builtin/status_metadata.h"
#include "apiserver/registry/object_rules.h"

namespace kinformer::apiserver {
namespace {

constexpr auto kSystemMetadata = std::to_array<std::string_view>(
    {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation",
     "name", "namespace", "selfLink"});
constexpr auto kManagedFields = std::to_array<std::string_view>({"managedFields"});
constexpr auto kFinalizers = std::to_array<std::string_view>({"finalizers"});

// Sets the named metadata to the values in `from`; removes those that `from` lacks.
void Restore(json::Value& metadata, const json::Value& from,
             std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const json::Value* value = from.Find(name)) {
      metadata.Set(name, *value);
    } else {
      metadata.Erase(name);
    }
  }
}

// Returns the metadata that a client sends, with the system's fields kept.
json::Value MergeMetadata(const json::Value& old, json::Value sent) {
  Restore(sent, old, kSystemMetadata);
  return sent;
}

// Merges a write of `status` or `approval`. `status_only`: keeps all other metadata.
json::Value MergeStatus(const ServedResource& resource, const json::Value& old, json::Value object,
                        bool status_only) {
  json::Value merged = old;
  if (const json::Value* sent = object.Find("status")) {
    merged.Set("status", *sent);
  } else {
    merged.Erase("status");
  }
  if (status_only) return merged;
  json::Value& metadata = merged.Ensure("metadata");
  metadata = MergeMetadata(old["metadata"], object["metadata"]);
  Restore(metadata, old["metadata"], MetadataKeptByStatus(resource));
  if (!std::as_const(object)["metadata"].contains("managedFields")) {
    Restore(metadata, old["metadata"], kManagedFields);
  }
  return merged;
}

// Merges a write of the subresource `finalize`.
json::Value MergeFinalizers(const json::Value& old, json::Value object) {
  json::Value merged = old;
  if (const json::Value& left = std::as_const(object).At("/spec/finalizers"); left.size() > 0) {
    merged.Ensure("spec").Set("finalizers", left);
  } else {
    merged.Ensure("spec").Erase("finalizers");
  }
  merged.Set("metadata", MergeMetadata(old["metadata"], std::move(object.Ensure("metadata"))));
  return merged;
}

// Compares members, except those for which `ignored` returns true; these count as absent.
template <class Ignored>
bool SameMembers(const json::Object& a, const json::Object& b, const Ignored& ignored) {
  std::ptrdiff_t counted = 0;
  for (const auto& [name, value] : a) {
    if (ignored(name, value)) continue;
    const json::Value* other = b.Find(name);
    if (other == nullptr || !(value == *other)) return false;
    ++counted;
  }
  return counted == std::count_if(b.begin(), b.end(), [&](const json::Object::Member& member) {
           return !ignored(member.first, member.second);
         });
}

}  // namespace

json::Value MergeForUpdate(const UpdateScope& scope, const json::Value& old, json::Value object) {
  const ServedResource& resource = *scope.at.resource;
  // This label is always set by the server.
  if (resource.Is("", "namespaces")) {
    object.Ensure("metadata").Set("name", old.At("/metadata/name"));
    SetNamespaceLabel(object);
  }
  if (scope.subresource == "status") {
    return MergeStatus(resource, old, std::move(object), scope.keep_status);
  }
  if (scope.subresource == "approval") {
    return MergeStatus(resource, old, std::move(object), /*status_only=*/false);
  }
  if (scope.subresource == "finalize") return MergeFinalizers(old, std::move(object));
  if (scope.subresource == "ephemeralcontainers" || scope.subresource == "resize") {
    json::Value merged = scope.subresource == "resize" ? MergeResize(old, object)
                                                       : MergeEphemeralContainers(old, object);
    merged.Ensure("metadata").Set("generation", NextGeneration(resource, old, merged));
    return merged;
  }
  object.Set("metadata", MergeMetadata(old["metadata"], std::move(object.Ensure("metadata"))));
  if (!resource.custom && resource.plural == "certificatesigningrequests" && !scope.keep_status) {
    object.Set("spec", old["spec"]);  // the spec of a request is immutable
  }
  if (scope.at.HasStatus() && !scope.keep_status) {
    if (const json::Value* kept = old.Find("status")) {
      object.Set("status", *kept);
    } else {
      object.Erase("status");
    }
  }
  if (resource.Is("", "namespaces")) Restore(object.Ensure("spec"), old["spec"], kFinalizers);
  // A binding does not change the generation.
  const std::int64_t generation = scope.subresource == "binding"
                                      ? old.At("/metadata/generation").AsInt64().value_or(0)
                                      : NextGeneration(resource, old, object);
  if (generation > 0) {
    object.Ensure("metadata").Set("generation", generation);
  }
  return object;
}

std::vector<StatusCause> ValidateAddedFinalizers(const json::Value& old,
                                                 const json::Value& object) {
  if (old.At("/metadata/deletionTimestamp").is_null()) return {};
  std::unordered_set<std::string_view> before;
  for (const json::Value& finalizer : old.At("/metadata/finalizers").items()) {
    before.insert(finalizer.StringOrEmpty());
  }
  std::string added;
  for (const json::Value& finalizer : object.At("/metadata/finalizers").items()) {
    if (before.contains(finalizer.StringOrEmpty())) continue;
    added += (added.empty() ? "" : ", ") + finalizer.Dump();
  }
  if (added.empty()) return {};
  return {ForbiddenField("metadata.finalizers",
                         "no new finalizers can be added if the object is being deleted, found new "
                         "finalizers []string{" +
                             added + "}")};
}

std::vector<std::string> FinalizerWarnings(const json::Value& old, const json::Value& object) {
  std::set<std::string_view> added;
  for (const json::Value& finalizer : object.At("/metadata/finalizers").items()) {
    added.insert(finalizer.StringOrEmpty());
  }
  for (const json::Value& finalizer : old.At("/metadata/finalizers").items()) {
    added.erase(finalizer.StringOrEmpty());
  }
  std::vector<std::string> warnings;
  for (const std::string_view name : added) {
    if (name.find('/') != std::string_view::npos || name == "orphan" || name == "kubernetes" ||
        name == "foregroundDeletion") {
      continue;
    }
    const bool dotted = name.find('.') != std::string_view::npos;
    warnings.push_back("metadata.finalizers: " + json::Value(name).Dump() +
                       ": prefer a domain-qualified finalizer name " +
                       (dotted ? "including a path (/) " : "") +
                       "to avoid accidental conflicts with other finalizer writers");
  }
  return warnings;
}

bool SameObject(const json::Value& a, const json::Value& b) {
  const bool same = SameMembers(a.members(), b.members(), [](const std::string& name, const auto&) {
    return name == "metadata" || name == "kind" || name == "apiVersion";
  });
  return same && SameMembers(a["metadata"].members(), b["metadata"].members(),
                             [](const std::string& name, const json::Value& value) {
                               // Absent and null are equal for these.
                               return name == "resourceVersion" ||
                                      (value.is_null() &&
                                       (name == "creationTimestamp" ||
                                        name == "deletionTimestamp" || name == "managedFields"));
                             });
}

}  // namespace kinformer::apiserver
