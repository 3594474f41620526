// apiserver/ownership/new_fields.h
//
// Fields of a new object, which its creator owns, in one walk over the object.

#ifndef KINFORMER_APISERVER_OWNERSHIP_NEW_FIELDS_H_
#define KINFORMER_APISERVER_OWNERSHIP_NEW_FIELDS_H_

#include <array>

#include "kinformer/json/json.h"

#include "apiserver/ownership/field_set.h"
#include "apiserver/ownership/value_shape.h"

namespace kinformer::apiserver {

// Fields that are left out, with all below them; null: none.
using LeftOut = std::array<const FieldSet*, 2>;

// Returns the fields of a new object in the form of FieldsV1: those that Compare finds to be added
// or modified beside an object without members. Null if there are none.
[[nodiscard]] json::Value NewFieldsOf(const ValueShape& shape, const json::Value& object,
                                      const LeftOut& left_out);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_OWNERSHIP_NEW_FIELDS_H_
