// cli/role_check.h
//
// CheckRoles: compares the roles in manifests with the requests that a program has made.

#ifndef KINFORMER_CLI_ROLE_CHECK_H_
#define KINFORMER_CLI_ROLE_CHECK_H_

#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/manifests.h"

#include "cli/asked_requests.h"

namespace kinformer::cli {

struct RoleFindings {
  // Rights that requests needed and no role gives, sorted, each once:
  // "update pods/status in default (web-0)".
  std::vector<std::string> lacking{};
  // Rights that a role gives and no request needed: "ClusterRole web: delete configmaps".
  std::vector<std::string> unused{};
};

// Considers the Roles and ClusterRoles in the manifests: all of them, or with an account
// ("system:serviceaccount:NS:NAME") those that their bindings give to it. Without bindings a
// ClusterRole is for all namespaces. kInvalidArgument: there is no role for it.
Result<RoleFindings> CheckRoles(const std::vector<Manifest>& manifests, const std::string& account,
                                const std::vector<AskedRequest>& requests);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_ROLE_CHECK_H_
