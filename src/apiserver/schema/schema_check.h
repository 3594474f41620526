// apiserver/schema/schema_check.h
//
// What is demanded of the schema in a CustomResourceDefinition before it is taken: that it is
// structural, and that what it says makes sense.

#ifndef KINFORMER_APISERVER_SCHEMA_SCHEMA_CHECK_H_
#define KINFORMER_APISERVER_SCHEMA_SCHEMA_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

namespace kinformer::apiserver {

// What is wrong with the openAPIV3Schema that stands at `field`; empty: nothing.
std::vector<StatusCause> CheckSchema(const json::Value& schema, std::string_view field);

// What is not wrong but of no effect here: formats that nobody knows, rules that are not evaluated.
std::vector<std::string> SchemaWarnings(const json::Value& schema);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_SCHEMA_CHECK_H_
