// apiserver/plugins/resource_list.h
//
// ResourceList: amounts of named resources, and what a pod requests and may use in all.

#ifndef KINFORMER_APISERVER_PLUGINS_RESOURCE_LIST_H_
#define KINFORMER_APISERVER_PLUGINS_RESOURCE_LIST_H_

#include <map>
#include <string>
#include <string_view>

#include "kinformer/json/json.h"
#include "kinformer/object/quantity.h"

namespace kinformer::apiserver {

using ResourceList = std::map<std::string, resource::Quantity, std::less<>>;

// Reads a list such as spec.hard. Values that are no quantities count as zero.
[[nodiscard]] ResourceList ResourceListOf(const json::Value& list);
[[nodiscard]] json::Value ToJson(const ResourceList& list);
// Returns "cpu=1,memory=2Gi".
[[nodiscard]] std::string ToText(const ResourceList& list);

// Adds the amounts; subtracts them; replaces amounts by larger ones.
void Add(const ResourceList& more, ResourceList& sum);
void Subtract(const ResourceList& less, ResourceList& from);
void Maximize(const ResourceList& other, ResourceList& most);

// Returns what the pod needs in all: `field` ("requests" or "limits") of its containers, of init
// containers as far as they need more at a time, of the pod itself, and its overhead if
// `with_overhead`: a limit's overhead counts only where there is a limit.
[[nodiscard]] ResourceList ResourcesOfPod(const json::Value& spec, std::string_view field,
                                          bool with_overhead);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_RESOURCE_LIST_H_
