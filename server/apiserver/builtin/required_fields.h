// apiserver/builtin/required_fields.h
//
// Required fields of built-in kinds, by the table recorded from a real server (required_table.h):
// containers and their names, selectors, verbs. Rules that involve more than neighbouring members
// are in object_checks.h.

#ifndef KINFORMER_APISERVER_BUILTIN_REQUIRED_FIELDS_H_
#define KINFORMER_APISERVER_BUILTIN_REQUIRED_FIELDS_H_

#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Appends a cause for each required member that `object`, of that message and with its defaults,
// lacks. Thread-safe.
void ValidateRequired(const internal::MessageDescriptor& message, const json::Value& object,
                      std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_REQUIRED_FIELDS_H_
