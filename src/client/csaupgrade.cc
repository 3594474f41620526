#include "kinformer/client/csaupgrade.h"

#include <algorithm>
#include <utility>

namespace kinformer::csaupgrade {
namespace {

using managedfields::FieldSet;

bool Is(const json::Value& entry, std::string_view operation, const Options& options) {
  return entry["operation"].StringOrEmpty() == operation &&
         entry["subresource"].StringOrEmpty() == options.subresource;
}

// Returns the new managedFields; empty if nothing changes.
Result<std::optional<json::Array>> Upgraded(const json::Value& object,
                                            const std::set<std::string>& csa_managers,
                                            std::string_view ssa_manager, const Options& options) {
  json::Array entries = object["metadata"]["managedFields"].items();
  const auto is_old = [&](const json::Value& entry) {
    return Is(entry, "Update", options) && csa_managers.contains(entry["manager"].StringOrEmpty());
  };
  const auto first = std::find_if(entries.begin(), entries.end(), is_old);
  if (first == entries.end()) return std::optional<json::Array>();
  auto target = std::find_if(entries.begin(), entries.end(), [&](const json::Value& entry) {
    return Is(entry, "Apply", options) && entry["manager"].StringOrEmpty() == ssa_manager;
  });
  if (target == entries.end()) {
    target = first;
    target->Set("operation", "Apply");
    target->Set("manager", ssa_manager);
  }
  Result<FieldSet> fields = FieldSet::FromFieldsV1((*target)["fieldsV1"]);
  if (!fields) return std::move(fields).error();
  FieldSet all = *std::move(fields);
  for (const json::Value& entry : entries) {
    if (!is_old(entry) || entry["apiVersion"] != (*target)["apiVersion"]) continue;
    Result<FieldSet> more = FieldSet::FromFieldsV1(entry["fieldsV1"]);
    if (!more) return std::move(more).error();
    all = all.Union(*more);
  }
  target->Set("fieldsV1", all.ToFieldsV1());
  std::erase_if(entries, is_old);
  return std::optional<json::Array>(std::move(entries));
}

}  // namespace

Result<void> UpgradeManagedFields(json::Value& object, const std::set<std::string>& csa_managers,
                                  std::string_view ssa_manager, const Options& options) {
  Result<std::optional<json::Array>> entries = Upgraded(object, csa_managers, ssa_manager, options);
  if (!entries.ok()) return std::move(entries).error();
  if (*entries) object.Ensure("metadata", "managedFields") = std::move(**entries);
  return {};
}

Result<std::optional<Patch>> UpgradeManagedFieldsPatch(const json::Value& object,
                                                       const std::set<std::string>& csa_managers,
                                                       std::string_view ssa_manager,
                                                       const Options& options) {
  Result<std::optional<json::Array>> entries = Upgraded(object, csa_managers, ssa_manager, options);
  if (!entries.ok()) return std::move(entries).error();
  if (!*entries) return std::optional<Patch>();
  const std::string& version = object["metadata"]["resourceVersion"].StringOrEmpty();
  if (version.empty()) {
    return Error(Reason::kInvalidArgument,
                 "the object has no resourceVersion, which guards the patch of its managedFields");
  }
  const auto replaced = [](const char* path, json::Value value) {
    return json::Value::MakeObject(
        {{"op", "replace"}, {"path", path}, {"value", std::move(value)}});
  };
  const json::Value operations =
      json::Value::MakeArray({replaced("/metadata/managedFields", std::move(**entries)),
                              replaced("/metadata/resourceVersion", version)});
  return std::optional<Patch>(Patch{PatchType::kJsonPatch, operations.Dump()});
}

json::Array FindFieldsOwners(const json::Array& managed_fields, std::string_view operation,
                             const FieldSet& fields) {
  json::Array owners;
  for (const json::Value& entry : managed_fields) {
    if (entry["operation"].StringOrEmpty() != operation) continue;
    const Result<FieldSet> owned = FieldSet::FromFieldsV1(entry["fieldsV1"]);
    if (owned && !owned->Intersection(fields).Empty()) owners.push_back(entry);
  }
  return owners;
}

}  // namespace kinformer::csaupgrade
