#include "apiserver/schema/metadata_rules.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxAnnotationBytes = std::size_t{256} << 10;

void ValidateLabels(const json::Value& labels, std::vector<StatusCause>& causes) {
  for (const auto& [key, value] : labels.members()) {
    if (AreEnough(causes)) return;
    if (!IsQualifiedName(key)) {
      causes.push_back(InvalidValue("metadata.labels", JsonString(key), kQualifiedNameText));
    }
    const std::string& text = value.StringOrEmpty();
    if (!value.is_string() || (!text.empty() && !IsQualifiedPart(text))) {
      causes.push_back(InvalidValue("metadata.labels", value.Dump(), kLabelValueText));
    }
  }
}

// Returns whether a text is "group/version" or "version".
bool IsGroupVersion(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return true;
  const std::string_view version = text.substr(slash + 1);
  return !version.empty() && version.find('/') == std::string_view::npos;
}

void ValidateOwners(const json::Value& owners, std::vector<StatusCause>& causes) {
  std::string controller;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (AreEnough(causes)) return;
    const json::Value& owner = owners[i];
    const std::string at = "metadata.ownerReferences[" + std::to_string(i) + "]";
    for (const char* field : {"apiVersion", "kind", "name", "uid"}) {
      if (owner[field].StringOrEmpty().empty()) {
        causes.push_back(Required(at + "." + field, "must not be empty"));
      } else if (field == std::string_view("apiVersion") &&
                 !IsGroupVersion(owner[field].StringOrEmpty())) {
        causes.push_back(InvalidValue(at + ".apiVersion", owner[field].Dump(),
                                      "must be <group>/<version> or <version>"));
      }
    }
    if (owner["apiVersion"].StringOrEmpty() == "v1" && owner["kind"].StringOrEmpty() == "Event") {
      causes.push_back(
          InvalidValue(at, owner.Dump(), "/v1, Kind=Event is disallowed from being an owner"));
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

void ValidateFinalizers(const MetadataRules& rules, const json::Value& finalizers,
                        std::vector<StatusCause>& causes) {
  for (std::size_t i = 0; i < finalizers.size() && !AreEnough(causes); ++i) {
    const std::string& name = finalizers[i].StringOrEmpty();
    if (!IsQualifiedName(name)) {
      causes.push_back(
          InvalidValue("metadata.finalizers", finalizers[i].Dump(), kQualifiedNameText));
    }
    const bool standard = name == "orphan" || name == "foregroundDeletion" || name == "kubernetes";
    if (rules.qualified_finalizers && !standard && name.find('/') == std::string::npos) {
      causes.push_back(InvalidValue("metadata.finalizers[" + std::to_string(i) + "]",
                                    finalizers[i].Dump(),
                                    "name is neither a standard finalizer name nor is it fully "
                                    "qualified"));
    }
  }
}

// A prefix may end with a dash, since the suffix follows.
void ValidateGenerateName(NameRule rule, std::string prefix, std::vector<StatusCause>& causes) {
  if (prefix.empty()) return;
  const std::string shown = JsonString(prefix);
  if (prefix.size() > 1 && prefix.back() == '-') prefix.back() = 'a';
  const std::string broken = BrokenRule(rule, prefix);
  if (!broken.empty()) causes.push_back(InvalidValue("metadata.generateName", shown, broken));
}

}  // namespace

std::vector<StatusCause> ValidateMetadata(const MetadataRules& rules, const json::Value& metadata) {
  std::vector<StatusCause> causes;
  ValidateGenerateName(rules.name, metadata["generateName"].StringOrEmpty(), causes);
  const std::string& name = metadata["name"].StringOrEmpty();
  if (name.empty()) {
    causes.push_back(Required("metadata.name", "name or generateName is required"));
  } else if (const std::string rule = BrokenRule(rules.name, name); !rule.empty()) {
    causes.push_back(InvalidValue("metadata.name", JsonString(name), rule));
  }
  const std::string& ns = metadata["namespace"].StringOrEmpty();
  if (rules.namespaced && !IsDns1123Label(ns)) {
    causes.push_back(ns.empty()
                         ? Required("metadata.namespace")
                         : InvalidValue("metadata.namespace", JsonString(ns), kDns1123LabelText));
  }
  ValidateLabels(metadata["labels"], causes);
  std::size_t annotation_bytes = 0;
  for (const auto& [key, value] : metadata["annotations"].members()) {
    annotation_bytes += key.size() + value.StringOrEmpty().size();
    if (!AreEnough(causes) && !IsQualifiedName(LowerCase(key))) {
      causes.push_back(InvalidValue("metadata.annotations", JsonString(key), kQualifiedNameText));
    }
  }
  if (annotation_bytes > kMaxAnnotationBytes) {
    causes.push_back({.reason = "FieldValueTooLong",
                      .message = "Too long: may not be more than " +
                                 std::to_string(kMaxAnnotationBytes) + " bytes",
                      .field = "metadata.annotations"});
  }
  ValidateOwners(metadata["ownerReferences"], causes);
  ValidateFinalizers(rules, metadata["finalizers"], causes);
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

}  // namespace kinformer::apiserver
