// client/discovery_documents.h
//
// Reads and writes the documents of discovery. Whatever a server sends, the result is bounded, and
// its names can be part of a path.

#ifndef KINFORMER_CLIENT_DISCOVERY_DOCUMENTS_H_
#define KINFORMER_CLIENT_DISCOVERY_DOCUMENTS_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/api_resource.h"
#include "kinformer/client/discovery.h"
#include "kinformer/json/json.h"

namespace kinformer::internal::client {

using ApiGroupVersions = std::vector<ApiGroupVersion>;
using OpenApiPaths = std::map<std::string, OpenApiV3Path>;

// Servers have some hundreds of group versions, and some thousands of resources.
inline constexpr std::size_t kMostGroupVersions = 10'000;
inline constexpr std::size_t kMostResources = 100'000;

// Returns whether a group, a version, a resource or a kind may have this name: letters, digits, and
// "-", "_" and "." inside.
[[nodiscard]] bool IsPlainName(std::string_view name);

// Return kOverLimit for documents with more than the numbers above, together with what `groups`
// has. What has no name, or one that is not plain, is left out. The first of several group versions
// of the same name counts.

// Adds the groups of an APIGroupDiscoveryList.
Result<void> AddAggregated(const json::Value& document, ApiGroupVersions& groups);
// Adds the versions of an APIVersions or APIGroupList, without resources.
Result<void> AddCoreVersions(const json::Value& document, ApiGroupVersions& groups);
Result<void> AddGroupList(const json::Value& document, ApiGroupVersions& groups);
// Reads an APIResourceList.
Result<void> FillFromResourceList(const json::Value& document, ApiGroupVersion& out);

// The other way: what kubectl keeps in files.
[[nodiscard]] json::Value GroupListOf(const ApiGroupVersions& groups);
[[nodiscard]] json::Value ResourceListOf(const ApiGroupVersion& version);

// Reads the paths of /openapi/v3.
Result<OpenApiPaths> ReadOpenApiPaths(const json::Value& document);

// Returns the groups with their versions, in the order of `groups`.
[[nodiscard]] std::vector<ApiGroup> GroupsOf(const ApiGroupVersions& groups);

// Returns each resource in one version, the preferred one if it has it.
[[nodiscard]] ApiGroupVersions PreferredOf(const ApiGroupVersions& groups);

// Marks the resources of a version as unknown.
void SetFailed(ApiGroupVersion& version, const Error& why);
// Returns whether the reason may pass, so that it makes sense to ask again.
[[nodiscard]] bool MayPass(const ApiGroupVersion& version);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_DISCOVERY_DOCUMENTS_H_
