// wire/json_nulls.h
//
// Nulls in JSON that mean the same as absent members.

#ifndef KINFORMER_WIRE_JSON_NULLS_H_
#define KINFORMER_WIRE_JSON_NULLS_H_

#include "kinformer/json/json.h"

namespace kinformer::json {

// Removes null members from objects, at any depth. Null items of lists stay.
void DropNulls(Value& value);

}  // namespace kinformer::json

#endif  // KINFORMER_WIRE_JSON_NULLS_H_
