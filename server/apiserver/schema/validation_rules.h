// apiserver/schema/validation_rules.h
//
// Compiles the x-kubernetes-validations of schemas. Counterpart: apiextensions-apiserver's package
// cel (Compile).

#ifndef KINFORMER_APISERVER_SCHEMA_VALIDATION_RULES_H_
#define KINFORMER_APISERVER_SCHEMA_VALIDATION_RULES_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/json/json.h"

#include "apiserver/schema/rule_set.h"
#include "apiserver/schema/schema_node.h"
#include "cel/type.h"

namespace kinformer::apiserver {

// Returns whether the schema or one inside it has rules.
bool HasValidationRules(const json::Value& schema, std::size_t depth = 0);

// Returns the type of values of this schema in expressions; null if they are not visible there. The
// types of the node's children must be known. `root`: it is a whole object.
internal::cel::TypePtr DeclaredType(const SchemaNode& node, bool root, std::string name);

// Compiles the rules of the schema; null if it has none.
std::unique_ptr<const RuleSet> CompileRules(const json::Value& schema, const SchemaNode& node,
                                            internal::cel::TypePtr type);

// Returns a rule's fieldPath (".a['b']") as it is appended to the field of its value; nullopt if
// the schema has no such field.
std::optional<std::string> RuleFieldPath(std::string_view path, const SchemaNode& node);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_VALIDATION_RULES_H_
