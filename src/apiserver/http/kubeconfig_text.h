// apiserver/http/kubeconfig_text.h
//
// The kubeconfig by which clients reach a server of ours.

#ifndef KINFORMER_APISERVER_HTTP_KUBECONFIG_TEXT_H_
#define KINFORMER_APISERVER_HTTP_KUBECONFIG_TEXT_H_

#include <string>

#include "kinformer/result.h"

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

// Puts `text` in the place of the file in one step, readable for its owner only.
Result<void> WritePrivateFile(const std::string& path, const std::string& text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_KUBECONFIG_TEXT_H_
