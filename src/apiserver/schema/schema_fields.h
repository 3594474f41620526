// apiserver/schema/schema_fields.h
//
// What a schema does to an object before anything is checked: fields that it does not know go,
// defaults come in, and nulls that it does not allow are dropped.

#ifndef KINFORMER_APISERVER_SCHEMA_SCHEMA_FIELDS_H_
#define KINFORMER_APISERVER_SCHEMA_SCHEMA_FIELDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"

#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {

// The paths ("spec.ports[0].x") of the fields of `object` that are going to be pruned, in the order
// of names; then those of metadata. Those are all the fields that the schema of a whole object does
// not know, except in metadata, which is always ObjectMeta's.
std::vector<std::string> UnknownFields(const SchemaNode& schema, const json::Value& object);

// The same of what a server-side apply may not declare: it takes any field also below what keeps
// unknown ones, and of objects whose schema names none.
std::vector<std::string> UndeclaredFields(const SchemaNode& schema, const json::Value& object);

// What is wrong with the types in the metadata of the object or of one embedded in it, in the words
// of a Go decoder; empty: nothing.
std::string MetadataTypeError(const SchemaNode& schema, const json::Value& object);

// Takes unknown fields out of a whole object.
void PruneObject(const SchemaNode& schema, json::Value& object);

// The same, for a version in which the object is not stored: takes out nulls, too, which it does not
// allow and has no default for.
void ShapeForVersion(const SchemaNode& schema, json::Value& object);

// Takes unknown fields out of a value that is not the root of an object; true if there were any.
bool PruneValue(const SchemaNode& schema, json::Value& value);

// Fills in defaults where a member is absent, or null and not nullable; drops other nulls that are
// not nullable; writes whole numbers of type integer as such. Does not go into the metadata of the
// object. False: the defaults would add more than kMaxDefaultBytes, and some of them are missing.
[[nodiscard]] bool ApplyDefaults(const SchemaNode& schema, json::Value& object);

// A list of a hundred thousand empty objects may have a default for each. What all of them add,
// text and memory, is counted as it is added (SchemaNode::default_cost).
inline constexpr std::size_t kMaxDefaultBytes = std::size_t{16} << 20;

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_SCHEMA_FIELDS_H_
