// apiserver/ownership/managed_fields.h
//
// metadata.managedFields as entries: who has written which fields of an object.

#ifndef KINFORMER_APISERVER_OWNERSHIP_MANAGED_FIELDS_H_
#define KINFORMER_APISERVER_OWNERSHIP_MANAGED_FIELDS_H_

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/ownership/field_set.h"

namespace kinformer::apiserver {

// Owns what an object had before its first apply, if nothing was tracked before.
inline constexpr const char* kBeforeFirstApply = "before-first-apply";

struct ManagedEntry {
  std::string manager{};
  bool applies = false;  // operation Apply; otherwise Update
  std::string api_version{};
  std::string subresource{};
  std::string time{};  // empty: none
  FieldSet fields{};

  // Returns what tells entries apart: one who applies is the same in all versions.
  [[nodiscard]] auto Identity() const {
    const std::string_view version = applies ? std::string_view() : std::string_view(api_version);
    return std::tuple<std::string_view, bool, std::string_view, std::string_view>(
        manager, applies, version, subresource);
  }
};
using ManagedEntries = std::vector<ManagedEntry>;

// Returns the entries of an object; none if they are no managed fields. Of several entries with
// the same identity, the last one counts.
[[nodiscard]] ManagedEntries ManagedFieldsOf(const json::Value& object);
// Sets metadata.managedFields, in the order of the API: first Apply, then by time and name. Leaves
// out entries without fields.
void SetManagedFields(ManagedEntries entries, json::Value& object);
// The same for one owner; its fields are given in the form of FieldsV1, null if it has none.
void SetOnlyOwner(const ManagedEntry& owner, json::Value fields, json::Value& object);

// Takes the entry of the same identity out of the list; returns `like` if there is none.
[[nodiscard]] ManagedEntry TakeOut(const ManagedEntry& like, ManagedEntries& entries);

// Returns the entry's owner as conflicts name it. `version`: of the object that is applied.
[[nodiscard]] std::string OwnerText(const ManagedEntry& entry, const std::string& version);
// Returns the error for fields that others own: the fields by their owners.
[[nodiscard]] Error ApplyConflict(const std::map<std::string, std::vector<std::string>>& conflicts);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_OWNERSHIP_MANAGED_FIELDS_H_
