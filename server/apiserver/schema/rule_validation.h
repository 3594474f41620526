// apiserver/schema/rule_validation.h
//
// Validation of objects by the rules of their schema (x-kubernetes-validations). Counterpart:
// apiextensions-apiserver's cel.Validator.

#ifndef KINFORMER_APISERVER_SCHEMA_RULE_VALIDATION_H_
#define KINFORMER_APISERVER_SCHEMA_RULE_VALIDATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {

// Limits what all rules together may cost for one object, in units of cel::kCallBudget: some 300
// ms.
inline constexpr std::uint64_t kRuleBudget = 10'000'000;

// Returns the violations of rules. In an update of `old` (null in a create), rules about changes
// apply, and a value that has not changed may violate the other rules, which adds to `warnings`.
// `causes` are the object's violations of the rest of the schema: some of them prevent that rules
// are evaluated, which is a cause itself.
std::vector<StatusCause> ValidateRules(const SchemaNode& schema, const json::Value& object,
                                       const json::Value* old,
                                       const std::vector<StatusCause>& causes,
                                       std::vector<std::string>& warnings);

// Returns what a default at `field` of a definition violates.
std::vector<StatusCause> ValidateRulesOfDefault(const SchemaNode& schema, const json::Value& value,
                                                std::string_view field);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_RULE_VALIDATION_H_
