// apiserver/builtin/field_checks.h
//
// Checks single fields of built-in kinds by the tables recorded from a real server: fields that
// must be there (required_table.h: containers and their names, selectors, verbs), and the values
// that fields may have (value_table.h: ports, policies, names). Rules that involve more than
// neighbouring members are in object_checks.h and dependent_fields.h.

#ifndef KINFORMER_APISERVER_BUILTIN_FIELD_CHECKS_H_
#define KINFORMER_APISERVER_BUILTIN_FIELD_CHECKS_H_

#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Appends a cause for each required member that `object`, of that message and with its defaults,
// lacks, and for each member with a value that a real server refuses. Thread-safe.
void ValidateFields(const internal::MessageDescriptor& message, const json::Value& object,
                    std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_FIELD_CHECKS_H_
