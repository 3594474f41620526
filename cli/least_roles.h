// cli/least_roles.h
//
// LeastRoles: the rights that requests have needed, and no others, as roles.

#ifndef KINFORMER_CLI_LEAST_ROLES_H_
#define KINFORMER_CLI_LEAST_ROLES_H_

#include <set>
#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "cli/asked_requests.h"

namespace kinformer::cli {

struct LeastRolesOptions {
  std::string name{};  // of the roles
  // Resources whose requests were examples: the roles are for all names and namespaces of them.
  // "configmaps", "deployments.apps"; also of their subresources.
  std::set<std::string> any{};
};

// Returns a ClusterRole, unless it would be empty, and a Role for each namespace, in the order of
// their names. Equal requests give equal texts.
//
// A right is for all namespaces if the resource has none, or if the program lists or watches it in
// all of them: then it acts where it watches, and its requests were examples. Events are for all
// namespaces as soon as anything is, since they are beside the objects that they are about.
//
// A rule has resourceNames if all requests for the resource have the same name, and the program
// never lists or watches it. No rule can restrict names of what is created.
std::vector<json::Value> LeastRoles(const std::vector<AskedRequest>& requests,
                                    const LeastRolesOptions& options);

// Returns "deployments.apps" for a resource and its group, "pods" for one of the core group,
// without the subresource.
std::string ResourceName(const AskedRequest& request);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_LEAST_ROLES_H_
