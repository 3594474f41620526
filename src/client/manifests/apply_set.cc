#include "client/manifests/apply_set.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <openssl/sha.h>
#include <optional>
#include <string_view>
#include <utility>

#include "kinformer/base/version.h"
#include "kinformer/client/discovery.h"

#include "object/values/text_forms.h"

namespace kinformer {

std::string ApplySetId(const ApplySet& set) {
  const std::string unhashed =
      set.name + "." + set.namespace_ + "." + set.kind.kind + "." + set.kind.group;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(unhashed.data()), unhashed.size(), digest.data());
  std::string text;
  internal::AppendBase64(
      std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()), text);
  // The alphabet of URLs, without padding.
  std::erase(text, '=');
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return "applyset-" + text + "-v1";
}

namespace internal::manifests {
namespace {

constexpr char kId[] = "applyset.kubernetes.io/id";
constexpr char kTooling[] = "applyset.kubernetes.io/tooling";
constexpr char kKinds[] = "applyset.kubernetes.io/contains-group-kinds";
constexpr char kNamespaces[] = "applyset.kubernetes.io/additional-namespaces";
constexpr char kIsParentType[] = "applyset.kubernetes.io/is-parent-type";

std::set<std::string> Split(std::string_view text) {
  std::set<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end != 0) parts.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string Join(const std::set<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

// Returns "Deployment.apps", or "ConfigMap" for the core group.
std::string Text(const GroupKind& kind) {
  return kind.group.empty() ? kind.kind : kind.kind + "." + kind.group;
}

GroupKind KindOf(const std::string& text) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  return {.group = text.substr(std::min(dot + 1, text.size())), .kind = text.substr(0, dot)};
}

// Returns the name of a program: what stands before the slash of "kubectl/v1.32".
std::string_view ToolOf(std::string_view tooling) { return tooling.substr(0, tooling.find('/')); }

Result<void> CheckKind(const ObjectRequests& requests, const RestMapping& mapping) {
  const GroupVersionResource& resource = mapping.resource;
  if (resource.group.empty() &&
      (resource.resource == "secrets" || resource.resource == "configmaps")) {
    return {};
  }
  const Error refused(Reason::kInvalidArgument,
                      "a " + mapping.kind.kind +
                          " cannot be the parent of an apply set: that is a Secret, a ConfigMap, "
                          "or a custom resource whose definition has the label " +
                          kIsParentType + "=true");
  if (resource.group.empty()) return refused;
  const Result<CallOptions> left = requests.Left();
  if (!left) return left.error();
  const Result<RestMapping> definitions = requests.client().Discovery().MappingFor(
      GroupVersionKind{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}, *left);
  if (!definitions) return definitions.error();
  const Result<std::optional<json::Value>> definition =
      requests.Get({.mapping = *definitions,
                    .namespace_ = "",
                    .name = resource.resource + "." + resource.group});
  if (!definition) return definition.error();
  if (!*definition ||
      (**definition)["metadata"]["labels"][kIsParentType].StringOrEmpty() != "true") {
    return refused;
  }
  return {};
}

}  // namespace

Result<ApplySetParent> ApplySetParent::Read(const ObjectRequests& requests, const ApplySet& set) {
  if (set.name.empty()) return Error(Reason::kInvalidArgument, "the apply set has no name");
  const Result<CallOptions> left = requests.Left();
  if (!left) return left.error();
  Result<RestMapping> mapping = requests.client().Discovery().MappingFor(set.kind, *left);
  if (!mapping) return std::move(mapping).error();
  if (mapping->namespaced && set.namespace_.empty()) {
    return Error(Reason::kInvalidArgument, "the parent of the apply set needs a namespace");
  }
  Target target{.mapping = *std::move(mapping), .namespace_ = set.namespace_, .name = set.name};
  if (!target.mapping.namespaced) target.namespace_.clear();
  ApplySet exact = set;
  exact.namespace_ = target.namespace_;
  ApplySetParent parent(target, ApplySetId(exact),
                        set.tooling.empty() ? std::string("kinformer/v") + kVersion : set.tooling);
  if (Result<void> allowed = CheckKind(requests, target.mapping); !allowed) return allowed.error();
  const Result<std::optional<json::Value>> live = requests.Get(target);
  if (!live) return live.error();
  if (*live) {
    if (Result<void> own = parent.Check(**live); !own) return own.error();
  } else if (!target.mapping.resource.group.empty()) {
    return Error(Reason::kNotFound, target.ToString() +
                                        ", the parent of the apply set, does not exist; only a "
                                        "Secret or a ConfigMap is made");
  }
  return parent;
}

Result<void> ApplySetParent::Check(const json::Value& live) {
  const json::Value& annotations = live["metadata"]["annotations"];
  const auto refused = [&](const std::string& why) {
    return Error(Reason::kConflict, target_.ToString() + " exists and " + why);
  };
  const std::string& tooling = annotations[kTooling].StringOrEmpty();
  if (tooling.empty()) {
    return refused(std::string("is no parent of an apply set: it has no annotation ") + kTooling);
  }
  if (ToolOf(tooling) != ToolOf(tooling_)) {
    return refused("belongs to " + tooling + ", and not to " + std::string(ToolOf(tooling_)));
  }
  const std::string& id = live["metadata"]["labels"][kId].StringOrEmpty();
  if (id != id_) {
    return refused(std::string("has ") + (id.empty() ? "no" : "the wrong") + " label " + kId +
                   ": " + id_ + " is right for its name");
  }
  if (!annotations.contains(kKinds)) {
    return refused(std::string("does not name the kinds of its set: it has no annotation ") +
                   kKinds);
  }
  for (const std::string& kind : Split(annotations[kKinds].StringOrEmpty())) {
    before_.kinds.insert(KindOf(kind));
  }
  before_.namespaces = Split(annotations[kNamespaces].StringOrEmpty());
  if (!target_.namespace_.empty()) before_.namespaces.insert(target_.namespace_);
  return {};
}

Result<void> ApplySetParent::Label(json::Value& object) const {
  const json::Value& given = object;
  const std::string other = given["metadata"]["labels"][kPartOf].StringOrEmpty();
  if (!other.empty() && other != id_) {
    return Error(Reason::kConflict, "the manifest names another apply set in its label " +
                                        std::string(kPartOf) + ": " + other);
  }
  object.Ensure("metadata", "labels", kPartOf) = id_;
  return {};
}

Result<void> ApplySetParent::CheckMember(const json::Value& live) const {
  const std::string& other = live["metadata"]["labels"][kPartOf].StringOrEmpty();
  if (other.empty() || other == id_) return {};
  return Error(Reason::kConflict, "the object belongs to another apply set, " + other +
                                      "; remove its label " + kPartOf + " to take it from there");
}

Result<void> ApplySetParent::Write(const ObjectRequests& requests, const Members& members,
                                   const std::string& field_manager) const {
  std::set<std::string> kinds;
  for (const GroupKind& kind : members.kinds) kinds.insert(Text(kind));
  std::set<std::string> others = members.namespaces;
  others.erase(target_.namespace_);
  json::Value object = json::Value::MakeObject(
      {{"apiVersion", target_.mapping.kind.apiVersion()}, {"kind", target_.mapping.kind.kind}});
  json::Value& metadata = object.Ensure("metadata");
  metadata.Ensure("name") = target_.name;
  if (!target_.namespace_.empty()) metadata.Ensure("namespace") = target_.namespace_;
  metadata.Ensure("labels", kId) = id_;
  metadata.Ensure("annotations", kTooling) = tooling_;
  metadata.Ensure("annotations", kKinds) = Join(kinds);
  metadata.Ensure("annotations", kNamespaces) = Join(others);
  const Result<Applied> done = requests.Apply(target_, object,
                                              {.dryRun = {},
                                               .force = true,
                                               .fieldManager = field_manager + "-applyset",
                                               .fieldValidation = ""});
  if (!done) return At(target_.ToString() + ", the parent of the apply set", done.error());
  return {};
}

}  // namespace internal::manifests
}  // namespace kinformer
