// apiserver/registry/object_rules.h
//
// What the server does to metadata, and what it demands of what a body says of the object's place.

#ifndef KINFORMER_APISERVER_REGISTRY_OBJECT_RULES_H_
#define KINFORMER_APISERVER_REGISTRY_OBJECT_RULES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "kinformer/env.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Whether a body says the name that the URL says; and no other namespace than it, where it says
// one.
Result<void> CheckSentName(const json::Value& metadata, std::string_view name);
Result<void> CheckSentNamespace(const json::Value& metadata, std::string_view namespace_);

// Takes empty maps and lists out of metadata, which are the same as absent ones, and owners that
// are named again.
void TidyMetadata(json::Value& metadata);

// The label by which namespaces can be selected by name.
void SetNamespaceLabel(json::Value& object);

// "2023-11-14T22:13:20Z".
std::string FormatTime(WallTime time);

// "job-" + five letters; the prefix is cut so that the whole fits a label.
std::string GenerateName(Env& env, std::string_view prefix);

// metadata.generation of an object that is written over `old`.
std::int64_t NextGeneration(const ServedResource& resource, const json::Value& old,
                            const json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_OBJECT_RULES_H_
