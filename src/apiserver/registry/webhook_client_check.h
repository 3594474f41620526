// apiserver/registry/webhook_client_check.h
//
// What is refused in a clientConfig, which says where a webhook is, in the words of API servers.

#ifndef KINFORMER_APISERVER_REGISTRY_WEBHOOK_CLIENT_CHECK_H_
#define KINFORMER_APISERVER_REGISTRY_WEBHOOK_CLIENT_CHECK_H_

#include <string>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

namespace kinformer::apiserver {

// `field`: where it stands. Certificates are not looked at.
std::vector<StatusCause> CheckWebhookClient(const json::Value& client_config,
                                            const std::string& field);

// Whether that caBundle holds certificates.
bool IsCertificateBundle(const std::string& base64);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_WEBHOOK_CLIENT_CHECK_H_
