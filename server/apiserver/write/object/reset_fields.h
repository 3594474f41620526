// apiserver/write/object/reset_fields.h
//
// Fields that a write cannot set, through the object or through its status: an apply that declares
// them does not own them.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_RESET_FIELDS_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_RESET_FIELDS_H_

#include <string_view>

#include "kinformer/json/json.h"

#include "apiserver/ownership/field_set.h"
#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// Returns the fields that a write of the object, or of that subresource, leaves as they are, with
// what is below them.
[[nodiscard]] FieldSet ResetFields(const ResourceAt& at, std::string_view subresource);

// Returns the fields of a Service that the server keeps if a client leaves them out.
[[nodiscard]] FieldSet FieldsToAssign(const json::Value& service);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_RESET_FIELDS_H_
