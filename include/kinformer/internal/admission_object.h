// kinformer/internal/admission_object.h
//
// Untyped half of typed admission handlers: reads the object of a review from JSON, and makes a
// patch from a struct that a handler has changed. Compiled once.

#ifndef KINFORMER_INTERNAL_ADMISSION_OBJECT_H_
#define KINFORMER_INTERNAL_ADMISSION_OBJECT_H_

#include <string>

#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"
#include "kinformer/json/json.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/resource.h"
#include "kinformer/webhook/admission.h"

namespace kinformer::internal {

// Returns the kind of a Resource's objects.
template <Resource T>
GroupVersionKind KindOf() {
  const KindInfo& type = T::kind_info();
  return {.group = std::string(type.group),
          .version = std::string(type.version),
          .kind = std::string(type.kind)};
}

// Reads an object. kBadRequest: it is missing, of another kind or version, or malformed.
Result<ObjectRef> ReadAdmissionObject(const KindInfo& type, const json::Value& object);

// Returns `original` with the changes between `before` and `after`, which have only those members
// that a struct declares. Other members of `original` stay.
[[nodiscard]] json::Value WithChanges(const json::Value& original, const json::Value& before,
                                      const json::Value& after);

// Returns the answer with the patch for an object that a handler changed: `before` and `after` are
// its struct as JSON. `exactly`: members that the struct does not declare are removed.
[[nodiscard]] admission::Response ChangedObjectResponse(const json::Value& original,
                                                        const std::string& before,
                                                        const std::string& after, bool exactly);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_ADMISSION_OBJECT_H_
