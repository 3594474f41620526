// apiserver/http/kubeconfig_text.h
//
// kubeconfig for clients of this server.

#ifndef KINFORMER_APISERVER_HTTP_KUBECONFIG_TEXT_H_
#define KINFORMER_APISERVER_HTTP_KUBECONFIG_TEXT_H_

#include <string>

#include "kinformer/base/result.h"

namespace kinformer::apiserver {

struct KubeconfigParts {
  std::string url{};
  std::string user{};
  std::string ca_pem{};    // empty: none
  std::string token{};     // empty: none
  std::string cert_pem{};  // client certificate; empty: none
  std::string key_pem{};
};

std::string KubeconfigText(const KubeconfigParts& parts);

// Replaces the file atomically by `text`, readable only by its owner.
Result<void> WritePrivateFile(const std::string& path, const std::string& text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_KUBECONFIG_TEXT_H_
