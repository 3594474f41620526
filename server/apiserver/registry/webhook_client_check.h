// apiserver/registry/webhook_client_check.h
//
// Validation of a webhook's clientConfig, with the messages of API servers.

#ifndef KINFORMER_APISERVER_REGISTRY_WEBHOOK_CLIENT_CHECK_H_
#define KINFORMER_APISERVER_REGISTRY_WEBHOOK_CLIENT_CHECK_H_

#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// `field`: path of the clientConfig. Does not check certificates.
std::vector<StatusCause> CheckWebhookClient(const json::Value& client_config,
                                            const std::string& field);

// Returns whether a caBundle holds certificates.
bool IsCertificateBundle(const std::string& base64);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_WEBHOOK_CLIENT_CHECK_H_
