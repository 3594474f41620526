// apiserver/registry/object_rules.h
//
// Changes of metadata by the server, and checks of name and namespace in a body.

#ifndef KINFORMER_APISERVER_REGISTRY_OBJECT_RULES_H_
#define KINFORMER_APISERVER_REGISTRY_OBJECT_RULES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Check that the name in the body's metadata equals that of the URL, and that the namespace does,
// too, if the body has one.
Result<void> CheckSentName(const json::Value& metadata, std::string_view name);
Result<void> CheckSentNamespace(const json::Value& metadata, std::string_view namespace_);

// Removes empty maps and lists from metadata, since they equal absent ones, and owner references
// that repeat an earlier one.
void TidyMetadata(json::Value& metadata);

// Sets the label by which selectors find a namespace by name.
void SetNamespaceLabel(json::Value& object);

// Returns "2023-11-14T22:13:20Z".
std::string FormatTime(WallTime time);

// Returns "job-" + five letters; truncates the prefix so that the result fits a label.
std::string GenerateName(Env& env, std::string_view prefix);

// Returns metadata.generation of an object that replaces `old`.
std::int64_t NextGeneration(const ServedResource& resource, const json::Value& old,
                            const json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_OBJECT_RULES_H_
