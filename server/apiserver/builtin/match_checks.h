// apiserver/builtin/match_checks.h
//
// Checks of what webhooks and admission policies match: rules and selectors.

#ifndef KINFORMER_APISERVER_BUILTIN_MATCH_CHECKS_H_
#define KINFORMER_APISERVER_BUILTIN_MATCH_CHECKS_H_

#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Add the problems of a value at `field`, except for missing members.

// A RuleWithOperations.
void CheckRule(const json::Value& rule, const std::string& field, std::vector<StatusCause>& causes);
// A metav1.LabelSelector.
void CheckLabelSelector(const json::Value& selector, const std::string& field,
                        std::vector<StatusCause>& causes);
// The MatchResources of a policy or a binding.
void CheckMatchResources(const json::Value& resources, const std::string& field,
                         std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_MATCH_CHECKS_H_
