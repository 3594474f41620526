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

// `unknown field "spec.x"` for each field that is going to be pruned; `applies`: for each that a
// server-side apply may not declare.
std::vector<std::string> UnknownFieldProblems(const ResourceAt& at, const json::Value& object,
                                              bool applies = false);

// Prunes the object and fills in its defaults, by the schema of the version in which it was sent.
// BadRequest where metadata is not an object; RequestEntityTooLarge.
Result<void> PrepareCustomObject(const ResourceAt& at, json::Value& object);

// Lists what the schema of that version has against the object, and what its scale subresource has
// against the numbers that it shows; of the former, what has not changed since `old` (null: a new
// object) may stay. `status`: only that was written.
std::vector<StatusCause> ValidateCustomObject(const ResourceAt& at, bool status,
                                              const json::Value& object, const json::Value* old);

// Fills in defaults. RequestEntityTooLarge where they would be too much.
Result<void> FillDefaults(const StructuralSchema& schema, json::Value& object);
// Prunes it first.
Result<void> ApplySchema(const StructuralSchema& schema, json::Value& object);
// The same by the schema of the version in which objects are stored, if that is another; and in any
// case the defaults of what has been taken away from what was sent: status.
Result<void> ToStorageVersion(const ResourceAt& at, json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_CUSTOM_OBJECT_H_
