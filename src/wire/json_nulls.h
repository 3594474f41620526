// wire/json_nulls.h
//
// Nulls of JSON, where they mean the same as absent members.

#ifndef KINFORMER_WIRE_JSON_NULLS_H_
#define KINFORMER_WIRE_JSON_NULLS_H_

#include "kinformer/json.h"

namespace kinformer::json {

// Takes members that are null out of objects, at any depth. Items of lists that are null stay.
void DropNulls(Value& value);

}  // namespace kinformer::json

#endif  // KINFORMER_WIRE_JSON_NULLS_H_
