// apiserver/store/object_outline.h
//
// The outline of an object: the few members by which the server decides what becomes of it, read
// and changed in the object's text, so that nothing else of it is parsed, however much there is.

#ifndef KINFORMER_APISERVER_STORE_OBJECT_OUTLINE_H_
#define KINFORMER_APISERVER_STORE_OBJECT_OUTLINE_H_

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "kinformer/json.h"

namespace kinformer::apiserver {

// A member of a member of the object: {"metadata", "finalizers"}. Without a name: all of them.
struct OutlineMember {
  std::string_view of;
  std::string_view name;
};

// What says who owns an object.
inline constexpr std::array<OutlineMember, 1> kOwnersOutline = {{{"metadata", "ownerReferences"}}};

// What says whether an object may go, and what is written when it is on its way out. The last one
// is of those whose conditions tell of it.
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

// What there is to know of a CustomResourceDefinition without reading its schemas.
inline constexpr std::array<OutlineMember, 4> kDefinitionOutline = {
    {{"metadata", ""}, {"status", ""}, {"spec", "group"}, {"spec", "names"}}};

// `body`: as of StoredObject. What the object does not have is not there, either.
json::Value OutlineOf(std::string_view body, std::span<const OutlineMember> members);

// The body of the same object with `after` in the place of its outline, which is `before`: members
// of both are replaced where they differ, those of `before` alone are gone, and those of `after`
// alone come where the order of metadata says, elsewhere at the end. The rest of the text is
// copied. REQUIRES: `after` has no members that the object has beside its outline.
std::string WithOutline(std::string_view body, const json::Value& before, const json::Value& after);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_OBJECT_OUTLINE_H_
