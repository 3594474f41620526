// apiserver/schema/schema_validation.h
//
// Values against a schema: types, bounds, patterns, enumerations, required members, keys of lists,
// allOf and its like. The causes are worded as API servers word them.

#ifndef KINFORMER_APISERVER_SCHEMA_SCHEMA_VALIDATION_H_
#define KINFORMER_APISERVER_SCHEMA_SCHEMA_VALIDATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {

// What is wrong with a whole object; empty: nothing. Where it is written over `old` (else null),
// values that have not changed may stay as wrong as they are. At most a few hundred causes are
// given.
std::vector<StatusCause> ValidateObject(const SchemaNode& schema, const json::Value& object,
                                        const json::Value* old);

// The same for a write of the status alone, which is looked at by itself: as a real server has it,
// fields are named from there on in texts, and embedded objects may be as they are.
std::vector<StatusCause> ValidateStatus(const SchemaNode& schema, const json::Value& object,
                                        const json::Value& old);

// What is wrong with a default, which stands at `field` in a definition.
std::vector<StatusCause> ValidateDefault(const SchemaNode& schema, const json::Value& value,
                                         std::string_view field);

// A text as Go's %q prints it.
std::string GoQuoted(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_SCHEMA_VALIDATION_H_
