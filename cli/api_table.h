// cli/api_table.h
//
// Resources and versions of a server, as `api-resources` and `api-versions` print them.

#ifndef KINFORMER_CLI_API_TABLE_H_
#define KINFORMER_CLI_API_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "kinformer/client/api_resource.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {

// Choice and order of the resources.
struct ApiChoice {
  std::optional<std::string> group{};     // empty text: the core group
  std::optional<bool> namespaced{};       // empty: both
  std::vector<std::string> verbs{};       // all of them are supported
  std::vector<std::string> categories{};  // all of them hold it
  std::string sort_by{};                  // "name", "kind"; empty: by group, then name
};

// Returns the resources of the choice, without subresources.
std::vector<ApiResource> ChooseResources(const std::vector<ApiGroupVersion>& groups,
                                         const ApiChoice& choice);

// Returns rows, the titles first.
std::vector<std::vector<std::string>> ResourceRows(const std::vector<ApiResource>& resources,
                                                   bool wide);

// Returns "pods", or "deployments.apps".
std::string ResourceName(const ApiResource& resource);

// Returns an APIResourceList in which each resource has its group and version.
json::Value ResourceDocument(const std::vector<ApiResource>& resources);

// Returns "apps/v1", "v1", ... in the order of the alphabet.
std::vector<std::string> VersionLines(const std::vector<ApiGroup>& groups);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_API_TABLE_H_
