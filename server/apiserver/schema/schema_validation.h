// apiserver/schema/schema_validation.h
//
// Validation of values against a schema: types, bounds, patterns, enumerations, required members,
// keys of lists, allOf and the like. Causes have the messages of API servers.

#ifndef KINFORMER_APISERVER_SCHEMA_SCHEMA_VALIDATION_H_
#define KINFORMER_APISERVER_SCHEMA_SCHEMA_VALIDATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {

// Returns the problems of a whole object; empty if there are none. In an update of `old` (null in a
// create), values that have not changed may stay invalid (ratcheting). At most a few hundred causes
// are returned.
std::vector<StatusCause> ValidateObject(const SchemaNode& schema, const json::Value& object,
                                        const json::Value* old);

// The same for a write of the status only, which is validated alone: as on a real server, messages
// name fields relative to the status, and embedded objects are not checked.
std::vector<StatusCause> ValidateStatus(const SchemaNode& schema, const json::Value& object,
                                        const json::Value& old);

// Returns the problems of a default, which is at `field` of a definition.
std::vector<StatusCause> ValidateDefault(const SchemaNode& schema, const json::Value& value,
                                         std::string_view field);

// Returns a value as causes show it.
std::string ValueText(const json::Value& value);

// Returns a string as Go's %q formats it.
std::string GoQuoted(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_SCHEMA_VALIDATION_H_
