// apiserver/builtin/webhook_checks.h
//
// Validation of Validating- and MutatingWebhookConfigurations, and warnings about these and the
// other objects of their API group.

#ifndef KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_
#define KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_

#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Returns the problems in those fields that decide how a webhook is called.
std::vector<StatusCause> ValidateWebhooks(const json::Value& configuration);

// Returns warnings about CEL, which this server does not evaluate: policies have no effect, and
// webhooks are called regardless of their match conditions.
std::vector<std::string> CelWarnings(const ServedResource& resource, const json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_
