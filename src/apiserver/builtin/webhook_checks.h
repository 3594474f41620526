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

// What a real server refuses of those parts that decide how a webhook is asked.
std::vector<StatusCause> ValidateWebhooks(const json::Value& configuration);

// What is to be said of CEL, which nobody evaluates here: policies have no effect, and webhooks are
// asked whatever their match conditions say.
std::vector<std::string> CelWarnings(const ServedResource& resource, const json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_
