// apiserver/schema/schema_fields.h
//
// Changes that a schema makes to an object before validation: unknown fields are pruned, defaults
// set, and forbidden nulls dropped.

#ifndef KINFORMER_APISERVER_SCHEMA_SCHEMA_FIELDS_H_
#define KINFORMER_APISERVER_SCHEMA_SCHEMA_FIELDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {

// Returns the paths ("spec.ports[0].x") of the fields of `object` that will be pruned, sorted by
// name, those of metadata last. These are all fields unknown to the schema of a whole object;
// metadata always follows ObjectMeta.
std::vector<std::string> UnknownFields(const SchemaNode& schema, const json::Value& object);

// Returns the fields that a server-side apply may not declare. It allows any field below nodes that
// preserve unknown fields, and in objects whose schema names none.
std::vector<std::string> UndeclaredFields(const SchemaNode& schema, const json::Value& object);

// Returns the first type error in the metadata of the object or of an embedded object, with the
// message of a Go decoder; empty if there is none.
std::string MetadataTypeError(const SchemaNode& schema, const json::Value& object);

// Removes unknown fields from a whole object.
void PruneObject(const SchemaNode& schema, json::Value& object);

// The same for a version that is not the storage version: also removes nulls where the version
// neither allows them nor has a default.
void ShapeForVersion(const SchemaNode& schema, json::Value& object);

// Removes unknown fields from a value below the root; returns true if there were any.
bool PruneValue(const SchemaNode& schema, json::Value& value);

// Sets defaults where a member is absent, or null and not nullable; drops other nulls that are not
// nullable, unless `keeps_nulls`. Skips the object's metadata. Returns false if defaults would
// exceed kMaxDefaultBytes; then some are missing.
[[nodiscard]] bool ApplyDefaults(const SchemaNode& schema, json::Value& object,
                                 bool keeps_nulls = false);

// Writes whole numbers of type integer without fraction or exponent: 2, and not 2.0.
void StoreIntegers(const SchemaNode& schema, json::Value& object);

// Limit of what defaults add to one object, text and memory (SchemaNode::default_cost). A list of a
// hundred thousand empty objects may have a default for each.
inline constexpr std::size_t kMaxDefaultBytes = std::size_t{16} << 20;

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_SCHEMA_FIELDS_H_
