// apiserver/schema/schema_correlation.h
//
// Detection of unchanged parts of an updated value, by its schema. Such parts may stay invalid
// (ratcheting).

#ifndef KINFORMER_APISERVER_SCHEMA_SCHEMA_CORRELATION_H_
#define KINFORMER_APISERVER_SCHEMA_SCHEMA_CORRELATION_H_

#include <optional>
#include <string>
#include <unordered_map>

#include "kinformer/json/json.h"

#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {

// Returns the identity of an item in a list with keys; nullopt if some of its keys are missing.
std::optional<std::string> CorrelationKey(const SchemaNode& schema, const json::Value& item);

// Items of a list with keys, by their identity; the first of each. Items without identity are
// omitted. Refers to the list.
using CorrelatedItems = std::unordered_map<std::string, const json::Value*>;
CorrelatedItems Correlate(const SchemaNode& schema, const json::Value& list);

// Returns whether a value counts as unchanged. As on a real server, it does not if it contains
// parts that the schema cannot correlate: items without keys, and unknown members.
bool IsUnchanged(const SchemaNode& schema, const json::Value& value, const json::Value& old);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_SCHEMA_CORRELATION_H_
