#include "kinformer/testing/action.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <tuple>

#include "transport/query.h"

namespace kinformer::testing {
namespace {

std::string_view NameOf(PatchType type) {
  switch (type) {
    case PatchType::kJsonPatch:
      return "json";
    case PatchType::kMergePatch:
      return "merge";
    case PatchType::kStrategicMerge:
      return "strategic";
    case PatchType::kApply:
      return "apply";
  }
  return "";
}

using internal::transport::Query;

std::optional<std::int64_t> IntOf(const Query& query, std::string_view name) {
  return query.GetInt(name).value_or(std::nullopt);
}

// Returns the texts of a list in the body.
std::vector<std::string> TextsOf(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value& text : list.items()) texts.emplace_back(text.StringOrEmpty());
  return texts;
}

}  // namespace

bool operator==(const Action& a, const Action& b) {
  const auto parts = [](const Action& of) {
    return std::tie(of.verb, of.resource, of.subresource, of.namespace_, of.name, of.object,
                    of.patch_type, of.label_selector, of.field_selector, of.path);
  };
  return parts(a) == parts(b);
}

GetOptions Action::GetGetOptions() const {
  return {.resourceVersion = std::string(Query(query).Get("resourceVersion"))};
}

ListOptions Action::GetListOptions() const {
  const Query sent(query);
  const auto text = [&sent](std::string_view of) { return std::string(sent.Get(of)); };
  ListOptions options;
  options.labelSelector = text("labelSelector");
  options.fieldSelector = text("fieldSelector");
  options.shardSelector = text("shardSelector");
  options.resourceVersion = text("resourceVersion");
  options.resourceVersionMatch = text("resourceVersionMatch");
  options.limit = IntOf(sent, "limit").value_or(0);
  options.continue_ = text("continue");
  options.allowWatchBookmarks = sent.GetBool("allowWatchBookmarks").value_or(false);
  options.sendInitialEvents = sent.GetBool("sendInitialEvents");
  options.timeoutSeconds = IntOf(sent, "timeoutSeconds");
  return options;
}

CreateOptions Action::GetCreateOptions() const {
  const Query sent(query);
  return {.dryRun = sent.All("dryRun"),
          .fieldManager = std::string(sent.Get("fieldManager")),
          .fieldValidation = std::string(sent.Get("fieldValidation"))};
}

PatchOptions Action::GetPatchOptions() const {
  const Query sent(query);
  return {.dryRun = sent.All("dryRun"),
          .force = sent.GetBool("force"),
          .fieldManager = std::string(sent.Get("fieldManager")),
          .fieldValidation = std::string(sent.Get("fieldValidation"))};
}

DeleteOptions Action::GetDeleteOptions() const {
  const Query sent(query);
  DeleteOptions options;
  options.gracePeriodSeconds = IntOf(sent, "gracePeriodSeconds");
  options.propagationPolicy = sent.Get("propagationPolicy");
  options.dryRun = sent.All("dryRun");
  if (!object.is_object()) return options;
  if (const json::Value& grace = object["gracePeriodSeconds"]; !grace.is_null()) {
    options.gracePeriodSeconds = grace.AsInt64();
  }
  if (const json::Value& policy = object["propagationPolicy"]; !policy.is_null()) {
    options.propagationPolicy = policy.StringOrEmpty();
  }
  options.uid = object.At("/preconditions/uid").StringOrEmpty();
  options.resourceVersion = object.At("/preconditions/resourceVersion").StringOrEmpty();
  if (const json::Value& dry_run = object["dryRun"]; !dry_run.is_null()) {
    options.dryRun = TextsOf(dry_run);
  }
  return options;
}

std::vector<std::string> Action::GetParams(std::string_view parameter) const {
  return Query(query).All(parameter);
}

bool Action::Matches(std::string_view verb_pattern, std::string_view resource_pattern) const {
  // client-go's fakes write it with a hyphen.
  if (verb_pattern == "delete-collection") verb_pattern = "deletecollection";
  if (verb_pattern != "*" && verb_pattern != verb) return false;
  if (resource_pattern == "*") return true;
  const std::size_t slash = resource_pattern.find('/');
  if (resource_pattern.substr(0, slash) != resource.resource) return false;
  return slash == std::string_view::npos || resource_pattern.substr(slash + 1) == subresource;
}

std::ostream& operator<<(std::ostream& out, const Action& action) {
  out << action.verb << ' ';
  if (!action.path.empty()) {
    out << action.path;
  } else {
    out << action.resource.resource;
    if (!action.resource.group.empty()) out << '.' << action.resource.group;
    if (!action.subresource.empty()) out << '/' << action.subresource;
  }
  if (!action.namespace_.empty() || !action.name.empty()) {
    out << ' ' << action.namespace_ << (action.namespace_.empty() ? "" : "/") << action.name;
  }
  if (!action.label_selector.empty()) out << " labels \"" << action.label_selector << '"';
  if (!action.field_selector.empty()) out << " fields \"" << action.field_selector << '"';
  if (action.patch_type) out << " (" << NameOf(*action.patch_type) << ')';
  if (!action.object.is_null()) out << ' ' << action.object;
  return out;
}

}  // namespace kinformer::testing
