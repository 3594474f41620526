// apiserver/schema/schema_correlation.h
//
// What a value that is written over another has taken over from it, by its schema: such parts may
// stay as wrong as they are.

#ifndef KINFORMER_APISERVER_SCHEMA_SCHEMA_CORRELATION_H_
#define KINFORMER_APISERVER_SCHEMA_SCHEMA_CORRELATION_H_

#include <optional>
#include <string>
#include <unordered_map>

#include "kinformer/json.h"

#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {

// A text that tells an item of a list with keys from others; empty for one that lacks some of them.
std::optional<std::string> CorrelationKey(const SchemaNode& schema, const json::Value& item);

// The items of a list with keys by these, the first of each. Those that cannot be told from others
// are not there. Refers to the list.
using CorrelatedItems = std::unordered_map<std::string, const json::Value*>;
CorrelatedItems Correlate(const SchemaNode& schema, const json::Value& list);

// Whether a value counts as what it was before: as a real server has it, not where it holds what
// the schema does not tell apart, items without their keys and members that it does not name.
bool IsUnchanged(const SchemaNode& schema, const json::Value& value, const json::Value& old);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_SCHEMA_CORRELATION_H_
