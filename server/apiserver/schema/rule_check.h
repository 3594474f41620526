// apiserver/schema/rule_check.h
//
// Checks of the rules (x-kubernetes-validations) in the schema of a CustomResourceDefinition.

#ifndef KINFORMER_APISERVER_SCHEMA_RULE_CHECK_H_
#define KINFORMER_APISERVER_SCHEMA_RULE_CHECK_H_

#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/schema/schema_node.h"

namespace kinformer::apiserver {

// Adds the problems of the rules of one schema at `field`, except those of their expressions.
void CheckRuleForms(const json::Value& schema, const std::string& field,
                    std::vector<StatusCause>& causes);

// Adds the problems of the expressions of all rules of a schema, which was parsed to `node`.
// `costs`: also those of single ones that may cost too much; too large a sum is always one.
void CheckExpressions(const json::Value& schema, const SchemaNode& node, const std::string& field,
                      bool costs, std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_RULE_CHECK_H_
