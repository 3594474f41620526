// apiserver/builtin/webhook_checks.h
//
// What is refused in a Validating- or MutatingWebhookConfiguration, and what is said of the others
// of their group.

#ifndef KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_
#define KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_

#include <string>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// What a real server refuses of those parts that decide how a webhook is asked, and match
// conditions.
std::vector<StatusCause> ValidateWebhooks(const json::Value& configuration);

// Match conditions, which are CEL, and nobody here could evaluate: refused, whoever writes them.
std::vector<StatusCause> ValidateMatchConditions(const ServedResource& resource,
                                                 const json::Value& object);

// What is to be said of objects that have no effect here: policies, which are CEL, too.
std::vector<std::string> PolicyWarnings(const ServedResource& resource);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_
