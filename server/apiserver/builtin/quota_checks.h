// apiserver/builtin/quota_checks.h
//
// Checks the scopes of a ResourceQuota: whether they exist, go together, and suit what is limited.

#ifndef KINFORMER_APISERVER_BUILTIN_QUOTA_CHECKS_H_
#define KINFORMER_APISERVER_BUILTIN_QUOTA_CHECKS_H_

#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Appends a cause for each fault of the scopes in the quota's spec. Thread-safe.
void ValidateQuotaScopes(const json::Value& spec, std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_QUOTA_CHECKS_H_
