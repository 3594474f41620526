#include "apiserver/ownership/managed_fields.h"

#include <algorithm>
#include <utility>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kApply = "Apply";
constexpr std::string_view kUpdate = "Update";

ManagedEntries::iterator FindSame(const ManagedEntry& like, ManagedEntries& entries) {
  return std::find_if(entries.begin(), entries.end(), [&](const ManagedEntry& entry) {
    return entry.Identity() == like.Identity();
  });
}

json::Value ItemOf(const ManagedEntry& entry, json::Value fields) {
  json::Object item;
  item.Reserve(7);
  item.Add("manager", entry.manager);
  item.Add("operation", entry.applies ? kApply : kUpdate);
  item.Add("apiVersion", entry.api_version);
  if (!entry.time.empty()) item.Add("time", entry.time);
  item.Add("fieldsType", "FieldsV1");
  item.Add("fieldsV1", std::move(fields));
  if (!entry.subresource.empty()) item.Add("subresource", entry.subresource);
  return item;
}

}  // namespace

ManagedEntries ManagedFieldsOf(const json::Value& object) {
  ManagedEntries out;
  for (const json::Value& item : object["metadata"]["managedFields"].items()) {
    const std::string& operation = item["operation"].StringOrEmpty();
    if (operation != kApply && operation != kUpdate) return {};
    ManagedEntry entry{.manager = item["manager"].StringOrEmpty(),
                       .applies = operation == kApply,
                       .api_version = item["apiVersion"].StringOrEmpty(),
                       .subresource = item["subresource"].StringOrEmpty(),
                       .time = item["time"].StringOrEmpty(),
                       .fields = FieldSet::FromJson(item["fieldsV1"])};
    if (entry.fields.empty()) continue;
    if (const auto same = FindSame(entry, out); same != out.end()) {
      *same = std::move(entry);
    } else {
      out.push_back(std::move(entry));
    }
  }
  return out;
}

void SetManagedFields(ManagedEntries entries, json::Value& object) {
  std::erase_if(entries, [](const ManagedEntry& entry) { return entry.fields.empty(); });
  const auto order = [](const ManagedEntry& entry) {
    const bool updates = !entry.applies;
    return std::tuple<bool, std::string_view, std::string_view, std::string_view, std::string_view>(
        updates, entry.time, entry.manager, entry.api_version, entry.subresource);
  };
  std::sort(entries.begin(), entries.end(),
            [&](const ManagedEntry& a, const ManagedEntry& b) { return order(a) < order(b); });
  json::Array list;
  for (const ManagedEntry& entry : entries) {
    list.push_back(ItemOf(entry, entry.fields.ToJson()));
  }
  json::Value& metadata = object.Ensure("metadata");
  if (list.empty()) {
    metadata.Erase("managedFields");
  } else {
    metadata.Set("managedFields", json::Value(std::move(list)));
  }
}

void SetOnlyOwner(const ManagedEntry& owner, json::Value fields, json::Value& object) {
  if (fields.is_null()) return SetManagedFields({}, object);
  json::Array list;
  list.push_back(ItemOf(owner, std::move(fields)));
  object.Ensure("metadata").Set("managedFields", json::Value(std::move(list)));
}

ManagedEntry TakeOut(const ManagedEntry& like, ManagedEntries& entries) {
  const auto found = FindSame(like, entries);
  if (found == entries.end()) return like;
  ManagedEntry out = std::move(*found);
  entries.erase(found);
  return out;
}

std::string OwnerText(const ManagedEntry& entry, const std::string& version) {
  std::string out = JsonString(entry.manager);
  if (!entry.subresource.empty()) out += " with subresource " + JsonString(entry.subresource);
  if (!entry.applies) out += " using " + version;
  return out;
}

Error ApplyConflict(const std::map<std::string, std::vector<std::string>>& conflicts) {
  std::vector<StatusCause> causes;
  std::string text;
  for (const auto& [owner, paths] : conflicts) {
    text += (text.empty() ? "" : "\n") + ("conflicts with " + owner + ":");
    for (const std::string& path : paths) {
      text += "\n- " + path;
      causes.push_back(
          {.reason = "FieldManagerConflict", .message = "conflict with " + owner, .field = path});
    }
  }
  std::string message =
      "Apply failed with " + std::to_string(causes.size()) + " conflicts: " + text;
  if (causes.size() == 1) {
    message = "Apply failed with 1 conflict: " + causes[0].message + ": " + causes[0].field;
  }
  Error error(Reason::kConflict, std::move(message));
  error.WithHttpStatus(409);
  error.WithDetails({.causes = std::move(causes)});
  return error;
}

}  // namespace kinformer::apiserver
