// kinformer/internal/admission_object.h
//
// The untyped half of typed admission handlers: from the JSON of a review to an object, and from a
// struct that a handler has changed to a patch. Compiled once.

#ifndef KINFORMER_INTERNAL_ADMISSION_OBJECT_H_
#define KINFORMER_INTERNAL_ADMISSION_OBJECT_H_

#include <string>

#include "kinformer/admission.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/type_info.h"
#include "kinformer/json.h"
#include "kinformer/object_name.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"

namespace kinformer::internal {

// What a Resource's objects are.
template <Resource T>
GroupVersionKind KindOf() {
  const TypeInfo& type = T::type_info();
  return {.group = std::string(type.group),
          .version = std::string(type.version),
          .kind = std::string(type.kind)};
}

// kBadRequest: there is no object, it is of another kind or version, or it does not fit the kind.
Result<ObjectRef> ReadAdmissionObject(const TypeInfo& type, const json::Value& object);

// `original` with what was changed between `before` and `after`, which are the parts of it that a
// struct has a place for. What the struct has no place for stays.
[[nodiscard]] json::Value WithChanges(const json::Value& original, const json::Value& before,
                                      const json::Value& after);

// The answer with the patch for what a handler has made of an object: `before` and `after` are its
// struct as JSON. `exactly`: what the struct has no place for goes.
[[nodiscard]] admission::Response ChangedObjectResponse(const json::Value& original,
                                                        const std::string& before,
                                                        const std::string& after, bool exactly);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_ADMISSION_OBJECT_H_
