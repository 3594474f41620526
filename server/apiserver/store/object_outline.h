// apiserver/store/object_outline.h
//
// Outline of an object: the few members that decide about its deletion and its owners. They are
// read and changed in the object's text, without parsing the rest, whatever its size.

#ifndef KINFORMER_APISERVER_STORE_OBJECT_OUTLINE_H_
#define KINFORMER_APISERVER_STORE_OBJECT_OUTLINE_H_

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// A nested member of the object: {"metadata", "finalizers"}. An empty name selects all members.
struct OutlineMember {
  std::string_view of;
  std::string_view name;
};

// Members that define the owners of an object.
inline constexpr std::array<OutlineMember, 1> kOwnersOutline = {{{"metadata", "ownerReferences"}}};

// Members that decide whether an object may be removed, and those written when it is marked as
// deleted; status.conditions is for kinds that report the deletion there.
inline constexpr std::array<OutlineMember, 12> kDeletionOutline = {
    {{"metadata", "name"},
     {"metadata", "generation"},
     {"metadata", "deletionTimestamp"},
     {"metadata", "deletionGracePeriodSeconds"},
     {"metadata", "ownerReferences"},
     {"metadata", "finalizers"},
     {"spec", "finalizers"},
     {"spec", "nodeName"},
     {"spec", "terminationGracePeriodSeconds"},
     {"spec", "renewTime"},
     {"status", "phase"},
     {"status", "conditions"}}};

// Members of a CustomResourceDefinition that are needed besides its schemas.
inline constexpr std::array<OutlineMember, 4> kDefinitionOutline = {
    {{"metadata", ""}, {"status", ""}, {"spec", "group"}, {"spec", "names"}}};

// Parses the members from `body`, as of StoredObject. Members that the object lacks are omitted.
json::Value OutlineOf(std::string_view body, std::span<const OutlineMember> members);

// Returns the body of the object with its outline, `before`, replaced by `after`: changed members
// are replaced, members missing in `after` are removed, and new ones are inserted in the order of
// metadata, elsewhere at the end. All other text is copied. REQUIRES: every new member of `after`
// is absent from the object.
std::string WithOutline(std::string_view body, const json::Value& before, const json::Value& after);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_OBJECT_OUTLINE_H_
