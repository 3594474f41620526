// apiserver/builtin/webhook_checks.h
//
// What is refused in a Validating- or MutatingWebhookConfiguration.

#ifndef KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_
#define KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_

#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

namespace kinformer::apiserver {

// What a real server refuses of those parts that decide how a webhook is asked, and match
// conditions, which are CEL, and nobody here could evaluate.
std::vector<StatusCause> ValidateWebhooks(const json::Value& configuration);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_WEBHOOK_CHECKS_H_
