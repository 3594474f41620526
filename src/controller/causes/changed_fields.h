// controller/causes/changed_fields.h
//
// The difference of two versions of an object, without values.

#ifndef KINFORMER_CONTROLLER_CAUSES_CHANGED_FIELDS_H_
#define KINFORMER_CONTROLLER_CAUSES_CHANGED_FIELDS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/json/json.h"

namespace kinformer::internal {

struct ObjectChange {
  // Paths of the fields that differ, kMostFields at most; see Cause::fields.
  std::vector<std::string> fields{};
  // The field manager whose entry in metadata.managedFields is new or has the newest time of those
  // that have changed. Empty: unknown.
  std::string manager{};
};

inline constexpr std::size_t kMostFields = 16;

// Returns the change from `before`, which is null for a new object, whose fields are not listed.
// Takes tens of microseconds.
[[nodiscard]] ObjectChange ChangeOf(const ObjectRef& before, const ObjectRef& now);

// Returns the object as JSON; null if there is none.
[[nodiscard]] json::Value JsonOfObject(const ObjectRef& object);

// Returns the path of a member of the object at `path`: see Cause::fields.
[[nodiscard]] std::string PathBelow(const std::string& path, const std::string& name);

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_CAUSES_CHANGED_FIELDS_H_
