// cel/to_json.h
//
// ToJson: the JSON of a value.

#ifndef KINFORMER_CEL_TO_JSON_H_
#define KINFORMER_CEL_TO_JSON_H_

#include <cstddef>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "cel/value.h"

namespace kinformer::internal::cel {

// Maps and messages are objects; bytes are base64; times and durations are texts. Fails for values
// that JSON does not have, such as a type, for keys of maps that are no texts, and for what takes
// more than about `bytes` of memory, from which it subtracts: a short expression makes large values
// by using its parts again and again.
Result<json::Value> ToJson(const Value& value, std::size_t& bytes);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_TO_JSON_H_
