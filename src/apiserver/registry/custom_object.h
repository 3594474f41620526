// apiserver/registry/custom_object.h
//
// What the schema of a custom resource does to the objects that are written. Every function leaves
// objects of built-in kinds alone.

#ifndef KINFORMER_APISERVER_REGISTRY_CUSTOM_OBJECT_H_
#define KINFORMER_APISERVER_REGISTRY_CUSTOM_OBJECT_H_

#include <string>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// `unknown field "spec.x"` for each field that is going to be pruned.
std::vector<std::string> UnknownFieldProblems(const ResourceAt& at, const json::Value& object);

// Prunes the object and fills in its defaults, by the schema of the version in which it was sent.
// BadRequest where metadata is not an object.
Result<void> PrepareCustomObject(const ResourceAt& at, json::Value& object);

// What the schema of that version has against the object; what has not changed since `old` (null: a
// new object) may stay.
std::vector<StatusCause> ValidateCustomObject(const ResourceAt& at, const json::Value& object,
                                              const json::Value* old);

// Prunes it and fills in defaults by the schema of the version in which objects are stored.
void ToStorageVersion(const ResourceAt& at, json::Value& object);

// Brings the stored objects to what `resource` says now, after its schema or its selectable fields
// have changed: as if they had been stored under it, each with its resourceVersion. If one changes
// by that, history begins anew at `resource_version`, since no event says so. Costs as much as
// reading all objects. True if the history has begun anew.
bool ReshapeObjects(ServedResource& resource, std::int64_t resource_version, HistoryLimits limits,
                    SteadyTime now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_CUSTOM_OBJECT_H_
