// apiserver/builtin/webhook_checks.h
//
// Validation of Validating- and MutatingWebhookConfigurations.

#ifndef KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_
#define KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_

#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Returns the problems in those fields that decide how a webhook is called.
std::vector<StatusCause> ValidateWebhooks(const json::Value& configuration);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_
