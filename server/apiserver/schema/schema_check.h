// apiserver/schema/schema_check.h
//
// Validation of the schema in a CustomResourceDefinition: it must be structural, and consistent in
// itself.

#ifndef KINFORMER_APISERVER_SCHEMA_SCHEMA_CHECK_H_
#define KINFORMER_APISERVER_SCHEMA_SCHEMA_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Returns the problems of the openAPIV3Schema at `field`; empty if there are none. `is_new`: it is
// not as it was before the write. What single rules cost is checked in new schemas only.
std::vector<StatusCause> CheckSchema(const json::Value& schema, std::string_view field,
                                     bool is_new = true);

// Warns of schema parts without effect: unknown formats.
std::vector<std::string> SchemaWarnings(const json::Value& schema);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_SCHEMA_CHECK_H_
