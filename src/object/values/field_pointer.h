// object/values/field_pointer.h
//
// FieldPointer: where objects have a field that a field selector names.

#ifndef KINFORMER_OBJECT_VALUES_FIELD_POINTER_H_
#define KINFORMER_OBJECT_VALUES_FIELD_POINTER_H_

#include <string>
#include <string_view>

namespace kinformer::internal {

// Returns the JSON Pointer of the field: "/spec/nodeName" for "spec.nodeName". A few fields of
// built-in resources are elsewhere than their names say: "spec.host" of pods is "/spec/nodeName".
// `group` and `resource` as in URLs: "batch", "jobs".
[[nodiscard]] std::string FieldPointer(std::string_view group, std::string_view resource,
                                       std::string_view field);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_VALUES_FIELD_POINTER_H_
